//===- ShapeValues.cpp - evaluates primitives on known elements -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeValues.h"

#include "dynac/Dialect/Prim/WeightStore.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dynac;
using Elements = ShapeValues::Elements;

DenseElementsAttr dynac::literalOf(RankedTensorType type, ArrayRef<char> bytes) {
  Type element = type.getElementType();
  int64_t count = type.getNumElements();
  if (!element.isIntOrFloat() || int64_t(bytes.size()) < elementBytes(element, count))
    return {};
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1) {
    SmallVector<bool> values(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  if (width < 8) {
    SmallVector<APInt> values;
    for (int64_t i = 0; i < count; ++i) {
      unsigned bits = uint8_t(bytes[i * width / 8]) >> (i * width % 8);
      values.push_back(APInt(width, bits & ((1u << width) - 1)));
    }
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(elementBytes(element, count)));
}

Elements dynac::elementsOf(ElementsAttr literal) {
  Elements result;
  Type element = literal.getElementType();
  if (auto ints = dyn_cast<DenseIntElementsAttr>(literal)) {
    bool isSigned = !element.isUnsignedInteger() && !element.isInteger(1);
    for (const APInt &value : ints.getValues<APInt>())
      result.push_back(
          KnownValue(SymExpr(isSigned ? value.getSExtValue() : int64_t(value.getZExtValue()))));
  } else if (auto floats = dyn_cast<DenseFPElementsAttr>(literal)) {
    for (APFloat value : floats.getValues<APFloat>()) {
      bool lossy;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      result.push_back(KnownValue::real(value.convertToDouble()));
    }
  }
  return result;
}

const Elements *ShapeValues::of(Value value) {
  auto type = dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  if (!type || !type.hasStaticShape() || type.getNumElements() > maxElements)
    return nullptr;
  auto found = known.find(value);
  if (found == known.end()) {
    Elements elements = evaluate(value, type);
    elements.resize(type.getNumElements());
    for (KnownValue &element : elements)
      element = element.as(type.getElementType());
    found = known.try_emplace(value, std::move(elements)).first;
  }
  return &found->second;
}

std::optional<SmallVector<SymExpr>> ShapeValues::dims(Value value) {
  const Elements *elements = of(value);
  if (!elements || !cast<RankedTensorType>(value.getType()).getElementType().isIntOrIndex())
    return std::nullopt;
  SmallVector<SymExpr> result;
  for (const KnownValue &element : *elements) {
    auto integer = element.integer();
    if (!integer)
      return std::nullopt;
    result.push_back(assumptions.simplify(*integer));
  }
  return result;
}

DenseElementsAttr ShapeValues::constant(Value value, int64_t limit) const {
  auto type = dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  if (!type || !type.hasStaticShape() || type.getNumElements() > limit)
    return {};
  if (auto op = value.getDefiningOp<prim::ConstantOp>())
    return dyn_cast<DenseElementsAttr>(op.getValue());
  auto op = value.getDefiningOp<prim::WeightOp>();
  auto bytes = op && weights ? weights->view(op.getId()) : std::nullopt;
  return bytes ? literalOf(type, *bytes) : DenseElementsAttr();
}

namespace {

/// Row-major positions of a static shape.
class Index {
public:
  explicit Index(Type type) : shape(cast<RankedTensorType>(type).getShape()) {
    strides.assign(shape.size(), 1);
    for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis)
      strides[axis] = strides[axis + 1] * shape[axis + 1];
  }
  int64_t rank() const { return shape.size(); }
  int64_t at(int64_t linear, int64_t axis) const { return linear / strides[axis] % shape[axis]; }
  SmallVector<int64_t> coordinates(int64_t linear) const {
    SmallVector<int64_t> result;
    for (int64_t axis = 0; axis < rank(); ++axis)
      result.push_back(at(linear, axis));
    return result;
  }
  int64_t linear(ArrayRef<int64_t> coordinates) const {
    int64_t result = 0;
    for (auto [position, stride] : llvm::zip(coordinates, strides))
      result += position * stride;
    return result;
  }
  ArrayRef<int64_t> shape;

private:
  SmallVector<int64_t> strides;
};

/// Evaluates one op; `x(i)` are the elements of its operands.
struct Evaluator {
  ShapeValues &values;
  RankedTensorType type;
  int64_t count;

  const Elements *x(Value operand) { return values.of(operand); }

  template <typename F> Elements map(Value a, F f) {
    Elements result;
    if (const Elements *xs = x(a))
      for (const KnownValue &element : Elements(*xs))
        result.push_back(element.known() ? f(element) : KnownValue());
    return result;
  }
  /// `f` decides itself what to do with unknown operands.
  template <typename F> Elements map2(Value a, Value b, F f) {
    Elements result;
    if (!x(a) || !x(b))
      return result;
    Elements first = *x(a), second = *x(b); // of(b) may have moved the elements of a.
    for (auto [p, q] : llvm::zip(first, second))
      result.push_back(f(p, q));
    return result;
  }
  template <typename F> Elements math(Value a, F f) {
    return map(a, [&](const KnownValue &v) {
      auto number = v.number();
      return number ? KnownValue::real(f(*number)) : KnownValue();
    });
  }
  /// Result element i is operand element place(i).
  template <typename F> Elements move(Value a, F place) {
    Elements result;
    if (!x(a))
      return result;
    Elements xs = *x(a);
    for (int64_t i = 0; i < count; ++i) {
      int64_t source = place(i);
      result.push_back(source >= 0 && source < int64_t(xs.size()) ? xs[source] : KnownValue());
    }
    return result;
  }

  Elements gather(prim::GatherOp op);
  Elements reduce(prim::ReduceOp op);
  Elements concat(prim::ConcatOp op);
  Elements run(Operation *op);
};

KnownValue logicalAnd(const KnownValue &a, const KnownValue &b) {
  if ((a.truth() && !*a.truth()) || (b.truth() && !*b.truth()))
    return KnownValue::boolean(false);
  return a.truth() && b.truth() ? KnownValue::boolean(true) : KnownValue();
}

KnownValue logicalNot(const KnownValue &a) {
  return a.truth() ? KnownValue::boolean(!*a.truth()) : KnownValue();
}

KnownValue combine(prim::Combiner combiner, const KnownValue &a, const KnownValue &b) {
  using C = prim::Combiner;
  switch (combiner) {
  case C::add:
    return KnownValue::add(a, b);
  case C::mul:
    return KnownValue::mul(a, b);
  case C::max:
    return KnownValue::greater(a, b);
  case C::min:
    return KnownValue::smaller(a, b);
  case C::and_:
    return logicalAnd(a, b);
  case C::or_:
    return logicalNot(logicalAnd(logicalNot(a), logicalNot(b)));
  default:
    return {};
  }
}

Elements Evaluator::gather(prim::GatherOp op) {
  const Elements *indexElements = x(op.getIndices());
  if (!indexElements || !x(op.getX()) || op.getBatch() != 0)
    return {};
  Elements indices = *x(op.getIndices());
  Index in(op.getX().getType()), at(op.getIndices().getType());
  ArrayRef<int64_t> axes = op.getAxes();
  int64_t indexRank = at.rank() - 1, width = axes.size();
  Index out(type);
  return move(op.getX(), [&](int64_t i) -> int64_t {
    SmallVector<int64_t> place = out.coordinates(i), source(in.rank());
    int64_t row = 0;
    for (int64_t axis = 0; axis < indexRank; ++axis)
      row = row * at.shape[axis] + place[axis];
    int64_t next = indexRank;
    for (int64_t axis = 0; axis < in.rank(); ++axis) {
      const auto *found = llvm::find(axes, axis);
      if (found == axes.end()) {
        source[axis] = place[next++];
        continue;
      }
      auto number = indices[row * width + (found - axes.begin())].number();
      if (!number || *number < 0 || *number >= in.shape[axis])
        return -1;
      source[axis] = int64_t(*number);
    }
    return in.linear(source);
  });
}

Elements Evaluator::reduce(prim::ReduceOp op) {
  if (!x(op.getX()))
    return {};
  Elements xs = *x(op.getX());
  Index in(op.getX().getType());
  std::vector<std::optional<KnownValue>> totals(count);
  for (int64_t i = 0; i < int64_t(xs.size()); ++i) {
    int64_t place = 0;
    for (int64_t axis = 0; axis < in.rank(); ++axis)
      if (!llvm::is_contained(op.getAxes(), axis))
        place = place * in.shape[axis] + in.at(i, axis);
    auto &total = totals[place];
    total = total ? combine(op.getCombiner(), *total, xs[i]) : xs[i];
  }
  Elements result;
  bool isSum = op.getCombiner() == prim::Combiner::add,
       isProduct = op.getCombiner() == prim::Combiner::mul;
  for (auto &total : totals)
    result.push_back(total                ? *total
                     : isSum || isProduct ? KnownValue(SymExpr(isProduct ? 1 : 0))
                                          : KnownValue());
  return result;
}

Elements Evaluator::concat(prim::ConcatOp op) {
  Elements result(count);
  Index out(type);
  int64_t axis = op.getAxis(), offset = 0;
  for (Value operand : op.getXs()) {
    if (!x(operand))
      return {};
    Elements xs = *x(operand);
    Index in(operand.getType());
    for (int64_t i = 0; i < int64_t(xs.size()); ++i) {
      SmallVector<int64_t> place = in.coordinates(i);
      place[axis] += offset;
      result[out.linear(place)] = xs[i];
    }
    offset += in.shape[axis];
  }
  return result;
}

Elements Evaluator::run(Operation *op) {
  bool isFloat = isa<FloatType>(type.getElementType());
  using K = KnownValue;
  return TypeSwitch<Operation *, Elements>(op)
      .Case([&](prim::DimsToTensorOp op) {
        Elements result;
        for (const SymExpr &dim : op.getDims().exprs())
          result.push_back(K(dim));
        return result;
      })
      .Case([&](prim::IotaOp op) {
        Elements result;
        Index out(type);
        for (int64_t i = 0; i < count; ++i)
          result.push_back(K(SymExpr(out.at(i, op.getAxis()))));
        return result;
      })
      .Case([&](prim::BroadcastOp op) {
        Index out(type), in(op.getX().getType());
        return move(op.getX(), [&](int64_t i) {
          SmallVector<int64_t> source;
          for (auto [axis, size] : llvm::zip(op.getAxes(), in.shape))
            source.push_back(size == 1 ? 0 : out.at(i, axis));
          return in.linear(source);
        });
      })
      .Case([&](prim::ReshapeOp op) { return move(op.getX(), [](int64_t i) { return i; }); })
      .Case([&](prim::TransposeOp op) {
        Index out(type), in(op.getX().getType());
        return move(op.getX(), [&](int64_t i) {
          SmallVector<int64_t> source(in.rank());
          for (auto [axis, from] : llvm::enumerate(op.getPermutation()))
            source[from] = out.at(i, axis);
          return in.linear(source);
        });
      })
      .Case([&](prim::ReverseOp op) {
        Index in(type);
        return move(op.getX(), [&](int64_t i) {
          SmallVector<int64_t> source = in.coordinates(i);
          for (int64_t axis : op.getAxes())
            source[axis] = in.shape[axis] - 1 - source[axis];
          return in.linear(source);
        });
      })
      .Case([&](prim::SliceOp op) {
        if (!x(op.getX()))
          return Elements();
        Index out(type), in(op.getX().getType());
        auto starts = op.getStarts().exprs();
        return move(op.getX(), [&](int64_t i) -> int64_t {
          SmallVector<int64_t> source = out.coordinates(i);
          for (auto [axis, start, stride] : llvm::enumerate(starts, op.getStrides())) {
            if (!start.constant())
              return -1;
            source[axis] = *start.constant() + source[axis] * stride;
          }
          return in.linear(source);
        });
      })
      .Case([&](prim::ConcatOp op) { return concat(op); })
      .Case([&](prim::GatherOp op) { return gather(op); })
      .Case([&](prim::ReduceOp op) { return reduce(op); })
      .Case([&](prim::AddOp op) { return map2(op.getA(), op.getB(), K::add); })
      .Case([&](prim::SubOp op) {
        return map2(op.getA(), op.getB(), [](auto &a, auto &b) { return K::add(a, b.negated()); });
      })
      .Case([&](prim::MulOp op) { return map2(op.getA(), op.getB(), K::mul); })
      .Case([&](prim::DivOp op) {
        return map2(op.getA(), op.getB(), [&](auto &a, auto &b) { return K::div(a, b, isFloat); });
      })
      .Case(
          [&](prim::RemOp op) { return isFloat ? Elements() : map2(op.getA(), op.getB(), K::rem); })
      .Case([&](prim::PowOp op) {
        return map2(op.getA(), op.getB(), [](auto &a, auto &b) {
          auto x = a.number(), y = b.number();
          return x && y ? K::real(std::pow(*x, *y)) : K();
        });
      })
      .Case([&](prim::MaxOp op) { return map2(op.getA(), op.getB(), K::greater); })
      .Case([&](prim::MinOp op) { return map2(op.getA(), op.getB(), K::smaller); })
      .Case([&](prim::AndOp op) {
        return type.getElementType().isInteger(1) ? map2(op.getA(), op.getB(), logicalAnd)
                                                  : Elements();
      })
      .Case([&](prim::OrOp op) {
        return type.getElementType().isInteger(1)
                   ? map2(op.getA(), op.getB(),
                          [](auto &a, auto &b) { return combine(prim::Combiner::or_, a, b); })
                   : Elements();
      })
      .Case([&](prim::XorOp op) {
        return type.getElementType().isInteger(1)
                   ? map2(op.getA(), op.getB(),
                          [](auto &a, auto &b) {
                            return K::compare(prim::CompareDirection::ne, a, b);
                          })
                   : Elements();
      })
      .Case([&](prim::NotOp op) {
        return type.getElementType().isInteger(1) ? map(op.getX(), logicalNot) : Elements();
      })
      .Case([&](prim::CompareOp op) {
        return map2(op.getA(), op.getB(),
                    [&](auto &a, auto &b) { return K::compare(op.getDirection(), a, b); });
      })
      .Case([&](prim::SelectOp op) {
        if (!x(op.getCondition()))
          return Elements();
        Elements condition = *x(op.getCondition());
        size_t i = 0;
        return map2(op.getA(), op.getB(), [&](auto &a, auto &b) {
          auto truth = condition[i++].truth();
          return truth ? (*truth ? a : b) : a.same(b) ? a : K();
        });
      })
      .Case([&](prim::ConvertOp op) {
        return op.getSaturate()
                   ? Elements()
                   : map(op.getX(), [&](auto &v) { return v.converted(type.getElementType()); });
      })
      .Case([&](prim::NegOp op) { return map(op.getX(), [](auto &v) { return v.negated(); }); })
      .Case([&](prim::AbsOp op) {
        return map(op.getX(), [](auto &v) { return K::greater(v, v.negated()); });
      })
      .Case([&](prim::FloorOp op) { return map(op.getX(), [](auto &v) { return v.floor(); }); })
      .Case([&](prim::CeilOp op) { return map(op.getX(), [](auto &v) { return v.ceil(); }); })
      .Case([&](prim::TruncOp op) { return map(op.getX(), [](auto &v) { return v.trunc(); }); })
      .Case([&](prim::RoundEvenOp op) {
        return map(op.getX(), [](auto &v) {
          return v.integer() ? v : v.number() ? K::real(std::nearbyint(*v.number())) : K();
        });
      })
      .Case([&](prim::SqrtOp op) { return math(op.getX(), [](double v) { return std::sqrt(v); }); })
      .Default([](Operation *) { return Elements(); });
}

} // namespace

Elements ShapeValues::evaluate(Value value, RankedTensorType type) {
  if (DenseElementsAttr literal = constant(value, maxElements))
    return elementsOf(literal);
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return {};
  return Evaluator{*this, type, type.getNumElements()}.run(op);
}
