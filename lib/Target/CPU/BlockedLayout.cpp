//===- BlockedLayout.cpp - convolutions in [N, C/16, H, W, 16] ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal [N, C, W] is an image of height 1.
//
// The layout is no property of types here: a blocked tensor is a plain 5-D tensor, and
// `pack_channels` and `unpack_channels` are ordinary operations between the two forms. Propagation
// rewrites op(unpack(x)) into unpack(op(x)) until packs meet unpacks.
//
// Where 16 does not divide C, the last block ends with lanes that no channel owns. They hold zeros
// after a convolution (its packed weights and bias do). Only operations that keep such lanes finite
// are moved through then, since a consuming convolution multiplies them by zero.
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

CompositeOp unpackOf(Value value) {
  auto op = value.getDefiningOp<CompositeOp>();
  return op && op.getName() == "unpack_channels" ? op : CompositeOp();
}

int64_t channelsOf(Value value) { return cast<RankedTensorType>(value.getType()).getDimSize(1); }

Shape blockedShape(Dims plain) {
  int64_t channels = *plain[1].constant();
  return {plain[0], SymExpr((channels + kChannelBlock - 1) / kChannelBlock),
          plain.size() == 3 ? SymExpr(1) : plain[2], plain.back(), SymExpr(kChannelBlock)};
}

bool isSignal(Value plain) { return cast<RankedTensorType>(plain.getType()).getRank() == 3; }

/// What an op has for each axis of a plain tensor, for its blocked form: `neutral` for the height
/// that a signal does not have and for the lanes.
template <typename T>
SmallVector<T> blockedAxes(Value plain, ArrayRef<T> values, const T &neutral) {
  SmallVector<T> result(values);
  if (isSignal(plain))
    result.insert(result.begin() + 2, neutral);
  result.push_back(neutral);
  return result;
}

Tensor packChannels(Tensor x) {
  TensorContext &ctx = x.ctx();
  return composite("pack_channels", {x}, config(ctx, {}), blockedShape(x.shape()));
}

Tensor unpackChannels(Tensor x, Dims plain) {
  TensorContext &ctx = x.ctx();
  return composite("unpack_channels", {x},
                   config(ctx, {{"channels", attr(ctx, *plain[1].constant())},
                                {"signal", attr(ctx, plain.size() == 3)}}),
                   plain);
}

/// x of a `value` [N, C, H, W] that is the transpose of x [N, H, W, C], where blocks are whole.
Value channelsLastOf(Value value) {
  auto op = value.getDefiningOp<TransposeOp>();
  return op && op.getPermutation() == ArrayRef<int64_t>{0, 3, 1, 2} &&
                 !ShapedType::isDynamic(channelsOf(value)) && channelsOf(value) % kChannelBlock == 0
             ? op.getX()
             : Value();
}

/// The blocked form of that: blocks move as wholes.
Tensor packLast(Tensor x) {
  Shape shape = x.shape();
  x = reshape(x, {shape[0], shape[1], shape[2], shape[3].floorDiv(SymExpr(kChannelBlock)),
                  SymExpr(kChannelBlock)});
  return transpose(x, {0, 3, 1, 2, 4});
}

/// Whether the op keeps finite lanes finite whatever they hold. Integers always are.
bool keepsFinite(Operation *op) {
  if (isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return !isa<DivOp, RemOp, PowOp>(op);
  if (isa<ConvertOp>(op))
    return isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  return isa<RoundEvenOp, AddOp, SubOp, MulOp, MaxOp, MinOp, ClampOp, SelectOp, CompareOp,
             LogisticOp, TanhOp, ErfOp, AbsOp, NegOp, AndOp, OrOp, NotOp>(op);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Whether all sizes are numbers and none is negative; then they are in `out`.
bool readSizes(DimsAttr dims, SmallVector<int64_t> &out) {
  for (const SymExpr &size : dims.exprs()) {
    if (!size.constant() || *size.constant() < 0)
      return false;
    out.push_back(*size.constant());
  }
  return true;
}

/// x of a convolution of bytes, whose padding is an operation of its own as it is no zero.
struct PaddedBytes {
  Value x;
  SmallVector<int64_t> lo, hi; ///< of H and W
  int64_t fill = 0;
};

std::optional<PaddedBytes> paddedBytesOf(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  PaddedBytes result;
  DenseElementsAttr number;
  if (!pad || !readSizes(pad.getLo(), result.lo) || !readSizes(pad.getHi(), result.hi) ||
      result.lo[0] || result.lo[1] || result.hi[0] || result.hi[1] ||
      llvm::any_of(pad.getInterior(), [](int64_t between) { return between != 0; }) ||
      !matchPattern(pad.getValue(), m_Constant(&number)))
    return std::nullopt;
  result.x = pad.getX();
  result.lo.erase(result.lo.begin(), result.lo.begin() + 2);
  result.hi.erase(result.hi.begin(), result.hi.begin() + 2);
  result.fill = number.getSplatValue<APInt>().getZExtValue();
  return result;
}

/// Whether it has sums in i32 of unsigned times signed bytes.
bool sumsBytes(ConvOp op) {
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
  return elementOf(op.getX()).isUnsignedInteger(8) && elementOf(op.getW()).isSignlessInteger(8) &&
         op.getType().getElementType().isSignlessInteger(32);
}

struct BlockConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto x = cast<RankedTensorType>(op.getX().getType());
    auto w = cast<RankedTensorType>(op.getW().getType());
    const bool signal = x.getRank() == 3;
    const bool isFloat = x.getElementType().isF32() && op.getType().getElementType().isF32();
    if ((x.getRank() != 4 && !signal) || (!isFloat && !sumsBytes(op)) || x.isDynamicDim(1) ||
        !op.getW().getDefiningOp<WeightOp>())
      return failure();
    int64_t channels = x.getDimSize(1), filters = w.getDimSize(0), groups = op.getGroups();
    // Of bytes there is a kernel for groups of whole blocks only.
    if (!isFloat && groups != 1 &&
        (channels / groups % kChannelBlock || filters / groups % kChannelBlock))
      return failure();
    for (int64_t dilation : op.getLhsDilation())
      if (dilation != 1)
        return failure();
    PaddedBytes padded;
    padded.x = op.getX();
    if (!readSizes(op.getLo(), padded.lo) || !readSizes(op.getHi(), padded.hi))
      return failure();
    if (!isFloat && llvm::all_of(padded.lo, [](int64_t size) { return size == 0; }) &&
        llvm::all_of(padded.hi, [](int64_t size) { return size == 0; }))
      if (auto bytes = paddedBytesOf(op.getX()))
        padded = *bytes;

    TensorContext ctx(rewriter, op.getLoc());
    Shape result = shapeOf(op.getType());
    Tensor input(ctx, padded.x), weight(ctx, op.getW());
    SmallVector<int64_t> strides(op.getStrides()), dilations(op.getRhsDilation());
    if (signal) {
      Shape shape = weight.shape();
      shape.insert(shape.begin() + 2, SymExpr(1));
      weight = reshape(weight, shape);
      for (auto [values, none] : {std::pair(&strides, 1), std::pair(&dilations, 1),
                                  std::pair(&padded.lo, 0), std::pair(&padded.hi, 0)})
        values->insert(values->begin(), none);
    }
    // A first layer of an image: packing would only add channels of zeros.
    bool plainInput = channels < kChannelBlock / 2 && groups == 1;
    DictionaryAttr settings = config(ctx, {{"channels", attr(ctx, channels)},
                                           {"plain_input", attr(ctx, plainInput)},
                                           {"filters", attr(ctx, filters)},
                                           {"groups", attr(ctx, groups)},
                                           {"strides", attr(ctx, Axes(strides))},
                                           {"lo", attr(ctx, Axes(padded.lo))},
                                           {"hi", attr(ctx, Axes(padded.hi))},
                                           {"fill", attr(ctx, padded.fill)},
                                           {"dilations", attr(ctx, Axes(dilations))}});
    if (!plainInput)
      input = packChannels(input);
    else if (signal)
      input = reshape(input, {input.dim(0), input.dim(1), SymExpr(1), input.dim(2)});
    Tensor y = composite("conv_nchwc", {input, weight}, settings, blockedShape(result),
                         op.getType().getElementType());
    rewriter.replaceOp(op, unpackChannels(y, result).value());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

/// pack(unpack(x)) = x.
struct CancelPack : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op, PatternRewriter &rewriter) const override {
    if (op.getName() != "pack_channels")
      return failure();
    CompositeOp unpack = unpackOf(op.getXs()[0]);
    if (!unpack || unpack.getXs()[0].getType() != op.getYs()[0].getType())
      return failure();
    rewriter.replaceOp(op, unpack.getXs()[0]);
    return success();
  }
};

/// pack(transpose of [N, H, W, C]) and the transpose of unpack(x) to that.
struct PackLast : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op, PatternRewriter &rewriter) const override {
    Value x = op.getName() == "pack_channels" ? channelsLastOf(op.getXs()[0]) : Value();
    if (!x)
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    rewriter.replaceOp(op, packLast(Tensor(ctx, x)).value());
    return success();
  }
};

struct UnpackLast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    CompositeOp unpack = unpackOf(op.getX());
    if (!unpack || op.getPermutation() != ArrayRef<int64_t>{0, 2, 3, 1} ||
        channelsOf(op.getX()) % kChannelBlock)
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor y = transpose(Tensor(ctx, unpack.getXs()[0]), {0, 2, 3, 1, 4});
    rewriter.replaceOp(op, reshape(y, shapeOf(op.getY())).value());
    return success();
  }
};

/// The 5-D counterpart of a broadcast to [N, C, H, W] of at most N and C.
Tensor blockedBroadcast(BroadcastOp op, Dims blocked, TensorContext &ctx) {
  Tensor x(ctx, op.getX());
  Shape from = x.shape(), kept;
  SmallVector<int64_t> axes;
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    if (from[i].isOne())
      continue;
    if (axis > 1)
      return Tensor(); // spatial: rare, packed whole by the caller
    kept.push_back(from[i]);
    axes.push_back(axis);
  }
  x = reshape(x, kept);
  if (!axes.empty() && axes.back() == 1) {
    int64_t channels = *kept.back().constant(), blocks = *blocked[1].constant();
    if (channels != blocks * kChannelBlock) {
      SmallVector<SymExpr> lo(kept.size(), SymExpr(0)), hi = lo;
      hi.back() = SymExpr(blocks * kChannelBlock - channels);
      x = pad(x, full(ctx, {}, 0.0, x.dtype()), lo, hi);
    }
    kept.back() = SymExpr(blocks);
    kept.push_back(SymExpr(kChannelBlock));
    axes.push_back(4);
    x = reshape(x, kept);
  }
  return broadcastInDim(x, blocked, axes);
}

/// elementwise(unpack(a), …) = unpack(elementwise(a, …)).
struct MoveThroughElementwise : RewritePattern {
  MoveThroughElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->getNumResults() != 1)
      return failure();
    CompositeOp unpack;
    for (Value operand : op->getOperands())
      if (CompositeOp candidate = unpackOf(operand))
        unpack = candidate;
    if (!unpack || !movable(op))
      return failure();
    Shape plain = shapeOf(op->getResult(0)), blocked = shapeOf(unpack.getXs()[0]);
    TensorContext ctx(rewriter, op->getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Tensor moved = block(operand, blocked, ctx);
      if (!moved)
        return failure();
      operands.push_back(moved.value());
    }
    OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                         tensorType(blocked, getElementTypeOrSelf(op->getResult(0).getType())),
                         op->getAttrs());
    Operation *created = rewriter.create(state);
    rewriter.replaceOp(op, unpackChannels(Tensor(ctx, created->getResult(0)), plain).value());
    return success();
  }

  /// Checked before anything is built.
  bool movable(Operation *op) const {
    if (channelsOf(op->getResult(0)) % kChannelBlock && !keepsFinite(op))
      return false;
    return llvm::all_of(op->getOperands(), [](Value operand) {
      if (unpackOf(operand) || operand.getDefiningOp<ConstantOp>() || channelsLastOf(operand))
        return true;
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        Shape from = shapeOf(broadcast.getX());
        for (auto [i, axis] : llvm::enumerate(broadcast.getAxes()))
          if (axis > 1 && !from[i].isOne())
            return false;
        return true;
      }
      return false;
    });
  }

  Tensor block(Value operand, Dims blocked, TensorContext &ctx) const {
    if (CompositeOp unpack = unpackOf(operand))
      return Tensor(ctx, unpack.getXs()[0]);
    if (Value x = channelsLastOf(operand))
      return packLast(Tensor(ctx, x));
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return blockedBroadcast(broadcast, blocked, ctx);
    DenseElementsAttr elements;
    if (!matchPattern(operand, m_Constant(&elements)) || !elements.isSplat())
      return Tensor();
    Tensor scalar(
        ctx, ctx.builder.create<ConstantOp>(ctx.loc, elements.resizeSplat(RankedTensorType::get(
                                                         {}, elements.getElementType()))));
    return broadcastTo(scalar, blocked);
  }
};

struct MoveThroughWindow : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceWindowOp op, PatternRewriter &rewriter) const override {
    CompositeOp unpack = unpackOf(op.getX());
    if (!unpack || op.getIndices() || op.getWindow()[0] != 1 || op.getWindow()[1] != 1 ||
        op.getStrides()[0] != 1 || op.getStrides()[1] != 1)
      return failure();
    SmallVector<SymExpr> lo = op.getLo().exprs(), hi = op.getHi().exprs();
    if (!lo[0].isZero() || !lo[1].isZero() || !hi[0].isZero() || !hi[1].isZero())
      return failure();
    auto extended = [&](ArrayRef<int64_t> values) {
      return blockedAxes<int64_t>(op.getX(), values, 1);
    };
    auto padded = [&](ArrayRef<SymExpr> values) {
      return blockedAxes(op.getX(), values, SymExpr(0));
    };
    TensorContext ctx(rewriter, op.getLoc());
    Tensor y = reduceWindow(op.getCombiner(), Tensor(ctx, unpack.getXs()[0]),
                            extended(op.getWindow()), extended(op.getStrides()),
                            extended(op.getDilations()), padded(lo), padded(hi));
    if (!y)
      return failure();
    rewriter.replaceOp(op, unpackChannels(y, shapeOf(op.getY())).value());
    return success();
  }
};

/// A reduction over H and W: [N, C/16, 16] is already [N, C] in memory.
struct MoveThroughReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    CompositeOp unpack = unpackOf(op.getX());
    if (!unpack)
      return failure();
    if (op.getAxes() != (isSignal(op.getX()) ? ArrayRef<int64_t>{2} : ArrayRef<int64_t>{2, 3}))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor y = reduce(op.getCombiner(), Tensor(ctx, unpack.getXs()[0]), {2, 3});
    Shape plain = shapeOf(op.getY());
    y = reshape(y, {plain[0], y.dim(1) * y.dim(2)});
    y = sliceAxis(y, 1, SymExpr(0), plain[1]);
    if (!y)
      return failure();
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

struct MoveThroughPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &rewriter) const override {
    CompositeOp unpack = unpackOf(op.getX());
    SmallVector<SymExpr> lo = op.getLo().exprs(), hi = op.getHi().exprs();
    // A convolution of bytes pads by itself.
    auto pads = [](Operation *user) { return isa<ConvOp>(user) && sumsBytes(cast<ConvOp>(user)); };
    if (!unpack || llvm::any_of(op->getUsers(), pads) || !lo[0].isZero() || !lo[1].isZero() ||
        !hi[0].isZero() || !hi[1].isZero() || op.getInterior()[0] || op.getInterior()[1])
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor y = pad(Tensor(ctx, unpack.getXs()[0]), Tensor(ctx, op.getValue()),
                   blockedAxes<SymExpr>(op.getX(), lo, SymExpr(0)),
                   blockedAxes<SymExpr>(op.getX(), hi, SymExpr(0)),
                   blockedAxes<int64_t>(op.getX(), op.getInterior(), 0));
    if (!y)
      return failure();
    rewriter.replaceOp(op, unpackChannels(y, shapeOf(op.getY())).value());
    return success();
  }
};

/// Puts channels of blocked tensors side by side, where they may begin inside of a block: such a
/// block joins lanes of two blocks of x.
class ChannelJoiner {
public:
  explicit ChannelJoiner(TensorContext &ctx) : ctx(ctx) {}

  /// Channels [first, end) of x come next.
  void add(Tensor x, int64_t first, int64_t end) {
    while (filled && first < end)
      first = fill(x, first, end);
    if (const int64_t whole = (end - first) / kChannelBlock; whole > 0) {
      const int64_t block = first / kChannelBlock, lane = first % kChannelBlock;
      blocks.push_back(lane ? concat({lanes(x, block, lane, kChannelBlock, whole),
                                      lanes(x, block + 1, 0, lane, whole)},
                                     4)
                            : sliceAxis(x, 1, SymExpr(block), SymExpr(block + whole)));
      first += whole * kChannelBlock;
    }
    while (first < end)
      first = fill(x, first, end);
  }

  Tensor finish() {
    if (filled) {
      SmallVector<SymExpr> lo(5, SymExpr(0)), hi = lo;
      hi.back() = SymExpr(kChannelBlock - filled);
      blocks.push_back(pad(open, full(ctx, {}, 0.0, open.dtype()), lo, hi));
    }
    return concat(blocks, 1);
  }

private:
  /// Lanes [begin, end) of `count` blocks.
  Tensor lanes(Tensor x, int64_t block, int64_t begin, int64_t end, int64_t count = 1) {
    x = sliceAxis(x, 1, SymExpr(block), SymExpr(block + count));
    return sliceAxis(x, 4, SymExpr(begin), SymExpr(end));
  }

  /// As many channels of [first, end) as lie in one block of x and find room in the open one; what
  /// is left begins at the result.
  int64_t fill(Tensor x, int64_t first, int64_t end) {
    const int64_t block = first / kChannelBlock, lane = first % kChannelBlock;
    const int64_t count = std::min({end - first, kChannelBlock - lane, kChannelBlock - filled});
    Tensor next = lanes(x, block, lane, lane + count);
    open = filled ? concat({open, next}, 4) : next;
    filled += count;
    if (filled == kChannelBlock) {
      blocks.push_back(open);
      filled = 0;
    }
    return first + count;
  }

  TensorContext &ctx;
  SmallVector<Tensor> blocks;
  Tensor open; ///< the lanes of a block that is not yet full
  int64_t filled = 0;
};

/// Slices of images and of channels; few channels inside of a block are not worth a block.
struct MoveThroughSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    CompositeOp unpack = unpackOf(op.getX());
    if (!unpack || op.getStrides()[1] != 1)
      return failure();
    SmallVector<SymExpr> starts = op.getStarts().exprs();
    auto first = starts[1].constant();
    const int64_t all = channelsOf(op.getX()), taken = channelsOf(op.getY());
    if (!first)
      return failure();
    const bool ofBlocks =
        *first % kChannelBlock == 0 && (taken % kChannelBlock == 0 || *first + taken == all);
    if (!ofBlocks && taken < kChannelBlock / 2)
      return failure();
    starts[1] = SymExpr(ofBlocks ? *first / kChannelBlock : 0);
    starts = blockedAxes<SymExpr>(op.getX(), starts, SymExpr(0));
    SmallVector<int64_t> strides = blockedAxes<int64_t>(op.getX(), op.getStrides(), 1);
    TensorContext ctx(rewriter, op.getLoc());
    Shape plain = shapeOf(op.getY()), blocked = blockedShape(plain), sliced = blocked, ends;
    Tensor x(ctx, unpack.getXs()[0]);
    if (!ofBlocks)
      sliced[1] = x.dim(1);
    for (auto [start, size, stride] : llvm::zip(starts, sliced, strides))
      ends.push_back(start + (size - 1) * SymExpr(stride) + 1);
    Tensor y = sliced == x.shape() ? x : slice(x, starts, ends, strides);
    if (y && !ofBlocks) {
      ChannelJoiner joiner(ctx);
      joiner.add(y, *first, *first + taken);
      y = joiner.finish();
    }
    if (!y || y.shape() != blocked)
      return failure();
    rewriter.replaceOp(op, unpackChannels(y, plain).value());
    return success();
  }
};

struct MoveThroughConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    // Along the channels or within images: [N, C, W] has its W at 3.
    const bool ofChannels = op.getAxis() == 1;
    if (op.getXs().empty() || op.getAxis() == 0)
      return failure();
    const int64_t axis = !ofChannels && isSignal(op.getY()) ? 3 : op.getAxis();
    TensorContext ctx(rewriter, op.getLoc());
    if (!llvm::all_of(op.getXs(), [](Value x) { return bool(unpackOf(x)); }))
      return failure();
    SmallVector<Tensor> blocked;
    for (Value x : op.getXs())
      blocked.push_back(Tensor(ctx, unpackOf(x).getXs()[0]));
    Tensor y;
    // Only the last operand may end inside of a block.
    if (!ofChannels || llvm::all_of(op.getXs().drop_back(),
                                    [](Value x) { return channelsOf(x) % kChannelBlock == 0; })) {
      y = concat(blocked, axis);
    } else {
      ChannelJoiner joiner(ctx);
      for (auto [x, plain] : llvm::zip(blocked, op.getXs()))
        joiner.add(x, 0, channelsOf(plain));
      y = joiner.finish();
    }
    if (!y)
      return failure();
    rewriter.replaceOp(op, unpackChannels(y, shapeOf(op.getY())).value());
    return success();
  }
};

struct BlockedLayout : PassWrapper<BlockedLayout, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockedLayout)
  StringRef getArgument() const override { return "cpu-blocked-layout"; }
  StringRef getDescription() const override {
    return "Convolutions and what lies between them in [N, C/16, H, W, 16]";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<BlockConv, CancelPack, PackLast, UnpackLast, MoveThroughElementwise, MoveThroughWindow,
             MoveThroughReduce, MoveThroughPad, MoveThroughSlice, MoveThroughConcat>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<Pass> createBlockedLayoutPass() { return std::make_unique<BlockedLayout>(); }

} // namespace dynac::cpu
