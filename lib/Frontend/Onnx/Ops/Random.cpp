//===- Random.cpp - random tensors ----------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers come from a counter-based generator (prim.rng_bits): with attribute `seed` they are the
// same in every run, on every machine and for any number of threads; without it the runtime gives a
// new seed whenever the operator runs. As in other implementations, operators with the same seed
// draw the same numbers.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "llvm/ADT/bit.h"

using namespace dynac;
using namespace dynac::onnx;

/// u32 bits, different ones for each element.
static Tensor randomBits(Node &n, Dims shape) {
  TensorContext &ctx = n.ctx();
  mlir::Type u32 = ctx.builder.getIntegerType(32, /*isSigned=*/false);
  mlir::Type seedType = prim::tensorType(SymExpr(2), u32);
  mlir::Value seed;
  if (n.has("seed")) {
    // A float but for Dropout, which has an integer.
    uint64_t bits = n.opType() == "Dropout" ? uint64_t(n.i("seed", 0))
                                            : llvm::bit_cast<uint32_t>(float(n.f("seed", 0)));
    seed =
        convert(constantI64(ctx, {int64_t(bits & UINT32_MAX), int64_t(bits >> 32)}), u32).value();
  } else {
    auto call = ctx.builder.create<prim::CustomCallOp>(ctx.loc, seedType, "seed@1",
                                                       mlir::ValueRange(), mlir::DictionaryAttr());
    seed = call.getResult(0);
  }
  auto op = ctx.builder.create<prim::RngBitsOp>(ctx.loc, prim::tensorType(shape, u32), seed, 0);
  return Tensor(ctx, op.getY());
}

/// Numbers in [0, 1), of 24 bits for f32 and 32 for f64.
static Tensor uniform(Node &n, Dims shape, mlir::Type dtype) {
  Tensor bits = randomBits(n, shape);
  if (!dtype.isF64())
    bits = shiftRightLogical(bits, fullInt(n.ctx(), {}, 8, bits.dtype()));
  return convert(bits, dtype) * (dtype.isF64() ? 0x1p-32 : 0x1p-24);
}

/// Box and Muller: sqrt(-2 log u) cos(2 pi v), u in (0, 1), v in [0, 1).
static Tensor normal(Node &n, Dims shape, mlir::Type dtype) {
  SymExpr count = prim::elementCount(shape);
  Tensor bits = convert(randomBits(n, {SymExpr(2), count}), dtype);
  auto row = [&](int64_t i) { return reshape(sliceAxis(bits, 0, i, i + 1), shape); };
  Tensor u = (row(0) + 0.5) * 0x1p-32, v = row(1) * 0x1p-32;
  return sqrt(maximum(log(u) * -2.0, 0)) * cos(v * 6.283185307179586);
}

/// Half types and integers are drawn in f32.
static mlir::Type drawnIn(mlir::Type dtype) {
  return dtype.isF64() ? dtype : mlir::Float32Type::get(dtype.getContext());
}

/// The shape and type of a random tensor: those of operand 0, or of the attributes.
static std::optional<prim::Shape> wanted(Node &n, bool isLike, mlir::Type &dtype) {
  dtype = n.has("dtype") || !isLike ? n.dtypeOf(n.i("dtype", 1)) : n.inputType(0);
  if (isLike) {
    Tensor like = n.in(0);
    return like && dtype ? std::optional(like.shape()) : std::nullopt;
  }
  auto sizes = n.ints("shape");
  return dtype ? std::optional(prim::Shape(sizes.begin(), sizes.end())) : std::nullopt;
}

// low + (high - low) u, u uniform in [0, 1)
template <bool isLike> static RowStatus randomUniform(Node &n) {
  mlir::Type dtype;
  auto shape = wanted(n, isLike, dtype);
  if (!shape)
    return RowStatus::Done;
  double low = n.f("low", 0), high = n.f("high", 1);
  n.outAs(0, uniform(n, *shape, drawnIn(dtype)) * (high - low) + low, dtype);
  return RowStatus::Done;
}

// mean + scale z, z of the standard normal distribution
template <bool isLike> static RowStatus randomNormal(Node &n) {
  mlir::Type dtype;
  auto shape = wanted(n, isLike, dtype);
  if (!shape)
    return RowStatus::Done;
  Tensor z = normal(n, *shape, drawnIn(dtype));
  n.outAs(0, z * n.f("scale", 1) + n.f("mean", 0), dtype);
  return RowStatus::Done;
}

// 1 with probability x, else 0
static RowStatus bernoulli(Node &n) {
  mlir::Type dtype;
  auto shape = wanted(n, /*isLike=*/true, dtype);
  if (!shape)
    return RowStatus::Done;
  Tensor x = n.in(0);
  mlir::Type type = drawnIn(x.dtype());
  n.outAs(0, uniform(n, *shape, type) < convert(x, type), dtype);
  return RowStatus::Done;
}

// Classes drawn with probabilities exp(x[b, class]) / sum: the number of partial sums that a
// uniform number of the whole sum reaches
static RowStatus multinomial(Node &n) {
  Tensor x = n.in(0);
  mlir::Type dtype = n.dtypeOf(n.i("dtype", 6));
  if (!x || !dtype)
    return RowStatus::Done;
  if (x.rank() != 2)
    return n.invalid("expected [batch, classes], got " + prim::shapeText(x.shape()));
  SymExpr samples(n.i("sample_size", 1));
  Tensor shares = exp(x - reduceMax(x, 1, /*keep=*/true));
  Tensor sums = cumulative(Combiner::add, shares, 1);
  Tensor whole = sliceAxis(sums, 1, x.dim(1) - 1, x.dim(1));
  Tensor drawn = uniform(n, {x.dim(0), samples}, x.dtype()) * whole;
  Tensor reached = unsqueeze(drawn, 2) >= unsqueeze(sums, 1); // [batch, samples, classes]
  Tensor chosen = sum(convert(reached, n.ctx().builder.getI64Type()), 2);
  // Rounding may bring a number up to the whole sum.
  chosen = minimum(chosen, dimScalar(n.ctx(), x.dim(1) - 1, chosen ? chosen.dtype() : dtype));
  n.outAs(0, chosen, dtype);
  return RowStatus::Done;
}

/// x / (1 - ratio) with probability 1 - ratio, else 0, and where it was kept.
static RowStatus dropoutTraining(Node &n, Tensor x) {
  TensorContext &ctx = n.ctx();
  mlir::Type f32 = ctx.builder.getF32Type();
  Tensor ratio = n.hasInput(1) ? reshape(convert(n.in(1), f32), {}) : full(ctx, {}, 0.5, f32);
  Tensor training = reshape(n.in(2), {});
  ratio = select(training, ratio, 0.0); // Nothing is dropped at inference.
  Tensor kept = uniform(n, x.shape(), f32) >= ratio;
  Tensor scale = convert(1.0 / (1.0 - ratio), x.dtype());
  n.out(0, select(kept, x * scale, 0.0));
  n.outAs(1, kept, ctx.builder.getI1Type());
  return RowStatus::Done;
}

// x, with a mask of ones; in training some of it (see above)
static RowStatus dropout(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (n.opset() >= 12 && n.hasInput(2)) {
    auto training = n.dimsOf(2);
    auto ratio = n.floatsOf(1);
    bool isOff = training && training->size() == 1 && training->front().isZero();
    bool keepsAll = n.hasInput(1) && ratio && ratio->size() == 1 && ratio->front() == 0;
    if (!isOff && !keepsAll)
      return dropoutTraining(n, x);
  }
  n.out(0, x);
  // The mask was of x's type before opset 10.
  mlir::Type mask = n.opset() < 10 ? n.inputType(0) : mlir::Type(n.ctx().builder.getI1Type());
  if (n.hasOutput(1))
    n.outAs(1, full(n.ctx(), x.shape(), 1, mask), mask);
  return RowStatus::Done;
}

void onnx::addRandomRows(OpTable &t) {
  t.add("RandomUniform", 1, randomUniform<false>, "dtype:T=float");
  t.add("RandomUniformLike", 1, randomUniform<true>, "T1=any dtype:T2=float");
  t.add("RandomNormal", 1, randomNormal<false>, "dtype:T=float");
  t.add("RandomNormalLike", 1, randomNormal<true>, "T1=any dtype:T2=float");
  t.add("Bernoulli", 15, bernoulli, "T1=float dtype:T2=number|bool");
  t.add("Multinomial", 7, multinomial, "T1=float dtype:T2=index").inF32();
  t.add("Dropout", 1, dropout, "T=float|f8 T1=float|f8 T2=bool");
}
