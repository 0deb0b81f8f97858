//===- Constant.cpp - constants, ranges, changes of type ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTimeAxes.h"

#include <cmath>

using namespace dynac;
using namespace dynac::onnx;

/// An empty shape.
static const prim::Shape scalar;

// The tensor of whichever attribute is present
static RowStatus constantRow(Node &n) {
  TensorContext &ctx = n.ctx();
  if (n.has("value"))
    n.out(0, n.tensor("value"));
  else if (n.has("sparse_value"))
    n.out(0, n.tensor("sparse_value"));
  else if (n.has("value_int"))
    n.out(0, fullInt(ctx, scalar, n.i("value_int", 0), ctx.builder.getI64Type()));
  else if (n.has("value_float"))
    n.out(0, full(ctx, scalar, n.f("value_float", 0), ctx.builder.getF32Type()));
  else if (n.has("value_ints"))
    n.out(0, constantI64(ctx, n.ints("value_ints")));
  else if (n.has("value_floats")) {
    auto values = n.floats("value_floats");
    n.out(0, constantF32(ctx, llvm::SmallVector<float>(values.begin(), values.end())));
  } else if (n.has("value_string") || n.has("value_strings"))
    return n.unsupported(noStrings);
  else
    return n.invalid("no value attribute");
  return RowStatus::Done;
}

// A tensor of the shape x, filled with `value` (default f32 0)
static RowStatus constantOfShape(Node &n) {
  if (!openLength(n, 0, n.declaredRank(0)))
    return RowStatus::Done;
  auto dims = n.bindDims(0);
  if (!dims)
    return n.unsupported(openList);
  TensorContext &ctx = n.ctx();
  Tensor value =
      n.has("value") ? n.tensor("value") : full(ctx, scalar, 0, ctx.builder.getF32Type());
  n.out(0, broadcastTo(reshape(value, scalar), *dims));
  return RowStatus::Done;
}

/// Number of elements of start, start + delta, ... before limit, from what is known while
/// importing.
static std::optional<SymExpr> knownRangeSize(Node &n) {
  auto start = n.dimsOf(0), limit = n.dimsOf(1);
  auto delta = n.intsOf(2);
  if (start && limit && delta && delta->front() != 0) {
    SymExpr span = limit->front() - start->front();
    int64_t step = delta->front();
    SymExpr count = step > 0 ? span.ceilDiv(SymExpr(step)) : (-span).ceilDiv(SymExpr(-step));
    return count.provablyGe(SymExpr(0)) ? count : SymExpr::max(count, SymExpr(0));
  }
  auto a = n.floatsOf(0), b = n.floatsOf(1), d = n.floatsOf(2);
  if (a && b && d && d->front() != 0) {
    double count = std::ceil((b->front() - a->front()) / d->front());
    return count <= 0 ? SymExpr(0) : sizeOf(count);
  }
  return std::nullopt;
}

// start + i * delta for i < max(0, ceil((limit - start) / delta))
static RowStatus range(Node &n) {
  TensorContext &ctx = n.ctx();
  Tensor start = n.in(0), limit = n.in(1), delta = n.in(2);
  if (ctx.failed())
    return RowStatus::Done;
  start = reshape(start, scalar);
  limit = reshape(limit, scalar);
  delta = reshape(delta, scalar);
  std::optional<SymExpr> size = knownRangeSize(n);
  if (!size && !ctx.failed()) {
    mlir::Type i64 = ctx.builder.getI64Type(), f64 = ctx.builder.getF64Type();
    Tensor count;
    if (start.isFloat()) {
      count = convert(ceil(convert(limit - start, f64) / convert(delta, f64)), i64);
    } else {
      // ceil of an integer quotient: one more than the truncated one where a positive remainder is
      // left.
      Tensor span = convert(limit, i64) - convert(start, i64), step = convert(delta, i64);
      Tensor quotient = span / step, rest = rem(span, step);
      Tensor isShort = ~equal(rest, fullLike(rest, 0)) & equal(rest < 0, step < 0);
      count = quotient + convert(isShort, i64);
    }
    size = bindDim(maximum(count, 0), 0);
  }
  if (!size)
    return RowStatus::Done;
  Tensor index = iota(ctx, {*size}, 0, start.dtype());
  n.out(0, start + index * delta);
  return RowStatus::Done;
}

// 1 where column = row + k, else 0
static RowStatus eyeLike(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (x.rank() != 2)
    return n.invalid("expected a matrix, got " + prim::shapeText(x.shape()));
  mlir::Type dtype = n.has("dtype") ? n.dtypeOf(n.i("dtype", 0)) : x.dtype();
  if (!dtype)
    return RowStatus::Done;
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor row = iota(n.ctx(), x.shape(), 0, i64), column = iota(n.ctx(), x.shape(), 1, i64);
  n.outAs(0, convert(equal(column, row + double(n.i("k", 0))), dtype), dtype);
  return RowStatus::Done;
}

/// x as powers of two; before opset 24 there is no attribute, which means upwards.
static RowStatus castToScale(Node &n, Tensor x) {
  std::string mode = n.s("round_mode", "up");
  ScaleRounding rounding = mode == "down"      ? ScaleRounding::Down
                           : mode == "nearest" ? ScaleRounding::Nearest
                                               : ScaleRounding::Up;
  if (rounding == ScaleRounding::Up && mode != "up")
    return n.invalid("attribute 'round_mode': got '" + mode +
                     "', expected 'up', 'down' or 'nearest'");
  n.out(0, toF8E8M0(x, rounding, n.i("saturate", 1) != 0));
  return RowStatus::Done;
}

/// x in `dtype`; only conversions to 8-bit floats saturate.
static RowStatus castTo(Node &n, Tensor x, mlir::Type dtype) {
  if (!x || !dtype)
    return RowStatus::Done;
  if (llvm::isa<prim::F8E8M0Type>(dtype) && x.dtype() != dtype)
    return castToScale(n, x);
  n.outAs(0, convert(x, dtype, n.i("saturate", 1) != 0), dtype);
  return RowStatus::Done;
}

// x converted to the type `to`; a name before opset 6
static RowStatus cast(Node &n) {
  static constexpr std::pair<llvm::StringLiteral, int64_t> names[] = {
      {"FLOAT", 1}, {"UINT8", 2}, {"INT8", 3},     {"UINT16", 4},  {"INT16", 5},   {"INT32", 6},
      {"INT64", 7}, {"BOOL", 9},  {"FLOAT16", 10}, {"DOUBLE", 11}, {"UINT32", 12}, {"UINT64", 13}};
  int64_t to = 0;
  if (n.opset() < 6) {
    std::string name = n.s("to", "");
    for (auto [text, number] : names)
      if (name == text)
        to = number;
  } else {
    to = n.i("to", 0);
  }
  return castTo(n, n.in(0), n.dtypeOf(to));
}

// x converted to y's type
static RowStatus castLike(Node &n) { return castTo(n, n.in(0), n.inputType(1)); }

// The bits of x as elements of `to`, which have the same width
static RowStatus bitCast(Node &n) {
  Tensor x = n.in(0);
  mlir::Type dtype = n.dtypeOf(n.i("to", 0));
  if (!x || !dtype)
    return RowStatus::Done;
  // A bool is a byte that is 0 or 1.
  mlir::Type byte = n.ctx().builder.getIntegerType(8, false);
  if (x.isBool() && prim::bitWidth(dtype) == 8)
    x = convert(x, byte);
  if (dtype.isInteger(1) && prim::bitWidth(x.dtype()) == 8) {
    n.out(0, convert(bitcast(x, byte), dtype));
    return RowStatus::Done;
  }
  if (prim::bitWidth(x.dtype()) != prim::bitWidth(dtype))
    return n.invalid("element types differ in width");
  n.out(0, x.dtype() == dtype ? x : bitcast(x, dtype));
  return RowStatus::Done;
}

// x
static Tensor same(Tensor x) { return x; }

// Whether there is a value: a tensor is one
static RowStatus optionalHasElement(Node &n) {
  if (n.hasInput(0) && !n.in(0))
    return RowStatus::Done; // an optional that is no tensor is reported
  n.out(0, full(n.ctx(), scalar, n.hasInput(0), n.ctx().builder.getI1Type()));
  return RowStatus::Done;
}

void onnx::addConstantRows(OpTable &t) {
  t.add("Constant", 1, constantRow, "value:T=any").limits({&noStrings});
  t.add("ConstantOfShape", 9, constantOfShape, "T1=index value:T2=any").limits({&openList});
  t.add("Range", 11, range, "T=number").inF32();
  t.add("EyeLike", 9, eyeLike, "T1=any dtype:T2=number|bool");
  t.add("Cast", 1, cast, "T1=any to:T2=any");
  t.add("CastLike", 15, castLike, "T1=any T2=any");
  t.add("BitCast", 26, bitCast, "T1=any to:T2=any");
  t.add("Identity", 1, unary<same>, "V=any");
  t.add("OptionalGetElement", 15, unary<same>, "O=any");
  t.add("OptionalHasElement", 15, optionalHasElement, "O=any");
}
