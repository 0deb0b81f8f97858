//===- Infer.cpp - result shapes of primitives ----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/Infer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/Twine.h"

using namespace dynac;
using namespace dynac::prim;
using llvm::ArrayRef;
using llvm::Twine;

namespace {

std::nullopt_t refuse(Misfit &why, const Twine &text) {
  why = {text.str(), std::nullopt};
  return std::nullopt;
}

/// Whether `axes` are distinct and within [0, rank).
bool checkAxes(Axes axes, int64_t rank, const char *what, Misfit &why) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank) {
      refuse(why, Twine(what) + " " + Twine(axis) + " is out of range for rank " + Twine(rank));
      return false;
    }
    if (seen.test(axis)) {
      refuse(why, Twine(what) + " " + Twine(axis) + " occurs twice");
      return false;
    }
    seen.set(axis);
  }
  return true;
}

/// Whether `list` (of the attribute `name`) has an entry per axis.
bool checkLength(size_t got, size_t expected, const char *name, Misfit &why) {
  if (got == expected)
    return true;
  refuse(why, Twine("'") + name + "' has " + Twine(got) + " entries, expected " + Twine(expected));
  return false;
}

bool checkPositive(Axes list, const char *name, Misfit &why) {
  for (int64_t entry : list) {
    if (entry > 0)
      continue;
    refuse(why, Twine("'") + name + "' holds " + Twine(entry) + ", expected positive numbers");
    return false;
  }
  return true;
}

/// (x - 1) * step + 1, or 0 where x is 0: the extent of x elements that lie `step` apart.
SymExpr dilated(const SymExpr &x, int64_t step) {
  if (step == 1 || x.isZero())
    return x;
  SymExpr extent = (x - 1) * SymExpr(step) + 1;
  return x.provablyGe(1) ? extent : SymExpr::max(extent, 0);
}

/// Number of places of a window in `extent` elements; none if it does not fit once.
SymExpr windowCount(const SymExpr &extent, int64_t window, int64_t stride, int64_t dilation) {
  SymExpr room = extent - ((window - 1) * dilation + 1);
  if (auto value = room.constant(); value && *value < 0)
    return 0;
  return room.floorDiv(stride) + 1;
}

/// What `a` and `b` become together; nothing if they are not provably equal.
std::optional<SymExpr> broadcastDim(const SymExpr &a, const SymExpr &b) {
  if (a == b || b.isOne())
    return a;
  if (a.isOne())
    return b;
  return std::nullopt;
}

} // namespace

std::nullopt_t prim::refuseUnequal(Misfit &why, const Twine &where, const SymExpr &a,
                                   const SymExpr &b) {
  std::string dims = "dimensions " + a.str() + " and " + b.str();
  if (a.isConstant() && b.isConstant())
    return refuse(why, where + ": " + dims + " differ");
  refuse(why, where + ": " + dims + " are not provably equal");
  why.unequal.emplace(a, b);
  return std::nullopt;
}

bool prim::checkShape(Dims shape, Misfit &why) {
  constexpr int64_t most = int64_t(1) << 60;
  int64_t count = 1;
  for (const SymExpr &dim : shape) {
    auto value = dim.constant();
    if (dim.isOverflow())
      refuse(why, "the size of a dimension leaves 64 bits or is too long an expression of the "
                  "model's dimensions");
    else if (value && *value < 0)
      refuse(why, "shape " + shapeText(shape) + " has a negative size");
    else if (value && *value > most / count) // also beside a 0: there are strides
      refuse(why, "shape " + shapeText(shape) + " has more than 2^60 elements");
    else if (value && *value > 0)
      count *= *value;
    if (!why.text.empty())
      return false;
  }
  return true;
}

std::optional<Shape> prim::inferReduce(Dims x, Axes axes, Misfit &why) {
  if (!checkAxes(axes, x.size(), "axis", why))
    return std::nullopt;
  Shape result;
  for (auto [i, dim] : llvm::enumerate(x))
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      result.push_back(dim);
  return result;
}

std::optional<Shape> prim::inferTranspose(Dims x, Axes permutation, Misfit &why) {
  if (!checkLength(permutation.size(), x.size(), "permutation", why) ||
      !checkAxes(permutation, x.size(), "axis", why))
    return std::nullopt;
  Shape result;
  for (int64_t axis : permutation)
    result.push_back(x[axis]);
  return result;
}

std::optional<Shape> prim::inferConcat(ArrayRef<Shape> xs, int64_t axis, Misfit &why) {
  if (xs.empty())
    return refuse(why, "expected at least one operand");
  Shape result = xs[0];
  if (!checkAxes(axis, result.size(), "axis", why))
    return std::nullopt;
  for (const Shape &x : xs.drop_front()) {
    if (x.size() != result.size())
      return refuse(why, "operands have shapes " + shapeText(xs[0]) + " and " + shapeText(x) +
                             " of different rank");
    for (auto [i, dim] : llvm::enumerate(x)) {
      if (static_cast<int64_t>(i) == axis)
        result[i] = result[i] + dim;
      else if (dim != result[i])
        return refuseUnequal(why,
                             "axis " + Twine(i) + " of operand shapes " + shapeText(xs[0]) +
                                 " and " + shapeText(x),
                             result[i], dim);
    }
  }
  return result;
}

std::optional<Shape> prim::inferPad(Dims x, Dims lo, Dims hi, Axes interior, Misfit &why) {
  if (!checkLength(lo.size(), x.size(), "lo", why) ||
      !checkLength(hi.size(), x.size(), "hi", why) ||
      !checkLength(interior.size(), x.size(), "interior", why))
    return std::nullopt;
  Shape result;
  for (auto [i, dim] : llvm::enumerate(x)) {
    if (interior[i] < 0)
      return refuse(why, "interior padding " + Twine(interior[i]) + " of axis " + Twine(i) +
                             " is negative");
    SymExpr size = lo[i] + dilated(dim, interior[i] + 1) + hi[i];
    if (auto value = size.constant(); value && *value < 0)
      return refuse(why, "axis " + Twine(i) + " of size " + dim.str() + " padded by " +
                             lo[i].str() + " and " + hi[i].str() + " has a negative size");
    result.push_back(size);
  }
  return result;
}

std::optional<Shape> prim::inferGather(Dims x, Dims indices, Axes axes, int64_t batch,
                                       Misfit &why) {
  if (batch < 0 || batch > static_cast<int64_t>(x.size()) ||
      batch >= static_cast<int64_t>(indices.size()))
    return refuse(why, "batch " + Twine(batch) + " does not fit x " + shapeText(x) +
                           " and indices " + shapeText(indices));
  if (!checkAxes(axes, x.size(), "axis", why))
    return std::nullopt;
  for (int64_t axis : axes)
    if (axis < batch)
      return refuse(why, "axis " + Twine(axis) + " is one of the " + Twine(batch) + " batch axes");
  if (indices.back() != SymExpr(static_cast<int64_t>(axes.size())))
    return refuseUnequal(why, "the last axis of indices " + shapeText(indices) + " counts the axes",
                         indices.back(), SymExpr(static_cast<int64_t>(axes.size())));
  for (int64_t i = 0; i < batch; ++i)
    if (x[i] != indices[i])
      return refuseUnequal(why,
                           "batch axis " + Twine(i) + " of x " + shapeText(x) + " and indices " +
                               shapeText(indices),
                           x[i], indices[i]);
  Shape result(indices.drop_back());
  for (int64_t i = batch; i < static_cast<int64_t>(x.size()); ++i)
    if (!llvm::is_contained(axes, i))
      result.push_back(x[i]);
  return result;
}

std::optional<Shape> prim::inferWindow(Dims x, Axes window, Axes strides, Axes dilations, Dims lo,
                                       Dims hi, Misfit &why) {
  if (!checkLength(window.size(), x.size(), "window", why) ||
      !checkLength(strides.size(), x.size(), "strides", why) ||
      !checkLength(dilations.size(), x.size(), "dilations", why) ||
      !checkLength(lo.size(), x.size(), "lo", why) ||
      !checkLength(hi.size(), x.size(), "hi", why) || !checkPositive(window, "window", why) ||
      !checkPositive(strides, "strides", why) || !checkPositive(dilations, "dilations", why))
    return std::nullopt;
  Shape result;
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back(windowCount(lo[i] + x[i] + hi[i], window[i], strides[i], dilations[i]));
  return result;
}

std::optional<Shape> prim::inferDot(Dims a, Dims b, Axes batchA, Axes batchB, Axes contractA,
                                    Axes contractB, Misfit &why) {
  if (!checkLength(batchB.size(), batchA.size(), "batch", why) ||
      !checkLength(contractB.size(), contractA.size(), "contract", why))
    return std::nullopt;
  llvm::SmallVector<int64_t> boundA(batchA), boundB(batchB);
  boundA.append(contractA.begin(), contractA.end());
  boundB.append(contractB.begin(), contractB.end());
  if (!checkAxes(boundA, a.size(), "axis", why) || !checkAxes(boundB, b.size(), "axis", why))
    return std::nullopt;
  for (auto [i, j] : llvm::zip(boundA, boundB))
    if (a[i] != b[j])
      return refuseUnequal(why,
                           "axis " + Twine(i) + " of " + shapeText(a) + " and axis " + Twine(j) +
                               " of " + shapeText(b),
                           a[i], b[j]);
  Shape result;
  for (int64_t axis : batchA)
    result.push_back(a[axis]);
  for (size_t i = 0; i < a.size(); ++i)
    if (!llvm::is_contained(boundA, static_cast<int64_t>(i)))
      result.push_back(a[i]);
  for (size_t i = 0; i < b.size(); ++i)
    if (!llvm::is_contained(boundB, static_cast<int64_t>(i)))
      result.push_back(b[i]);
  return result;
}

std::optional<Shape> prim::inferConv(Dims x, Dims w, Axes strides, Dims lo, Dims hi,
                                     Axes lhsDilation, Axes rhsDilation, int64_t groups,
                                     Misfit &why) {
  if (x.size() < 2 || w.size() != x.size())
    return refuse(why, "x " + shapeText(x) + " and w " + shapeText(w) +
                           " need the same rank, at least 2");
  size_t spatial = x.size() - 2;
  if (!checkLength(strides.size(), spatial, "strides", why) ||
      !checkLength(lo.size(), spatial, "lo", why) || !checkLength(hi.size(), spatial, "hi", why) ||
      !checkLength(lhsDilation.size(), spatial, "lhsDilation", why) ||
      !checkLength(rhsDilation.size(), spatial, "rhsDilation", why) ||
      !checkPositive(strides, "strides", why) || !checkPositive(lhsDilation, "lhsDilation", why) ||
      !checkPositive(rhsDilation, "rhsDilation", why))
    return std::nullopt;
  if (groups < 1)
    return refuse(why, "groups is " + Twine(groups) + ", expected a positive number");
  if (x[1] != w[1] * SymExpr(groups))
    return refuseUnequal(why,
                         "channels of x " + shapeText(x) + " and w " + shapeText(w) + " in " +
                             Twine(groups) + " groups",
                         x[1], w[1] * SymExpr(groups));
  if (!w[0].exactDiv(groups))
    return refuseUnequal(why, "filters of w " + shapeText(w) + " in " + Twine(groups) + " groups",
                         w[0], w[0].floorDiv(groups) * SymExpr(groups));
  Shape result{x[0], w[0]};
  for (size_t i = 0; i < spatial; ++i) {
    // As if x had an element: a sum over none is not worth a max in every shape after it.
    SymExpr extent = lo[i] + (x[i + 2] - 1) * SymExpr(lhsDilation[i]) + 1 + hi[i];
    auto window = w[i + 2].constant();
    if (window && *window < 1)
      return refuse(why, "w " + shapeText(w) + " has an empty window");
    if (window) {
      result.push_back(windowCount(extent, *window, strides[i], rhsDilation[i]));
      continue;
    }
    SymExpr room = extent - dilated(w[i + 2], rhsDilation[i]);
    result.push_back(room.floorDiv(strides[i]) + 1);
  }
  return result;
}

bool prim::checkBroadcast(Dims x, Axes axes, Dims result, Misfit &why) {
  if (!checkLength(axes.size(), x.size(), "axes", why) ||
      !checkAxes(axes, result.size(), "axis", why))
    return false;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (x[i].isOne() || x[i] == result[axis])
      continue;
    refuseUnequal(why,
                  "axis " + Twine(i) + " of " + shapeText(x) + " does not become axis " +
                      Twine(axis) + " of " + shapeText(result),
                  x[i], result[axis]);
    return false;
  }
  return true;
}

std::optional<Shape> prim::inferNumpyBroadcast(Dims a, Dims b, Misfit &why) {
  Dims longer = a.size() >= b.size() ? a : b;
  Dims shorter = a.size() >= b.size() ? b : a;
  Shape result(longer);
  size_t offset = longer.size() - shorter.size();
  for (auto [i, dim] : llvm::enumerate(shorter)) {
    SymExpr &into = result[offset + i];
    auto common = broadcastDim(into, dim);
    if (!common)
      return refuseUnequal(
          why, "shapes " + shapeText(a) + " and " + shapeText(b) + " do not broadcast", into, dim);
    into = *common;
  }
  return result;
}
