//===- RaiseAttention.cpp - attention in pieces ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(q kT, changed) v: between the two products, files scale the scores, add masks and
// biases, and choose where a score counts; they may change how batch and heads are counted on the
// way. What is added or chosen by becomes a term of the composite, in its own shape.
//
//===----------------------------------------------------------------------===//

#include "RaiseAttention.h"

#include "dynac/Composites/Composites.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace {

/// The one number that all elements of `value` are, of a constant or a weight.
std::optional<double> splatOf(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  if (auto weight = value.getDefiningOp<WeightOp>()) {
    const WeightStore *store = value.getContext()->getLoadedDialect<PrimDialect>()->weights;
    float number;
    llvm::MutableArrayRef<char> bytes(reinterpret_cast<char *>(&number), sizeof(number));
    if (!store || !getElementTypeOrSelf(value.getType()).isF32() ||
        store->byteSize(weight.getId()) != sizeof(number))
      return std::nullopt;
    if (llvm::Error error = store->materialize(weight.getId(), bytes)) {
      llvm::consumeError(std::move(error)); // is reported when the weight is written
      return std::nullopt;
    }
    return number;
  }
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

SmallVector<int64_t> firstAxes(int64_t number) {
  return llvm::to_vector(llvm::seq<int64_t>(0, number));
}

/// Whether a reshape only counts the axes before the last two in another way.
bool regroupsBatch(ReshapeOp op) {
  Shape from = shapeOf(op.getX()), to = shapeOf(op.getResult());
  return from.size() > 2 && to.size() > 2 &&
         ArrayRef(from).take_back(2) == ArrayRef(to).take_back(2);
}

/// `value` under the batch axes of `shape`.
Value regroup(OpBuilder &b, Value value, ArrayRef<SymExpr> batch) {
  Shape shape(batch);
  Shape own = shapeOf(value);
  shape.append(own.end() - 2, own.end());
  if (shape == own)
    return value;
  return b.create<ReshapeOp>(value.getLoc(),
                             tensorType(shape, getElementTypeOrSelf(value.getType())), value);
}

/// The chain from the softmax's operand to the first product.
struct Scores {
  DotOp dot;
  double scale = 1;
  struct Term {
    Value value;                ///< with the batch axes that stand where it joins
    std::optional<double> fill; ///< a mask, unless nothing
    bool isInverted = false;
    double factor = 1;
  };
  SmallVector<Term> terms; ///< the last first
};

/// Follows `value`; what stands between must have no other use.
bool follow(Value value, double factor, Scores &scores) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse())
    return false;
  if (auto dot = dyn_cast<DotOp>(op)) {
    scores.dot = dot;
    scores.scale = factor;
    return true;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return regroupsBatch(reshape) && follow(reshape.getX(), factor, scores);
  if (isa<MulOp, DivOp>(op)) {
    if (std::optional<double> by = splatOf(op->getOperand(1)))
      return *by != 0 &&
             follow(op->getOperand(0), isa<MulOp>(op) ? factor * *by : factor / *by, scores);
    std::optional<double> by = splatOf(op->getOperand(0));
    return by && isa<MulOp>(op) && follow(op->getOperand(1), factor * *by, scores);
  }
  const size_t terms = scores.terms.size();
  auto tryTerm = [&](Value from, Scores::Term term) {
    scores.terms.push_back(term);
    if (follow(from, factor, scores))
      return true;
    scores.terms.truncate(terms);
    return false;
  };
  if (auto add = dyn_cast<AddOp>(op))
    return tryTerm(add.getA(), {add.getB(), {}, false, factor}) ||
           tryTerm(add.getB(), {add.getA(), {}, false, factor});
  if (auto select = dyn_cast<SelectOp>(op)) {
    if (std::optional<double> fill = splatOf(select->getOperand(2)))
      return tryTerm(select->getOperand(1), {select->getOperand(0), *fill * factor, false, 1});
    if (std::optional<double> fill = splatOf(select->getOperand(1)))
      return tryTerm(select->getOperand(2), {select->getOperand(0), *fill * factor, true, 1});
  }
  return false;
}

struct RaiseAttention : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    // The second product: shares of all keys with their values.
    const int64_t rank = cast<RankedTensorType>(op.getA().getType()).getRank(), batch = rank - 2;
    if (!isF32(op.getA()) || !isF32(op.getB()) || !isF32(op.getResult()) || batch < 1 ||
        op.getBatchA() != ArrayRef<int64_t>(firstAxes(batch)) ||
        op.getContractA() != ArrayRef<int64_t>{rank - 1} ||
        cast<RankedTensorType>(op.getB().getType()).getRank() != rank)
      return failure();
    Value shares = op.getA();
    AttentionConfig config;
    Shape sharesBatch(ArrayRef(shapeOf(shares)).drop_back(2));
    if (auto reshape = shares.getDefiningOp<ReshapeOp>();
        reshape && reshape->hasOneUse() && regroupsBatch(reshape))
      shares = reshape.getX();
    if (auto select = shares.getDefiningOp<SelectOp>(); select && select->hasOneUse()) {
      // NaN gives 0.
      auto isNan = select->getOperand(0).getDefiningOp<CompareOp>();
      Value x = select->getOperand(2);
      if (!isNan || isNan->getOperand(0) != x || isNan->getOperand(1) != x ||
          isNan.getDirection() != CompareDirection::ne || splatOf(select->getOperand(1)) != 0.0 ||
          llvm::any_of(x.getUsers(),
                       [&](Operation *user) { return user != isNan && user != select; }))
        return failure();
      config.zeroNan = true;
      shares = x;
    } else if (!shares.hasOneUse()) {
      return failure();
    }
    auto softmax = shares.getDefiningOp<CompositeOp>();
    if (!softmax || softmax.getName() != "softmax" || !isF32(shares))
      return failure();
    Shape shape = shapeOf(shares);
    const int64_t scoreRank = shape.size();
    if (softmax.getConfig().getAs<IntegerAttr>("axis").getInt() != scoreRank - 1 || scoreRank < 3)
      return failure();
    Scores scores;
    if (!follow(softmax.getXs()[0], 1, scores))
      return failure();

    // The first product.
    DotOp dot = scores.dot;
    Shape dotShape = shapeOf(dot.getResult());
    const int64_t dotBatch = dot.getBatchA().size();
    if (dotBatch < 1 || int64_t(dotShape.size()) != dotBatch + 2 ||
        dot.getContractA().size() != 1 || !isF32(dot.getA()) || !isF32(dot.getB()) ||
        cast<RankedTensorType>(dot.getA().getType()).getRank() != dotBatch + 2)
      return failure();
    config.scale = scores.scale;
    Value q = withoutScale(dot.getA(), config.scale), k = withoutScale(dot.getB(), config.scale),
          v = op.getB();
    config.q = axesOf(q, dot.getBatchA(), dot.getContractA()[0], /*contractLast=*/true);
    config.k = axesOf(k, dot.getBatchB(), dot.getContractB()[0], /*contractLast=*/true);
    config.v = axesOf(v, op.getBatchB(), op.getContractB()[0], /*contractLast=*/false);

    // All under the batch axes of the softmax.
    Shape wanted(ArrayRef(shape).drop_back(2));
    Shape given(ArrayRef(dotShape).drop_back(2));
    if ((given != wanted && !(canRegroup(config.q) && canRegroup(config.k))) ||
        (sharesBatch != wanted && !canRegroup(config.v)))
      return failure();
    if (given != wanted) {
      q = regroup(rewriter, q, wanted);
      k = regroup(rewriter, k, wanted);
      config.q = regrouped(config.q, scoreRank);
      config.k = regrouped(config.k, scoreRank);
    }
    if (sharesBatch != wanted) {
      v = regroup(rewriter, v, wanted);
      config.v = regrouped(config.v, scoreRank);
    }
    config.y = firstAxes(scoreRank);
    SmallVector<Value> xs{q, k, v};
    for (const Scores::Term &term : llvm::reverse(scores.terms)) {
      xs.push_back(termOf(rewriter, term, wanted));
      config.fills.push_back(term.fill.value_or(0));
    }
    if (llvm::none_of(scores.terms, [](const Scores::Term &term) { return term.fill.has_value(); }))
      config.fills.clear();
    Shape result = wanted;
    result.push_back(shape[scoreRank - 2]);
    result.push_back(shapeOf(op.getResult()).back());
    Type type = tensorType(result, rewriter.getF32Type());
    auto attention = rewriter.create<CompositeOp>(op.getLoc(), TypeRange(type), "attention", xs,
                                                  config.attribute(getContext()));
    Value y = attention.getYs()[0];
    if (y.getType() != op.getType())
      y = rewriter.create<ReshapeOp>(op.getLoc(), op.getType(), y);
    rewriter.replaceOp(op, y);
    return success();
  }

private:
  static Value withoutScale(Value x, double &scale) {
    if (auto product = x.getDefiningOp<MulOp>())
      for (unsigned side = 0; side < 2; ++side)
        if (std::optional<double> by = splatOf(product->getOperand(side))) {
          scale *= *by;
          return product->getOperand(1 - side);
        }
    return x;
  }

  static SmallVector<int64_t> axesOf(Value x, ArrayRef<int64_t> batch, int64_t contract,
                                     bool contractLast) {
    SmallVector<int64_t> axes(batch);
    int64_t free = -1;
    for (int64_t axis = 0; axis < cast<RankedTensorType>(x.getType()).getRank(); ++axis)
      if (axis != contract && !llvm::is_contained(batch, axis))
        free = axis;
    axes.push_back(contractLast ? free : contract);
    axes.push_back(contractLast ? contract : free);
    return axes;
  }

  static bool canRegroup(ArrayRef<int64_t> axes) {
    return axes.drop_back(2) == ArrayRef<int64_t>(firstAxes(axes.size() - 2));
  }
  static SmallVector<int64_t> regrouped(ArrayRef<int64_t> axes, int64_t rank) {
    SmallVector<int64_t> result = firstAxes(rank);
    if (axes[axes.size() - 1] < axes[axes.size() - 2])
      std::swap(result[rank - 1], result[rank - 2]);
    return result;
  }

  /// The term in as few elements as it has: axes that a broadcast stretches are 1.
  static Value termOf(PatternRewriter &rewriter, const Scores::Term &term,
                      ArrayRef<SymExpr> batch) {
    Value value = term.value;
    Shape own = shapeOf(value);
    Shape whole(batch);
    whole.append(own.end() - 2, own.end());
    if (whole != own) {
      value = regroup(rewriter, value, batch);
    } else if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
      Shape from = shapeOf(broadcast.getX()), kept(own.size(), SymExpr(1));
      for (auto [dim, axis] : llvm::zip(from, broadcast.getAxes()))
        kept[axis] = dim;
      value = rewriter.createOrFold<ReshapeOp>(
          value.getLoc(), tensorType(kept, getElementTypeOrSelf(value.getType())),
          broadcast.getX());
    }
    if (term.isInverted)
      value = rewriter.create<NotOp>(value.getLoc(), value);
    if (term.factor != 1) {
      auto scalar = RankedTensorType::get({}, rewriter.getF32Type());
      auto factor = DenseElementsAttr::get(
          scalar, Attribute(rewriter.getF32FloatAttr(static_cast<float>(term.factor))));
      Value constant = rewriter.create<ConstantOp>(value.getLoc(), factor);
      Value stretched = rewriter.create<BroadcastOp>(value.getLoc(), value.getType(), constant,
                                                     rewriter.getDenseI64ArrayAttr({}));
      value = rewriter.create<MulOp>(value.getLoc(), value, stretched);
    }
    return value;
  }
};

/// Replaces a composite by one of other operands and axes.
CompositeOp rebuild(PatternRewriter &rewriter, CompositeOp op, ValueRange xs, Type type,
                    const AttentionConfig &config) {
  return rewriter.create<CompositeOp>(op.getLoc(), TypeRange(type), op.getName(), xs,
                                      config.attribute(rewriter.getContext()));
}

/// attention(transpose(q), …) reads q where it lies.
struct FoldTransposeIntoAttention : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op, PatternRewriter &rewriter) const override {
    if (op.getName() != "attention")
      return failure();
    AttentionConfig config(op);
    SmallVector<Value> xs(op.getXs());
    bool changed = false;
    for (auto [x, axes] :
         {std::pair(&xs[0], &config.q), std::pair(&xs[1], &config.k), std::pair(&xs[2], &config.v)})
      if (auto transpose = x->getDefiningOp<TransposeOp>()) {
        SmallVector<int64_t> moved;
        for (int64_t axis : *axes)
          moved.push_back(transpose.getPermutation()[axis]);
        // Kernels want rows or columns in one piece.
        if (!llvm::is_contained(ArrayRef(moved).take_back(2), int64_t(moved.size()) - 1))
          continue;
        *x = transpose.getX();
        *axes = moved;
        changed = true;
      }
    if (!changed)
      return failure();
    rewriter.replaceOp(op, rebuild(rewriter, op, xs, op.getYs()[0].getType(), config).getYs());
    return success();
  }
};

/// transpose(attention(…)) is written as it is wanted, as long as rows of values stay in one piece.
struct FoldTransposeOfAttention : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto attention = op.getX().getDefiningOp<CompositeOp>();
    if (!attention || attention.getName() != "attention" || !attention->hasOneUse())
      return failure();
    AttentionConfig config(attention);
    // Axis j of the new result is axis permutation[j] of the old one.
    SmallVector<int64_t> place(config.y.size());
    for (auto [axis, source] : llvm::enumerate(op.getPermutation()))
      place[source] = axis;
    for (int64_t &axis : config.y)
      axis = place[axis];
    if (config.y.back() != int64_t(config.y.size()) - 1)
      return failure();
    rewriter.replaceOp(
        op, rebuild(rewriter, attention, attention.getXs(), op.getType(), config).getYs());
    return success();
  }
};

} // namespace

void dynac::addRaiseAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseAttention>(patterns.getContext());
}

void dynac::addFoldAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldTransposeIntoAttention, FoldTransposeOfAttention>(patterns.getContext());
}
