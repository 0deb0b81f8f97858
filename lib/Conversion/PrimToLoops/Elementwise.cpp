//===- Elementwise.cpp - the scalar meaning of elementwise primitives -----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Conversion/PrimToLoops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;

Type dynac::scalarType(Type type) {
  if (isa<FloatType>(type) && !type.isBF16() && type.getIntOrFloatBitWidth() > 8)
    return type;
  return IntegerType::get(type.getContext(), prim::bitWidth(type));
}

Type dynac::memoryType(Type type) {
  return prim::bitWidth(type) < 8 ? Type(IntegerType::get(type.getContext(), 8)) : scalarType(type);
}

namespace {

/// How a prim element type computes. Bools are unsigned integers of one bit.
enum class Kind { Float, Int, UInt };

Kind kindOf(Type primType) {
  if (isa<FloatType>(primType))
    return Kind::Float;
  return primType.isUnsignedInteger() || primType.isInteger(1) ? Kind::UInt : Kind::Int;
}

/// Builds scalar ops on scalars or vectors.
struct Scalars {
  OpBuilder &b;
  Location loc;
  Kind kind;
  ValueRange x;
  Type primType;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return b.create<Op>(loc, std::forward<Args>(args)...);
  }
  /// A number in the type of `like`.
  Value number(double value, Value like) {
    Type type = like.getType(), element = getElementTypeOrSelf(type);
    TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                             : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr));
    return make<arith::ConstantOp>(attr);
  }
  Value number(double value) { return number(value, x[0]); }
  unsigned width() { return getElementTypeOrSelf(x[0].getType()).getIntOrFloatBitWidth(); }
  Value select(Value condition, Value a, Value other) {
    return make<arith::SelectOp>(condition, a, other);
  }
  Value cmp(arith::CmpIPredicate predicate, Value a, Value other) {
    return make<arith::CmpIOp>(predicate, a, other);
  }
  Value cmp(arith::CmpFPredicate predicate, Value a, Value other) {
    return make<arith::CmpFOp>(predicate, a, other);
  }
  Value either(Value a, Value other) { return make<arith::OrIOp>(a, other); }
};

using IntPred = arith::CmpIPredicate;
using FloatPred = arith::CmpFPredicate;

/// The op that the primitive's definition names for the kind.
template <typename Op> Value createNamed(Scalars &s) {
  if constexpr (std::is_void_v<Op>) {
    return Value();
  } else {
    switch (s.x.size()) {
    case 1:
      if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
        return s.make<Op>(s.x[0]);
      break;
    case 2:
      if constexpr (Op::template hasTrait<OpTrait::NOperands<2>::Impl>())
        return s.make<Op>(s.x[0], s.x[1]);
      break;
    }
    return Value();
  }
}

//===----------------------------------------------------------------------===//
// Primitives that are more than one op
//===----------------------------------------------------------------------===//

/// What the definition's ops cover.
template <typename Op> Value special(Scalars &, Op) { return Value(); }

// Unsigned integers and integers where nothing changes.
Value special(Scalars &s, prim::AbsOp) { return s.x[0]; }
Value special(Scalars &s, prim::FloorOp) { return s.x[0]; }
Value special(Scalars &s, prim::CeilOp) { return s.x[0]; }
Value special(Scalars &s, prim::RoundEvenOp) { return s.x[0]; }
Value special(Scalars &s, prim::TruncOp) { return s.x[0]; }

Value special(Scalars &s, prim::NegOp) { return s.make<arith::SubIOp>(s.number(0), s.x[0]); }
Value special(Scalars &s, prim::NotOp) { return s.make<arith::XOrIOp>(s.x[0], s.number(-1)); }

/// NaN and zeros stay.
Value special(Scalars &s, prim::SignOp) {
  Value x = s.x[0], zero = s.number(0);
  if (s.kind == Kind::Float) {
    Value negative = s.select(s.cmp(FloatPred::OLT, x, zero), s.number(-1), x);
    return s.select(s.cmp(FloatPred::OGT, x, zero), s.number(1), negative);
  }
  if (s.width() == 1)
    return x;
  Value nonZero = s.select(s.cmp(IntPred::ne, x, zero), s.number(1), zero);
  if (s.kind == Kind::UInt)
    return nonZero;
  return s.select(s.cmp(IntPred::slt, x, zero), s.number(-1), nonZero);
}

Value special(Scalars &s, prim::RsqrtOp) {
  return s.make<arith::DivFOp>(s.number(1), s.make<math::SqrtOp>(s.x[0]));
}

/// 1 / (1 + exp(-x)).
Value special(Scalars &s, prim::LogisticOp) {
  Value exp = s.make<math::ExpOp>(s.make<arith::NegFOp>(s.x[0]));
  return s.make<arith::DivFOp>(s.number(1), s.make<arith::AddFOp>(exp, s.number(1)));
}

Value special(Scalars &s, prim::IsFiniteOp) {
  if (s.kind != Kind::Float) {
    Value x = s.x[0];
    return s.cmp(IntPred::eq, x, x);
  }
  Value infinity = s.number(std::numeric_limits<double>::infinity());
  return s.cmp(FloatPred::OLT, s.make<math::AbsFOp>(s.x[0]), infinity);
}

/// x / 0 = 0; INT_MIN / -1 = INT_MIN, as negation wraps.
Value special(Scalars &s, prim::DivOp) {
  Value x = s.x[0], y = s.x[1], zero = s.number(0);
  Value isZero = s.cmp(IntPred::eq, y, zero);
  if (s.kind == Kind::UInt) {
    Value quotient = s.make<arith::DivUIOp>(x, s.select(isZero, s.number(1), y));
    return s.select(isZero, zero, quotient);
  }
  Value isMinusOne = s.cmp(IntPred::eq, y, s.number(-1));
  Value safe = s.select(s.either(isZero, isMinusOne), s.number(1), y);
  Value quotient = s.make<arith::DivSIOp>(x, safe);
  quotient = s.select(isMinusOne, s.make<arith::SubIOp>(zero, x), quotient);
  return s.select(isZero, zero, quotient);
}

Value special(Scalars &s, prim::RemOp) {
  Value x = s.x[0], y = s.x[1], zero = s.number(0);
  Value isTrivial = s.cmp(IntPred::eq, y, zero);
  if (s.kind == Kind::Int)
    isTrivial = s.either(isTrivial, s.cmp(IntPred::eq, y, s.number(-1)));
  Value safe = s.select(isTrivial, s.number(1), y);
  Value rest =
      s.kind == Kind::UInt ? s.make<arith::RemUIOp>(x, safe) : s.make<arith::RemSIOp>(x, safe);
  return s.select(isTrivial, zero, rest);
}

/// By squaring, modulo 2^width. A negative exponent gives the truncated quotient 1 /
/// base^-exponent: 1, -1 or 0 (also for 1 / 0).
Value special(Scalars &s, prim::PowOp) {
  Value base = s.x[0], exponent = s.x[1], result = s.number(1), zero = s.number(0),
        one = s.number(1);
  Value square = base, rest = exponent;
  const unsigned bits = s.width();
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value isSet = s.cmp(IntPred::ne, s.make<arith::AndIOp>(rest, one), zero);
    result = s.make<arith::MulIOp>(result, s.select(isSet, square, one));
    if (bit + 1 == bits)
      break;
    square = s.make<arith::MulIOp>(square, square);
    rest = s.make<arith::ShRUIOp>(rest, one);
  }
  if (s.kind == Kind::UInt)
    return result;
  Value isOdd = s.cmp(IntPred::ne, s.make<arith::AndIOp>(exponent, one), zero);
  Value inverse = s.select(s.cmp(IntPred::eq, base, one), one, zero);
  inverse =
      s.select(s.cmp(IntPred::eq, base, s.number(-1)), s.select(isOdd, s.number(-1), one), inverse);
  return s.select(s.cmp(IntPred::slt, exponent, zero), inverse, result);
}

/// `shift` by a safe amount; amounts of the width or more give 0.
template <typename Shift> Value shiftOrZero(Scalars &s) {
  Value isIn = s.cmp(IntPred::ult, s.x[1], s.number(s.width()));
  Value shifted = s.make<Shift>(s.x[0], s.select(isIn, s.x[1], s.number(0)));
  return s.select(isIn, shifted, s.number(0));
}
Value special(Scalars &s, prim::ShlOp) { return shiftOrZero<arith::ShLIOp>(s); }
Value special(Scalars &s, prim::ShrLogicalOp) { return shiftOrZero<arith::ShRUIOp>(s); }
Value special(Scalars &s, prim::ShrArithOp) {
  if (s.kind == Kind::UInt)
    return shiftOrZero<arith::ShRUIOp>(s);
  Value amount = s.make<arith::MinUIOp>(s.x[1], s.number(s.width() - 1));
  return s.make<arith::ShRSIOp>(s.x[0], amount);
}

/// min(max(x, lo), hi).
Value special(Scalars &s, prim::ClampOp) {
  Value x = s.x[0], lo = s.x[1], hi = s.x[2];
  switch (s.kind) {
  case Kind::Float:
    return s.make<arith::MinimumFOp>(s.make<arith::MaximumFOp>(x, lo), hi);
  case Kind::Int:
    return s.make<arith::MinSIOp>(s.make<arith::MaxSIOp>(x, lo), hi);
  case Kind::UInt:
    return s.make<arith::MinUIOp>(s.make<arith::MaxUIOp>(x, lo), hi);
  }
}

Value special(Scalars &s, prim::CompareOp op) {
  const auto direction = unsigned(op.getDirection()); // eq, ne, lt, le, gt, ge
  if (s.kind == Kind::Float) {
    static constexpr FloatPred predicates[] = {FloatPred::OEQ, FloatPred::UNE, FloatPred::OLT,
                                               FloatPred::OLE, FloatPred::OGT, FloatPred::OGE};
    return s.cmp(predicates[direction], s.x[0], s.x[1]);
  }
  static constexpr IntPred isSigned[] = {IntPred::eq,  IntPred::ne,  IntPred::slt,
                                         IntPred::sle, IntPred::sgt, IntPred::sge};
  static constexpr IntPred isUnsigned[] = {IntPred::eq,  IntPred::ne,  IntPred::ult,
                                           IntPred::ule, IntPred::ugt, IntPred::uge};
  return s.cmp((s.kind == Kind::Int ? isSigned : isUnsigned)[direction], s.x[0], s.x[1]);
}

Value special(Scalars &s, prim::SelectOp) { return s.select(s.x[0], s.x[1], s.x[2]); }

Value special(Scalars &s, prim::BitcastOp op) {
  Type element = scalarType(cast<RankedTensorType>(op.getType()).getElementType());
  Type type = s.x[0].getType();
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.cloneWith(std::nullopt, element);
  else
    type = element;
  return type == s.x[0].getType() ? s.x[0] : s.make<arith::BitcastOp>(type, s.x[0]);
}

//===----------------------------------------------------------------------===//
// The choice by element type
//===----------------------------------------------------------------------===//

template <typename Op> Value emitChosen(Scalars &s, Op op) {
  Value result;
  switch (s.kind) {
  case Kind::Float:
    result = createNamed<typename Op::Float>(s);
    break;
  case Kind::Int:
    result = createNamed<typename Op::Int>(s);
    break;
  case Kind::UInt:
    result = createNamed<typename Op::UInt>(s);
    break;
  }
  return result ? result : special(s, op);
}

/// Ops whose scalar op needs more than operands.
template <typename Op>
constexpr bool needsAttributes =
    llvm::is_one_of<Op, prim::CompareOp, prim::SelectOp, prim::BitcastOp>::value;

template <typename Op> Value emitOneOf(Scalars &s, Op op) {
  if constexpr (needsAttributes<Op>)
    return special(s, op);
  else
    return emitChosen(s, op);
}

} // namespace

/// Whether f32 numbers are clamped to what an i32 holds before they become integers.
static bool isLimited(prim::ConvertOp op) {
  auto clamp = op.getX().getDefiningOp<prim::ClampOp>();
  auto to = dyn_cast<IntegerType>(cast<RankedTensorType>(op.getType()).getElementType());
  if (!clamp || !to || to.getWidth() > 32 || to.getWidth() < 8 ||
      !cast<RankedTensorType>(op.getX().getType()).getElementType().isF32())
    return false;
  for (Value limit : {clamp.getLo(), clamp.getHi()}) {
    if (auto broadcast = limit.getDefiningOp<prim::BroadcastOp>())
      limit = broadcast.getX();
    DenseElementsAttr elements;
    if (!matchPattern(limit, m_Constant(&elements)) || !elements.isSplat() ||
        !(std::fabs(elements.getSplatValue<APFloat>().convertToDouble()) < std::ldexp(1.0, 31)))
      return false;
  }
  return true;
}

/// The number that a constant has in all lanes.
static std::optional<double> splatOf(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant); elements && elements.isSplat())
    constant = elements.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// `type` with another element type.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.cloneWith(std::nullopt, element)) : element;
}

/// Numbers that are rounded to bytes: clamp(round(x) + zero, 0, hi) = round(clamp(x, -zero, hi -
/// zero)) + zero. Adding 1.5 * 2^23, which is even, rounds and leaves the whole number in the low
/// bits. NaN gives 0. Null if it is something else that is clamped.
static Value emitRounded(OpBuilder &b, Location loc, Value clamped, Type to) {
  using P = arith::CmpFPredicate;
  constexpr double magic = 3 << 22, limit = 1 << 20;
  auto upper = clamped.getDefiningOp<arith::MinimumFOp>();
  auto lower = upper ? upper.getLhs().getDefiningOp<arith::MaximumFOp>() : arith::MaximumFOp();
  if (!lower || to.getIntOrFloatBitWidth() > 16)
    return Value();
  Value rounded = lower.getLhs();
  std::optional<double> lo = splatOf(lower.getRhs()), hi = splatOf(upper.getRhs()), zero = 0;
  if (auto sum = rounded.getDefiningOp<arith::AddFOp>()) {
    zero = splatOf(sum.getRhs());
    rounded = sum.getLhs();
  }
  auto round = rounded.getDefiningOp<math::RoundEvenOp>();
  auto isWhole = [](std::optional<double> x) {
    return x && *x == std::trunc(*x) && std::fabs(*x) <= limit;
  };
  if (!round || lo != 0.0 || !isWhole(hi) || !isWhole(zero))
    return Value();
  Type type = clamped.getType();
  auto number = [&](double value) -> Value {
    TypedAttr attr = b.getF32FloatAttr(static_cast<float>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return b.create<arith::ConstantOp>(loc, attr);
  };
  // The instructions that take the limit for NaN.
  Value least = number(-*zero), most = number(*hi - *zero);
  Value x = round.getOperand();
  x = b.create<arith::SelectOp>(loc, b.create<arith::CmpFOp>(loc, P::OGT, x, least), x, least);
  x = b.create<arith::SelectOp>(loc, b.create<arith::CmpFOp>(loc, P::OLT, x, most), x, most);
  x = b.create<arith::AddFOp>(loc, x, number(magic));
  Type i32 = withElement(type, b.getI32Type());
  x = b.create<arith::BitcastOp>(loc, i32, x);
  if (*zero != 0) {
    TypedAttr offset = b.getI32IntegerAttr(static_cast<int32_t>(*zero));
    if (auto vector = dyn_cast<VectorType>(i32))
      offset = DenseElementsAttr::get(vector, Attribute(offset));
    x = b.create<arith::AddIOp>(loc, x, b.create<arith::ConstantOp>(loc, offset));
  }
  return b.create<arith::TruncIOp>(loc, withElement(type, to), x);
}

/// A clamped number as an integer of type `to`: NaN gives 0, and what sign a 0 has does not matter.
static Value emitLimited(OpBuilder &b, Location loc, Value clamped, Type to) {
  using P = arith::CmpFPredicate;
  if (Value rounded = emitRounded(b, loc, clamped, to))
    return rounded;
  Value x = clamped;
  bool isNumber = false;
  auto upper = clamped.getDefiningOp<arith::MinimumFOp>();
  auto lower = upper ? upper.getLhs().getDefiningOp<arith::MaximumFOp>() : arith::MaximumFOp();
  if (lower) { // the instructions that take the limit for NaN
    x = b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, P::OGT, lower.getLhs(), lower.getRhs()), lower.getLhs(),
        lower.getRhs());
    x = b.create<arith::SelectOp>(loc, b.create<arith::CmpFOp>(loc, P::OLT, x, upper.getRhs()), x,
                                  upper.getRhs());
    isNumber = matchPattern(lower.getRhs(), m_AnyZeroFloat());
  }
  if (!isNumber) {
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(x.getType()));
    x = b.create<arith::SelectOp>(loc, b.create<arith::CmpFOp>(loc, P::ORD, clamped, clamped), x,
                                  zero);
  }
  Value wide = b.create<arith::FPToSIOp>(loc, withElement(clamped.getType(), b.getI32Type()), x);
  return to.isInteger(32)
             ? wide
             : Value(b.create<arith::TruncIOp>(loc, withElement(clamped.getType(), to), wide));
}

/// Ops that move bits and do not round.
static bool isExact(Operation *op) { return isa<prim::SelectOp, prim::BitcastOp>(op); }

Value dynac::emitElementwise(OpBuilder &b, Location loc, Operation *op, ValueRange operands) {
  auto elementType = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  if (auto convert = dyn_cast<prim::ConvertOp>(op); convert && isLimited(convert))
    return emitLimited(b, loc, operands[0], scalarType(elementType(convert.getY())));
  if (auto convert = dyn_cast<prim::ConvertOp>(op))
    return emitConvert(b, loc, operands[0], elementType(convert.getX()),
                       elementType(convert.getY()), convert.getSaturate());
  Type primType = elementType(op->getOperand(op->getNumOperands() - 1));
  Type resultType = elementType(op->getResult(0));
  // Halves compute in f32 and round once; fp8 numbers do so too where they compute at all.
  const bool isWidened =
      isa<FloatType>(primType) && primType.getIntOrFloatBitWidth() < 32 && !isExact(op);
  SmallVector<Value> wide(operands);
  if (isWidened)
    for (Value &operand : wide)
      operand = emitConvert(b, loc, operand, primType, b.getF32Type());
  Scalars s{b, loc, kindOf(primType), wide, primType};
  Value result = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case<
#define GET_OP_LIST
#include "dynac/Dialect/Prim/PrimOps.cpp.inc"
                         >([&](auto primOp) -> Value {
                       if constexpr (decltype(primOp)::template hasTrait<prim::IsElementwise>() &&
                                     !std::is_same_v<decltype(primOp), prim::ConvertOp>)
                         return emitOneOf(s, primOp);
                       else
                         return Value();
                     });
  if (isWidened && isa<FloatType>(resultType))
    result = emitConvert(b, loc, result, b.getF32Type(), resultType);
  return result;
}
