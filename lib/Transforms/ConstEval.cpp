//===- ConstEval.cpp - primitives on constants, at compile time -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstEval.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

namespace {

/// Reads element `index` of an array of `type` exactly as a double; the types are those of
/// isReadable.
double readElement(Type type, WeightBytes bytes, int64_t index) {
  unsigned width = type.getIntOrFloatBitWidth() / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width, width);
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(width * 8, bits));
    bool lossy;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  return type.isUnsignedInteger() ? static_cast<double>(bits)
                                  : static_cast<double>(llvm::SignExtend64(bits, width * 8));
}

double loadFloat(WeightBytes bytes, int64_t index) {
  float value;
  std::memcpy(&value, bytes.data() + index * sizeof(float), sizeof(float));
  return value;
}

/// The bits of the nearest bf16, ties to even.
uint16_t bf16Of(float value) {
  const uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return 0x7FC0; // NaN
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void writeElement(Type type, llvm::MutableArrayRef<char> bytes, int64_t index, double value) {
  unsigned width = type.getIntOrFloatBitWidth() / 8;
  uint64_t bits;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat rounded(value);
    bool lossy;
    rounded.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    bits = rounded.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  std::memcpy(bytes.data() + index * width, &bits, width);
}

/// f32 and the half types are exact in double, and one double operation rounded to them is
/// correctly rounded (for + - * / sqrt: double has more than 2p + 2 bits); rsqrt is two of them, so
/// all but always.
bool isReadable(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() || type.isSignlessInteger(32);
}

/// The functions but these three are for floats. Bytes become floats only: as i32 they would take
/// four times the memory, and what contracts them wants bytes.
bool isFoldable(Operation *op, Type from, Type to) {
  if (isa<ConvertOp>(op))
    return isReadable(from) ? isa<FloatType>(to) : from.isInteger(8) && to.isF32();
  return isReadable(from) && (isa<FloatType>(from) || isa<AddOp, SubOp, MulOp>(op));
}

using Function = double (*)(double, double);

Function functionOf(Operation *op) {
  return TypeSwitch<Operation *, Function>(op)
      .Case<AddOp>([](Operation *) -> Function { return [](double a, double b) { return a + b; }; })
      .Case<SubOp>([](Operation *) -> Function { return [](double a, double b) { return a - b; }; })
      .Case<MulOp>([](Operation *) -> Function { return [](double a, double b) { return a * b; }; })
      .Case<DivOp>([](Operation *) -> Function { return [](double a, double b) { return a / b; }; })
      .Case<SqrtOp>(
          [](Operation *) -> Function { return [](double a, double) { return std::sqrt(a); }; })
      .Case<RsqrtOp>(
          [](Operation *) -> Function { return [](double a, double) { return 1 / std::sqrt(a); }; })
      .Case<NegOp>([](Operation *) -> Function { return [](double a, double) { return -a; }; })
      .Case<AbsOp>(
          [](Operation *) -> Function { return [](double a, double) { return std::fabs(a); }; })
      .Case<ConvertOp>([](Operation *) -> Function { return [](double a, double) { return a; }; })
      .Default([](Operation *) -> Function { return nullptr; });
}

/// Calls `visit(element, offsets)` for every element of `shape` in row-major order, offsets being
/// the strided positions in each operand.
template <typename Visit>
void forEach(ArrayRef<int64_t> shape, ArrayRef<SmallVector<int64_t>> strides, Visit visit) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  SmallVector<int64_t> index(shape.size(), 0), offsets(strides.size(), 0);
  for (int64_t element = 0; element < count; ++element) {
    visit(element, offsets);
    for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
      bool carry = ++index[axis] == shape[axis];
      for (size_t i = 0; i < strides.size(); ++i)
        offsets[i] += carry ? -strides[i][axis] * (shape[axis] - 1) : strides[i][axis];
      if (!carry)
        break;
      index[axis] = 0;
    }
  }
}

} // namespace

std::optional<WeightStore::Derive> dynac::evalElementwise(Operation *op,
                                                          ArrayRef<ConstOperand> operands) {
  Function function = functionOf(op);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  Type type = result.getElementType();
  if (!function || !isReadable(type))
    return std::nullopt;
  SmallVector<Type> types;
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstOperand &operand : operands) {
    if (!isFoldable(op, operand.elementType, type))
      return std::nullopt;
    types.push_back(operand.elementType);
    strides.push_back(operand.strides);
  }
  SmallVector<int64_t> shape(result.getShape());
  if (type.isSignlessInteger(32)) {
    const bool isSum = isa<AddOp>(op), isDifference = isa<SubOp>(op);
    return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
      forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
        uint32_t a, b, y;
        std::memcpy(&a, inputs[0].data() + offsets[0] * sizeof(a), sizeof(a));
        std::memcpy(&b, inputs[1].data() + offsets[1] * sizeof(b), sizeof(b));
        y = isSum ? a + b : isDifference ? a - b : a * b;
        std::memcpy(out.data() + element * sizeof(y), &y, sizeof(y));
      });
      return llvm::Error::success();
    };
  }
  // Large weights are f32, for which APFloat would take most of a compilation.
  if (type.isF32() && llvm::all_of(types, [](Type operand) { return operand.isF32(); }))
    return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
      forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
        double b = inputs.size() > 1 ? loadFloat(inputs[1], offsets[1]) : 0;
        auto rounded = static_cast<float>(function(loadFloat(inputs[0], offsets[0]), b));
        std::memcpy(out.data() + element * sizeof(float), &rounded, sizeof(float));
      });
      return llvm::Error::success();
    };
  if (isa<ConvertOp>(op) && types[0].isF32() && type.isBF16())
    return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
      forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
        const uint16_t rounded = bf16Of(loadFloat(inputs[0], offsets[0]));
        std::memcpy(out.data() + element * sizeof(rounded), &rounded, sizeof(rounded));
      });
      return llvm::Error::success();
    };
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
      double a = readElement(types[0], inputs[0], offsets[0]);
      double b = inputs.size() > 1 ? readElement(types[1], inputs[1], offsets[1]) : 0;
      writeElement(type, out, element, function(a, b));
    });
    return llvm::Error::success();
  };
}

WeightStore::Derive dynac::evalStrided(RankedTensorType result, ArrayRef<int64_t> strides,
                                       int64_t first) {
  int64_t width = elementBytes(result.getElementType());
  SmallVector<int64_t> shape(result.getShape());
  SmallVector<SmallVector<int64_t>> all = {SmallVector<int64_t>(strides)};
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    forEach(shape, all, [&](int64_t element, ArrayRef<int64_t> offsets) {
      std::memcpy(out.data() + element * width, inputs[0].data() + (first + offsets[0]) * width,
                  width);
    });
    return llvm::Error::success();
  };
}

WeightStore::Derive dynac::evalPadded(RankedTensorType x, RankedTensorType result,
                                      ArrayRef<int64_t> lo, DenseElementsAttr value) {
  int64_t width = elementBytes(result.getElementType()), first = 0, stride = 1;
  SmallVector<int64_t> shape(x.getShape());
  SmallVector<SmallVector<int64_t>> strides = {SmallVector<int64_t>(shape.size())};
  for (int64_t axis = result.getRank() - 1; axis >= 0; --axis) {
    strides[0][axis] = stride;
    first += lo[axis] * stride;
    stride *= result.getDimSize(axis);
  }
  ArrayRef<char> raw = value.getRawData();
  std::vector<char> fill(raw.begin(), raw.begin() + width);
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    for (size_t at = 0; at < out.size(); at += width)
      std::memcpy(out.data() + at, fill.data(), width);
    forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
      std::memcpy(out.data() + (first + offsets[0]) * width, inputs[0].data() + element * width,
                  width);
    });
    return llvm::Error::success();
  };
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {

bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t axis = static_cast<int64_t>(shape.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

/// One side of a product as a dense array of doubles: its axes in the order of `order`.
std::vector<double> arranged(WeightBytes bytes, ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  SmallVector<int64_t> from = stridesOf(shape), dims;
  SmallVector<SmallVector<int64_t>> strides(1);
  for (int64_t axis : order) {
    dims.push_back(shape[axis]);
    strides[0].push_back(from[axis]);
  }
  std::vector<double> result(bytes.size() / sizeof(float));
  forEach(dims, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
    result[element] = loadFloat(bytes, offsets[0]);
  });
  return result;
}

void writeFloats(llvm::MutableArrayRef<char> out, ArrayRef<double> sums) {
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto rounded = static_cast<float>(sum);
    std::memcpy(out.data() + i * sizeof(float), &rounded, sizeof(float));
  }
}

} // namespace

std::optional<WeightStore::Derive> dynac::evalSum(ReduceOp op) {
  if (op.getCombiner() != Combiner::add || !isF32(op.getX()) || !isF32(op.getResult()))
    return std::nullopt;
  SmallVector<int64_t> shape(cast<RankedTensorType>(op.getX().getType()).getShape()), kept;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!llvm::is_contained(op.getAxes(), int64_t(axis)))
      kept.push_back(axis);
  SmallVector<int64_t> keptShape;
  for (int64_t axis : kept)
    keptShape.push_back(shape[axis]);
  SmallVector<SmallVector<int64_t>> strides = {SmallVector<int64_t>(shape.size(), 0)};
  for (auto [axis, stride] : llvm::zip(kept, stridesOf(keptShape)))
    strides[0][axis] = stride;
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    std::vector<double> sums(out.size() / sizeof(float), 0.0);
    forEach(shape, strides, [&](int64_t element, ArrayRef<int64_t> offsets) {
      sums[offsets[0]] += loadFloat(inputs[0], element);
    });
    writeFloats(out, sums);
    return llvm::Error::success();
  };
}

std::optional<WeightStore::Derive> dynac::evalDot(DotOp op) {
  if (!isF32(op.getA()) || !isF32(op.getB()) || !isF32(op.getResult()))
    return std::nullopt;
  SmallVector<int64_t> shapeA(cast<RankedTensorType>(op.getA().getType()).getShape());
  SmallVector<int64_t> shapeB(cast<RankedTensorType>(op.getB().getType()).getShape());
  auto freeAxes = [](size_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < rank; ++axis)
      if (!llvm::is_contained(batch, int64_t(axis)) && !llvm::is_contained(contract, int64_t(axis)))
        axes.push_back(axis);
    return axes;
  };
  // A[batch, m, k] and B[batch, k, n].
  SmallVector<int64_t> orderA(op.getBatchA()), orderB(op.getBatchB());
  SmallVector<int64_t> freeA = freeAxes(shapeA.size(), op.getBatchA(), op.getContractA()),
                       freeB = freeAxes(shapeB.size(), op.getBatchB(), op.getContractB());
  orderA.append(freeA);
  llvm::append_range(orderA, op.getContractA());
  llvm::append_range(orderB, op.getContractB());
  orderB.append(freeB);
  auto count = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
    int64_t product = 1;
    for (int64_t axis : axes)
      product *= shape[axis];
    return product;
  };
  const int64_t batch = count(shapeA, op.getBatchA()), m = count(shapeA, freeA),
                k = count(shapeA, op.getContractA()), n = count(shapeB, freeB);
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    // Products of floats are exact, so it is all the same whether the compiler fuses them.
    std::vector<double> a = arranged(inputs[0], shapeA, orderA),
                        b = arranged(inputs[1], shapeB, orderB), sums(batch * m * n, 0.0);
    for (int64_t row = 0; row < batch * m; ++row)
      for (int64_t at = 0; at < k; ++at) {
        const double factor = a[row * k + at];
        const double *from = b.data() + (row / m * k + at) * n;
        double *to = sums.data() + row * n;
        for (int64_t column = 0; column < n; ++column)
          to[column] += factor * from[column];
      }
    writeFloats(out, sums);
    return llvm::Error::success();
  };
}

WeightStore::Derive dynac::evalConcat(int64_t outer) {
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    char *to = out.data();
    for (int64_t i = 0; i < outer; ++i)
      for (WeightBytes input : inputs) {
        const size_t part = input.size() / outer;
        std::memcpy(to, input.data() + i * part, part);
        to += part;
      }
    return llvm::Error::success();
  };
}

WeightStore::Derive dynac::evalByteSum(RankedTensorType x, ArrayRef<int64_t> strides) {
  Type type = x.getElementType();
  SmallVector<int64_t> shape(x.getShape());
  SmallVector<SmallVector<int64_t>> all = {SmallVector<int64_t>(strides)};
  return [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
    std::vector<uint32_t> sums(out.size() / sizeof(uint32_t));
    forEach(shape, all, [&](int64_t element, ArrayRef<int64_t> offsets) {
      sums[offsets[0]] += static_cast<int32_t>(readElement(type, inputs[0], element));
    });
    std::memcpy(out.data(), sums.data(), out.size());
    return llvm::Error::success();
  };
}
