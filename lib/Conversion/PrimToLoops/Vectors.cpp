//===- Vectors.cpp - loops over the elements of a row, as vectors ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over rows are emitted as vectors where all that they read is contiguous. LLVM would
// vectorise most of them too, but leaves up to a vector's worth of elements at a row's end to a
// scalar loop: that is half of the time where rows are short. Here the rest is one masked vector.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

//===----------------------------------------------------------------------===//
// What can be a vector
//===----------------------------------------------------------------------===//

namespace {

/// Whether a value along a variable is a vector or the same for all of it.
class VectorCheck {
public:
  VectorCheck(IndexSpace &space, unsigned var, ArrayRef<Value> known)
      : space(space), var(var), known(known) {}

  bool check(Value value, IndicesRef indices) {
    auto varies = [&](const Index &index) { return space.dependsOn(index, var); };
    if (llvm::none_of(indices, varies) || llvm::is_contained(known, value))
      return true;
    for (const auto &[seen, at] : visited)
      if (seen == value && IndicesRef(at) == indices)
        return true;
    visited.push_back({value, Indices(indices)});
    Operation *op = value.getDefiningOp();
    if (!op)
      return isContiguous(space.linearize(indices, prim::shapeOf(value)));
    if (prim::isElementwise(op))
      return llvm::all_of(op->getOperands(), [&](Value x) { return check(x, indices); });
    if (std::optional<Access> view = viewAccess(space, op, indices))
      return check(view->operand, view->indices);
    if (auto constant = dyn_cast<prim::ConstantOp>(op))
      return cast<DenseElementsAttr>(constant.getValue()).isSplat();
    return false;
  }

  bool isContiguous(const Index &linear) {
    std::optional<SymExpr> stride = space.strideOf(linear, var);
    return stride && (stride->isZero() || stride->isOne());
  }

private:
  IndexSpace &space;
  unsigned var;
  ArrayRef<Value> known;
  std::vector<std::pair<Value, Indices>> visited;
};

} // namespace

bool Emitter::fillsVectors(const SymExpr &extent) const {
  std::optional<int64_t> count = extent.constant();
  return frame.lanes > 1 && (!count || *count * 2 >= frame.lanes);
}

bool Emitter::isVector(Value value, IndicesRef indices, unsigned var, ArrayRef<Value> known) {
  return VectorCheck(space, var, known).check(value, indices);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Emitter::splat(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return b.create<vector::SplatOp>(loc, value, VectorType::get(frame.lanes, value.getType()));
}

Value Emitter::loadVector(Value flatMemref, const Index &linear, const Var &var) {
  Type element = cast<MemRefType>(flatMemref.getType()).getElementType();
  auto type = VectorType::get(frame.lanes, element);
  Value position = index(linear);
  if (!var.mask)
    return b.create<vector::LoadOp>(loc, type, flatMemref, position);
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, flatMemref, position, var.mask, zero);
}

void Emitter::storeVector(Value flatMemref, const Index &linear, Value vector) {
  std::optional<unsigned> var = space.vectorOf(linear);
  Value mask = space[*var].mask, position = index(linear);
  vector = splat(vector);
  if (mask)
    b.create<vector::MaskedStoreOp>(loc, flatMemref, position, mask, vector);
  else
    b.create<vector::StoreOp>(loc, vector, flatMemref, position);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Values Emitter::vectorLoop(const SymExpr &extent, size_t copies, ValueRange init, VectorBody body) {
  const int64_t lanes = frame.lanes, block = lanes * copies;
  const size_t each = init.size() / copies;
  auto step = [&](Value start, size_t copy, Value mask, Values &state) {
    Var var;
    var.extent = extent;
    var.value = start;
    var.level = level();
    var.isVector = true;
    var.mask = mask;
    unsigned number = space.addVar(std::move(var));
    Values next = body(number, ValueRange(state).slice(copy * each, each));
    llvm::copy(next, state.begin() + copy * each);
  };
  auto maskOf = [&](Value count) -> Value {
    return b.create<vector::CreateMaskOp>(loc, VectorType::get(lanes, b.getI1Type()), count);
  };

  Values state(init);
  std::optional<int64_t> count = extent.constant();
  Value end = dim(extent);
  const int64_t rest = count ? *count % block : 0;
  Value full = count ? constantIndex(*count - rest)
                     : sub(end, b.create<arith::RemUIOp>(loc, end, constantIndex(block)));
  if (!count || *count >= block)
    state = loop(constantIndex(0), full, constantIndex(block), state,
                 [&](Value iv, ValueRange carried) {
                   Values values(carried);
                   for (size_t copy = 0; copy < copies; ++copy)
                     step(copy ? add(iv, constantIndex(copy * lanes)) : iv, copy, {}, values);
                   return values;
                 });
  if (count) {
    for (int64_t at = 0; at < rest; at += lanes)
      step(constantIndex(*count - rest + at), at / lanes,
           at + lanes > rest ? maskOf(constantIndex(rest - at)) : Value(), state);
    return state;
  }
  return loop(full, end, constantIndex(lanes), state, [&](Value iv, ValueRange carried) {
    Values values(carried);
    step(iv, 0, maskOf(sub(end, iv)), values);
    return values;
  });
}

//===----------------------------------------------------------------------===//
// Values that passes over a row keep for each other
//===----------------------------------------------------------------------===//

void Emitter::readKept(size_t pass, IndicesRef place) {
  for (size_t number : row->passes[pass].reads) {
    const KeptValue &kept = row->kept[number];
    Indices key = placeOf(kept.value, place);
    auto [memory, linear] = keptAt(kept, place);
    known.memo[kept.value.getDefiningOp()].push_back(
        {key, level(), {load(memory, elementType(kept.value), linear)}});
  }
}

void Emitter::writeKept(size_t pass, IndicesRef place) {
  for (size_t number : row->passes[pass].writes) {
    const KeptValue &kept = row->kept[number];
    Value value = emit(kept.value, place);
    auto [memory, linear] = keptAt(kept, place);
    if (space.vectorOf(linear))
      storeVector(memory, linear, value);
    else
      b.create<memref::StoreOp>(loc, value, memory, index(linear));
  }
}

std::pair<Value, Index> Emitter::keptAt(const KeptValue &kept, IndicesRef place) {
  RowSlot &slot = row->slots[kept.slot];
  prim::Shape shape = prim::shapeOf(kept.value);
  if (slot.result)
    return {flat[region.getNumOperands() + *slot.result], space.linearize(place, shape)};
  if (!slot.array)
    slot.array =
        frame.stackArray(MemRefType::get({std::max<int64_t>(slot.elements, 1)}, slot.elementType));
  return {slot.array,
          space.linearize(place.take_back(row->rowAxes), Dims(shape).take_back(row->rowAxes))};
}
