//===- Norm.cpp - normalisation -------------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;

static constexpr Limit perElement{"spatial 0"};
static constexpr Limit statistics{
    "training before version 14, and its outputs without training_mode"};

namespace {

/// One value per channel as [1, C, 1, …] for a tensor of `rank` axes.
Tensor channelwise(Tensor perChannel, int64_t rank) {
  if (!perChannel)
    return perChannel;
  Shape shape(rank, SymExpr(1));
  shape[1] = perChannel.dim(0);
  return reshape(perChannel, shape);
}

// Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel; mean and var are operands, or with
// training_mode those of the batch.
RowStatus batchNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), bias = n.in(2), mean = n.in(3), var = n.in(4);
  if (n.ctx().failed())
    return RowStatus::Done;
  double epsilon = n.f("epsilon", 1e-5);
  if (x.rank() < 2)
    return n.invalid("X of rank " + llvm::Twine(x.rank()) + ": expected at least 2");
  if (n.opset() < 9 && n.i("spatial", 1) == 0)
    return n.unsupported(perElement);
  bool training = n.opset() >= 14 ? n.i("training_mode", 0) != 0
                  : n.opset() < 7 ? n.i("is_test", 0) == 0
                                  : false;
  if (!training) {
    for (int64_t i = 1; i < 5; ++i)
      if (n.hasOutput(i))
        return n.unsupported(statistics);
    n.out(0, batchNormEval(x, scale, bias, convert(mean, x.dtype()), convert(var, x.dtype()),
                           epsilon));
    return RowStatus::Done;
  }
  if (n.opset() < 14)
    return n.unsupported(statistics);
  // The statistics of the batch; the running ones move by 1 - momentum.
  llvm::SmallVector<int64_t> axes = {0};
  for (int64_t axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  double momentum = n.f("momentum", 0.9);
  Tensor batchMean = dynac::mean(x, axes);
  Tensor centred = x - channelwise(batchMean, x.rank());
  Tensor batchVar = dynac::mean(centred * centred, axes);
  n.out(0, batchNormEval(x, scale, bias, batchMean, batchVar, epsilon));
  n.outAs(1, convert(mean, x.dtype()) * momentum + batchMean * (1.0 - momentum), n.inputType(3));
  n.outAs(2, convert(var, x.dtype()) * momentum + batchVar * (1.0 - momentum), n.inputType(4));
  return RowStatus::Done;
}

// Y = (X - mean) / sqrt(var + epsilon) * scale + B over axes [axis, rank)
RowStatus layerNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), bias = n.in(2, /*optional=*/true);
  if (n.ctx().failed())
    return RowStatus::Done;
  LayerNormResult result = layerNorm(x, scale, bias, x.axis(n.i("axis", -1)), n.f("epsilon", 1e-5));
  n.out(0, result.y);
  // Statistics keep the type they are computed in (stash_type 1: f32).
  if (n.hasOutput(1))
    n.outAs(1, result.mean, result.mean.dtype());
  if (n.hasOutput(2))
    n.outAs(2, result.inverseStd, result.inverseStd.dtype());
  return RowStatus::Done;
}

// Y = X / sqrt(mean(X^2) + epsilon) * scale over axes [axis, rank)
RowStatus rmsNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1);
  if (n.ctx().failed())
    return RowStatus::Done;
  n.out(0, rmsNorm(x, scale, x.axis(n.i("axis", -1)), n.f("epsilon", 1e-5)));
  return RowStatus::Done;
}

/// (x - mean) / sqrt(var + epsilon) over `axes`.
Tensor standardise(Tensor x, Axes axes, double epsilon) {
  Tensor centred = x - mean(x, axes, /*keep=*/true);
  return centred * rsqrt(mean(centred * centred, axes, /*keep=*/true) + epsilon);
}

// Y = standardise(X over the spatial axes) * scale + B per channel
RowStatus instanceNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), bias = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  Tensor y = standardise(x, axes, n.f("epsilon", 1e-5));
  n.out(0, y * channelwise(scale, x.rank()) + channelwise(bias, x.rank()));
  return RowStatus::Done;
}

// As InstanceNormalization over groups of channels; before opset 21 scale and bias are per group.
RowStatus groupNormalization(Node &n) {
  Tensor x = n.in(0), scale = n.in(1), bias = n.in(2);
  if (n.ctx().failed())
    return RowStatus::Done;
  int64_t groups = n.i("num_groups", 0);
  if (groups < 1)
    return n.invalid("num_groups = " + llvm::Twine(groups) + ": expected a positive number");
  auto channels = n.ctx().requireMultiple(x.dim(1), SymExpr(groups), "the channels");
  if (!channels)
    return RowStatus::Done;
  Shape grouped = {x.dim(0), SymExpr(groups), *channels};
  llvm::SmallVector<int64_t> axes = {2};
  for (int64_t axis = 2; axis < x.rank(); ++axis) {
    grouped.push_back(x.dim(axis));
    axes.push_back(axis + 1);
  }
  Tensor y = standardise(reshape(x, grouped), axes, n.f("epsilon", 1e-5));
  if (n.opset() < 21) {
    y = y * channelwise(scale, y.rank()) + channelwise(bias, y.rank());
    n.out(0, reshape(y, x.shape()));
  } else {
    y = reshape(y, x.shape());
    n.out(0, y * channelwise(scale, x.rank()) + channelwise(bias, x.rank()));
  }
  return RowStatus::Done;
}

// Y = X / (bias + alpha / size * sum over `size` neighbouring channels of X^2)^beta
RowStatus lrn(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t size = n.i("size", 0);
  if (size < 1 || x.rank() < 2)
    return n.invalid("size = " + llvm::Twine(size) + ": expected a positive number");
  llvm::SmallVector<int64_t> window(x.rank(), 1), ones(x.rank(), 1);
  window[1] = size;
  Shape lo(x.rank(), SymExpr(0)), hi = lo;
  lo[1] = SymExpr((size - 1) / 2);
  hi[1] = SymExpr(size / 2);
  Tensor sums = reduceWindow(Combiner::add, x * x, window, ones, ones, lo, hi);
  double alpha = n.f("alpha", 1e-4), beta = n.f("beta", 0.75), bias = n.f("bias", 1.0);
  n.out(0, x / pow(sums * (alpha / size) + bias, beta));
  return RowStatus::Done;
}

// Y = X / (norm of X along the axis); a zero norm gives 0
RowStatus lpNormalization(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  int64_t axis = x.axis(n.i("axis", -1)), p = n.i("p", 2);
  if (p != 1 && p != 2)
    return n.invalid("p = " + llvm::Twine(p) + ": expected 1 or 2");
  Tensor norm = p == 1 ? sum(abs(x), {axis}, true) : sqrt(sum(x * x, {axis}, true));
  Tensor zero = fullLike(norm, 0.0);
  n.out(0, select(broadcastTo(equal(norm, zero), x.shape()), fullLike(x, 0.0), x / norm));
  return RowStatus::Done;
}

// Y = (X - mean) / sqrt(var + 1e-9) over `axes`
RowStatus meanVarianceNormalization(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis : n.ints("axes", {0, 2, 3}))
    axes.push_back(x.axis(axis));
  Tensor centred = x - mean(x, axes, true);
  n.out(0, centred / (sqrt(mean(centred * centred, axes, true)) + 1e-9));
  return RowStatus::Done;
}

} // namespace

void dynac::onnx::addNormRows(OpTable &table) {
  table.add("BatchNormalization", 1, batchNormalization, "T=float T1=float T1 T2=float")
      .inF32()
      .limits({&perElement, &statistics});
  table.add("LayerNormalization", 17, layerNormalization, "T=float").inF32();
  table.add("RMSNormalization", 23, rmsNormalization, "T=float V=float").inF32();
  table.add("InstanceNormalization", 1, instanceNormalization, "T=float").inF32();
  table.add("GroupNormalization", 18, groupNormalization, "T=float").inF32();
  table.add("LRN", 1, lrn, "T=float").inF32();
  table.add("LpNormalization", 1, lpNormalization, "T=float").inF32();
  table.add("MeanVarianceNormalization", 9, meanVarianceNormalization, "T=float").inF32();
}
