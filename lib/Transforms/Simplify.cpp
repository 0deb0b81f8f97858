//===- Simplify.cpp - folding, common subexpressions, algebra -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseAttention.h"
#include "dynac/Composites/Tensor.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <set>

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_SIMPLIFY
#include "dynac/Transforms/Passes.h.inc"

namespace {

/// dot(transpose(a), b): the transpose becomes another choice of axes, as long as the free axes
/// keep their order (the result lists them in operand order).
struct FoldTransposeIntoDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    Value operands[2] = {op.getA(), op.getB()};
    SmallVector<int64_t> batch[2] = {llvm::to_vector(op.getBatchA()),
                                     llvm::to_vector(op.getBatchB())};
    SmallVector<int64_t> contract[2] = {llvm::to_vector(op.getContractA()),
                                        llvm::to_vector(op.getContractB())};
    for (int side = 0; side < 2; ++side) {
      auto transpose = operands[side].getDefiningOp<TransposeOp>();
      if (!transpose)
        continue;
      ArrayRef<int64_t> permutation = transpose.getPermutation();
      int64_t last = -1;
      bool ordered = true;
      for (int64_t axis = 0; axis < static_cast<int64_t>(permutation.size()); ++axis) {
        if (llvm::is_contained(batch[side], axis) || llvm::is_contained(contract[side], axis))
          continue;
        ordered &= permutation[axis] > last;
        last = permutation[axis];
      }
      if (!ordered)
        continue;
      for (int64_t &axis : batch[side])
        axis = permutation[axis];
      for (int64_t &axis : contract[side])
        axis = permutation[axis];
      operands[side] = transpose.getX();
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), operands[0], operands[1], batch[0],
                                       batch[1], contract[0], contract[1]);
    return success();
  }
};

/// What a chain of views and conversions shows is a weight.
bool isWeight(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<WeightOp>(op))
      return true;
    if (!isa<ReshapeOp, TransposeOp, ConvertOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Neighbouring axes that a dot treats alike become one by reshapes, which keep the memory: kernels
/// take one contracted axis, and one axis of a matrix that is neither that nor a batch. Einsums,
/// e.g. XLNet's heads.
struct MergeDotAxes : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    Side a{op.getA(), llvm::to_vector(op.getBatchA()), llvm::to_vector(op.getContractA()), {}, {}};
    Side b{op.getB(), llvm::to_vector(op.getBatchB()), llvm::to_vector(op.getContractB()), {}, {}};
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto [axisA, axisB] : llvm::zip(a.contract, b.contract))
      pairs.push_back({axisA, axisB});
    llvm::sort(pairs);
    for (auto [i, pair] : llvm::enumerate(pairs))
      std::tie(a.contract[i], b.contract[i]) = pair;
    for (size_t i = 1; i < pairs.size(); ++i)
      if (a.contract[i] == a.contract[i - 1] + 1 && b.contract[i] == b.contract[i - 1] + 1) {
        a.joined.insert(a.contract[i]);
        b.joined.insert(b.contract[i]);
      }
    // The rows that meet a weight may be many axes.
    if (!a.batch.empty() || !isWeight(op.getB()))
      a.joinFree();
    b.joinFree();
    if (a.joined.empty() && b.joined.empty())
      return failure();
    a.merge(rewriter, op.getLoc());
    b.merge(rewriter, op.getLoc());
    Shape shape;
    for (int64_t axis : a.batch)
      shape.push_back(shapeOf(a.value)[axis]);
    for (const Side *side : {&a, &b})
      for (int64_t axis = 0; axis < side->rank(); ++axis)
        if (side->isFree(axis))
          shape.push_back(shapeOf(side->value)[axis]);
    Value product =
        rewriter.create<DotOp>(op.getLoc(), tensorType(shape, getElementTypeOrSelf(op.getType())),
                               a.value, b.value, a.batch, b.batch, a.contract, b.contract);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), product);
    return success();
  }

private:
  struct Side {
    Value value;
    SmallVector<int64_t> batch, contract;
    std::set<int64_t> joined;    ///< axes that become one with the axis before
    SmallVector<int64_t> number; ///< of the axis that an axis becomes

    int64_t rank() const { return cast<RankedTensorType>(value.getType()).getRank(); }
    bool isFree(int64_t axis) const {
      return !llvm::is_contained(batch, axis) && !llvm::is_contained(contract, axis);
    }
    void joinFree() {
      for (int64_t axis = 1; axis < rank(); ++axis)
        if (isFree(axis) && isFree(axis - 1))
          joined.insert(axis);
    }
    void merge(PatternRewriter &rewriter, Location loc) {
      if (joined.empty())
        return;
      Shape shape;
      for (auto [axis, dim] : llvm::enumerate(shapeOf(value))) {
        if (joined.count(axis))
          shape.back() = shape.back() * dim;
        else
          shape.push_back(dim);
        number.push_back(shape.size() - 1);
      }
      value = rewriter.create<ReshapeOp>(
          loc, tensorType(shape, getElementTypeOrSelf(value.getType())), value);
      for (SmallVector<int64_t> *axes : {&batch, &contract}) {
        for (int64_t &axis : *axes)
          axis = number[axis];
        axes->erase(std::unique(axes->begin(), axes->end()), axes->end());
      }
    }
  };
};

/// matrix x column = (row x matrix')': kernels take vectors of sums along the last axis.
struct MoveVectorToTheLeft : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    Shape left = freeAxes(op.getA(), op.getBatchA(), op.getContractA());
    Shape right = freeAxes(op.getB(), op.getBatchB(), op.getContractB());
    if (left.size() != 1 || right.size() != 1 || !right[0].isOne() || left[0].isOne())
      return failure();
    Shape shape = shapeOf(op.getResult());
    shape.truncate(op.getBatchA().size());
    llvm::append_range(shape, right);
    llvm::append_range(shape, left);
    auto type = tensorType(shape, getElementTypeOrSelf(op.getType()));
    Value swapped = rewriter.create<DotOp>(op.getLoc(), type, op.getB(), op.getA(), op.getBatchB(),
                                           op.getBatchA(), op.getContractB(), op.getContractA());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), swapped);
    return success();
  }

  static Shape freeAxes(Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    Shape shape;
    for (auto [axis, dim] : llvm::enumerate(shapeOf(operand)))
      if (!llvm::is_contained(batch, axis) && !llvm::is_contained(contract, axis))
        shape.push_back(dim);
    return shape;
  }
};

/// A transpose that moves nothing but axes of size 1 keeps the memory: a reshape.
struct MoveOnesByReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Shape shape = shapeOf(op.getX());
    int64_t last = -1;
    for (int64_t axis : op.getPermutation()) {
      if (shape[axis].isOne())
        continue;
      if (axis < last)
        return failure();
      last = axis;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

/// x + 0, x - 0, x * 1, x / 1 and x * 0 of integers. Not x + 0 of floats that may be -0 (-0 + 0 =
/// 0), unless the zero is -0 itself.
template <typename Op> struct DropNeutral : OpRewritePattern<Op> {
  DropNeutral(MLIRContext *context, double neutral, bool commutative)
      : OpRewritePattern<Op>(context), neutral(neutral), commutative(commutative) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (isNeutral(op.getB())) {
      rewriter.replaceOp(op, op.getA());
      return success();
    }
    if (commutative && isNeutral(op.getA())) {
      rewriter.replaceOp(op, op.getB());
      return success();
    }
    return failure();
  }

  bool isNeutral(Value value) const {
    DenseElementsAttr elements;
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getX();
    if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
      return false;
    if (isa<FloatType>(elements.getElementType())) {
      APFloat splat = elements.getSplatValue<APFloat>();
      if (neutral == 0)
        return splat.isZero() && splat.isNegative() == std::is_same_v<Op, AddOp>;
      return splat.isExactlyValue(neutral);
    }
    return elements.getSplatValue<APInt>() == static_cast<uint64_t>(neutral);
  }

  double neutral;
  bool commutative;
};

/// Taps of a convolution that read nothing but padding, as far dilated ones of a small image do,
/// are dropped from its weight.
struct DropUnusedTaps : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto x = cast<RankedTensorType>(op.getX().getType()),
         y = cast<RankedTensorType>(op.getY().getType());
    TensorContext ctx(rewriter, op.getLoc());
    Tensor w(ctx, op.getW());
    Shape lo(op.getLo().exprs()), hi(op.getHi().exprs());
    bool changed = false;
    for (auto [i, dilation] : llvm::enumerate(op.getRhsDilation())) {
      int64_t axis = 2 + i, size = x.getDimSize(axis), outputs = y.getDimSize(axis);
      auto taps = w.dim(axis).constant(), before = lo[i].constant(), after = hi[i].constant();
      if (x.isDynamicDim(axis) || y.isDynamicDim(axis) || size == 0 || outputs == 0 || !taps ||
          !before || !after || op.getLhsDilation()[i] != 1)
        continue;
      // Tap t reads [t * dilation - before, that + last]; what is dropped takes its padding along.
      int64_t last = (outputs - 1) * op.getStrides()[i], first = 0, end = *taps;
      while (end - first > 1 && first * dilation - *before + last < 0 &&
             *before >= (first + 1) * dilation)
        ++first;
      while (end - first > 1 && (end - 1) * dilation - *before >= size &&
             *after >= (*taps - end + 1) * dilation)
        --end;
      if (first == 0 && end == *taps)
        continue;
      w = sliceAxis(w, axis, SymExpr(first), SymExpr(end));
      lo[i] = SymExpr(*before - first * dilation);
      hi[i] = SymExpr(*after - (*taps - end) * dilation);
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.replaceOp(op,
                       conv(Tensor(ctx, op.getX()), w, op.getStrides(), lo, hi, op.getLhsDilation(),
                            op.getRhsDilation(), op.getGroups(), y.getElementType())
                           .value());
    return success();
  }
};

/// Tensors without elements are constants, whatever they are made of: kernels need no case for
/// rows of nothing.
struct FoldEmpty : RewritePattern {
  explicit FoldEmpty(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<PrimDialect>(op->getDialect()) || isa<ConstantOp>(op) || !isPure(op) ||
        op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 0 ||
        !type.getElementType().isIntOrFloat())
      return failure();
    auto none = DenseElementsAttr::get(type, ArrayRef<Attribute>());
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, none);
    return success();
  }
};

struct Simplify : impl::SimplifyBase<Simplify> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FoldEmpty, MergeDotAxes, MoveOnesByReshape, MoveVectorToTheLeft, DropUnusedTaps>(
        context);
    // Before a transpose becomes a reshape: a choice of axes lets more kernels take the product.
    patterns.add<FoldTransposeIntoDot>(context, /*benefit=*/2);
    addFoldAttentionPatterns(patterns);
    patterns.add<DropNeutral<AddOp>>(context, 0.0, true);
    patterns.add<DropNeutral<SubOp>>(context, 0.0, false);
    patterns.add<DropNeutral<MulOp>>(context, 1.0, true);
    patterns.add<DropNeutral<DivOp>>(context, 1.0, false);
    FrozenRewritePatternSet frozen(std::move(patterns));
    IRRewriter rewriter(context);
    for (int round = 0; round < 4; ++round) {
      bool changed = false, merged = false;
      (void)applyPatternsAndFoldGreedily(getOperation(), frozen, GreedyRewriteConfig(), &changed);
      DominanceInfo dominance(getOperation());
      eliminateCommonSubExpressions(rewriter, dominance, getOperation(), &merged);
      if (!changed && !merged)
        return;
    }
  }
};

} // namespace
} // namespace dynac
