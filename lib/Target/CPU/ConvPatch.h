//===- ConvPatch.h - copies a row of an image with its padding --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_CONVPATCH_H
#define DYNAC_LIB_TARGET_CPU_CONVPATCH_H

#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

/// `cols` pixels of `block` words (a power of two up to 16) of row `y` of an image, from column
/// `firstCol` on, each `step` columns from the one before; pixels that are not in the image are
/// `fill`.
struct PaddedRow {
  mlir::Value image, target; ///< flat memrefs of f32 or i32
  mlir::Value plane;         ///< element of `image` where the plane starts
  mlir::Value y, firstCol;   ///< may be negative
  mlir::Value height, width; ///< of the image
  mlir::Value targetBase;    ///< element of `target`
  int64_t cols, block;
  int64_t step = 1;
  uint32_t fill = 0; ///< a word; 0 for f32
  /// If not 0: the image is plain, of bytes or f32, and a word is made of as many planes of it, f32
  /// becoming bf16; `block` is 1 then.
  int64_t gathered = 0;
};

/// Calls `put(from, to, source, inside)` for the columns before the image, in it and behind it;
/// `source` is the element of the image that column 0 has or would have. Does not look at `target`.
void forPaddedSpans(
    KernelFunction &kernel, const PaddedRow &row,
    llvm::function_ref<void(mlir::Value from, mlir::Value to, mlir::Value source, bool inside)>
        put);

void copyPaddedRow(KernelFunction &kernel, const PaddedRow &row);

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_CONVPATCH_H
