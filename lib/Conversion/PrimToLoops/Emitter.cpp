//===- Emitter.cpp - pulls elements of a region's values ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

Emitter::Emitter(prim::RegionOp region, KernelFrame &frame)
    : frame(frame), b(frame.b), loc(frame.loc), region(region) {
  scopes.push_back({});
  prologueEnd = b.create<arith::ConstantIndexOp>(loc, 0);
  for (auto [number, expr] : llvm::enumerate(kernelDimsOf(region)))
    dims[expr.str()] = frame.dims[number];
  Var lane;
  lane.extent = rowLanes;
  lane.isLane = true;
  anyLane = space.addVar(std::move(lane));

  SmallVector<Type> types(region->getOperandTypes());
  types.append(region->result_type_begin(), region->result_type_end());
  llvm::append_range(types, workspaceOf(region));
  for (auto [type, buffer] : llvm::zip(types, frame.buffers)) {
    SymExpr count = prim::elementCount(prim::shapeOf(type));
    auto memref = cast<MemRefType>(buffer.getType());
    std::optional<int64_t> number = count.constant();
    OpFoldResult size = number ? OpFoldResult(b.getIndexAttr(*number)) : OpFoldResult(dim(count));
    auto flatType =
        MemRefType::get({number.value_or(ShapedType::kDynamic)}, memref.getElementType());
    flat.push_back(b.create<memref::ReinterpretCastOp>(
        loc, flatType, buffer, OpFoldResult(b.getIndexAttr(0)), ArrayRef<OpFoldResult>{size},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}));
  }
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void Emitter::pushScope(Operation *op, bool isArm) { scopes.push_back({op, isArm}); }

void Emitter::popScope() {
  scopes.pop_back();
  takeInner();
}

Emitter::Known Emitter::takeInner() {
  Known taken;
  auto take = [&](auto &from, auto &to) {
    for (auto &entry : from) {
      auto inner = std::partition(entry.second.begin(), entry.second.end(),
                                  [&](const auto &held) { return held.level <= level(); });
      if (inner == entry.second.end())
        continue;
      to[entry.first].assign(std::make_move_iterator(inner),
                             std::make_move_iterator(entry.second.end()));
      entry.second.erase(inner, entry.second.end());
    }
  };
  take(known.memo, taken.memo);
  take(known.rows, taken.rows);
  take(known.coordinates, taken.coordinates);
  for (auto &[var, value] : known.digits)
    if (value.second > level())
      taken.digits.try_emplace(var, value);
  for (auto &entry : taken.digits)
    known.digits.erase(entry.first);
  return taken;
}

void Emitter::putBack(Known taken) {
  auto put = [&](auto &from, auto &to) {
    for (auto &entry : from)
      llvm::append_range(to[entry.first], entry.second);
  };
  put(taken.memo, known.memo);
  put(taken.rows, known.rows);
  put(taken.coordinates, known.coordinates);
  for (auto &entry : taken.digits)
    known.digits.try_emplace(entry.first, entry.second);
}

unsigned Emitter::hoistLevel(IndicesRef indices, bool lanesToo) const {
  unsigned result = space.levelOf(indices, lanesToo);
  for (unsigned inner = level(); inner > result; --inner)
    if (scopes[inner].isArm)
      return inner;
  return result;
}

void Emitter::atLevel(unsigned target, llvm::function_ref<void()> emit) {
  if (target >= level())
    return emit();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(scopes[target + 1].op);
  SmallVector<Scope> inner(scopes.begin() + target + 1, scopes.end());
  scopes.truncate(target + 1);
  // What the inner scopes hold comes later in the code, and their levels are those of other loops
  // while this is emitted.
  Known held = takeInner();
  emit();
  scopes.append(inner);
  putBack(std::move(held));
}

Values Emitter::loop(Value lb, Value ub, Value step, ValueRange init, LoopBody body) {
  auto loopOp = b.create<scf::ForOp>(loc, lb, ub, step, init);
  OpBuilder::InsertionGuard guard(b);
  pushScope(loopOp, false);
  b.setInsertionPointToStart(loopOp.getBody());
  Values carried = body(loopOp.getInductionVar(), loopOp.getRegionIterArgs());
  if (!init.empty())
    b.create<scf::YieldOp>(loc, carried);
  popScope();
  return Values(loopOp.getResults());
}

Values Emitter::loop(const SymExpr &extent, ValueRange init, LoopBody body) {
  return loop(constantIndex(0), dim(extent), constantIndex(1), init, body);
}

void Emitter::loop(Value lb, Value ub, Value step, llvm::function_ref<void(Value)> body) {
  loop(lb, ub, step, ValueRange(), [&](Value iv, ValueRange) {
    body(iv);
    return Values();
  });
}

void Emitter::loop(const SymExpr &extent, llvm::function_ref<void(Value)> body) {
  loop(constantIndex(0), dim(extent), constantIndex(1), body);
}

Values Emitter::branch(Value condition, TypeRange types, Arm thenArm, Arm elseArm) {
  auto ifOp = b.create<scf::IfOp>(loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto emitArm = [&](Block *block, Arm arm) {
    pushScope(ifOp, true);
    b.setInsertionPointToStart(block);
    Values results = arm();
    if (!types.empty())
      b.create<scf::YieldOp>(loc, results);
    popScope();
  };
  emitArm(ifOp.thenBlock(), thenArm);
  emitArm(ifOp.elseBlock(), elseArm);
  return Values(ifOp.getResults());
}

void Emitter::branch(Value condition, llvm::function_ref<void()> thenArm) {
  auto ifOp = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  pushScope(ifOp, true);
  b.setInsertionPointToStart(ifOp.thenBlock());
  thenArm();
  popScope();
}

Values Emitter::whileLoop(ValueRange init, llvm::function_ref<Value(ValueRange)> condition,
                          llvm::function_ref<Values(ValueRange)> body) {
  SmallVector<Type> types(init.getTypes());
  SmallVector<Location> locs(types.size(), loc);
  auto whileOp = b.create<scf::WhileOp>(loc, types, init);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  pushScope(whileOp, true);
  b.setInsertionPointToStart(before);
  Value goOn = condition(before->getArguments());
  b.create<scf::ConditionOp>(loc, goOn, before->getArguments());
  popScope();
  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  pushScope(whileOp, true);
  b.setInsertionPointToStart(after);
  b.create<scf::YieldOp>(loc, body(after->getArguments()));
  popScope();
  return Values(whileOp.getResults());
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

namespace {

/// Computes an expression in the kernel's prologue. Handles are numbers into `values`.
struct DimEmitter : SymExpr::Visitor {
  Emitter &emitter;
  SmallVector<Value> values;
  explicit DimEmitter(Emitter &emitter) : emitter(emitter) {}

  int64_t keep(Value value) {
    values.push_back(value);
    return values.size() - 1;
  }
  int64_t constant(int64_t value) override {
    return keep(emitter.b.create<arith::ConstantIndexOp>(emitter.loc, value));
  }
  int64_t symbol(std::string_view name) override {
    return keep(emitter.dim(SymExpr::symbol(name)));
  }
  int64_t binary(SymExpr::Kind kind, int64_t first, int64_t second) override {
    OpBuilder &b = emitter.b;
    Location loc = emitter.loc;
    Value x = values[first], y = values[second];
    switch (kind) {
    case SymExpr::Kind::Add:
      return keep(b.create<arith::AddIOp>(loc, x, y));
    case SymExpr::Kind::Mul:
      return keep(b.create<arith::MulIOp>(loc, x, y));
    case SymExpr::Kind::FloorDiv:
      return keep(b.create<arith::FloorDivSIOp>(loc, x, y));
    case SymExpr::Kind::Mod: {
      Value quotient = b.create<arith::FloorDivSIOp>(loc, x, y);
      return keep(b.create<arith::SubIOp>(loc, x, b.create<arith::MulIOp>(loc, quotient, y)));
    }
    case SymExpr::Kind::Min:
      return keep(b.create<arith::MinSIOp>(loc, x, y));
    default:
      return keep(b.create<arith::MaxSIOp>(loc, x, y));
    }
  }
};

} // namespace

Value Emitter::dim(const SymExpr &expr) {
  std::string key = expr.str();
  auto known = dims.find(key);
  if (known != dims.end())
    return known->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  DimEmitter emitter(*this);
  Value value = emitter.values[expr.visit(emitter)];
  dims[key] = value;
  return value;
}

Index Emitter::variable(Value value, const SymExpr &extent) {
  return space.make(extent, value, level());
}

/// The value of one variable; a digit is computed where its parent is known.
static Value valueOf(Emitter &emitter, unsigned var,
                     llvm::DenseMap<unsigned, std::pair<Value, unsigned>> &digits) {
  const Var variable = emitter.space[var];
  if (!variable.parent)
    return variable.value;
  auto known = digits.find(var);
  if (known != digits.end() && known->second.second <= emitter.level())
    return known->second.first;
  Value result;
  const unsigned level = std::min(emitter.level(), emitter.space.levelOf(*variable.parent));
  emitter.atLevel(level, [&] {
    OpBuilder &b = emitter.b;
    // It may be computed where the dimension is 0 and the result is not used.
    auto divisor = [&](const SymExpr &expr) {
      return emitter.dim(expr.provablyGe(1) ? expr : SymExpr::max(expr, 1));
    };
    result = emitter.index(*variable.parent);
    if (!variable.divisor.isOne())
      result = b.create<arith::DivUIOp>(emitter.loc, result, divisor(variable.divisor));
    if (!variable.modulus.isZero())
      result = b.create<arith::RemUIOp>(emitter.loc, result, divisor(variable.modulus));
  });
  digits[var] = {result, level};
  return result;
}

Value Emitter::index(const Index &form) {
  // Outer variables first, so that what a loop does not change is one subexpression.
  SmallVector<std::pair<unsigned, const Term *>> terms;
  for (const Term &term : form.terms) {
    Index single;
    single.terms.push_back(term);
    terms.push_back({space.levelOf(single), &term});
  }
  llvm::sort(terms, [](const auto &a, const auto &b) {
    return std::make_pair(a.first, a.second->var) < std::make_pair(b.first, b.second->var);
  });
  Value sum;
  if (terms.empty() || !form.offset.isZero())
    sum = dim(form.offset);
  for (const auto &[level, term] : terms) {
    Value value = valueOf(*this, term->var, known.digits);
    if (!term->coeff.isOne())
      value = b.create<arith::MulIOp>(loc, value, dim(term->coeff));
    sum = sum ? Value(b.create<arith::AddIOp>(loc, sum, value)) : value;
  }
  return sum;
}

Value Emitter::condition(ArrayRef<Guard> guards) {
  Value all;
  for (const Guard &guard : guards) {
    // As an unsigned number, a negative index is too large.
    Value value = index(guard.index);
    Value holds = cmp(arith::CmpIPredicate::ult, value, dim(guard.extent * SymExpr(guard.divisor)));
    if (guard.divisor != 1) {
      Value rest = b.create<arith::RemUIOp>(loc, value, constantIndex(guard.divisor));
      Value divides = cmp(arith::CmpIPredicate::eq, rest, constantIndex(0));
      holds = b.create<arith::AndIOp>(loc, holds, divides);
    }
    all = all ? Value(b.create<arith::AndIOp>(loc, all, holds)) : holds;
  }
  return all ? all : b.create<arith::ConstantIntOp>(loc, 1, 1);
}

Value Emitter::toIndex(Value scalar, Type primType) {
  if (primType.isUnsignedInteger() || primType.isInteger(1))
    return b.create<arith::IndexCastUIOp>(loc, b.getIndexType(), scalar);
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), scalar);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value Emitter::constant(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(floatType, value));
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, int64_t(value)));
}
Value Emitter::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(loc, condition, x, y);
}
Value Emitter::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, predicate, x, y);
}
Value Emitter::add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
Value Emitter::sub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
Value Emitter::mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value Emitter::load(Value flatMemref, Type primType, const Index &linear) {
  Value value;
  if (std::optional<unsigned> var = space.vectorOf(linear))
    value = loadVector(flatMemref, linear, Var(space[*var]));
  else
    value = b.create<memref::LoadOp>(loc, flatMemref, index(linear));
  if (prim::isBool(primType))
    return cmp(arith::CmpIPredicate::ne, value,
               b.create<arith::ConstantOp>(loc, b.getZeroAttr(value.getType())));
  if (Type scalar = scalarType(primType); scalar != getElementTypeOrSelf(value.getType())) {
    auto vector = dyn_cast<VectorType>(value.getType());
    return b.create<arith::TruncIOp>(loc, vector ? vector.clone(scalar) : scalar, value);
  }
  return value;
}

void Emitter::store(unsigned result, IndicesRef indices, Value scalar) {
  Type type = region.getResult(result).getType();
  Index linear = space.linearize(indices, prim::shapeOf(type));
  Value memory = flat[region.getNumOperands() + result];
  const bool isVector = space.vectorOf(linear).has_value();
  if (isVector)
    scalar = splat(scalar);
  if (getElementTypeOrSelf(scalar.getType()).getIntOrFloatBitWidth() < 8)
    scalar = b.create<arith::ExtUIOp>(
        loc, isVector ? Type(VectorType::get(frame.lanes, b.getI8Type())) : b.getI8Type(), scalar);
  if (isVector)
    return storeVector(memory, linear, scalar);
  b.create<memref::StoreOp>(loc, scalar, memory, index(linear));
}

Value Emitter::emit(Value value, IndicesRef indices) {
  Indices place = placeOf(value, indices);
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = value.getDefiningOp();
  void *key = argument ? value.getAsOpaquePointer() : op;
  const unsigned number = argument ? 0 : cast<OpResult>(value).getResultNumber();
  for (const Element &element : known.memo[key])
    if (element.level <= level() && element.indices == place)
      return element.values[number];

  Element element{place, level(), {}};
  if (argument) {
    Index linear = space.linearize(place, prim::shapeOf(value));
    element.values = {load(flat[argument.getArgNumber()], elementType(value), linear)};
  } else if (isReduction(op)) {
    // Loops are emitted once for all that the inner loops do with the result.
    element.values = emitReduction(op, place);
  } else {
    element.values = emitOp(op, place);
  }
  known.memo[key].push_back(element);
  return element.values[number];
}

Values Emitter::emitOp(Operation *op, IndicesRef indices) {
  if (prim::isElementwise(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(emit(operand, indices));
    if (llvm::any_of(operands, [](Value x) { return isa<VectorType>(x.getType()); }))
      for (Value &operand : operands)
        operand = splat(operand);
    return {emitElementwise(b, loc, op, operands)};
  }
  if (std::optional<Access> view = viewAccess(space, op, indices))
    return {emit(view->operand, view->indices)};
  return TypeSwitch<Operation *, Values>(op)
      .Case([&](prim::ConstantOp constant) { return Values{emitConstant(constant, indices)}; })
      .Case([&](prim::IotaOp iota) { return Values{emitIota(iota, indices)}; })
      .Case([&](prim::DimsToTensorOp dims) { return Values{emitDims(dims, indices)}; })
      .Case([&](prim::PadOp pad) { return Values{emitPad(pad, indices)}; })
      .Case([&](prim::ConcatOp concat) { return Values{emitConcat(concat, indices)}; })
      .Case([&](prim::GatherOp gather) { return Values{emitGather(gather, indices)}; })
      .Case([&](prim::DynamicSliceOp slice) { return Values{emitDynamicSlice(slice, indices)}; })
      .Case([&](prim::DynamicUpdateSliceOp update) {
        return Values{emitDynamicUpdateSlice(update, indices)};
      })
      .Case([&](prim::RngBitsOp rng) { return Values{emitRngBits(rng, indices)}; });
}
