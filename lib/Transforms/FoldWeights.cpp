//===- FoldWeights.cpp - primitives of constants become derived weights ---===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are visited in order, so a chain folds in one walk. Broadcasts are not folded by themselves
// (the stored weight would only grow) but read through when an elementwise op of constants uses
// them. Bodies of loops and branches hold the constants they use, so that what holds for a weight
// (a packed layout, a derivation) holds in a loop too.
//
//===----------------------------------------------------------------------===//

#include "ConstEval.h"

#include "dynac/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_FOLDWEIGHTS
#include "dynac/Transforms/Passes.h.inc"

namespace {

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t axis = static_cast<int64_t>(shape.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

struct FoldWeights : impl::FoldWeightsBase<FoldWeights> {
  void runOnOperation() override {
    store = getContext().getLoadedDialect<PrimDialect>()->weights;
    if (!store)
      return;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<IfOp, WhileOp>(op))
        moveConstantsIn(op);
      if (std::optional<int64_t> id = fold(op)) {
        OpBuilder b(op);
        Value result = op->getResult(0);
        result.replaceAllUsesWith(b.create<WeightOp>(op->getLoc(), result.getType(), *id));
      }
    });
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  /// Gives each body of an if or a while its own copy of the constants that it captures.
  static void moveConstantsIn(Operation *op) {
    auto loop = dyn_cast<WhileOp>(op);
    MutableOperandRange captured =
        loop ? loop.getCapturedMutable() : cast<IfOp>(op).getCapturedMutable();
    const unsigned firstArgument = loop ? loop.getInitial().size() : 0;
    for (unsigned i = captured.size(); i-- > 0;) {
      Operation *source = captured[i].get().getDefiningOp();
      if (!source || !isa<WeightOp, ConstantOp>(source))
        continue;
      for (Region &body : op->getRegions()) {
        auto b = OpBuilder::atBlockBegin(&body.front());
        BlockArgument argument = body.getArgument(firstArgument + i);
        argument.replaceAllUsesWith(b.clone(*source)->getResult(0));
        body.front().eraseArgument(argument.getArgNumber());
      }
      captured.erase(i);
    }
  }

  std::optional<int64_t> fold(Operation *op) {
    if (op->getNumResults() != 1 || op->getParentOfType<RegionOp>())
      return std::nullopt;
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!result || !result.hasStaticShape() || bitWidth(result.getElementType()) % 8)
      return std::nullopt;
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      if (auto weight = reshape.getX().getDefiningOp<WeightOp>())
        return derive(op, result, weight.getId(),
                      evalStrided(result, rowMajorStrides(result.getShape())));
    if (auto transpose = dyn_cast<TransposeOp>(op))
      if (auto weight = transpose.getX().getDefiningOp<WeightOp>()) {
        SmallVector<int64_t> from = rowMajorStrides(store->type(weight.getId()).getShape()),
                             strides;
        for (int64_t axis : transpose.getPermutation())
          strides.push_back(from[axis]);
        return derive(op, result, weight.getId(), evalStrided(result, strides));
      }
    if (auto reverse = dyn_cast<ReverseOp>(op))
      if (auto weight = reverse.getX().getDefiningOp<WeightOp>()) {
        SmallVector<int64_t> strides = rowMajorStrides(result.getShape());
        int64_t first = 0;
        for (int64_t axis : reverse.getAxes()) {
          first += (result.getDimSize(axis) - 1) * strides[axis];
          strides[axis] = -strides[axis];
        }
        if (result.getNumElements() == 0)
          first = 0;
        return derive(op, result, weight.getId(), evalStrided(result, strides, first));
      }
    if (auto pad = dyn_cast<PadOp>(op))
      return foldPad(pad, result);
    if (auto slice = dyn_cast<SliceOp>(op))
      return foldSlice(slice, result);
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto weight = reduce.getX().getDefiningOp<WeightOp>();
      auto sum = weight ? evalSum(reduce) : std::nullopt;
      return sum ? std::optional(derive(op, result, weight.getId(), std::move(*sum)))
                 : foldByteSum(reduce, result);
    }
    if (auto dot = dyn_cast<DotOp>(op))
      return foldDot(dot, result);
    if (auto concat = dyn_cast<ConcatOp>(op))
      return foldConcat(concat, result);
    if (isElementwise(op))
      return foldElementwise(op, result);
    return std::nullopt;
  }

  std::optional<int64_t> foldSlice(SliceOp op, RankedTensorType result) {
    auto weight = op.getX().getDefiningOp<WeightOp>();
    if (!weight)
      return std::nullopt;
    SmallVector<int64_t> strides = rowMajorStrides(store->type(weight.getId()).getShape());
    int64_t first = 0;
    for (auto [axis, start] : llvm::enumerate(op.getStarts().exprs())) {
      if (!start.constant())
        return std::nullopt;
      first += *start.constant() * strides[axis];
      strides[axis] *= op.getStrides()[axis];
    }
    return derive(op, result, weight.getId(),
                  evalStrided(result, strides, result.getNumElements() ? first : 0));
  }

  /// Layers of constants, e.g. DeBERTa's projections of relative positions.
  std::optional<int64_t> foldDot(DotOp op, RankedTensorType result) {
    auto a = op.getA().getDefiningOp<WeightOp>(), b = op.getB().getDefiningOp<WeightOp>();
    if (!a || !b)
      return std::nullopt;
    int64_t products = result.getNumElements();
    for (int64_t axis : op.getContractA())
      products *= cast<RankedTensorType>(op.getA().getType()).getDimSize(axis);
    const int64_t stored = cast<RankedTensorType>(op.getA().getType()).getNumElements() +
                           cast<RankedTensorType>(op.getB().getType()).getNumElements();
    if (result.getNumElements() > stored || products > productsLeft)
      return std::nullopt;
    auto product = evalDot(op);
    if (!product)
      return std::nullopt;
    productsLeft -= products;
    return store->derive(store->name(b.getId()), result,
                         ArrayRef<int64_t>{int64_t(a.getId()), int64_t(b.getId())},
                         std::move(*product));
  }

  /// Sums of a quantised weight's bytes (small ones may have been widened), which zero points are
  /// multiplied by.
  std::optional<int64_t> foldByteSum(ReduceOp op, RankedTensorType result) {
    if (op.getCombiner() != Combiner::add || !result.getElementType().isSignlessInteger(32))
      return std::nullopt;
    Value bytes = op.getX();
    if (auto wide = bytes.getDefiningOp<ConvertOp>())
      bytes = wide.getX();
    auto type = cast<RankedTensorType>(bytes.getType());
    const bool isSummable =
        type.getElementType().isInteger(8) || type.getElementType().isSignlessInteger(32);
    if (!isSummable || !type.hasStaticShape() || bytes.getDefiningOp<BroadcastOp>())
      return std::nullopt;
    std::optional<ConstOperand> x = constantOperand(bytes, type.getShape());
    if (!x)
      return std::nullopt;
    SmallVector<int64_t> strides(type.getRank());
    int64_t stride = 1;
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis)
      if (!llvm::is_contained(op.getAxes(), axis)) {
        strides[axis] = stride;
        stride *= type.getDimSize(axis);
      }
    if (llvm::all_of(x->strides, [](int64_t step) { return step == 0; }))
      return std::nullopt; // a splat, kept as one number
    return derive(op, result, x->id, evalByteSum(type, strides));
  }

  /// Biases of channels that fill their last block with zeros; not what repeats a value many times.
  std::optional<int64_t> foldPad(PadOp op, RankedTensorType result) {
    auto weight = op.getX().getDefiningOp<WeightOp>();
    DenseElementsAttr value;
    if (!weight || !matchPattern(op.getValue(), m_Constant(&value)) ||
        llvm::any_of(op.getInterior(), [](int64_t between) { return between != 0; }))
      return std::nullopt;
    auto type = cast<RankedTensorType>(op.getX().getType());
    if (!type.hasStaticShape() || result.getNumElements() > 2 * type.getNumElements() + 64)
      return std::nullopt;
    SmallVector<int64_t> lo;
    for (auto [first, last] : llvm::zip(op.getLo().exprs(), op.getHi().exprs())) {
      if (!first.constant() || *first.constant() < 0 || !last.constant() || *last.constant() < 0)
        return std::nullopt;
      lo.push_back(*first.constant());
    }
    return derive(op, result, weight.getId(), evalPadded(type, result, lo, value));
  }

  /// Weights of one axis after another, as fused gates and heads are.
  std::optional<int64_t> foldConcat(ConcatOp op, RankedTensorType result) {
    SmallVector<int64_t> inputs;
    for (Value x : op.getXs()) {
      auto weight = x.getDefiningOp<WeightOp>();
      if (!weight || llvm::is_contained(inputs, weight.getId()))
        return std::nullopt;
      inputs.push_back(weight.getId());
    }
    int64_t outer = 1;
    for (int64_t axis = 0; axis < static_cast<int64_t>(op.getAxis()); ++axis)
      outer *= result.getDimSize(axis);
    return store->derive(store->name(inputs[0]), result, inputs, evalConcat(outer));
  }

  std::optional<int64_t> derive(Operation *op, RankedTensorType type, int64_t input,
                                WeightStore::Derive derive) {
    return store->derive(store->name(input), type, {input}, std::move(derive));
  }

  std::optional<int64_t> foldElementwise(Operation *op, RankedTensorType result) {
    SmallVector<ConstOperand> operands;
    bool isSplat = true;
    for (Value operand : op->getOperands()) {
      std::optional<ConstOperand> constant = constantOperand(operand, result.getShape());
      if (!constant)
        return std::nullopt;
      isSplat &= llvm::all_of(constant->strides, [](int64_t stride) { return stride == 0; });
      operands.push_back(*constant);
    }
    // What is one number for all elements is not stored as many.
    if (isSplat && result.getNumElements() > 1)
      return std::nullopt;
    auto function = evalElementwise(op, operands);
    if (!function)
      return std::nullopt;
    SmallVector<int64_t> inputs;
    for (const ConstOperand &operand : operands)
      inputs.push_back(operand.id);
    return store->derive(store->name(inputs[0]), result, inputs, std::move(*function));
  }

  std::optional<ConstOperand> constantOperand(Value value, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    SmallVector<int64_t> kept = axes;
    if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
      kept.assign(broadcast.getAxes().begin(), broadcast.getAxes().end());
      value = broadcast.getX();
    }
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    int64_t id;
    if (auto weight = value.getDefiningOp<WeightOp>()) {
      id = weight.getId();
    } else {
      DenseElementsAttr elements;
      if (!matchPattern(value, m_Constant(&elements)) || elements.getElementType().isInteger(1))
        return std::nullopt;
      if (elements.isSplat())
        return splat(elements, shape.size());
      ArrayRef<char> raw = elements.getRawData();
      id = store->addOwned("constant", type, std::vector<char>(raw.begin(), raw.end()));
    }
    ConstOperand operand{id, type.getElementType(), SmallVector<int64_t>(shape.size(), 0)};
    SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
    for (auto [i, axis] : llvm::enumerate(kept))
      operand.strides[axis] = type.getDimSize(i) == 1 ? 0 : strides[i];
    return operand;
  }

  ConstOperand splat(DenseElementsAttr elements, size_t rank) {
    Type type = elements.getElementType();
    ArrayRef<char> raw = elements.getRawData();
    int64_t id = store->addOwned("constant", RankedTensorType::get({}, type),
                                 std::vector<char>(raw.begin(), raw.end()));
    return {id, type, SmallVector<int64_t>(rank, 0)};
  }

  WeightStore *store = nullptr;
  /// Multiplications that products may take in all: some seconds.
  int64_t productsLeft = int64_t(1) << 32;
};

} // namespace
} // namespace dynac
