//===- Tensor.cpp - tensors and their context -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorImpl.h"

using namespace mlir;
using namespace dynac;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

/// One more than the greatest N of a symbol "uN" that is defined in the module around `op`.
static int64_t firstFreeSymbol(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  int64_t next = 0;
  auto note = [&](StringRef name) {
    int64_t number;
    if (name.consume_front("u") && !name.getAsInteger(10, number))
      next = std::max(next, number + 1);
  };
  op->walk([&](Operation *inner) {
    if (auto bind = dyn_cast<prim::BindDimOp>(inner))
      note(bind.getSymbol());
    for (Region &region : inner->getRegions())
      for (Type type : region.empty() ? TypeRange() : TypeRange(region.front().getArgumentTypes()))
        if (prim::isPrimTensor(type))
          for (const SymExpr &dim : prim::shapeOf(type))
            for (const std::string &name : dim.symbols())
              note(name);
  });
  return next;
}

void TensorContext::fail(const Twine &what, const prim::Misfit &why) {
  if (failed())
    return;
  unequal = why.unequal;
  fail(what + ": " + why.text);
}

bool TensorContext::requireEqual(const SymExpr &a, const SymExpr &b, const Twine &what) {
  if (a == b)
    return true;
  prim::Misfit why;
  prim::refuseUnequal(why, what, a, b);
  if (!failed())
    unequal = why.unequal;
  fail(why.text);
  return false;
}

std::optional<SymExpr> TensorContext::requireMultiple(const SymExpr &a, const SymExpr &b,
                                                      const Twine &what) {
  if (auto quotient = a.exactDiv(b))
    return quotient;
  if (!failed() && !a.isConstant())
    unequal.emplace(a, b * SymExpr::symbol(a.str() + "_by_" + b.str()));
  fail(what + ": " + b.str() + " does not provably divide " + a.str());
  return std::nullopt;
}

SymExpr TensorContext::freshSymbol() {
  if (nextSymbol < 0) {
    Block *block = builder.getInsertionBlock();
    Operation *parent = block ? block->getParentOp() : nullptr;
    nextSymbol = parent ? firstFreeSymbol(parent) : 0;
  }
  if (firstSymbol < 0)
    firstSymbol = nextSymbol;
  return SymExpr::symbol("u" + std::to_string(nextSymbol++));
}

bool TensorContext::isFound(const SymExpr &dim) const {
  return firstSymbol >= 0 && llvm::any_of(dim.symbols(), [&](llvm::StringRef name) {
           int64_t number;
           return name.consume_front("u") && !name.getAsInteger(10, number) &&
                  number >= firstSymbol && number < nextSymbol;
         });
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

Shape Tensor::shape() const { return handle ? prim::shapeOf(handle) : Shape(); }
int64_t Tensor::rank() const {
  return handle ? cast<RankedTensorType>(handle.getType()).getRank() : 0;
}
SymExpr Tensor::size() const { return prim::elementCount(shape()); }
Type Tensor::dtype() const {
  return handle ? cast<RankedTensorType>(handle.getType()).getElementType() : Type();
}
bool Tensor::isFloat() const {
  return handle && isa<FloatType, prim::F4E2M1Type, prim::F8E8M0Type>(dtype());
}
bool Tensor::isBool() const { return handle && prim::isBool(dtype()); }
bool Tensor::isUnsigned() const { return isBool() || (handle && dtype().isUnsignedInteger()); }
bool Tensor::isInteger() const { return handle && isa<IntegerType>(dtype()) && !isBool(); }

SymExpr Tensor::dim(int64_t index) const {
  if (!handle || rank() == 0)
    return handle ? SymExpr(axis(index)) : SymExpr(0);
  return shape()[axis(index)];
}

int64_t Tensor::axis(int64_t index) const {
  if (!handle)
    return 0;
  if (index >= -rank() && index < rank())
    return index < 0 ? index + rank() : index;
  context->fail("axis " + Twine(index) + " is out of range for rank " + Twine(rank()));
  return 0;
}

//===----------------------------------------------------------------------===//
// Shared between the families
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> dynac::normaliseAxes(TensorContext &context, Axes axes,
                                                         int64_t rank, const char *what) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      context.fail(Twine(what) + ": axis " + Twine(axis) + " is out of range for rank " +
                   Twine(rank));
      return std::nullopt;
    }
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(result);
  auto repeated = std::adjacent_find(result.begin(), result.end());
  if (repeated == result.end())
    return result;
  context.fail(Twine(what) + ": axis " + Twine(*repeated) + " occurs twice");
  return std::nullopt;
}

Tensor dynac::checkDims(TensorContext &context, Value value) {
  prim::Misfit why;
  if (isa<RankedTensorType>(value.getType()) &&
      !prim::checkShape(prim::shapeOf(value.getType()), why))
    return failTensor(context, why.text);
  return Tensor(context, value);
}

Shape dynac::keptShape(Dims shape, Axes axes) {
  Shape kept(shape);
  for (int64_t axis : axes)
    kept[axis] = SymExpr(1);
  return kept;
}

//===----------------------------------------------------------------------===//
// Composites and attributes
//===----------------------------------------------------------------------===//

Tensor dynac::composite(StringRef name, ArrayRef<Tensor> xs, DictionaryAttr config,
                        Dims resultShape, Type dtype) {
  SmallVector<Value> values;
  for (const Tensor &x : xs) {
    if (!x)
      return invalidTensor(xs);
    values.push_back(x.value());
  }
  TensorContext &context = xs.front().ctx();
  Type result = prim::tensorType(resultShape, dtype ? dtype : xs.front().dtype());
  auto op = context.builder.create<prim::CompositeOp>(context.loc, TypeRange(result), name, values,
                                                      config);
  return Tensor(context, op.getResult(0));
}

Attribute dynac::attr(TensorContext &context, int64_t value) {
  return context.builder.getI64IntegerAttr(value);
}
Attribute dynac::attr(TensorContext &context, double value) {
  return context.builder.getF64FloatAttr(value);
}
Attribute dynac::attr(TensorContext &context, bool value) {
  return context.builder.getBoolAttr(value);
}
Attribute dynac::attr(TensorContext &context, StringRef value) {
  return context.builder.getStringAttr(value);
}
Attribute dynac::attr(TensorContext &context, Axes value) {
  return context.builder.getDenseI64ArrayAttr(value);
}
DictionaryAttr dynac::config(TensorContext &context, ArrayRef<ConfigEntry> entries) {
  SmallVector<NamedAttribute> attributes;
  for (const ConfigEntry &entry : entries)
    attributes.push_back(context.builder.getNamedAttr(entry.name, entry.value));
  return context.builder.getDictionaryAttr(attributes);
}
