//===- Normalization.cpp - softmax, norms and gelu ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

using namespace mlir;
using namespace dynac;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static Tensor softmaxLike(StringRef name, Tensor x, int64_t axis) {
  if (!requireFloats(name, x))
    return invalidTensor({x});
  auto axes = normaliseAxes(x.ctx(), axis, x.rank(), name.data());
  if (!axes)
    return invalidTensor(x.ctx());
  DictionaryAttr entries = config(x.ctx(), {{"axis", attr(x.ctx(), axes->front())}});
  return composite(name, x, entries, x.shape());
}

Tensor dynac::softmax(Tensor x, int64_t axis) { return softmaxLike("softmax", x, axis); }
Tensor dynac::logSoftmax(Tensor x, int64_t axis) { return softmaxLike("log_softmax", x, axis); }

// A row of -inf has no distribution: -inf - -inf makes all of it NaN, and so does a NaN in the row.
// One division for a row: a second rounding is less than what the exponentials are off by.
Tensors dynac::softmaxBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr config) {
  int64_t axis = intOf(context, config, "axis");
  Tensor x = widened(xs[0]);
  Tensor largest = reduceMax(x, axis, true);
  Tensor shares = exp(x - largest);
  Tensor y = shares * (1.0 / sum(shares, axis, true));
  return {convert(y, xs[0].dtype())};
}

Tensors dynac::logSoftmaxBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr config) {
  int64_t axis = intOf(context, config, "axis");
  Tensor x = widened(xs[0]);
  Tensor largest = reduceMax(x, axis, true);
  Tensor shifted = x - largest;
  Tensor y = shifted - log(sum(exp(shifted), axis, true));
  return {convert(y, xs[0].dtype())};
}

//===----------------------------------------------------------------------===//
// Layer and RMS norm
//===----------------------------------------------------------------------===//

/// Axes [axis, rank).
static SmallVector<int64_t> trailingAxes(Tensor x, int64_t axis) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, x.rank()));
}

static DictionaryAttr normConfig(TensorContext &context, int64_t axis, double epsilon) {
  return config(context, {{"axis", attr(context, axis)}, {"epsilon", attr(context, epsilon)}});
}

/// Whether `x`, if there is one, broadcasts to the normalised tensor without stretching it.
static bool checkAffine(StringRef name, Tensor x, Tensor factor) {
  if (!factor)
    return true;
  prim::Misfit why;
  auto shape = prim::inferNumpyBroadcast(x.shape(), factor.shape(), why);
  if (shape && *shape != x.shape())
    why.text =
        prim::shapeText(factor.shape()) + " does not broadcast to " + prim::shapeText(x.shape());
  if (why.text.empty() && !factor.isFloat())
    why.text = "scale and bias need floats";
  if (why.text.empty())
    return true;
  x.ctx().fail(name, why);
  return false;
}

LayerNormResult dynac::layerNorm(Tensor x, Tensor scale, Tensor bias, int64_t axis,
                                 double epsilon) {
  if (!requireFloats("layer_norm", x) || !scale || !checkAffine("layer_norm", x, scale) ||
      !checkAffine("layer_norm", x, bias)) {
    Tensor none = invalidTensor({x, scale});
    return {none, none, none};
  }
  TensorContext &context = x.ctx();
  auto first = normaliseAxes(context, axis, x.rank(), "layer_norm");
  if (!first)
    return {invalidTensor(context), invalidTensor(context), invalidTensor(context)};
  SmallVector<Value> values{x.value(), scale.value()};
  if (bias)
    values.push_back(bias.value());
  Shape kept = keptShape(x.shape(), trailingAxes(x, first->front()));
  Type statistics = prim::tensorType(kept, accumulatorType(x.dtype()));
  auto op = context.builder.create<prim::CompositeOp>(
      context.loc, TypeRange{x.value().getType(), statistics, statistics}, "layer_norm", values,
      normConfig(context, first->front(), epsilon));
  return {Tensor(context, op.getResult(0)), Tensor(context, op.getResult(1)),
          Tensor(context, op.getResult(2))};
}

// The variance is taken from the centred values: E[x^2] - E[x]^2 cancels.
Tensors dynac::layerNormBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr config) {
  int64_t axis = intOf(context, config, "axis");
  Tensor x = widened(xs[0]);
  SmallVector<int64_t> axes = trailingAxes(x, axis);
  Tensor average = mean(x, axes, true);
  Tensor centred = x - average;
  Tensor variance = mean(centred * centred, axes, true);
  Tensor inverseStd = rsqrt(variance + floatOf(context, config, "epsilon"));
  Tensor normal = centred * inverseStd;
  Tensor y = normal * convert(xs[1], x.dtype());
  if (xs.size() > 2)
    y = y + convert(xs[2], x.dtype());
  return {convert(y, xs[0].dtype()), average, inverseStd};
}

Tensor dynac::rmsNorm(Tensor x, Tensor scale, int64_t axis, double epsilon) {
  if (!requireFloats("rms_norm", x) || !scale || !checkAffine("rms_norm", x, scale))
    return invalidTensor({x, scale});
  auto first = normaliseAxes(x.ctx(), axis, x.rank(), "rms_norm");
  if (!first)
    return invalidTensor(x.ctx());
  return composite("rms_norm", {x, scale}, normConfig(x.ctx(), first->front(), epsilon), x.shape());
}

Tensors dynac::rmsNormBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr config) {
  int64_t axis = intOf(context, config, "axis");
  Tensor x = widened(xs[0]);
  Tensor square = mean(x * x, trailingAxes(x, axis), true);
  Tensor normal = x * rsqrt(square + floatOf(context, config, "epsilon"));
  Tensor y = normal * convert(xs[1], x.dtype());
  return {convert(y, xs[0].dtype())};
}

//===----------------------------------------------------------------------===//
// Formulas that fuse and need no composite
//===----------------------------------------------------------------------===//

Tensor dynac::gelu(Tensor x, bool tanhApproximation) {
  if (!requireFloats("gelu", x))
    return invalidTensor({x});
  Tensor wide = widened(x);
  Tensor gate;
  if (tanhApproximation) {
    constexpr double factor = 0.7978845608028653559; // sqrt(2 / pi)
    Tensor cube = pow(wide, 3.0);
    gate = tanh((wide + cube * 0.044715) * factor);
  } else {
    constexpr double sqrtHalf = 0.70710678118654752440;
    gate = erf(wide * sqrtHalf);
  }
  return convert((wide * 0.5) * (gate + 1.0), x.dtype());
}

Tensor dynac::batchNormEval(Tensor x, Tensor scale, Tensor bias, Tensor mean, Tensor var,
                            double epsilon) {
  if (!requireFloats("batch_norm", x) || !scale || !bias || !mean || !var)
    return invalidTensor({x, scale, bias, mean, var});
  TensorContext &context = x.ctx();
  if (x.rank() < 2)
    return failTensor(context,
                      "batch_norm: got rank " + llvm::Twine(x.rank()) + ", expected at least 2");
  Type wide = accumulatorType(x.dtype());
  SmallVector<int64_t> after = llvm::to_vector(llvm::seq<int64_t>(1, x.rank() - 1));
  auto perChannel = [&](Tensor parameter) { return convert(parameter, wide); };
  Tensor factor = perChannel(scale) * rsqrt(perChannel(var) + epsilon);
  Tensor offset = perChannel(bias) - perChannel(mean) * factor;
  Tensor y = widened(x) * unsqueeze(factor, after) + unsqueeze(offset, after);
  return convert(y, x.dtype());
}
