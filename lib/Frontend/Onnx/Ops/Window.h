//===- Window.h - the attributes of sliding windows -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_WINDOW_H
#define DYNAC_FRONTEND_ONNX_OPS_WINDOW_H

#include "Families.h"

namespace dynac::onnx {

/// What slides over the spatial axes of [N, C, spatial…]: one entry for each of them.
struct Window {
  llvm::SmallVector<int64_t> size, strides, dilations;
  prim::Shape lo, hi; ///< padding, as `pads` or auto_pad gives it
  /// What ceil_mode adds to `hi`: the part of the last window beyond the padding.
  prim::Shape ceilExtra;
};

/// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode. `weightShape` (of a
/// convolution) gives the size where the attribute is missing, and must agree with it. A status:
/// the row's end.
std::optional<RowStatus> readWindow(Node &n, Tensor x, Dims weightShape, Window &window);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_WINDOW_H
