//===- ChannelsLast.cpp - depthwise convolutions in [N, H, W, C] ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between matrix products of pixels, as in ConvNeXt or Segformer, a depthwise convolution and what
// is added to it stand between transposes, whose work is more than its own. Such a convolution is
// computed where the channels are last, and the transposes move until they cancel.
//
// "Last" is the form [N, H, W, C] of a value [N, C, H, W]. A value that is computed in that form is
// a transpose of it, or has the pixels of such a transpose as one axis.
//
//===----------------------------------------------------------------------===//

#include "dynac/Composites/Composites.h"
#include "dynac/Target/CPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace dynac::cpu {
namespace {

constexpr int64_t toLastAxes[] = {0, 2, 3, 1}, fromLastAxes[] = {0, 3, 1, 2},
                  pixelsAxes[] = {0, 2, 1};

bool isTranspose(Operation *op, Axes permutation) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  return transpose && transpose.getPermutation() == permutation;
}

/// Whether `op` gives [N, C, P] of [N, C, H, W].
bool joinsPixels(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape)
    return false;
  Shape from = shapeOf(reshape.getX()), to = shapeOf(reshape.getY());
  return from.size() == 4 && to.size() == 3 && from[0] == to[0] && from[1] == to[1];
}

/// Whether `value` [N, C, H, W] is computed with the channels last.
bool isLast(Value value) {
  if (isTranspose(value.getDefiningOp(), fromLastAxes))
    return true;
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape || !isTranspose(reshape.getX().getDefiningOp(), pixelsAxes))
    return false;
  Shape from = shapeOf(reshape.getX()), to = shapeOf(reshape.getY());
  return to.size() == 4 && from[0] == to[0] && from[1] == to[1];
}

Shape lastShape(Dims plain) { return {plain[0], plain[2], plain[3], plain[1]}; }

/// The last form of any `value`.
Tensor last(Value value, TensorContext &ctx) {
  if (!isLast(value))
    return transpose(Tensor(ctx, value), toLastAxes);
  Operation *op = value.getDefiningOp();
  if (auto direct = dyn_cast<TransposeOp>(op))
    return Tensor(ctx, direct.getX());
  auto pixels = cast<ReshapeOp>(op).getX().getDefiningOp<TransposeOp>();
  return reshape(Tensor(ctx, pixels.getX()), lastShape(shapeOf(value)));
}

Value fromLast(Tensor x) { return transpose(x, fromLastAxes).value(); }

/// Whether all that is made of `value` is wanted in its last form, perhaps after elementwise ops.
bool isWantedLast(Value value, int depth = 8) {
  auto isWanted = [&](Operation *user) {
    if (isTranspose(user, toLastAxes))
      return true;
    if (joinsPixels(user))
      return llvm::all_of(user->getUsers(),
                          [](Operation *next) { return isTranspose(next, pixelsAxes); });
    return depth > 0 && isElementwise(user) && user->getNumResults() == 1 &&
           isWantedLast(user->getResult(0), depth - 1);
  };
  return !value.use_empty() && llvm::all_of(value.getUsers(), isWanted);
}

/// Numbers that are known and not negative.
std::optional<SmallVector<int64_t>> sizesOf(DimsAttr dims) {
  SmallVector<int64_t> sizes;
  for (const SymExpr &size : dims.exprs()) {
    if (!size.constant() || *size.constant() < 0)
      return std::nullopt;
    sizes.push_back(*size.constant());
  }
  return sizes;
}

struct DepthwiseLast : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto x = cast<RankedTensorType>(op.getX().getType()),
         w = cast<RankedTensorType>(op.getW().getType());
    if (x.getRank() != 4 || x.isDynamicDim(1) || !x.getElementType().isF32() ||
        !op.getType().getElementType().isF32() || !op.getW().getDefiningOp<WeightOp>())
      return failure();
    const int64_t channels = x.getDimSize(1);
    auto lo = sizesOf(op.getLo()), hi = sizesOf(op.getHi());
    if (channels % kChannelBlock || int64_t(op.getGroups()) != channels ||
        w.getDimSize(0) != channels || channels == 1 ||
        llvm::any_of(op.getLhsDilation(), [](int64_t d) { return d != 1; }) || !lo || !hi ||
        !isWantedLast(op.getY()))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    DictionaryAttr settings = config(ctx, {{"groups", attr(ctx, channels)},
                                           {"strides", attr(ctx, Axes(op.getStrides()))},
                                           {"lo", attr(ctx, Axes(*lo))},
                                           {"hi", attr(ctx, Axes(*hi))},
                                           {"dilations", attr(ctx, Axes(op.getRhsDilation()))}});
    Tensor y = composite("depthwise_nhwc", {last(op.getX(), ctx), Tensor(ctx, op.getW())}, settings,
                         lastShape(shapeOf(op.getY())));
    rewriter.replaceOp(op, fromLast(y));
    return success();
  }
};

/// elementwise(fromLast(a), …) = fromLast(elementwise(a, …)).
struct MoveThroughElementwise : RewritePattern {
  MoveThroughElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->getNumResults() != 1 || shapeOf(op->getResult(0)).size() != 4 ||
        llvm::none_of(op->getOperands(),
                      [](Value x) { return isTranspose(x.getDefiningOp(), fromLastAxes); }) ||
        !llvm::all_of(op->getOperands(), hasLast))
      return failure();
    Shape shape = lastShape(shapeOf(op->getResult(0)));
    TensorContext ctx(rewriter, op->getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(moved(operand, shape, ctx).value());
    OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                         tensorType(shape, getElementTypeOrSelf(op->getResult(0).getType())),
                         op->getAttrs());
    Operation *created = rewriter.create(state);
    rewriter.replaceOp(op, fromLast(Tensor(ctx, created->getResult(0))));
    return success();
  }

  static bool isSplat(Value value) {
    DenseElementsAttr elements;
    return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
  }

  /// Whether the last form costs nothing, or something else needs it already.
  static bool hasLast(Value operand) {
    if (isLast(operand) || isSplat(operand))
      return true;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
      Shape from = shapeOf(broadcast.getX());
      return llvm::all_of(llvm::enumerate(broadcast.getAxes()), [&](auto axis) {
        return axis.value() < 2 || from[axis.index()].isOne();
      });
    }
    return llvm::any_of(operand.getUsers(),
                        [](Operation *user) { return isTranspose(user, toLastAxes); });
  }

  static Tensor moved(Value operand, Dims shape, TensorContext &ctx) {
    DenseElementsAttr elements;
    if (matchPattern(operand, m_Constant(&elements)))
      return Tensor(ctx, ctx.builder.create<ConstantOp>(
                             ctx.loc, elements.resizeSplat(cast<RankedTensorType>(
                                          tensorType(shape, elements.getElementType())))));
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    if (!broadcast || isLast(operand))
      return last(operand, ctx);
    Shape from = shapeOf(broadcast.getX()), kept;
    SmallVector<int64_t> axes;
    for (auto [size, axis] : llvm::zip(from, broadcast.getAxes())) {
      if (size.isOne())
        continue;
      kept.push_back(size);
      axes.push_back(axis == 1 ? 3 : axis);
    }
    return broadcastInDim(reshape(Tensor(ctx, broadcast.getX()), kept), shape, axes);
  }
};

/// A reduction over H and W.
struct MoveThroughReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (!isTranspose(op.getX().getDefiningOp(), fromLastAxes) ||
        op.getAxes() != ArrayRef<int64_t>{2, 3})
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor y = reduce(op.getCombiner(), last(op.getX(), ctx), {1, 2});
    if (!y || y.value().getType() != op.getY().getType())
      return failure();
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

/// transpose(joined pixels of fromLast(a)) has a's memory.
struct CancelPixels : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto join = op.getX().getDefiningOp<ReshapeOp>();
    if (!isTranspose(op, pixelsAxes) || !join || !joinsPixels(join) ||
        !isTranspose(join.getX().getDefiningOp(), fromLastAxes))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    rewriter.replaceOp(op, reshape(last(join.getX(), ctx), shapeOf(op.getY())).value());
    return success();
  }
};

/// The same where a product takes the place of the transpose.
struct MultiplyPixels : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    auto join = op.getA().getDefiningOp<ReshapeOp>();
    if (!op.getBatchA().empty() || op.getContractA() != ArrayRef<int64_t>{1} || !join ||
        !joinsPixels(join) || !isTranspose(join.getX().getDefiningOp(), fromLastAxes))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Shape shape = shapeOf(op.getA());
    std::swap(shape[1], shape[2]);
    rewriter.replaceOpWithNewOp<DotOp>(
        op, op.getType(), reshape(last(join.getX(), ctx), shape).value(), op.getB(), op.getBatchA(),
        op.getBatchB(), ArrayRef<int64_t>{2}, op.getContractB());
    return success();
  }
};

struct ChannelsLast : PassWrapper<ChannelsLast, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChannelsLast)
  StringRef getArgument() const override { return "cpu-channels-last"; }
  StringRef getDescription() const override {
    return "Depthwise convolutions between products of pixels in [N, H, W, C]";
  }
  void runOnOperation() override {
    // First all convolutions: what they want decides what is moved.
    RewritePatternSet convolutions(&getContext()), moves(&getContext());
    convolutions.add<DepthwiseLast>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(convolutions));
    moves.add<MoveThroughElementwise, MoveThroughReduce, CancelPixels, MultiplyPixels>(
        &getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(moves));
  }
};

} // namespace

std::unique_ptr<Pass> createChannelsLastPass() { return std::make_unique<ChannelsLast>(); }

} // namespace dynac::cpu
