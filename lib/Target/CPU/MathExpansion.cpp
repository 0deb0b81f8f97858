//===- MathExpansion.cpp - elementary functions as arithmetic -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/MathExpansion.h"
#include "MathBuilder.h"
#include "dynac/Target/CPU/Isa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace dynac::cpu;

static bool isF32(Value x) { return getElementTypeOrSelf(x.getType()).isF32(); }

namespace {

using UnaryEmitter = Value (*)(OpBuilder &, Location, Value);
using BinaryEmitter = Value (*)(OpBuilder &, Location, Value, Value);

template <typename Op> struct ExpandUnary : OpRewritePattern<Op> {
  ExpandUnary(MLIRContext *context, UnaryEmitter emit)
      : OpRewritePattern<Op>(context), emit(emit) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()))
      return failure();
    rewriter.replaceOp(op, emit(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
  UnaryEmitter emit;
};

template <typename Op> struct ExpandBinary : OpRewritePattern<Op> {
  ExpandBinary(MLIRContext *context, BinaryEmitter emit)
      : OpRewritePattern<Op>(context), emit(emit) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getLhs()))
      return failure();
    rewriter.replaceOp(op, emit(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
  BinaryEmitter emit;
};

//===----------------------------------------------------------------------===//
// What a CPU level lacks
//===----------------------------------------------------------------------===//

/// LLVM would call fma() of libm: without the instruction, two roundings have to do.
template <typename Op> struct ExpandFma : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value product =
        rewriter.create<arith::MulFOp>(op.getLoc(), op->getOperand(0), op->getOperand(1));
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op->getOperand(2));
    return success();
  }
};

/// f32 to bf16, to nearest even: add 0x7fff plus the lowest kept bit, then cut; NaN gets its quiet
/// bit.
struct TruncateToBf16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getIn()) || !getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    MathBuilder m(rewriter, op.getLoc(), op.getIn());
    Value bits = m.bits(op.getIn()), lowest = m.andI(m.shrU(bits, m.i32(16)), m.i32(1));
    Value rounded = m.addI(bits, m.addI(lowest, m.i32(0x7fff)));
    Value result = m.select(m.isNan(op.getIn()), m.orI(bits, m.i32(0x400000)), rounded);
    replaceWithHigh16(op, m.shrU(result, m.i32(16)), rewriter);
    return success();
  }
  static void replaceWithHigh16(arith::TruncFOp op, Value bits, PatternRewriter &rewriter) {
    Type i16 = rewriter.getI16Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      i16 = VectorType::get(vector.getShape(), i16);
    Value narrow = rewriter.create<arith::TruncIOp>(op.getLoc(), i16, bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
  }
};

/// f32 to f16 in integer arithmetic: normal results by rounding the bits, denormal ones by adding a
/// number whose last bit is the smallest denormal.
struct TruncateToF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getIn()) || !getElementTypeOrSelf(op.getType()).isF16())
      return failure();
    MathBuilder m(rewriter, op.getLoc(), op.getIn());
    Value x = m.abs(op.getIn()), bits = m.bits(x);
    Value sign = m.shrU(m.andI(m.bits(op.getIn()), m.i32(int32_t(0x80000000u))), m.i32(16));
    Value lowest = m.andI(m.shrU(bits, m.i32(13)), m.i32(1));
    Value normal =
        m.shrU(m.addI(m.subI(bits, m.i32(112 << 23)), m.addI(lowest, m.i32(0xfff))), m.i32(13));
    Value denormal = m.subI(m.bits(m.add(x, m.f32(0.5))), m.bits(m.f32(0.5)));
    Value result = m.select(m.less(x, m.f32(6.103515625e-05)), denormal, normal);
    result = m.select(m.less(x, m.f32(65520)), result, m.i32(0x7c00));
    Value quiet = m.orI(m.i32(0x7e00), m.andI(m.shrU(bits, m.i32(13)), m.i32(0x1ff)));
    result = m.orI(m.select(m.isNan(x), quiet, result), sign);
    TruncateToBf16::replaceWithHigh16(op, result, rewriter);
    return success();
  }
};

/// f16 to f32: exponent and fraction are moved into place and rescaled by a multiplication, which
/// also makes denormals normal.
struct ExtendF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    MathBuilder m(rewriter, loc, op.getIn());
    Type i16 = rewriter.getI16Type(), i32 = rewriter.getI32Type();
    if (auto vector = dyn_cast<VectorType>(op.getType())) {
      i16 = VectorType::get(vector.getShape(), i16);
      i32 = VectorType::get(vector.getShape(), i32);
    }
    Value bits = rewriter.create<arith::ExtUIOp>(
        loc, i32, rewriter.create<arith::BitcastOp>(loc, i16, op.getIn()));
    Value sign = m.shl(m.andI(bits, m.i32(0x8000)), m.i32(16));
    Value magnitude = m.shl(m.andI(bits, m.i32(0x7fff)), m.i32(13));
    Value scaled = m.bits(m.mul(m.fromBits(magnitude), m.f32(5.192296858534828e+33))); // 2^112
    // inf and NaN: exponent 31 becomes 255.
    Value isSpecial = m.equalI(m.andI(bits, m.i32(0x7c00)), m.i32(0x7c00));
    Value special = m.orI(magnitude, m.i32(0x7f800000));
    rewriter.replaceOp(op, m.fromBits(m.orI(m.select(isSpecial, special, scaled), sign)));
    return success();
  }
};

struct ExpandExpAvx512 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (op.getType() != VectorType::get(16, rewriter.getF32Type()))
      return failure();
    rewriter.replaceOp(op, emitExpAvx512(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

/// 1 / (exp(-x) + 1) of f32: it needs less care than exp alone.
struct ExpandLogistic : OpRewritePattern<arith::DivFOp> {
  ExpandLogistic(MLIRContext *context, bool hasAvx512)
      : OpRewritePattern(context), hasAvx512(hasAvx512) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
    if (!isF32(op.getResult()) || !sum || !matchPattern(op.getLhs(), m_OneFloat()) ||
        !matchPattern(sum.getRhs(), m_OneFloat()))
      return failure();
    auto exp = sum.getLhs().getDefiningOp<math::ExpOp>();
    auto negative = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    if (!negative)
      return failure();
    const bool isWide = hasAvx512 && op.getType() == VectorType::get(16, rewriter.getF32Type());
    auto emit = isWide ? emitLogisticAvx512 : emitLogistic;
    Value result = emit(rewriter, op.getLoc(), negative.getOperand());
    if (op->hasOneUse())
      if (auto product = dyn_cast<arith::MulFOp>(*op->user_begin()))
        divideInstead(product, op, result.getDefiningOp<arith::DivFOp>(), rewriter);
    rewriter.replaceOp(op, result);
    return success();
  }

  /// y * (1 / d) = y / d, as SiLU has it: one rounding less.
  static void divideInstead(arith::MulFOp product, arith::DivFOp old, arith::DivFOp quotient,
                            PatternRewriter &rewriter) {
    Value other = product.getLhs() == old.getResult() ? product.getRhs() : product.getLhs();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(product);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(product, other, quotient.getRhs());
  }

  bool hasAvx512;
};

struct MathExpansionPass : PassWrapper<MathExpansionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathExpansionPass)
  StringRef getArgument() const final { return "dynac-cpu-expand-math"; }
  StringRef getDescription() const final {
    return "elementary functions of f32 and missing conversions as arithmetic";
  }
  void runOnOperation() override;
};

} // namespace

void dynac::cpu::populateMathExpansionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandUnary<math::ExpOp>>(context, emitExp);
  patterns.add<ExpandUnary<math::Exp2Op>>(context, emitExp2);
  patterns.add<ExpandUnary<math::ExpM1Op>>(context, emitExpm1);
  patterns.add<ExpandUnary<math::LogOp>>(context, emitLog);
  patterns.add<ExpandUnary<math::Log2Op>>(context, emitLog2);
  patterns.add<ExpandUnary<math::Log10Op>>(context, emitLog10);
  patterns.add<ExpandUnary<math::Log1pOp>>(context, emitLog1p);
  patterns.add<ExpandUnary<math::ErfOp>>(context, emitErf);
  patterns.add<ExpandUnary<math::TanhOp>>(context, emitTanh);
  patterns.add<ExpandUnary<math::SinhOp>>(context, emitSinh);
  patterns.add<ExpandUnary<math::CoshOp>>(context, emitCosh);
  patterns.add<ExpandUnary<math::SinOp>>(context, emitSin);
  patterns.add<ExpandUnary<math::CosOp>>(context, emitCos);
  patterns.add<ExpandUnary<math::TanOp>>(context, emitTan);
  patterns.add<ExpandUnary<math::AtanOp>>(context, emitAtan);
  patterns.add<ExpandUnary<math::AsinOp>>(context, emitAsin);
  patterns.add<ExpandUnary<math::AcosOp>>(context, emitAcos);
  patterns.add<ExpandBinary<math::Atan2Op>>(context, emitAtan2);
  patterns.add<ExpandBinary<math::PowFOp>>(context, emitPow);
}

void MathExpansionPass::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet functions(context);
  populateMathExpansionPatterns(functions);
  FrozenRewritePatternSet always(std::move(functions));
  RewritePatternSet noBf16(context), noF16(context);
  noBf16.add<TruncateToBf16>(context);
  RewritePatternSet wide(context), logistic(context), logisticAvx512(context);
  wide.add<ExpandExpAvx512>(context);
  logistic.add<ExpandLogistic>(context, /*hasAvx512=*/false);
  logisticAvx512.add<ExpandLogistic>(context, /*hasAvx512=*/true);
  FrozenRewritePatternSet avx512(std::move(wide)), first(std::move(logistic)),
      firstAvx512(std::move(logisticAvx512));
  noF16.add<TruncateToBf16, TruncateToF16, ExtendF16>(context);
  noF16.add<ExpandFma<math::FmaOp>, ExpandFma<vector::FMAOp>>(context);
  FrozenRewritePatternSet belowBf16(std::move(noBf16)), belowV3(std::move(noF16));
  GreedyRewriteConfig config;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    auto level = func->getAttrOfType<IntegerAttr>("dynac.cpu_level");
    if (!level)
      continue;
    const Isa &isa = isaFor(dynac_cpu_level_t(level.getInt()));
    (void)applyPatternsAndFoldGreedily(func, isa.lanes == 16 ? firstAvx512 : first, config);
    if (isa.lanes == 16)
      (void)applyPatternsAndFoldGreedily(func, avx512, config);
    (void)applyPatternsAndFoldGreedily(func, always, config);
    if (!isa.hasFma)
      (void)applyPatternsAndFoldGreedily(func, belowV3, config);
    else if (!isa.hasBf16Dot)
      (void)applyPatternsAndFoldGreedily(func, belowBf16, config);
  }
}

std::unique_ptr<Pass> dynac::cpu::createMathExpansionPass() {
  return std::make_unique<MathExpansionPass>();
}
