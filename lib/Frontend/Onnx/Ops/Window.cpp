//===- Window.cpp - the attributes of sliding windows ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace dynac;

/// Padding of one axis so that the output has ceil(size / stride) elements.
static void samePadding(const SymExpr &size, const SymExpr &reach, int64_t stride, bool smallFirst,
                        SymExpr &lo, SymExpr &hi) {
  SymExpr outputs = size.ceilDiv(SymExpr(stride));
  SymExpr total = SymExpr::max((outputs - 1) * SymExpr(stride) + reach - size, SymExpr(0));
  SymExpr small = total.floorDiv(SymExpr(2));
  lo = smallFirst ? small : total - small;
  hi = total - lo;
}

std::optional<RowStatus> onnx::readWindow(Node &n, Tensor x, Dims weightShape, Window &window) {
  if (x.rank() < 3)
    return n.invalid("expected an input of rank 3 or more, got " + prim::shapeText(x.shape()));
  int64_t spatial = x.rank() - 2;
  llvm::SmallVector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0);
  window.size = n.ints("kernel_shape");
  bool isSymbolic = false;
  if (!weightShape.empty()) {
    llvm::SmallVector<int64_t> fromWeight;
    for (auto [i, dim] : llvm::enumerate(weightShape.drop_front(2))) {
      if (!dim.constant() && i < window.size.size())
        n.ctx().requireEqual(dim, SymExpr(window.size[i]), "kernel_shape and weight");
      isSymbolic |= !dim.constant();
      fromWeight.push_back(dim.constant().value_or(1));
    }
    if (n.ctx().failed())
      return RowStatus::Done;
    if (!window.size.empty() && window.size != fromWeight)
      return n.invalid("attribute 'kernel_shape' disagrees with the weight " +
                       prim::shapeText(weightShape));
    window.size = fromWeight;
  }
  window.strides = n.ints("strides", ones);
  window.dilations = n.ints("dilations", ones);
  auto pads = n.ints("pads", zeros);
  std::string autoPad = n.s("auto_pad", "NOTSET");
  if (int64_t(window.size.size()) != spatial || int64_t(window.strides.size()) != spatial ||
      int64_t(window.dilations.size()) != spatial || int64_t(pads.size()) != 2 * spatial)
    return n.invalid("kernel_shape, strides, dilations or pads do not fit an input of shape " +
                     prim::shapeText(x.shape()));
  for (int64_t i = 0; i < spatial; ++i)
    if (window.strides[i] < 1 || window.dilations[i] < 1 || window.size[i] < 0)
      return n.invalid("strides and dilations must be positive");
  bool ceilMode = n.i("ceil_mode", 0) != 0;
  for (int64_t i = 0; i < spatial; ++i) {
    SymExpr size = x.dim(2 + i), lo(pads[i]), hi(pads[spatial + i]), extra(0);
    SymExpr length = isSymbolic ? weightShape[2 + i] : SymExpr(window.size[i]);
    SymExpr reach = (length - 1) * SymExpr(window.dilations[i]) + 1;
    int64_t stride = window.strides[i];
    if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
      samePadding(size, reach, stride, autoPad == "SAME_UPPER", lo, hi);
    else if (autoPad == "VALID")
      lo = hi = SymExpr(0);
    else if (autoPad != "NOTSET" && !autoPad.empty())
      return n.invalid("attribute 'auto_pad': got '" + autoPad + "'");
    if (ceilMode) {
      // ceil((lo + size + hi - reach) / stride) + 1 windows, without a last one that starts in the
      // trailing padding: at most floor((lo + size - 1) / stride) + 1.
      SymExpr room = lo + size + hi - reach;
      SymExpr windows =
          SymExpr::min(room.ceilDiv(SymExpr(stride)), (lo + size - 1).floorDiv(SymExpr(stride))) +
          1;
      SymExpr needed = (windows - 1) * SymExpr(stride) + reach;
      // Negative where the last window of floor mode is dropped too.
      extra = needed - (lo + size + hi);
      if (extra.constant() && *extra.constant() < 0 && -*extra.constant() < stride &&
          room.constant() && room.floorDiv(SymExpr(stride)) + 1 == windows)
        extra = SymExpr(0);
    }
    window.lo.push_back(lo);
    window.hi.push_back(hi);
    window.ceilExtra.push_back(extra);
  }
  return std::nullopt;
}
