//===- RaiseQuantized.cpp - products of quantised numbers -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantised number is (q - zero) * scale. Quantised models hold contractions of such numbers,
//
//   sum over k of (a - a_zero) * a_scale * (w - w_zero) * w_scale,
//
// as f32 (DequantizeLinear before Conv, Gemm, MatMul) or without the scales (QLinearConv,
// MatMulInteger). Both become a contraction of an unsigned and a signed byte with exact i32 sums,
//
//   sum of a * w  -  a_zero * sum of w  -  w_zero * sum of a  +  k * a_zero * w_zero,
//
// in which the second sum is a constant, and w_zero is 0 in most models. What follows (scale, bias,
// activation, quantisation) stays elementwise and so becomes the contraction's epilogue.
//
//===----------------------------------------------------------------------===//

#include "RaiseQuantized.h"

#include "dynac/Composites/Tensor.h"
#include "dynac/Dialect/Prim/WeightStore.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
bool isByte(Type type) { return type.isInteger(8); }
bool isI32(Value value) { return elementOf(value).isSignlessInteger(32); }
bool isConstant(Value value) {
  return isa_and_nonnull<WeightOp, ConstantOp>(value.getDefiningOp());
}

/// The one number that all elements of `value` are.
std::optional<double> splatOf(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  APInt number = elements.getSplatValue<APInt>();
  return elements.getElementType().isUnsignedInteger() ? double(number.getZExtValue())
                                                       : double(number.getSExtValue());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A scalar, or a vector along one axis, that is stretched to a tensor's shape.
struct Stretched {
  Value value; ///< null: absent
  int64_t axis = -1;

  /// As a scalar or along `to` of `rank` axes; needs axis >= 0 to be where it stands.
  Tensor along(TensorContext &ctx, int64_t to, int64_t rank) const {
    Tensor x(ctx, value);
    if (axis < 0)
      return reshape(x, {});
    Shape shape(rank, SymExpr(1));
    shape[to] = x.size();
    return reshape(x, shape);
  }
};

std::optional<Stretched> stretchedOf(Value value) {
  Shape shape = shapeOf(value);
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    Stretched result{broadcast.getX()};
    for (auto [dim, axis] : llvm::zip(shapeOf(broadcast.getX()), broadcast.getAxes())) {
      if (dim.isOne())
        continue;
      if (result.axis >= 0)
        return std::nullopt;
      result.axis = axis;
    }
    return result;
  }
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
    OpBuilder b(value.getDefiningOp());
    auto scalar = RankedTensorType::get({}, elements.getElementType());
    return Stretched{b.create<ConstantOp>(value.getLoc(), elements.resizeSplat(scalar))};
  }
  if (llvm::all_of(shape, [](const SymExpr &dim) { return dim.isOne(); }))
    return Stretched{value};
  return std::nullopt;
}

/// q - zero in i32, q of bytes.
struct Centred {
  Value q;
  Stretched zero;
};

std::optional<Centred> centredOf(Value value) {
  if (isByte(elementOf(value)))
    return Centred{value, {}};
  if (!isI32(value))
    return std::nullopt;
  if (auto convert = value.getDefiningOp<ConvertOp>(); convert && isByte(elementOf(convert.getX())))
    return Centred{convert.getX(), {}};
  auto difference = value.getDefiningOp<SubOp>();
  auto convert = difference ? difference.getA().getDefiningOp<ConvertOp>() : ConvertOp();
  if (!convert || !isByte(elementOf(convert.getX())))
    return std::nullopt;
  auto zero = stretchedOf(difference.getB());
  return zero ? std::optional(Centred{convert.getX(), *zero}) : std::nullopt;
}

/// The same numbers in f32, from the bytes at once.
Tensor asFloat(TensorContext &ctx, const Centred &centred) {
  Type f32 = ctx.builder.getF32Type();
  Tensor x = convert(Tensor(ctx, centred.q), f32);
  if (!centred.zero.value)
    return x;
  return x - convert(centred.zero.along(ctx, centred.zero.axis, x.rank()), f32);
}

/// centred * scale in f32.
struct Scaled {
  Value centred;
  Stretched scale;
};

std::optional<Scaled> scaledOf(Value value) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !elementOf(value).isF32())
    return std::nullopt;
  for (auto [number, factor] :
       {std::pair(product.getA(), product.getB()), std::pair(product.getB(), product.getA())}) {
    auto convert = number.getDefiningOp<ConvertOp>();
    if (!convert || !centredOf(convert.getX()) || isByte(elementOf(convert.getX())))
      continue;
    if (auto scale = stretchedOf(factor))
      return Scaled{convert.getX(), *scale};
  }
  return std::nullopt;
}

/// `q` of signed bytes as q + 128 of unsigned bytes.
Tensor asUnsigned(Tensor q) {
  Type i32 = q.ctx().builder.getI32Type(), u8 = q.ctx().builder.getIntegerType(8, false);
  Tensor wide = convert(q, i32);
  return convert(wide + fullInt(q.ctx(), {}, 128, i32), u8);
}

/// A constant of unsigned bytes as w - 128 of signed ones: the top bit turned over.
Value asSigned(PatternRewriter &rewriter, Value w) {
  auto type = RankedTensorType::get(cast<RankedTensorType>(w.getType()).getShape(),
                                    rewriter.getIntegerType(8));
  if (auto weight = w.getDefiningOp<WeightOp>()) {
    WeightStore *store = rewriter.getContext()->getLoadedDialect<PrimDialect>()->weights;
    const int64_t id = weight.getId();
    const int64_t turned = store->derive(store->name(id), type, {id},
                                         [](ArrayRef<WeightBytes> in, MutableArrayRef<char> out) {
                                           for (auto [from, to] : llvm::zip(in[0], out))
                                             to = static_cast<char>(from ^ 0x80);
                                           return llvm::Error::success();
                                         });
    return rewriter.create<WeightOp>(w.getLoc(), type, turned);
  }
  SmallVector<APInt> numbers;
  auto elements = cast<ElementsAttr>(w.getDefiningOp<ConstantOp>().getValue());
  for (const APInt &number : elements.getValues<APInt>())
    numbers.push_back(number ^ APInt(8, 0x80));
  return rewriter.create<ConstantOp>(w.getLoc(), DenseElementsAttr::get(type, numbers));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// A product with a matrix or a convolution whose second operand is a constant.
struct Contraction {
  int64_t weightChannels = 0;  ///< axis of the weight
  int64_t resultChannels = 1;  ///< axis of the result
  SmallVector<int64_t> summed; ///< axes of the weight
  int64_t depth = 1;           ///< terms of a sum
  bool takesBytes = false;     ///< whether sums of bytes are worth a kernel
};

std::optional<Contraction> contractionOf(Operation *op, Value w) {
  auto weight = cast<RankedTensorType>(w.getType());
  Contraction result;
  if (!weight.hasStaticShape() || weight.getNumElements() == 0)
    return std::nullopt;
  if (auto dot = dyn_cast<DotOp>(op)) {
    auto a = cast<RankedTensorType>(dot.getA().getType());
    if (!dot.getBatchA().empty() || weight.getRank() != 2 || dot.getContractB().size() != 1)
      return std::nullopt;
    result.summed = {dot.getContractB()[0]};
    result.weightChannels = 1 - result.summed[0];
    result.resultChannels = cast<RankedTensorType>(dot.getType()).getRank() - 1;
    result.takesBytes = dot.getContractA()[0] == a.getRank() - 1;
  } else {
    auto conv = cast<ConvOp>(op);
    for (int64_t axis = 1; axis < weight.getRank(); ++axis)
      result.summed.push_back(axis);
    const int64_t groups = conv.getGroups();
    result.takesBytes =
        weight.getRank() == 4 &&
        llvm::all_of(conv.getLhsDilation(), [](int64_t dilation) { return dilation == 1; }) &&
        (groups == 1 ||
         (weight.getDimSize(1) % 16 == 0 && weight.getDimSize(0) / groups % 16 == 0));
  }
  for (int64_t axis : result.summed)
    result.depth *= weight.getDimSize(axis);
  // An i32 holds the sum.
  if (result.depth > INT32_MAX / (255 * 255))
    return std::nullopt;
  return result;
}

/// Whether a weight as signed bytes has a zero point other than 0.
bool hasZero(const Centred &w) {
  const double none = elementOf(w.q).isUnsignedInteger() ? 128 : 0;
  return (w.zero.value ? splatOf(w.zero.value) : 0.0) != none;
}

/// Whether f32 holds every sum of `depth` products of centred bytes.
bool isExactInF32(int64_t depth) { return depth * 255 * 255 <= 1 << 24; }

/// The op with other operands and sums of `type`.
Tensor contract(TensorContext &ctx, Operation *op, Tensor x, Tensor w, Type type) {
  if (auto dot = dyn_cast<DotOp>(op))
    return dynac::dot(x, w, {}, {}, dot.getContractA(), dot.getContractB(), type);
  auto conv = cast<ConvOp>(op);
  return dynac::conv(x, w, conv.getStrides(), conv.getLo().exprs(), conv.getHi().exprs(),
                     conv.getLhsDilation(), conv.getRhsDilation(), conv.getGroups(), type);
}

/// Scales go behind the sums: contract(a * s, w * t) = contract(a, w) * (s * t). The sums are i32,
/// or f32 if that is exact and nothing gains from bytes (depthwise convolutions).
template <typename Op> struct ScaleSums : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!elementOf(op->getResult(0)).isF32())
      return failure();
    auto a = scaledOf(op->getOperand(0)), w = scaledOf(op->getOperand(1));
    if (!a || !w || a->scale.axis >= 0 || !isConstant(centredOf(w->centred)->q))
      return failure();
    auto contraction = contractionOf(op, w->centred);
    if (!contraction || (w->scale.axis >= 0 && w->scale.axis != contraction->weightChannels))
      return failure();
    const bool isInteger = contraction->takesBytes;
    if (isInteger && isa<ConvOp>(op.getOperation()) && hasZero(*centredOf(w->centred)))
      return failure();
    if (!isInteger && !isExactInF32(contraction->depth))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Type f32 = rewriter.getF32Type();
    Tensor sums;
    if (isInteger)
      sums = convert(contract(ctx, op, Tensor(ctx, a->centred), Tensor(ctx, w->centred),
                              rewriter.getI32Type()),
                     f32);
    else
      sums = contract(ctx, op, asFloat(ctx, *centredOf(a->centred)),
                      asFloat(ctx, *centredOf(w->centred)), f32);
    Tensor scale =
        w->scale.along(ctx, contraction->resultChannels, sums.rank()) * a->scale.along(ctx, 0, 0);
    Tensor y = sums * scale;
    if (ctx.failed())
      return failure();
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

/// An i32 contraction of centred bytes as one of an unsigned and a signed byte, or of f32.
template <typename Op> struct SumBytes : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isI32(op->getResult(0)))
      return failure();
    auto a = centredOf(op->getOperand(0)), w = centredOf(op->getOperand(1));
    if (!a || !w || a->zero.axis >= 0 || !isConstant(w->q))
      return failure();
    auto contraction = contractionOf(op, w->q);
    if (!contraction || (w->zero.axis >= 0 && w->zero.axis != contraction->weightChannels))
      return failure();
    if (a->q == op->getOperand(0) && w->q == op->getOperand(1) &&
        elementOf(a->q).isUnsignedInteger() && !elementOf(w->q).isUnsignedInteger())
      return failure(); // is so already
    TensorContext ctx(rewriter, op.getLoc());
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    if (!contraction->takesBytes) {
      if (!isExactInF32(contraction->depth))
        return failure();
      Tensor y = convert(contract(ctx, op, asFloat(ctx, *a), asFloat(ctx, *w), f32), i32);
      rewriter.replaceOp(op, y.value());
      return success();
    }

    // The number that a zero point is, moved along with its bytes.
    auto number = [&](const Stretched &zero, int64_t moved, int64_t channels, int64_t rank) {
      Tensor x = zero.value ? zero.along(ctx, channels, rank) : fullInt(ctx, {}, 0, i32);
      return moved ? x + fullInt(ctx, {}, moved, i32) : x;
    };
    const bool isSignedA = !elementOf(a->q).isUnsignedInteger();
    const bool isUnsignedW = elementOf(w->q).isUnsignedInteger();
    const int64_t channels = contraction->resultChannels;
    const int64_t rank = shapeOf(op->getResult(0)).size();
    const bool hasWeightZero = hasZero(*w);
    if (hasWeightZero && !isa<DotOp>(op.getOperation()))
      return failure();
    Tensor x(ctx, a->q), weight(ctx, isUnsignedW ? asSigned(rewriter, w->q) : w->q);
    if (isSignedA)
      x = asUnsigned(x);
    Tensor aZero = number(a->zero, isSignedA ? 128 : 0, 0, 0);
    Tensor wZero = number(w->zero, isUnsignedW ? -128 : 0, channels, rank);

    // Padding is zero, which is a byte of aZero.
    Tensor padded = x, packed = weight;
    if constexpr (std::is_same_v<Op, ConvOp>) {
      Shape lo = {SymExpr(0), SymExpr(0)}, hi = lo;
      llvm::append_range(lo, op.getLo().exprs());
      llvm::append_range(hi, op.getHi().exprs());
      padded = pad(x, convert(aZero, x.dtype()), lo, hi);
      Shape none(lo.size() - 2, SymExpr(0));
      Tensor sums = dynac::conv(padded, weight, op.getStrides(), none, none, op.getLhsDilation(),
                                op.getRhsDilation(), op.getGroups(), i32);
      return finish(op, rewriter, *contraction, sums, aZero, Tensor(), wZero, weight);
    } else {
      // Whole words of four bytes.
      const int64_t fill = -contraction->depth & 3;
      if (fill) {
        auto end = [&](int64_t axis, int64_t axes) {
          Shape hi(axes, SymExpr(0));
          hi[axis] = SymExpr(fill);
          return hi;
        };
        padded = pad(x, fullInt(ctx, {}, 0, x.dtype()), Shape(x.rank(), SymExpr(0)),
                     end(x.rank() - 1, x.rank()));
        packed = pad(weight, fullInt(ctx, {}, 0, weight.dtype()), Shape(2, SymExpr(0)),
                     end(contraction->summed[0], 2));
      }
      Tensor sums = contract(ctx, op, padded, packed, i32);
      Tensor rowSums;
      if (hasWeightZero)
        rowSums = reduce(Combiner::add, convert(x, i32), {x.rank() - 1}, /*keep=*/true);
      return finish(op, rewriter, *contraction, sums, aZero, rowSums, wZero, weight);
    }
  }

  /// sums - aZero * (sum of w - depth * wZero) - wZero * rowSums
  static LogicalResult finish(Op op, PatternRewriter &rewriter, const Contraction &contraction,
                              Tensor sums, Tensor aZero, Tensor rowSums, Tensor wZero,
                              Tensor weight) {
    if (!sums)
      return failure();
    TensorContext &ctx = sums.ctx();
    Type i32 = rewriter.getI32Type();
    if (std::optional<double> none = splatOf(aZero.value()); !none || *none != 0) {
      Tensor columns = reduce(Combiner::add, convert(weight, i32), contraction.summed);
      Shape shape(sums.rank(), SymExpr(1));
      shape[contraction.resultChannels] = columns.size();
      columns = reshape(columns, shape);
      if (rowSums)
        columns = columns - wZero * fullInt(ctx, {}, contraction.depth, i32);
      sums = sums - columns * aZero;
    }
    if (rowSums)
      sums = sums - rowSums * wZero;
    if (ctx.failed())
      return failure();
    rewriter.replaceOp(op, sums.value());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Bytes between contractions
//===----------------------------------------------------------------------===//

/// Signed bytes that numbers are quantised to become unsigned ones, which is what the kernels take;
/// others see these minus 128.
struct QuantizeUnsigned : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    if (!elementOf(op).isSignlessInteger(8) || !elementOf(op.getX()).isF32())
      return failure();
    auto clamped = op.getX().getDefiningOp<ClampOp>();
    if (!clamped)
      return failure();
    auto lo = splatOf(clamped.getLo()), hi = splatOf(clamped.getHi());
    auto zero = clamped.getX().getDefiningOp<AddOp>();
    if (!lo || !hi || *lo < -128 || *hi > 127 || !(*lo <= *hi))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Type i32 = rewriter.getI32Type();
    Tensor x(ctx, clamped.getX());
    // Whole numbers: the order of the additions does not matter within the limits.
    auto known = zero ? splatOf(zero.getB()) : std::nullopt;
    if (known && *known == std::trunc(*known) && zero.getA().getDefiningOp<RoundEvenOp>())
      x = Tensor(ctx, zero.getA()) + (*known + 128);
    else if (clamped.getX().getDefiningOp<RoundEvenOp>())
      x = x + 128.0;
    else
      return failure();
    Tensor q = convert(dynac::clamp(x, *lo + 128, *hi + 128), rewriter.getIntegerType(8, false));
    Tensor y = convert(convert(q, i32) - fullInt(ctx, {}, 128, i32), elementOf(op));
    if (ctx.failed())
      return failure();
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

/// u8 - 128 in i32.
bool isMovedByte(Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  auto convert = difference ? difference.getA().getDefiningOp<ConvertOp>() : ConvertOp();
  return convert && isI32(value) && elementOf(convert.getX()).isUnsignedInteger(8) &&
         splatOf(difference.getB()) == 128.0;
}

/// A byte that QuantizeUnsigned left in i32, narrowed and widened again.
struct DropNarrowing : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto narrow = op.getX().getDefiningOp<ConvertOp>();
    if (!isI32(op) || !narrow || !elementOf(narrow).isSignlessInteger(8) ||
        !isMovedByte(narrow.getX()))
      return failure();
    rewriter.replaceOp(op, narrow.getX());
    return success();
  }
};

/// (x - 128) - zero = x - (128 + zero).
struct JoinZeros : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    if (!isI32(op) || !isMovedByte(op.getA()))
      return failure();
    auto zero = stretchedOf(op.getB());
    if (!zero)
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor x(ctx, op.getA().getDefiningOp<SubOp>().getA());
    Tensor sum =
        zero->along(ctx, zero->axis, x.rank()) + fullInt(ctx, {}, 128, rewriter.getI32Type());
    rewriter.replaceOp(op, (x - sum).value());
    return success();
  }
};

/// max over windows of (q - zero) * scale = (max over windows of q - zero) * scale.
struct PoolBytes : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceWindowOp op, PatternRewriter &rewriter) const override {
    auto x = scaledOf(op.getX());
    if (!x || op.getCombiner() != Combiner::max || op.getIndices() || x->scale.axis >= 0)
      return failure();
    Centred centred = *centredOf(x->centred);
    auto scale = splatOf(x->scale.value);
    if (!scale || !(*scale > 0) || centred.zero.axis >= 0)
      return failure();
    // Each window holds at least one number: what padding holds differs between bytes and f32.
    for (auto [window, dilation, lo, hi] :
         llvm::zip(op.getWindow(), op.getDilations(), op.getLo().exprs(), op.getHi().exprs()))
      if (dilation != 1 || !lo.constant() || !hi.constant() || *lo.constant() >= window ||
          *hi.constant() >= window)
        return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor q = reduceWindow(Combiner::max, Tensor(ctx, centred.q), op.getWindow(), op.getStrides(),
                            op.getDilations(), op.getLo().exprs(), op.getHi().exprs());
    Tensor wide = convert(q, rewriter.getI32Type());
    if (centred.zero.value)
      wide = wide - centred.zero.along(ctx, 0, 0);
    Tensor y = convert(wide, rewriter.getF32Type()) * x->scale.along(ctx, 0, 0);
    if (ctx.failed())
      return failure();
    rewriter.replaceOp(op, y.value());
    return success();
  }
};

/// A byte that is dequantised and quantised again in the same way: (q - zero) * scale / scale is
/// off by less than half.
struct DropRequantization : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto clamped = op.getX().getDefiningOp<ClampOp>();
    if (!elementOf(op).isUnsignedInteger(8) || !clamped || splatOf(clamped.getLo()) != 0.0 ||
        splatOf(clamped.getHi()) != 255.0)
      return failure();
    Value rounded = clamped.getX();
    double zero = 0;
    if (auto add = rounded.getDefiningOp<AddOp>()) {
      auto known = splatOf(add.getB());
      if (!known)
        return failure();
      zero = *known;
      rounded = add.getA();
    }
    auto round = rounded.getDefiningOp<RoundEvenOp>();
    auto ratio = round ? round.getX().getDefiningOp<DivOp>() : DivOp();
    auto x = ratio ? scaledOf(ratio.getA()) : std::nullopt;
    if (!x)
      return failure();
    Centred centred = *centredOf(x->centred);
    auto scale = splatOf(x->scale.value), divisor = splatOf(ratio.getB());
    auto from = centred.zero.value ? splatOf(centred.zero.value) : 0.0;
    if (!scale || scale != divisor || from != zero || centred.q.getType() != op.getType() ||
        !std::isnormal(*scale) || std::fabs(*scale) > 1e30 || std::fabs(*scale) < 1e-30)
      return failure();
    rewriter.replaceOp(op, centred.q);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Scales of results
//===----------------------------------------------------------------------===//

/// A factor goes into the constants of a sum of scaled integers.
struct Rescaler {
  TensorContext &ctx;
  double factor;

  static bool isConstantLike(Value value) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getX();
    if (auto product = value.getDefiningOp<MulOp>()) // of scales, not yet folded
      return isConstantLike(product.getA()) && isConstantLike(product.getB());
    if (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getX();
    return isConstant(value) && elementOf(value).isF32();
  }
  /// Whether `value` is select(x < limit, x, limit), or > for the lower one.
  static bool isLimited(Value value) {
    auto choice = value.getDefiningOp<SelectOp>();
    auto compare = choice ? choice.getCondition().getDefiningOp<CompareOp>() : CompareOp();
    return compare && compare.getA() == choice.getA() && compare.getB() == choice.getB() &&
           splatOf(choice.getB());
  }
  /// Whether `value` is a whole number by the way it is made, and so no NaN.
  static bool isInteger(Value value) {
    if (auto difference = value.getDefiningOp<SubOp>(); difference && splatOf(difference.getB()))
      value = difference.getA();
    if (auto clamped = value.getDefiningOp<ClampOp>())
      return comesFromIntegers(clamped);
    if (isLimited(value)) { // by KeepRounded
      while (isLimited(value))
        value = value.getDefiningOp<SelectOp>().getA();
      auto round = value.getDefiningOp<RoundEvenOp>();
      return round && canRescale(round.getX());
    }
    auto convert = value.getDefiningOp<ConvertOp>();
    return convert && isI32(convert.getX());
  }
  /// Whether it is clamp(round(sum of scaled integers) + zero).
  static bool comesFromIntegers(ClampOp op) {
    Value value = op.getX();
    if (auto sum = value.getDefiningOp<AddOp>(); sum && splatOf(sum.getB()))
      value = sum.getA();
    auto round = value.getDefiningOp<RoundEvenOp>();
    return round && canRescale(round.getX());
  }
  static bool canRescale(Value value, bool isRoot = true) {
    if (isConstantLike(value))
      return !isRoot;
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasOneUse())
      return false;
    if (isa<AddOp, SubOp, MaxOp, MinOp>(op))
      return canRescale(op->getOperand(0), false) && canRescale(op->getOperand(1), false);
    if (auto product = dyn_cast<MulOp>(op)) {
      return isInteger(product.getA()) && isConstantLike(product.getB());
    }
    return false;
  }
  Tensor scaled(Value value) const {
    Tensor x(ctx, value);
    if (isConstantLike(value)) {
      if (auto splat = splatOf(value))
        return full(ctx, x.shape(), float(*splat) * float(factor), x.dtype());
      if (auto broadcast = value.getDefiningOp<BroadcastOp>())
        return broadcastInDim(Tensor(ctx, broadcast.getX()) * factor, x.shape(),
                              broadcast.getAxes());
      return x * factor;
    }
    Operation *op = value.getDefiningOp();
    IRMapping map;
    for (Value operand : op->getOperands())
      if (!isa<MulOp>(op) || operand != op->getOperand(0))
        map.map(operand, scaled(operand).value());
    return Tensor(ctx, ctx.builder.clone(*op, map)->getResult(0));
  }
};

/// round((sums * s + bias) / scale) = round(sums * (s / scale) + bias / scale): no division, and
/// one multiplication. Runtimes of quantised models do the same.
struct DivideScales : OpRewritePattern<RoundEvenOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RoundEvenOp op, PatternRewriter &rewriter) const override {
    auto ratio = op.getX().getDefiningOp<DivOp>();
    auto scale = ratio ? splatOf(ratio.getB()) : std::nullopt;
    if (!scale || !(*scale > 1e-30) || *scale > 1e30 || !ratio->hasOneUse() ||
        !elementOf(op).isF32() || !Rescaler::canRescale(ratio.getA()))
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor x = Rescaler{ctx, 1 / *scale}.scaled(ratio.getA());
    if (ctx.failed())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(x.value()); });
    return success();
  }
};

/// What was quantised and is dequantised at once, as the requantised result of a convolution before
/// a residual is added: f32 holds the byte already.
struct KeepRounded : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    if (!elementOf(op).isF32() || !isI32(op.getX()))
      return failure();
    auto centred = centredOf(op.getX());
    auto zero = centred && centred->zero.value ? splatOf(centred->zero.value) : 0.0;
    auto byte = centred ? centred->q.getDefiningOp<ConvertOp>() : ConvertOp();
    auto clamped = byte ? byte.getX().getDefiningOp<ClampOp>() : ClampOp();
    if (!zero || !clamped || !byte->hasOneUse() || !elementOf(byte).isUnsignedInteger(8) ||
        splatOf(clamped.getLo()) != 0.0 || splatOf(clamped.getHi()) != 255.0 ||
        !elementOf(clamped).isF32())
      return failure();
    // clamp(round + zero) - zero; a NaN becomes the byte 0.
    Value rounded = clamped.getX();
    if (auto sum = rounded.getDefiningOp<AddOp>()) {
      if (splatOf(sum.getB()) != zero)
        return failure();
      rounded = sum.getA();
    } else if (*zero != 0) {
      return failure();
    }
    if (!rounded.getDefiningOp<RoundEvenOp>())
      return failure();
    TensorContext ctx(rewriter, op.getLoc());
    Tensor x(ctx, rounded);
    for (auto [limit, isUpper] : {std::pair(-*zero, false), std::pair(255 - *zero, true)}) {
      Tensor bound = full(ctx, x.shape(), limit, x.dtype());
      x = select(isUpper ? x < bound : x > bound, x, bound);
    }
    rewriter.replaceOp(op, x.value());
    return success();
  }
};

/// round(x) + 0 as a byte: the sign of a 0 gets lost anyway.
struct DropZero : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto clamped = op.getX().getDefiningOp<ClampOp>();
    auto sum = clamped ? clamped.getX().getDefiningOp<AddOp>() : AddOp();
    if (!isByte(elementOf(op)) || !sum || splatOf(sum.getB()) != 0.0)
      return failure();
    Value x = rewriter.create<ClampOp>(clamped.getLoc(), clamped.getType(), sum.getA(),
                                       clamped.getLo(), clamped.getHi());
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(x); });
    return success();
  }
};

/// A vector of equal bytes in a file, such as the zero points of a weight's channels, is one
/// number.
struct EqualBytes : OpRewritePattern<WeightOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WeightOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    WeightStore *store = rewriter.getContext()->getLoadedDialect<PrimDialect>()->weights;
    auto bytes = store && isByte(type.getElementType()) && type.getRank() == 1
                     ? store->view(op.getId())
                     : std::nullopt;
    if (!bytes || bytes->empty() || !llvm::all_equal(*bytes))
      return failure();
    auto splat = DenseElementsAttr::get(type, APInt(8, static_cast<uint8_t>(bytes->front())));
    rewriter.replaceOpWithNewOp<ConstantOp>(op, type, splat);
    return success();
  }
};

} // namespace

void dynac::addQuantizedPatterns(RewritePatternSet &patterns) {
  patterns.add<ScaleSums<DotOp>, ScaleSums<ConvOp>, SumBytes<DotOp>, SumBytes<ConvOp>,
               QuantizeUnsigned, DropNarrowing, JoinZeros, PoolBytes, DropRequantization,
               DivideScales, DropZero, EqualBytes>(patterns.getContext());
}

void dynac::addRequantizedPatterns(RewritePatternSet &patterns) {
  addQuantizedPatterns(patterns);
  patterns.add<KeepRounded>(patterns.getContext());
}
