//===- Quant.cpp - quantised numbers --------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit scaleOutput{"f8e8m0 as the output's type"};

/// Smallest and greatest integer of `type`.
static std::pair<double, double> rangeOf(mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return {0, double((uint64_t(1) << width) - 1)};
  double half = double(uint64_t(1) << (width - 1));
  return {-half, half - 1};
}

/// saturate(round_even(x) + zero), to an integer type; `zero` (i32 or invalid) broadcasts to x.
static Tensor roundTo(Tensor x, Tensor zero, mlir::Type type) {
  x = roundEven(x);
  if (zero)
    x = x + convert(zero, x.dtype());
  auto [lo, hi] = rangeOf(type);
  return convert(clamp(x, lo, hi), type);
}

/// Scale or zero point in x's shape or broadcastable to it: one value, one per element of `axis`,
/// or (block > 0) one per block along it.
static Tensor spread(Tensor value, Tensor x, int64_t axis, int64_t block) {
  if (!value || !x)
    return {};
  if (value.rank() == 0 || value.size().isOne())
    return reshape(value, {});
  if (axis >= (block > 0 ? value : x).rank()) {
    x.ctx().fail("a scale or zero point of shape " + prim::shapeText(value.shape()) +
                 " for shape " + prim::shapeText(x.shape()));
    return Tensor(x.ctx(), {});
  }
  if (block > 0) {
    // [.., n, ..] -> [.., n, 1, ..] -> [.., n, block, ..] -> [.., n * block, ..], cut to x's size.
    Shape repeated = value.shape(), merged = repeated;
    Tensor inner = unsqueeze(value, axis + 1);
    repeated.insert(repeated.begin() + axis + 1, SymExpr(block));
    merged[axis] = merged[axis] * SymExpr(block);
    Tensor result = reshape(broadcastTo(inner, repeated), merged);
    return merged[axis] == x.dim(axis) ? result : sliceAxis(result, axis, SymExpr(0), x.dim(axis));
  }
  Shape shape(x.rank(), SymExpr(1));
  shape[axis] = value.dim(0);
  return reshape(value, shape);
}

/// The axis attribute, which only counts where there is more than one scale.
static int64_t axisOf(Node &n, Tensor x, Tensor scale) {
  int64_t axis = n.i("axis", 1);
  axis += axis < 0 ? x.rank() : 0;
  bool single = scale.rank() == 0 || scale.size().isOne();
  if (!single && (axis < 0 || axis >= x.rank())) {
    n.ctx().fail("axis " + llvm::Twine(n.i("axis", 1)) + " of rank " + llvm::Twine(x.rank()));
    return 0;
  }
  return single ? 0 : axis;
}

// saturate(round_even(x / scale) + zero_point); to small floats: saturate(x / scale + zero_point)
static RowStatus quantizeLinear(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), zero = n.in(2, /*optional=*/true);
  if (n.ctx().failed())
    return RowStatus::Done;
  mlir::Builder &builder = n.ctx().builder;
  mlir::Type type = zero                     ? zero.dtype()
                    : n.i("output_dtype", 0) ? n.dtypeOf(n.i("output_dtype", 0))
                                             : mlir::Type(builder.getIntegerType(8, false));
  if (!type)
    return RowStatus::Done;
  int64_t axis = axisOf(n, x, scale), block = n.i("block_size", 0);
  // Divided in f32, or as `precision` says, whatever the operands are.
  mlir::Type wide = builder.getF32Type();
  if (int64_t precision = n.i("precision", 0))
    wide = n.dtypeOf(precision);
  else if (x.dtype().isF64())
    wide = x.dtype();
  if (!wide)
    return RowStatus::Done;
  Tensor ratio = convert(x, wide) / convert(spread(scale, x, axis, block), wide);
  if (llvm::isa<mlir::FloatType>(type) || prim::isSmallFloat(type)) {
    if (zero) { // A zero point of 0 must not turn -0 into 0.
      Tensor shift = convert(spread(zero, x, axis, block), wide);
      ratio = select(equal(shift, fullLike(shift, 0)), ratio, ratio + shift);
    }
    n.outAs(0, convert(ratio, type, n.i("saturate", 1) != 0), type);
    return RowStatus::Done;
  }
  if (!wide.isF64() && !wide.isF32())
    ratio = convert(ratio, builder.getF32Type());
  Tensor offset = zero ? spread(convert(zero, builder.getI32Type()), x, axis, block) : Tensor();
  n.outAs(0, roundTo(ratio, offset, type), type);
  return RowStatus::Done;
}

// (x - zero_point) * scale, in the scale's type or `output_dtype`
static RowStatus dequantizeLinear(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), zero = n.in(2, /*optional=*/true);
  if (n.ctx().failed())
    return RowStatus::Done;
  mlir::Type type = n.i("output_dtype", 0) ? n.dtypeOf(n.i("output_dtype", 0)) : n.inputType(1);
  if (!type)
    return RowStatus::Done;
  int64_t axis = axisOf(n, x, scale), block = n.i("block_size", 0);
  if (prim::isSmallFloat(type))
    return n.unsupported(scaleOutput);
  mlir::Type wide = n.ctx().builder.getF32Type(), i32 = n.ctx().builder.getI32Type();
  Tensor difference;
  if (x.isFloat()) {
    difference = convert(x, wide);
    if (zero)
      difference = difference - convert(spread(zero, x, axis, block), wide);
  } else {
    difference = convert(x, i32);
    if (zero)
      difference = difference - spread(convert(zero, i32), x, axis, block);
    difference = convert(difference, wide);
  }
  n.outAs(0, difference * convert(spread(scale, x, axis, block), wide), type);
  return RowStatus::Done;
}

// scale = (max(x, 0) - min(x, 0)) / 255, zero = round(clamp(-min / scale, 0, 255)), y =
// saturate(round(x / scale) + zero)
static RowStatus dynamicQuantizeLinear(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    axes.push_back(axis);
  mlir::Type u8 = n.ctx().builder.getIntegerType(8, false);
  Tensor top = maximum(reduceMax(x, axes), 0), bottom = minimum(reduceMin(x, axes), 0);
  Tensor scale = (top - bottom) / 255.0;
  Tensor zero = roundEven(clamp(-bottom / scale, 0, 255));
  n.outAs(0, roundTo(x / scale, zero, u8), u8);
  n.out(1, scale);
  n.outAs(2, convert(zero, u8), u8);
  return RowStatus::Done;
}

/// x - zero point in i32; a zero point that is a vector belongs to `axis`.
static Tensor centred(Node &n, int64_t operand, int64_t zeroPoint, int64_t axis) {
  mlir::Type i32 = n.ctx().builder.getI32Type();
  Tensor x = n.in(operand), zero = n.in(zeroPoint);
  return x && zero ? convert(x, i32) - spread(convert(zero, i32), x, axis, 0) : Tensor();
}

/// round(sum * scale) + zero point, saturated to the zero point's type.
static void requantize(Node &n, Tensor sum, Tensor scale, int64_t zeroPoint, int64_t axis) {
  Tensor zero = n.in(zeroPoint);
  if (!sum || !zero)
    return;
  mlir::Type f32 = n.ctx().builder.getF32Type(), i32 = n.ctx().builder.getI32Type();
  Tensor offset = spread(convert(zero, i32), sum, axis, 0);
  n.outAs(0, roundTo(convert(sum, f32) * scale, offset, zero.dtype()), zero.dtype());
}

// round((a - a_zero) (b - b_zero) * a_scale * b_scale / y_scale) + y_zero; a's parameters are per
// row, b's per column
static RowStatus qLinearMatMul(Node &n) {
  Tensor a = n.in(0), b = n.in(3), aScale = n.in(1), bScale = n.in(4), yScale = n.in(6);
  if (n.ctx().failed())
    return RowStatus::Done;
  int64_t row = std::max<int64_t>(a.rank() - 2, 0), column = b.rank() - 1;
  Tensor sum = matmul(centred(n, 0, 2, row), centred(n, 3, 5, column));
  if (!sum)
    return RowStatus::Done;
  int64_t resultRow = std::max<int64_t>(sum.rank() - 2, 0), resultColumn = sum.rank() - 1;
  Tensor scale = spread(aScale, sum, resultRow, 0) * spread(bScale, sum, resultColumn, 0) /
                 spread(yScale, sum, resultRow, 0);
  requantize(n, sum, convert(scale, n.ctx().builder.getF32Type()), 7, resultRow);
  return RowStatus::Done;
}

// The same of a convolution; w's parameters are per output channel, the bias is i32 of scale
// x_scale * w_scale
static RowStatus qLinearConv(Node &n) {
  Tensor x = n.in(0), w = n.in(3), xScale = n.in(1), wScale = n.in(4), yScale = n.in(6);
  if (n.ctx().failed())
    return RowStatus::Done;
  Window window;
  if (auto failure = readWindow(n, x, w.shape(), window))
    return *failure;
  llvm::SmallVector<int64_t> ones(x.rank() - 2, 1);
  Tensor sum = conv(centred(n, 0, 2, 1), centred(n, 3, 5, 0), window.strides, window.lo, window.hi,
                    ones, window.dilations, n.i("group", 1));
  if (Tensor bias = n.in(8, /*optional=*/true))
    sum = sum + spread(bias, sum, 1, 0);
  if (!sum)
    return RowStatus::Done;
  requantize(n, sum,
             spread(xScale, sum, 1, 0) * spread(wScale, sum, 1, 0) / spread(yScale, sum, 1, 0), 7,
             1);
  return RowStatus::Done;
}

void onnx::addQuantRows(OpTable &t) {
  t.add("QuantizeLinear", 10, quantizeLinear,
        "T1=float|i32 T2=float|i32|f8e8m0 T3=f8|packed|byte|i16|u16 "
        "output_dtype:T3=byte|i16|u16|f8|packed");
  t.add("DequantizeLinear", 10, dequantizeLinear,
        "T1=f8|packed|byte|i16|i32|u16 T2=float|f8e8m0 T1 output_dtype:T3=float")
      .limits({&scaleOutput});
  t.add("QuantizeLinear", 1, quantizeLinear, "T1=float T1 T2=byte|i16|u16|i4|u4", "com.microsoft");
  t.add("DequantizeLinear", 1, dequantizeLinear, "T1=byte|i16|i32|u16|i4|u4 T2=float T1",
        "com.microsoft");
  t.add("DynamicQuantizeLinear", 11, dynamicQuantizeLinear, "T1=f32");
  t.add("QLinearMatMul", 10, qLinearMatMul, "T1=f8|byte TS=float T1 T2=f8|byte TS T2 TS T3=f8|byte")
      .inF32();
  t.add("QLinearConv", 10, qLinearConv,
        "T1=byte x_scale=f32 T1 T2=byte w_scale=f32 T2 y_scale=f32 T3=byte T4=i32");
}
