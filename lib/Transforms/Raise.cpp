//===- Raise.cpp - idioms that files hold decomposed ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters write down large operations in pieces, in ways that cost time and mean nothing. A
// pattern here brings such pieces to the form that dynac's own formulas have; each says which files
// have it and what is gained. Results may differ in the last place. What one kernel computes needs
// no composite: that softmax and norms arrive decomposed is all the same to the fuse phase.
//
//===----------------------------------------------------------------------===//

#include "RaiseAttention.h"
#include "RaiseQuantized.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_RAISE
#include "dynac/Transforms/Passes.h.inc"

namespace {

bool isWideFloat(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isF32() || type.isF64();
}

/// The one number that all elements of `value` are.
std::optional<DenseElementsAttr> splatOf(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements;
  return std::nullopt;
}

/// A tensor of one number.
Value splatLike(OpBuilder &b, Location loc, DenseElementsAttr number, Type type) {
  auto scalar = RankedTensorType::get({}, number.getElementType());
  Value constant = b.create<ConstantOp>(loc, number.resizeSplat(scalar));
  return b.create<BroadcastOp>(loc, type, constant, b.getDenseI64ArrayAttr({}));
}

//===----------------------------------------------------------------------===//
// Division by a row's norm or sum
//===----------------------------------------------------------------------===//

/// The op that `value` is made by, but for constants that are added or taken as limits, and axes of
/// size 1.
Operation *originOf(Value value) {
  for (int steps = 0; steps < 8; ++steps) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return nullptr;
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      value = reshape.getX();
      continue;
    }
    if (!isa<AddOp, MaxOp>(op))
      return op;
    if (splatOf(op->getOperand(1)))
      value = op->getOperand(0);
    else if (splatOf(op->getOperand(0)))
      value = op->getOperand(1);
    else
      return op;
  }
  return nullptr;
}

/// x / broadcast(s) = x * broadcast(1 / s) where s is a row's standard deviation, norm or sum of
/// exponentials: one division for a row, which is a third of a layer norm's time. Layer norm, RMS
/// norm, normalize and softmax of exporters of operators up to version 16, e.g. BERT of version 13,
/// MT5, Demucs.
struct DivideRowOnce : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getB().getDefiningOp<BroadcastOp>();
    if (!broadcast || !isWideFloat(op) ||
        elementCount(shapeOf(broadcast.getX())) == elementCount(shapeOf(op.getResult())))
      return failure();
    Operation *origin = originOf(broadcast.getX());
    auto sum = dyn_cast_or_null<ReduceOp>(origin);
    const bool isShare = sum && sum.getCombiner() == Combiner::add && sum.getX() == op.getA() &&
                         sum.getX().getDefiningOp<ExpOp>();
    if (!isShare && !isa_and_nonnull<SqrtOp>(origin))
      return failure();
    Value divisor = broadcast.getX();
    FloatAttr one = rewriter.getFloatAttr(getElementTypeOrSelf(op.getType()), 1);
    auto scalar = RankedTensorType::get({}, one.getType());
    Value ones = splatLike(rewriter, op.getLoc(), DenseElementsAttr::get(scalar, Attribute(one)),
                           divisor.getType());
    Value factor = rewriter.create<DivOp>(op.getLoc(), ones, divisor);
    Value stretched =
        rewriter.create<BroadcastOp>(op.getLoc(), broadcast.getType(), factor, broadcast.getAxes());
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getA(), stretched);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Scaled dot product
//===----------------------------------------------------------------------===//

/// dot(x * c, y) = dot(x, y) * c for a transposed x: the product reads x where it lies, and the
/// scale is its epilogue, instead of a copy of x. Attention that scales q and k by the root of the
/// usual factor, e.g. BERT, GPT-2 and ViT.
struct ScaleProduct : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    if (!isWideFloat(op) || getElementTypeOrSelf(op.getA()) != getElementTypeOrSelf(op.getType()))
      return failure();
    for (unsigned side = 0; side < 2; ++side) {
      auto product = op->getOperand(side).getDefiningOp<MulOp>();
      if (!product || !product->hasOneUse())
        continue;
      for (unsigned factor = 0; factor < 2; ++factor) {
        std::optional<DenseElementsAttr> scale = splatOf(product->getOperand(factor));
        Value x = product->getOperand(1 - factor);
        if (!scale || !x.getDefiningOp<TransposeOp>())
          continue;
        IRMapping map;
        map.map(op->getOperand(side), x);
        Value plain = rewriter.clone(*op, map)->getResult(0);
        rewriter.replaceOpWithNewOp<MulOp>(
            op, plain, splatLike(rewriter, op.getLoc(), *scale, plain.getType()));
        return success();
      }
    }
    return failure();
  }
};

//===----------------------------------------------------------------------===//
// Layers on flattened rows
//===----------------------------------------------------------------------===//

/// Whether a reshape leaves the last axis alone: rows stay rows.
bool keepsRows(ReshapeOp op) {
  Shape from = shapeOf(op.getX()), to = shapeOf(op.getResult());
  return !from.empty() && !to.empty() && from.back() == to.back() && !to.back().isOne();
}

/// dot(reshape(x), w) = reshape(dot(x, w)) where the reshape only groups rows. With what
/// SinkReshape does, a layer between two reshapes needs none, and what follows it, such as a
/// residual or an activation, can be its epilogue. Linear layers as Gemm of a matrix, e.g. GPT-2
/// and BART, and whatever newer exporters call addmm.
struct FlattenedProduct : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    auto flat = op.getA().getDefiningOp<ReshapeOp>();
    if (!flat || !keepsRows(flat) || shapeOf(op.getA()).size() != 2 ||
        shapeOf(op.getB()).size() != 2 || shapeOf(flat.getX()).size() < 3 ||
        op.getContractA() != ArrayRef<int64_t>{1} || op.getContractB().size() != 1)
      return failure();
    Shape shape = shapeOf(flat.getX());
    const int64_t last = shape.size() - 1;
    shape[last] = shapeOf(op.getResult())[1];
    Value product = rewriter.create<DotOp>(
        op.getLoc(), tensorType(shape, getElementTypeOrSelf(op.getType())), flat.getX(), op.getB(),
        ArrayRef<int64_t>(), ArrayRef<int64_t>(), ArrayRef<int64_t>{last}, op.getContractB());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), product);
    return success();
  }
};

/// Whether a reshape takes away axes and leaves the rows alone.
bool flattens(ReshapeOp op) {
  return keepsRows(op) && shapeOf(op.getX()).size() > shapeOf(op.getResult()).size();
}

/// f(flat(x), y) = flat(f(x, y')): see FlattenedProduct. Only what flattens moves, and only down,
/// so it ends.
struct SinkReshape : RewritePattern {
  explicit SinkReshape(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->getNumResults() != 1)
      return failure();
    ReshapeOp flat;
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<ReshapeOp>();
          reshape && !flat && flattens(reshape) && reshape.getX().getDefiningOp() &&
          (isElementwise(reshape.getX().getDefiningOp()) || reshape.getX().getDefiningOp<DotOp>()))
        flat = reshape;
    if (!flat)
      return failure();
    Shape shape = shapeOf(flat.getX());
    if (!llvm::all_of(op->getOperands(), [&](Value x) { return canReshape(x, shape); }))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(reshaped(rewriter, operand, shape));
    IRMapping map;
    Operation *copy = rewriter.clone(*op);
    copy->setOperands(operands);
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    copy->getResult(0).setType(tensorType(shape, result.getElementType()));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, result, copy->getResult(0));
    return success();
  }

  /// The vector along the last axis that a broadcast stretches.
  static bool isRowConstant(Value value) {
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return false;
    int64_t last = shapeOf(value).size() - 1;
    for (auto [dim, axis] : llvm::zip(shapeOf(broadcast.getX()), broadcast.getAxes()))
      if (!dim.isOne() && axis != last)
        return false;
    return true;
  }

  /// Whether `value` costs nothing under the shape of `flat`'s operand.
  static bool canReshape(Value value, const Shape &shape) {
    if (splatOf(value) || isRowConstant(value))
      return true;
    auto reshape = value.getDefiningOp<ReshapeOp>();
    return reshape ? keepsRows(reshape) && shapeOf(reshape.getX()) == shape : !value.hasOneUse();
  }

  static Value reshaped(PatternRewriter &rewriter, Value value, const Shape &shape) {
    Location loc = value.getLoc();
    Type type = tensorType(shape, getElementTypeOrSelf(value.getType()));
    if (std::optional<DenseElementsAttr> number = splatOf(value))
      return splatLike(rewriter, loc, *number, type);
    if (isRowConstant(value)) {
      Value row = value.getDefiningOp<BroadcastOp>().getX();
      SmallVector<int64_t> axes;
      Shape rowShape;
      if (SymExpr count = elementCount(shapeOf(row)); !count.isOne()) {
        axes = {int64_t(shape.size()) - 1};
        rowShape = {count};
      }
      row = rewriter.createOrFold<ReshapeOp>(
          loc, tensorType(rowShape, getElementTypeOrSelf(row.getType())), row);
      return rewriter.create<BroadcastOp>(loc, type, row, axes);
    }
    return rewriter.createOrFold<ReshapeOp>(loc, type, value);
  }
};

/// unflat(f(dot(x, w))) = f'(dot(unflat(x), w)) where the reshape only counts rows in more axes:
/// the layer has the axes of what follows it, such as a residual. Only what takes rows apart moves,
/// and only up, so it ends. A layer whose operand was no matrix of rows, e.g. after heads are
/// joined.
struct HoistReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Shape shape = shapeOf(op.getResult());
    if (!keepsRows(op) || shapeOf(op.getX()).size() != 2 || shape.size() < 3 ||
        !isOfProduct(op.getX()))
      return failure();
    Operation *source = op.getX().getDefiningOp();
    if (auto dot = dyn_cast<DotOp>(source)) {
      const int64_t last = shape.size() - 1;
      Shape rows = shape;
      rows[last] = shapeOf(dot.getA())[1];
      Value a = rewriter.createOrFold<ReshapeOp>(
          dot.getLoc(), tensorType(rows, getElementTypeOrSelf(dot.getA().getType())), dot.getA());
      rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), a, dot.getB(), ArrayRef<int64_t>(),
                                         ArrayRef<int64_t>(), ArrayRef<int64_t>{last},
                                         dot.getContractB());
      return success();
    }
    SmallVector<Value> operands;
    for (Value operand : source->getOperands())
      operands.push_back(SinkReshape::reshaped(rewriter, operand, shape));
    Operation *copy = rewriter.clone(*source);
    copy->setOperands(operands);
    copy->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, copy->getResults());
    return success();
  }

  /// Whether `value` is a layer's product, or made of one and what costs nothing under any shape,
  /// and nothing else needs it.
  static bool isOfProduct(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse())
      return false;
    if (auto dot = dyn_cast<DotOp>(op))
      return dot.getBatchA().empty() && shapeOf(dot.getA()).size() == 2 &&
             shapeOf(dot.getB()).size() == 2 && dot.getContractA() == ArrayRef<int64_t>{1} &&
             dot.getContractB().size() == 1;
    if (!isElementwise(op) || op->getNumResults() != 1)
      return false;
    bool found = false;
    for (Value operand : op->getOperands())
      if (!splatOf(operand) && !SinkReshape::isRowConstant(operand)) {
        if (!isOfProduct(operand))
          return false;
        found = true;
      }
    return found;
  }
};

struct Raise : impl::RaiseBase<Raise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DivideRowOnce, ScaleProduct, FlattenedProduct, SinkReshape, HoistReshape>(
        &getContext());
    addRaiseAttentionPatterns(patterns);
    addQuantizedPatterns(patterns);
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
    RewritePatternSet later(&getContext());
    addRequantizedPatterns(later);
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(later));
  }
};

} // namespace
} // namespace dynac
