//===- FoldScales.cpp - constant scales join weights ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds products of weights as ordinary ops; FoldWeights, which runs after it, makes derived
// weights of them.
//
//===----------------------------------------------------------------------===//

#include "dynac/Composites/Tensor.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_FOLDSCALES
#include "dynac/Transforms/Passes.h.inc"

namespace {

/// A convolution or product with a constant weight that nothing else uses.
struct Contraction {
  Operation *op = nullptr;
  unsigned weightOperand = 1;
  int64_t weightAxis = 0;  ///< of the weight: the channels
  int64_t channelAxis = 0; ///< of the result
};

std::optional<Contraction> contractionOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse() || !isa<ConvOp, DotOp>(op) || op->hasAttr(kClaimAttr))
    return std::nullopt;
  auto result = cast<RankedTensorType>(value.getType());
  auto weight = cast<RankedTensorType>(op->getOperand(1).getType());
  if (!op->getOperand(1).getDefiningOp<WeightOp>() || !result.getElementType().isF32() ||
      !weight.getElementType().isF32())
    return std::nullopt;
  if (isa<ConvOp>(op))
    return Contraction{op, 1, 0, 1};
  auto dot = cast<DotOp>(op);
  if (!dot.getBatchB().empty() || weight.getRank() != 2 || dot.getContractB().size() != 1)
    return std::nullopt;
  return Contraction{op, 1, 1 - dot.getContractB()[0], result.getRank() - 1};
}

/// A constant of the channels: `value` has one element per channel, or one at all.
struct ChannelConstant {
  Value value;
  bool isScalar = true;
  SymExpr count() const { return elementCount(shapeOf(value)); }
};

std::optional<ChannelConstant> perChannel(Value value, int64_t channelAxis) {
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    return elements.isSplat() ? std::optional(ChannelConstant{value}) : std::nullopt;
  }
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  Value x = broadcast.getX();
  if (!x.getDefiningOp<WeightOp>() && !x.getDefiningOp<ConstantOp>())
    return std::nullopt;
  ChannelConstant result{x};
  for (auto [dim, axis] : llvm::zip(shapeOf(x), broadcast.getAxes())) {
    if (dim.isOne())
      continue;
    if (axis != channelAxis)
      return std::nullopt;
    result.isScalar = false;
  }
  return result;
}

/// The constant along `axis` of `shape`.
Tensor along(TensorContext &ctx, const ChannelConstant &constant, ArrayRef<SymExpr> shape,
             int64_t axis) {
  if (auto splat = constant.value.getDefiningOp<ConstantOp>(); splat && constant.isScalar) {
    auto elements = cast<DenseElementsAttr>(splat.getValue());
    auto scalar = RankedTensorType::get({}, elements.getElementType());
    return broadcastTo(
        Tensor(ctx, ctx.builder.create<ConstantOp>(ctx.loc, elements.resizeSplat(scalar))), shape);
  }
  Tensor x(ctx, constant.value);
  if (constant.isScalar)
    return broadcastTo(reshape(x, {}), shape);
  return broadcastInDim(reshape(x, {constant.count()}), shape, {axis});
}

/// a and b combined at the size of the larger one, along `axis` of `shape`.
template <typename Combine>
Tensor combined(TensorContext &ctx, const ChannelConstant &a, const ChannelConstant &b,
                ArrayRef<SymExpr> shape, int64_t axis, Combine combine) {
  Shape size;
  if (!a.isScalar || !b.isScalar)
    size.push_back(a.isScalar ? b.count() : a.count());
  Tensor both = combine(along(ctx, a, size, 0), along(ctx, b, size, 0));
  SmallVector<int64_t> axes(size.size(), axis);
  return broadcastInDim(both, shape, axes);
}

/// Copies the contraction with its weight times `scale`.
Tensor scaled(TensorContext &ctx, const Contraction &contraction, const ChannelConstant &scale) {
  Tensor weight(ctx, contraction.op->getOperand(contraction.weightOperand));
  weight = weight * along(ctx, scale, weight.shape(), contraction.weightAxis);
  Operation *copy = ctx.builder.clone(*contraction.op);
  copy->setOperand(contraction.weightOperand, weight.value());
  return Tensor(ctx, copy->getResult(0));
}

/// The two ways to read a commutative op's operands.
std::array<std::pair<Value, Value>, 2> orders(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  return {std::pair(a, b), std::pair(b, a)};
}

/// `value` as contraction + bias.
struct Biased {
  Contraction contraction;
  ChannelConstant bias;
};
std::optional<Biased> biasedOf(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add || !add->hasOneUse())
    return std::nullopt;
  for (auto [sum, offset] : orders(add))
    if (auto contraction = contractionOf(sum))
      if (auto bias = perChannel(offset, contraction->channelAxis))
        return Biased{*contraction, *bias};
  return std::nullopt;
}

/// contraction * scale, (contraction + bias) * scale.
struct FoldScale : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (auto [x, factor] : orders(op)) {
      auto contraction = contractionOf(x);
      auto biased = biasedOf(x);
      if (biased)
        contraction = biased->contraction;
      auto scale = contraction ? perChannel(factor, contraction->channelAxis) : std::nullopt;
      if (!scale)
        continue;
      TensorContext ctx(rewriter, op.getLoc());
      Tensor result = scaled(ctx, *contraction, *scale);
      if (biased)
        result =
            result + combined(ctx, biased->bias, *scale, result.shape(), contraction->channelAxis,
                              [](Tensor a, Tensor b) { return a * b; });
      rewriter.replaceOp(op, result.value());
      return success();
    }
    return failure();
  }
};

/// (contraction + bias) + offset.
struct FoldOffset : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [x, offset] : orders(op)) {
      auto biased = biasedOf(x);
      auto second = biased ? perChannel(offset, biased->contraction.channelAxis) : std::nullopt;
      if (!second)
        continue;
      TensorContext ctx(rewriter, op.getLoc());
      Tensor sum(ctx, biased->contraction.op->getResult(0));
      Tensor result =
          sum + combined(ctx, biased->bias, *second, sum.shape(), biased->contraction.channelAxis,
                         [](Tensor a, Tensor b) { return a + b; });
      rewriter.replaceOp(op, result.value());
      return success();
    }
    return failure();
  }
};

struct FoldScales : impl::FoldScalesBase<FoldScales> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldScale, FoldOffset>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace dynac
