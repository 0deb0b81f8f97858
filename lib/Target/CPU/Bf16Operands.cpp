//===- Bf16Operands.cpp - contractions of f32 numbers rounded to bf16 -----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   dot(a, w) = dot(bf16(a), bf16(w)),  conv(x, w) = conv(bf16(x), bf16(w)),  sums in f32
//   attention(q, k, v) = attention(bf16(q), bf16(k), bf16(v)), and its shares are rounded
//
// for the contractions that have a kernel of bf16 words; everything else stays as it is. The
// rounding is an ordinary conversion, which the fuse phase puts at the end of what computes the
// operand: an epilogue, or the pass over the rows of a norm. So the operand is also stored as bf16.
// Every CPU level rounds alike; those without an instruction for words of bf16 multiply in f32.
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "dynac/Target/CPU/Passes.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace dynac::cpu {
namespace {

Value toBf16(OpBuilder &b, Value x) {
  auto type = tensorType(shapeOf(x), b.getBF16Type());
  return b.create<ConvertOp>(x.getLoc(), type, x, /*saturate=*/false);
}

struct RoundDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    for (Value value : {op.getA(), op.getB(), op.getY()})
      if (!getElementTypeOrSelf(value.getType()).isF32())
        return failure();
    if (op->hasAttr(kClaimAttr) || !isGemmOf(op, DotKind::Bf16))
      return failure();
    Value a = toBf16(rewriter, op.getA()), b = toBf16(rewriter, op.getB());
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().assign(a);
      op.getBMutable().assign(b);
    });
    return success();
  }
};

/// Convolutions in blocks of channels. A first layer's plain x is rounded by its kernel.
struct RoundConv : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op, PatternRewriter &rewriter) const override {
    if (op.getName() != "conv_nchwc" || op->hasAttr(kClaimAttr) ||
        !getElementTypeOrSelf(op.getXs()[1].getType()).isF32() || !prefersBf16(op))
      return failure();
    const bool plain = op.getConfig().getAs<BoolAttr>("plain_input").getValue();
    Value x = plain ? op.getXs()[0] : toBf16(rewriter, op.getXs()[0]);
    Value w = toBf16(rewriter, op.getXs()[1]);
    rewriter.modifyOpInPlace(op, [&] { op.getXsMutable().assign({x, w}); });
    return success();
  }
};

bool isRounding(Operation *op) {
  auto convert = dyn_cast<ConvertOp>(op);
  return convert && getElementTypeOrSelf(convert.getX().getType()).isF32() &&
         getElementTypeOrSelf(convert.getType()).isBF16();
}

/// Attention whose result is rounded: it is computed of bf16 and gives that.
struct RoundAttention : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op, PatternRewriter &rewriter) const override {
    if (op.getName() != "attention" || op->hasAttr(kClaimAttr) || op->use_empty() ||
        !llvm::all_of(op->getUsers(), isRounding))
      return failure();
    for (Value x : op.getXs().take_front(3))
      if (!getElementTypeOrSelf(x.getType()).isF32())
        return failure();
    if (!prefersBf16Attention(op))
      return failure();
    SmallVector<Value> xs(op.getXs());
    for (Value &x : MutableArrayRef(xs).take_front(3))
      x = toBf16(rewriter, x);
    Value y = op.getYs()[0];
    auto rounded = rewriter.create<CompositeOp>(
        op.getLoc(), TypeRange{tensorType(shapeOf(y), rewriter.getBF16Type())}, op.getName(), xs,
        op.getConfig());
    for (Operation *user : llvm::make_early_inc_range(y.getUsers()))
      rewriter.replaceOp(user, rounded.getYs());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Whether rounding the operands is rounding the result: numbers are moved or, since rounding keeps
/// their order, chosen by size.
bool commutesWithRounding(Operation *op) {
  if (auto window = dyn_cast_or_null<ReduceWindowOp>(op))
    return window.getCombiner() == Combiner::max && !window.getIndices();
  auto composite = dyn_cast_or_null<CompositeOp>(op);
  return isa_and_nonnull<ReshapeOp, TransposeOp, ConcatOp, SliceOp>(op) ||
         (composite &&
          (composite.getName() == "pack_channels" || composite.getName() == "unpack_channels"));
}

/// bf16(move(x)) = move(bf16(x)): the conversion meets what computes x, and half the bytes are
/// moved.
struct RoundBeforeMove : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    Operation *move = op.getX().getDefiningOp();
    if (!isRounding(op) || !commutesWithRounding(move))
      return failure();
    // Not if somebody else needs the copy as f32.
    if (!isa<ReshapeOp>(move) && !llvm::all_of(move->getUsers(), isRounding))
      return failure();
    rewriter.setInsertionPoint(move);
    SmallVector<Value> rounded;
    for (Value operand : move->getOperands())
      rounded.push_back(toBf16(rewriter, operand));
    Operation *moved = rewriter.clone(*move);
    moved->setOperands(rounded);
    moved->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, moved->getResult(0));
    return success();
  }
};

/// Elementwise ops beside a contraction that reads x rounded do the same: x need not be stored
/// twice. Residuals.
struct ReadRounded : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    Operation *source = op.getX().getDefiningOp();
    if (!isRounding(op) || !source || isa<WeightOp>(source) || commutesWithRounding(source))
      return failure();
    SmallVector<Operation *> others;
    for (Operation *user : op.getX().getUsers()) {
      if (isRounding(user))
        continue;
      if (!isElementwise(user))
        return failure();
      others.push_back(user);
    }
    if (others.empty())
      return failure();
    rewriter.moveOpAfter(op, source);
    rewriter.setInsertionPointAfter(op);
    Value wide = rewriter.create<ConvertOp>(op.getLoc(), op.getX().getType(), op, false);
    for (Operation *user : others)
      rewriter.modifyOpInPlace(user, [&] { user->replaceUsesOfWith(op.getX(), wide); });
    return success();
  }
};

struct Bf16Operands : PassWrapper<Bf16Operands, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Bf16Operands)
  StringRef getArgument() const override { return "cpu-bf16-operands"; }
  StringRef getDescription() const override {
    return "Contractions that have a kernel for it take operands rounded to bf16";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RoundDot, RoundConv, RoundAttention, RoundBeforeMove, ReadRounded>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<Pass> createBf16OperandsPass() { return std::make_unique<Bf16Operands>(); }

} // namespace dynac::cpu
