//===- ContribQuant.cpp - com.microsoft: quantised operators --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands come as (q, scale, zero point): the number is (q - zero) * scale in f32. Results are
// saturate(round_even(y / scale) + zero).
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"
#include "Window.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit nBits{"bits other than 2, 4 and 8, weight_prepacked 1, g_idx"};
static constexpr Limit gatherBits{
    "bits other than 4 and 8, bytes quantised along another axis than the last"};

namespace {

mlir::Type f32Of(Node &n) { return n.ctx().builder.getF32Type(); }
mlir::Type i32Of(Node &n) { return n.ctx().builder.getI32Type(); }

/// A scale or zero point of one element as a scalar, of several along `axis` of a tensor of `rank`.
Tensor alongAxis(Tensor value, int64_t rank, int64_t axis) {
  if (!value || value.size().isOne())
    return value ? reshape(value, {}) : value;
  Shape shape(rank, SymExpr(1));
  shape[axis] = value.size();
  return reshape(value, shape);
}

/// Operand `first`, its scale and zero point (which may be absent) as numbers.
Tensor dequantized(Node &n, int64_t first, int64_t axis = 0) {
  Tensor q = n.in(first), scale = n.in(first + 1);
  if (!q || !scale)
    return {};
  Tensor x = convert(q, i32Of(n));
  if (n.hasInput(first + 2))
    x = x - alongAxis(convert(n.in(first + 2), i32Of(n)), q.rank(), axis);
  return convert(x, f32Of(n)) * alongAxis(scale, q.rank(), axis);
}

/// y in the type of the zero point, or in `type`, by the scale and zero point from `first` on.
void putQuantized(Node &n, Tensor y, int64_t first, mlir::Type type) {
  Tensor scale = n.in(first);
  if (!y || !scale)
    return;
  Tensor q = roundEven(y / reshape(scale, {}));
  if (n.hasInput(first + 1)) {
    Tensor zero = n.in(first + 1);
    type = zero.dtype();
    q = q + convert(reshape(zero, {}), q.dtype());
  }
  const unsigned width = prim::bitWidth(type);
  const bool isUnsigned = type.isUnsignedInteger();
  const double lowest = isUnsigned ? 0 : -double(1u << (width - 1));
  n.outAs(0, convert(clamp(q, lowest, lowest + double((1u << width) - 1)), type), type);
}

template <Tensor (*F)(Tensor, Tensor)> RowStatus binaryRow(Node &n) {
  putQuantized(n, F(dequantized(n, 0), dequantized(n, 3)), 6, n.inputType(0));
  return RowStatus::Done;
}
Tensor add(Tensor a, Tensor b) { return a + b; }
Tensor mul(Tensor a, Tensor b) { return a * b; }

RowStatus qSigmoid(Node &n) {
  putQuantized(n, logistic(dequantized(n, 0)), 3, n.inputType(0));
  return RowStatus::Done;
}

RowStatus qLeakyRelu(Node &n) {
  Tensor x = dequantized(n, 0);
  if (x)
    putQuantized(n, select(x < 0.0, x * n.f("alpha", 0.01), x), 3, n.inputType(0));
  return RowStatus::Done;
}

/// x with its channels as axis 1, where the operator has them last.
Tensor channelsFirst(Node &n, Tensor x) {
  if (!x || n.i("channels_last", 0) == 0)
    return x;
  llvm::SmallVector<int64_t> order = {0, x.rank() - 1};
  for (int64_t axis = 1; axis + 1 < x.rank(); ++axis)
    order.push_back(axis);
  return transpose(x, order);
}
Tensor channelsBack(Node &n, Tensor y) {
  if (!y || n.i("channels_last", 0) == 0)
    return y;
  llvm::SmallVector<int64_t> order = {0};
  for (int64_t axis = 2; axis < y.rank(); ++axis)
    order.push_back(axis);
  order.push_back(1);
  return transpose(y, order);
}

RowStatus qGlobalAveragePool(Node &n) {
  Tensor x = channelsFirst(n, dequantized(n, 0));
  if (x)
    putQuantized(n,
                 channelsBack(n, mean(x, llvm::to_vector(llvm::seq<int64_t>(2, x.rank())), true)),
                 3, n.inputType(0));
  return RowStatus::Done;
}

RowStatus qAveragePool(Node &n) {
  Tensor x = channelsFirst(n, dequantized(n, 0));
  if (!x)
    return RowStatus::Done;
  Window window;
  if (auto failure = readWindow(n, x, {}, window))
    return *failure;
  auto pooled = [&](Tensor from, bool padded) {
    llvm::SmallVector<int64_t> size = {1, 1}, strides = {1, 1}, dilations = {1, 1};
    Shape lo = {SymExpr(0), SymExpr(0)}, hi = lo;
    for (size_t i = 0; i < window.size.size(); ++i) {
      size.push_back(window.size[i]);
      strides.push_back(window.strides[i]);
      dilations.push_back(window.dilations[i]);
      lo.push_back(padded ? window.lo[i] : SymExpr(0));
      hi.push_back(padded ? window.hi[i] + window.ceilExtra[i] : window.ceilExtra[i]);
    }
    return reduceWindow(Combiner::add, from, size, strides, dilations, lo, hi);
  };
  Shape shape = x.shape();
  shape[0] = shape[1] = SymExpr(1);
  const bool includesPads = n.i("count_include_pad", 0) != 0;
  for (size_t i = 0; includesPads && i < window.size.size(); ++i)
    shape[2 + i] = shape[2 + i] + window.lo[i] + window.hi[i];
  Tensor count = pooled(full(n.ctx(), shape, 1, x.dtype()), !includesPads);
  Tensor total = pooled(x, true);
  if (total && count)
    putQuantized(n, channelsBack(n, total / count), 3, n.inputType(0));
  return RowStatus::Done;
}

RowStatus qSoftmax(Node &n) {
  Tensor x = dequantized(n, 0);
  if (!x)
    return RowStatus::Done;
  int64_t axis = x.axis(n.i("axis", -1));
  if (n.i("opset", 13) < 13) { // the axes from `axis` on as one
    Shape shape = x.shape();
    llvm::ArrayRef<SymExpr> all(shape);
    Tensor flat = reshape(
        x, {prim::elementCount(all.take_front(axis)), prim::elementCount(all.drop_front(axis))});
    putQuantized(n, reshape(softmax(flat, 1), shape), 3, n.inputType(0));
    return RowStatus::Done;
  }
  putQuantized(n, softmax(x, axis), 3, n.inputType(0));
  return RowStatus::Done;
}

// Operands: y_scale, y_zero_point, then (x, scale, zero point) of each part
RowStatus qConcat(Node &n) {
  Tensors parts;
  for (int64_t i = 2; i + 2 < n.inputCount(); i += 3)
    parts.push_back(dequantized(n, i));
  if (parts.empty() || n.ctx().failed())
    return n.ctx().failed() ? RowStatus::Done : n.invalid("nothing to join");
  putQuantized(n, concat(parts, n.i("axis", 0)), 0, n.inputType(2));
  return RowStatus::Done;
}

RowStatus qWhere(Node &n) {
  putQuantized(n, select(n.in(0), dequantized(n, 1), dequantized(n, 4)), 7, n.inputType(1));
  return RowStatus::Done;
}

/// (a - a_zero) (b - b_zero) in i32; b's zero points may be one per column.
Tensor integerProduct(Node &n, Tensor a, Tensor b, int64_t aZero, int64_t bZero) {
  auto centred = [&](Tensor x, int64_t operand) {
    x = convert(x, i32Of(n));
    if (!x || operand < 0 || !n.hasInput(operand))
      return x;
    return x - alongAxis(convert(n.in(operand), i32Of(n)), x.rank(), x.rank() - 1);
  };
  return matmul(centred(a, aZero), centred(b, bZero));
}

// alpha * a_scale * b_scale * ((a - a_zero) (b - b_zero) + c), as f32 or quantised by y_scale
RowStatus qGemm(Node &n) {
  Tensor a = n.in(0), b = n.in(3);
  if (!a || !b)
    return RowStatus::Done;
  a = n.i("transA", 0) ? swapAxes(a, 0, 1) : a;
  b = n.i("transB", 0) ? swapAxes(b, 0, 1) : b;
  Tensor total = integerProduct(n, a, b, 2, 5);
  if (total && n.hasInput(6))
    total = total + broadcastTo(n.in(6), total.shape());
  if (!total)
    return RowStatus::Done;
  Tensor scale = alongAxis(n.in(1), 2, 0) * alongAxis(n.in(4), 2, 1) * n.f("alpha", 1);
  Tensor y = convert(total, f32Of(n)) * scale;
  if (n.hasInput(7))
    putQuantized(n, y, 7, n.inputType(0));
  else
    n.out(0, y);
  return RowStatus::Done;
}

// (a - a_zero) (b - b_zero) * a_scale * b_scale + bias
RowStatus matMulIntegerToFloat(Node &n) {
  Tensor total = integerProduct(n, n.in(0), n.in(1), 4, 5), a = n.in(2), b = n.in(3);
  if (!total || !a || !b)
    return RowStatus::Done;
  const int64_t rank = total.rank();
  Tensor y = convert(total, f32Of(n)) * (convert(alongAxis(a, rank, rank - 1), f32Of(n)) *
                                         convert(alongAxis(b, rank, rank - 1), f32Of(n)));
  if (Tensor bias = n.in(6, /*optional=*/true))
    y = y + convert(bias, f32Of(n));
  n.outAs(0, y, n.inputType(2));
  return RowStatus::Done;
}

// a quantised to u8 as DynamicQuantizeLinear does, times the quantised b, as f32
RowStatus dynamicQuantizeMatMul(Node &n) {
  Tensor a = n.in(0), b = n.in(1), scale = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, a.rank()));
  Tensor top = maximum(reduceMax(a, axes), 0), bottom = minimum(reduceMin(a, axes), 0);
  Tensor aScale = (top - bottom) / 255.0;
  aScale = select(equal(aScale, fullLike(aScale, 0)), 1.0, aScale);
  Tensor zero = roundEven(clamp(-bottom / aScale, 0, 255));
  Tensor q = clamp(roundEven(a / aScale) + zero, 0, 255) - zero;
  Tensor total = integerProduct(n, convert(q, i32Of(n)), b, /*aZero=*/-1, 3);
  if (!total)
    return RowStatus::Done;
  Tensor y = convert(total, f32Of(n)) * (aScale * alongAxis(scale, total.rank(), total.rank() - 1));
  if (Tensor bias = n.in(4, /*optional=*/true))
    y = y + bias;
  n.out(0, y);
  return RowStatus::Done;
}

/// [rows, bytes] of codes of `bits` bits, the first in the low bits: [rows, bytes * 8 / bits] in
/// i32.
Tensor codesOf(Node &n, Tensor bytes, int64_t bits) {
  const int64_t perByte = 8 / bits;
  Shape pairs = {bytes.dim(0), bytes.dim(1), SymExpr(perByte)};
  Tensor shift = iota(n.ctx(), pairs, 2, bytes.dtype()) * double(bits);
  Tensor codes = shiftRightLogical(broadcastTo(unsqueeze(bytes, 2), pairs), shift);
  codes = codes & full(n.ctx(), {}, double((1 << bits) - 1), bytes.dtype());
  return convert(reshape(codes, {bytes.dim(0), bytes.dim(1) * SymExpr(perByte)}), i32Of(n));
}

/// Whether x is of `shape`, or of one axis with as many elements; reports if it is not.
bool fits(Tensor x, Dims shape) {
  if (!x)
    return false;
  TensorContext &ctx = x.ctx();
  if (x.rank() == 1)
    return ctx.requireEqual(x.dim(0), prim::elementCount(shape), "the elements of an operand");
  if (x.rank() != int64_t(shape.size())) {
    ctx.fail("an operand " + prim::shapeText(x.shape()) + ", expected " + prim::shapeText(shape));
    return false;
  }
  for (auto [got, wanted] : llvm::zip(x.shape(), shape))
    if (!ctx.requireEqual(got, wanted, "an axis of an operand"))
      return false;
  return true;
}

// a b' + bias, b's rows of K being blocks of codes: (code - zero point) * scale; the zero point is
// half of the range unless it is given
RowStatus matMulNBits(Node &n) {
  Tensor a = n.in(0), packed = n.in(1), scales = n.in(2);
  const int64_t k = n.i("K", 0), rows = n.i("N", 0), bits = n.i("bits", 4),
                block = n.i("block_size", 0);
  if (n.ctx().failed())
    return RowStatus::Done;
  if (k < 1 || rows < 1 || block < 1)
    return n.invalid("attributes 'K', 'N' and 'block_size' must be positive");
  if ((bits != 2 && bits != 4 && bits != 8) || n.hasInput(4) || !packed.isUnsigned() ||
      n.i("weight_prepacked", 0) != 0)
    return n.unsupported(nBits);
  const int64_t blocks = (k + block - 1) / block;
  Shape grid = {SymExpr(rows), SymExpr(blocks)};
  if (!fits(packed, {SymExpr(rows), SymExpr(blocks), SymExpr(block * bits / 8)}) ||
      !fits(scales, grid))
    return RowStatus::Done;
  Tensor codes =
      codesOf(n, reshape(packed, {SymExpr(rows), SymExpr(blocks * block * bits / 8)}), bits);
  codes = reshape(codes, {SymExpr(rows), SymExpr(blocks), SymExpr(block)});
  Tensor weight = convert(codes, f32Of(n));
  if (Tensor zero = n.in(3, /*optional=*/true)) {
    if (!zero.isFloat()) {
      const int64_t bytes = (blocks * bits + 7) / 8;
      if (!fits(zero, {SymExpr(rows), SymExpr(bytes)}))
        return RowStatus::Done;
      zero = codesOf(n, reshape(zero, {SymExpr(rows), SymExpr(bytes)}), bits);
      zero = sliceAxis(zero, 1, SymExpr(0), SymExpr(blocks));
    }
    if (!fits(zero, grid))
      return RowStatus::Done;
    weight = weight - unsqueeze(convert(reshape(zero, grid), f32Of(n)), 2);
  } else if (!n.ctx().failed()) {
    weight = weight - double(1 << (bits - 1));
  }
  weight = weight * unsqueeze(convert(reshape(scales, grid), f32Of(n)), 2);
  weight = reshape(weight, {SymExpr(rows), SymExpr(blocks * block)});
  weight = sliceAxis(weight, 1, SymExpr(0), SymExpr(k));
  Tensor y = matmul(convert(a, f32Of(n)), swapAxes(weight, 0, 1));
  if (Tensor bias = n.in(5, /*optional=*/true))
    y = y + convert(bias, f32Of(n));
  n.outAs(0, y, n.inputType(0));
  return RowStatus::Done;
}

/// [.., n, ..] -> [.., n * block, ..], each element `block` times along `axis`, cut to `size`.
Tensor repeated(Tensor x, int64_t axis, int64_t block, const SymExpr &size) {
  if (!x)
    return x;
  Shape apart = x.shape(), merged = apart;
  apart.insert(apart.begin() + axis + 1, SymExpr(block));
  merged[axis] = merged[axis] * SymExpr(block);
  x = reshape(broadcastTo(unsqueeze(x, axis + 1), apart), merged);
  return x && merged[axis] != size ? sliceAxis(x, axis, SymExpr(0), size) : x;
}

// Rows of a table of codes in blocks: (code - zero point) * scale. Bytes hold two codes of four
// bits along the last axis, or one; their zero point is half of the range unless it is given.
RowStatus gatherBlockQuantized(Node &n) {
  Tensor data = n.in(0), index = n.in(1), scales = n.in(2), zero = n.in(3, /*optional=*/true);
  const int64_t bits = n.i("bits", 4), block = n.i("block_size", 128);
  if (n.ctx().failed())
    return RowStatus::Done;
  const bool isBytes = prim::bitWidth(data.dtype()) == 8;
  const int64_t axis = data.axis(n.i("quantize_axis", 1)), from = data.axis(n.i("gather_axis", 0)),
                last = data.rank() - 1;
  if ((bits != 4 && bits != 8) || block < 1 || (isBytes && axis != last) || n.ctx().failed())
    return n.ctx().failed() ? RowStatus::Done : n.unsupported(gatherBits);
  auto codes = [&](Tensor x) { // in i32
    if (!isBytes || bits == 8)
      return convert(x, i32Of(n));
    Shape wide = x.shape();
    wide.back() = wide.back() * SymExpr(2);
    Tensor rows = reshape(x, {x.size().exactDiv(x.dim(-1)).value_or(SymExpr(1)), x.dim(-1)});
    return reshape(codesOf(n, rows, 4), wide);
  };
  Tensor q = codes(data);
  SymExpr size = q.dim(axis);
  Tensor value = convert(q, f32Of(n));
  if (zero) {
    Tensor offset = codes(zero);
    if (offset.dim(axis) != scales.dim(axis)) // an odd number of codes
      offset = sliceAxis(offset, axis, SymExpr(0), scales.dim(axis));
    value = value - repeated(convert(offset, f32Of(n)), axis, block, size);
  } else if (isBytes) {
    value = value - double(1 << (bits - 1));
  }
  value = value * repeated(convert(scales, f32Of(n)), axis, block, size);
  n.outAs(0, take(value, wrapIndex(index, q.dim(from)), from), n.inputType(2));
  return RowStatus::Done;
}

} // namespace

void onnx::addContribQuantRows(OpTable &t) {
  t.add("QLinearAdd", 1, binaryRow<add>, "T=byte A_scale=f32 T T B_scale=f32 T C_scale=f32 T",
        microsoft);
  t.add("QLinearMul", 1, binaryRow<mul>, "T=byte A_scale=f32 T T B_scale=f32 T C_scale=f32 T",
        microsoft);
  t.add("QLinearSigmoid", 1, qSigmoid, "T=byte X_scale=f32 T Y_scale=f32 T", microsoft);
  t.add("QLinearLeakyRelu", 1, qLeakyRelu, "T=byte X_scale=f32 T Y_scale=f32 T", microsoft);
  t.add("QLinearGlobalAveragePool", 1, qGlobalAveragePool, "T=byte x_scale=f32 T y_scale=f32 T",
        microsoft);
  t.add("QLinearAveragePool", 1, qAveragePool, "T=byte x_scale=f32 T y_scale=f32 T", microsoft);
  t.add("QLinearSoftmax", 1, qSoftmax, "T=byte X_scale=f32 T y_scale=f32 T", microsoft);
  t.add("QLinearConcat", 1, qConcat, "TF=f32 T8=byte _", microsoft);
  t.add("QLinearWhere", 1, qWhere, "B=bool T=byte TF=f32 T T TF T TF T", microsoft);
  t.add("QGemm", 1, qGemm, "TA=byte T=f32 TA TB=byte T TB TC=i32 T TYZ=byte", microsoft);
  t.add("MatMulIntegerToFloat", 1, matMulIntegerToFloat, "T1=byte T2=byte T3=float T3 T1 T2 T3",
        microsoft);
  t.add("DynamicQuantizeMatMul", 1, dynamicQuantizeMatMul, "T1=f32 T2=byte T1 T2 T1", microsoft);
  t.add("GatherBlockQuantized", 1, gatherBlockQuantized, "T1=u8|i4|u4 Tind=index T2=float T1",
        microsoft)
      .limits({&gatherBits});
  t.add("MatMulNBits", 1, matMulNBits, "T1=float T2=u8 T1 T3=u8|float _ T1", microsoft)
      .limits({&nBits});
}
