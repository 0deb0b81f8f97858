//===- MicroKernel.cpp - the register tile of every contraction -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/MicroKernel.h"
#include "DotOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dynac::cpu;

//===----------------------------------------------------------------------===//
// Index arithmetic and control flow
//===----------------------------------------------------------------------===//

Value IndexMath::constant(int64_t value) const {
  return b.create<arith::ConstantIndexOp>(loc, value);
}
Value IndexMath::add(Value x, Value y) const { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value IndexMath::sub(Value x, Value y) const { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value IndexMath::mul(Value x, Value y) const { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value IndexMath::div(Value x, Value y) const { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
Value IndexMath::div(Value x, int64_t y) const { return div(x, constant(y)); }
Value IndexMath::rem(Value x, Value y) const { return b.createOrFold<arith::RemUIOp>(loc, x, y); }
Value IndexMath::rem(Value x, int64_t y) const { return rem(x, constant(y)); }
Value IndexMath::min(Value x, Value y) const { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value IndexMath::max(Value x, Value y) const { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value IndexMath::less(Value x, Value y) const {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value IndexMath::equal(Value x, Value y) const {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
}

Value IndexMath::opaque(Value x) const {
  if (matchPattern(x, m_Constant()))
    return x;
  Type i64 = b.getI64Type();
  Value number = b.create<arith::IndexCastOp>(loc, i64, x);
  auto barrier =
      b.create<LLVM::InlineAsmOp>(loc, TypeRange{i64}, ValueRange{number}, /*asm_string=*/"",
                                  /*constraints=*/"=r,0", /*has_side_effects=*/false,
                                  /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), barrier.getResult(0));
}

void dynac::cpu::forLoop(OpBuilder &b, Location loc, Value lower, Value upper, Value step,
                         llvm::function_ref<void(OpBuilder &, Value)> body) {
  b.create<scf::ForOp>(loc, lower, upper, step, ValueRange{},
                       [&](OpBuilder &inner, Location, Value iv, ValueRange) {
                         OpBuilder::InsertionGuard guard(b);
                         b.setInsertionPointToStart(inner.getInsertionBlock());
                         body(b, iv);
                         inner.setInsertionPointToEnd(inner.getInsertionBlock());
                         inner.create<scf::YieldOp>(loc);
                       });
}

void dynac::cpu::ifThenElse(OpBuilder &b, Location loc, Value condition,
                            llvm::function_ref<void(OpBuilder &)> then,
                            llvm::function_ref<void(OpBuilder &)> otherwise) {
  auto op = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then(b);
  if (otherwise) {
    b.setInsertionPointToStart(op.elseBlock());
    otherwise(b);
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value dynac::cpu::flatView(OpBuilder &b, Location loc, Value pointer, Type element) {
  // The extent takes no part in addressing.
  Value extent = b.create<arith::ConstantIndexOp>(loc, INT64_MAX / 64);
  return memrefFromPointer(b, loc, pointer, MemRefType::get({ShapedType::kDynamic}, element),
                           extent);
}

Value dynac::cpu::laneMask(OpBuilder &b, Location loc, unsigned lanes, int64_t valid) {
  if (valid >= int64_t(lanes))
    return nullptr;
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), std::max<int64_t>(valid, 0), true);
  auto type = VectorType::get(lanes, b.getI1Type());
  return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}

Value EpilogueCoords::load(OpBuilder &b, Value memref, ValueRange index) const {
  Location loc = kernel.loc();
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto loaded = VectorType::get(type.getShape(), element);
  if (!mask)
    return b.create<vector::LoadOp>(loc, loaded, memref, index);
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(loaded));
  return b.create<vector::MaskedLoadOp>(loc, loaded, memref, index, mask, zero);
}

void dynac::cpu::storeTileVector(OpBuilder &b, Location loc, Value acc, const Epilogue &epilogue,
                                 const EpilogueCoords &coords, Value output, ValueRange index) {
  Value value = epilogue ? epilogue(b, loc, acc, coords) : acc;
  if (coords.mask)
    b.create<vector::MaskedStoreOp>(loc, output, index, coords.mask, value);
  else
    b.create<vector::StoreOp>(loc, value, output, index);
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

namespace {

/// Emits a MicroKernel's loops from the outside in.
class TileEmitter {
public:
  TileEmitter(const MicroKernel &kernel, OpBuilder &b, Location loc, const Isa &isa)
      : kernel(kernel), b(b), loc(loc), math{b, loc}, dot{kernel.dot, isa, b, loc},
        type(VectorType::get(kernel.lanes, wordType(kernel.dot, b.getContext()))) {}

  SmallVector<Value> run(ValueRange init);

private:
  SmallVector<Value> loop(unsigned depth, Value aBase, Value bBase, Value prefetch, Value isLast,
                          ValueRange init);
  SmallVector<Value> steps(Value aBase, Value bBase, Value prefetch, ValueRange init);
  /// The first `lastLanes` lanes.
  Value narrow(Value vector) {
    return b.create<vector::ExtractStridedSliceOp>(loc, vector, 0, int64_t(*kernel.lastLanes), 1);
  }
  bool isNarrow(unsigned v) const { return kernel.lastLanes && v + 1 == kernel.vectors; }
  Value widen(Value value, Type word);
  Value loadB(Value index, unsigned v, unsigned lanes);
  Value vectorOfB(Value index, unsigned v, unsigned lanes);
  Value loadA(Value index);
  int64_t lineElements() const {
    return 64 / (cast<MemRefType>(kernel.b.getType()).getElementTypeBitWidth() / 8);
  }
  const MicroKernel &kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  DotOperation dot;
  VectorType type; ///< of A's and B's words
};

} // namespace

SmallVector<Value> TileEmitter::run(ValueRange init) {
  Value prefetch = kernel.prefetchShares ? kernel.prefetchBase : Value();
  SmallVector<Value> sums;
  if (!kernel.lastLanes) {
    sums.append(init.begin(), init.end());
    if (kernel.chains > 1)
      sums.resize(init.size() * kernel.chains,
                  b.create<arith::ConstantOp>(loc, b.getZeroAttr(init.front().getType())));
    sums = loop(0, kernel.aBase, kernel.bBase, prefetch, {}, sums);
    while (sums.size() > init.size()) {
      const size_t half = sums.size() / 2;
      for (size_t i = 0; i < half; ++i)
        sums[i] = b.create<arith::AddFOp>(loc, sums[i], sums[half + i]);
      sums.resize(half);
    }
    return sums;
  }
  for (auto [i, sum] : llvm::enumerate(init))
    if (!isNarrow(i % kernel.vectors))
      sums.push_back(sum);
    else if (*kernel.lastLanes)
      sums.push_back(narrow(sum));
  sums = loop(0, kernel.aBase, kernel.bBase, prefetch, {}, sums);
  SmallVector<Value> results;
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(init.front().getType()));
  for (unsigned i = 0, next = 0; i < init.size(); ++i) {
    if (!isNarrow(i % kernel.vectors))
      results.push_back(sums[next++]);
    else if (*kernel.lastLanes)
      results.push_back(b.create<vector::InsertStridedSliceOp>(
          loc, sums[next++], zero, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}));
    else
      results.push_back(zero);
  }
  return results;
}

SmallVector<Value> TileEmitter::loop(unsigned depth, Value aBase, Value bBase, Value prefetch,
                                     Value isLast, ValueRange init) {
  if (depth == kernel.loops.size())
    return steps(aBase, bBase, prefetch, init);
  const MicroKernel::Loop &loop = kernel.loops[depth];
  Value count = loop.count;
  if (isLast && depth + 1 == kernel.loops.size())
    count = b.create<arith::SelectOp>(loc, isLast, kernel.lastCount, count);
  auto op = b.create<scf::ForOp>(loc, math.constant(0), count, math.constant(1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  Value iv = op.getInductionVar();
  Value aInner = math.add(aBase, math.mul(iv, loop.aStride));
  Value bInner = math.add(bBase, math.mul(iv, loop.bStride));
  if (prefetch)
    prefetch = math.add(prefetch, math.mul(iv, math.div(loop.bStride, kernel.prefetchShares)));
  if (kernel.lastCount && depth == 0)
    isLast = math.equal(iv, math.sub(loop.count, math.constant(1)));
  SmallVector<Value> from(op.getRegionIterArgs());
  if (loop.isSeparate)
    from.assign(from.size(), b.create<arith::ConstantOp>(loc, b.getZeroAttr(init[0].getType())));
  SmallVector<Value> sums = this->loop(depth + 1, aInner, bInner, prefetch, isLast, from);
  if (loop.isSeparate)
    for (auto [sum, before] : llvm::zip(sums, op.getRegionIterArgs()))
      sum = b.create<arith::AddFOp>(loc, before, sum);
  b.create<scf::YieldOp>(loc, sums);
  return llvm::to_vector(ValueRange(op.getResults()));
}

Value TileEmitter::widen(Value value, Type word) {
  if (value.getType() == word)
    return value;
  if (getElementTypeOrSelf(value.getType()).isInteger())
    return b.create<arith::SIToFPOp>(loc, word, value);
  return b.create<arith::ExtFOp>(loc, word, value);
}

Value TileEmitter::loadB(Value index, unsigned v, unsigned lanes) {
  auto stored = VectorType::get(lanes, cast<MemRefType>(kernel.b.getType()).getElementType());
  Value mask = kernel.bMasks.empty() ? Value() : kernel.bMasks[v];
  if (!mask)
    return widen(b.create<vector::LoadOp>(loc, stored, kernel.b, index),
                 VectorType::get(lanes, type.getElementType()));
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(stored));
  return widen(b.create<vector::MaskedLoadOp>(loc, stored, kernel.b, index, mask, zero), type);
}

Value TileEmitter::vectorOfB(Value index, unsigned v, unsigned lanes) {
  Value x = loadB(index, v, lanes);
  if (!kernel.bOther)
    return x;
  Value y = loadB(math.add(index, kernel.bOther), v, lanes);
  if (kernel.bMinus)
    return b.create<arith::SubFOp>(loc, x, y);
  return b.create<arith::AddFOp>(loc, x, y);
}

Value TileEmitter::loadA(Value index) {
  if (kernel.vectorsOfA)
    return b.create<vector::LoadOp>(loc, type, kernel.a, index);
  Value scalar = widen(b.create<memref::LoadOp>(loc, kernel.a, index), type.getElementType());
  return b.create<vector::BroadcastOp>(loc, type, scalar);
}

SmallVector<Value> TileEmitter::steps(Value aBase, Value bBase, Value prefetch, ValueRange init) {
  SmallVector<Value> sums = llvm::to_vector(init);
  const int64_t lines = prefetch ? kernel.prefetchLines : 0;
  for (int64_t line = 0; line < lines; ++line)
    b.create<memref::PrefetchOp>(loc, kernel.b, math.add(prefetch, line * lineElements()),
                                 /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
  for (auto [number, step] : llvm::enumerate(kernel.steps)) {
    SmallVector<DotOperation::Factor> bVectors;
    const unsigned vectors = kernel.vectors - (kernel.lastLanes && *kernel.lastLanes == 0);
    const size_t copy = number % kernel.chains * kernel.rows * vectors;
    for (unsigned v = 0; v < vectors; ++v)
      bVectors.push_back(dot.factorB(vectorOfB(math.add(math.add(bBase, step.b), v * kernel.lanes),
                                               v, isNarrow(v) ? *kernel.lastLanes : kernel.lanes)));
    for (unsigned r = 0; r < kernel.rows; ++r) {
      DotOperation::Factor a =
          dot.factorA(loadA(math.add(math.add(aBase, kernel.aRow[r]), step.a)));
      for (unsigned v = 0; v < vectors; ++v) {
        Value &sum = sums[copy + r * vectors + v];
        sum = isNarrow(v) ? dot.accumulate(sum, {narrow(a.front())}, bVectors[v])
                          : dot.accumulate(sum, a, bVectors[v]);
      }
    }
  }
  return sums;
}

SmallVector<Value> MicroKernel::emit(OpBuilder &b, Location loc, const Isa &isa,
                                     ValueRange init) const {
  return TileEmitter(*this, b, loc, isa).run(init);
}
