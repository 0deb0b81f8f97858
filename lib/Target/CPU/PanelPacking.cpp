//===- PanelPacking.cpp - panels of an activation, copied -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

/// Zeros in packed row `row` from a column on (a multiple of the lanes).
static void clear(KernelFunction &kernel, Value packed, Value row, Value from, int64_t width) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  const int64_t lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, cast<MemRefType>(packed.getType()).getElementType());
  Value zeros = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  Value target = math.mul(row, width);
  forLoop(b, loc, from, math.constant(width), math.constant(lanes), [&](OpBuilder &, Value column) {
    b.create<vector::StoreOp>(loc, zeros, packed, ValueRange{math.add(target, column)});
  });
}

static void packRows(KernelFunction &kernel, const PanelSource &source, Value length,
                     Value packed) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  const int64_t lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, cast<MemRefType>(packed.getType()).getElementType());
  Value one = math.constant(1);
  Value whole = math.mul(math.div(source.validColumns, lanes), lanes);
  forLoop(b, loc, math.constant(0), length, one, [&](OpBuilder &, Value row) {
    Value from = math.add(source.base, math.mul(row, source.stride)),
          target = math.mul(row, source.width);
    auto copyVector = [&](Value column) {
      Value value =
          b.create<vector::LoadOp>(loc, type, source.buffer, ValueRange{math.add(from, column)});
      b.create<vector::StoreOp>(loc, value, packed, ValueRange{math.add(target, column)});
    };
    if (source.allColumns) {
      for (int64_t column = 0; column < source.width; column += lanes)
        copyVector(math.constant(column));
      return;
    }
    forLoop(b, loc, math.constant(0), whole, math.constant(lanes),
            [&](OpBuilder &, Value column) { copyVector(column); });
    clear(kernel, packed, row, whole, source.width);
    forLoop(b, loc, whole, source.validColumns, one, [&](OpBuilder &, Value column) {
      Value value =
          b.create<memref::LoadOp>(loc, source.buffer, ValueRange{math.add(from, column)});
      b.create<memref::StoreOp>(loc, value, packed, ValueRange{math.add(target, column)});
    });
  });
}

/// The transpose of n vectors of n lanes: log2(n) rounds that interleave vector i with vector i +
/// n/2.
static SmallVector<Value> transpose(OpBuilder &b, Location loc, SmallVector<Value> rows) {
  const int64_t lanes = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, lanes + i});
    high.append({lanes / 2 + i, lanes + lanes / 2 + i});
  }
  for (int64_t round = 1; round < lanes; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < lanes / 2; ++i) {
      next.push_back(b.create<vector::ShuffleOp>(loc, rows[i], rows[i + lanes / 2], low));
      next.push_back(b.create<vector::ShuffleOp>(loc, rows[i], rows[i + lanes / 2], high));
    }
    rows = next;
  }
  return rows;
}

static void packTransposed(KernelFunction &kernel, const PanelSource &source, Value length,
                           Value packed) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  const int64_t lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, cast<MemRefType>(packed.getType()).getElementType());
  Value zero = math.constant(0), one = math.constant(1), step = math.constant(lanes);
  Value wholeColumns = math.mul(math.div(source.validColumns, lanes), lanes);
  Value wholeLength = math.mul(math.div(length, lanes), lanes);
  auto copyScalars = [&](Value firstColumn, Value endColumn, Value firstK) {
    forLoop(b, loc, firstColumn, endColumn, one, [&](OpBuilder &, Value column) {
      Value from = math.add(source.base, math.mul(column, source.stride));
      forLoop(b, loc, firstK, length, one, [&](OpBuilder &, Value at) {
        Value value = b.create<memref::LoadOp>(loc, source.buffer, ValueRange{math.add(from, at)});
        b.create<memref::StoreOp>(loc, value, packed,
                                  ValueRange{math.add(math.mul(at, source.width), column)});
      });
    });
  };
  forLoop(b, loc, zero, wholeColumns, step, [&](OpBuilder &, Value column) {
    Value from = math.add(source.base, math.mul(column, source.stride));
    forLoop(b, loc, zero, wholeLength, step, [&](OpBuilder &, Value at) {
      SmallVector<Value> rows;
      for (int64_t i = 0; i < lanes; ++i)
        rows.push_back(b.create<vector::LoadOp>(
            loc, type, source.buffer,
            ValueRange{math.add(math.add(from, math.mul(source.stride, i)), at)}));
      for (auto [i, row] : llvm::enumerate(transpose(b, loc, rows)))
        b.create<vector::StoreOp>(
            loc, row, packed,
            ValueRange{math.add(math.mul(math.add(at, i), source.width), column)});
    });
  });
  copyScalars(zero, wholeColumns, wholeLength);
  if (source.allColumns)
    return;
  forLoop(b, loc, zero, length, one,
          [&](OpBuilder &, Value row) { clear(kernel, packed, row, wholeColumns, source.width); });
  copyScalars(wholeColumns, source.validColumns, zero);
}

/// Words of two numbers below each other: `low` and `high` are of bf16.
static Value joinHalves(OpBuilder &b, Location loc, Value low, Value high, Type word) {
  Type half = b.getI16Type(), words = word, halves = half;
  Value shift = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(16));
  if (auto vector = dyn_cast<VectorType>(low.getType())) {
    words = VectorType::get(vector.getShape(), word);
    halves = VectorType::get(vector.getShape(), half);
    shift = b.create<vector::BroadcastOp>(loc, words, shift);
  }
  auto widen = [&](Value numbers) -> Value {
    return b.create<arith::ExtUIOp>(loc, words, b.create<arith::BitcastOp>(loc, halves, numbers));
  };
  Value upper = b.create<arith::ShLIOp>(loc, widen(high), shift);
  return b.create<arith::OrIOp>(loc, upper, widen(low));
}

void dynac::cpu::packPairs(KernelFunction &kernel, const PanelSource &source, Value length,
                           Value words, Value packed) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  const int64_t lanes = kernel.isa().lanes;
  Type word = cast<MemRefType>(packed.getType()).getElementType();
  auto type = VectorType::get(lanes, b.getBF16Type());
  Value zero = math.constant(0), one = math.constant(1);
  Value whole = math.mul(math.div(source.validColumns, lanes), lanes);
  auto pair = [&](Value row, bool hasSecond) {
    Value from = math.add(source.base, math.mul(math.mul(row, 2), source.stride)),
          target = math.mul(row, source.width);
    auto joined = [&](Value column, bool isVector) {
      Value at = math.add(from, column);
      auto load = [&](Value at) -> Value {
        if (isVector)
          return b.create<vector::LoadOp>(loc, type, source.buffer, ValueRange{at});
        return b.create<memref::LoadOp>(loc, source.buffer, ValueRange{at});
      };
      Value low = load(at);
      Value high = hasSecond
                       ? load(math.add(at, source.stride))
                       : Value(b.create<arith::ConstantOp>(loc, b.getZeroAttr(low.getType())));
      return joinHalves(b, loc, low, high, word);
    };
    auto copyVector = [&](Value column) {
      b.create<vector::StoreOp>(loc, joined(column, true), packed,
                                ValueRange{math.add(target, column)});
    };
    if (source.allColumns) {
      for (int64_t column = 0; column < source.width; column += lanes)
        copyVector(math.constant(column));
      return;
    }
    forLoop(b, loc, zero, whole, math.constant(lanes),
            [&](OpBuilder &, Value column) { copyVector(column); });
    clear(kernel, packed, row, whole, source.width);
    forLoop(b, loc, whole, source.validColumns, one, [&](OpBuilder &, Value column) {
      b.create<memref::StoreOp>(loc, joined(column, false), packed,
                                ValueRange{math.add(target, column)});
    });
  };
  Value pairs = math.opaque(math.div(length, 2));
  forLoop(b, loc, zero, pairs, one, [&](OpBuilder &, Value row) { pair(row, true); });
  ifThenElse(b, loc, math.less(math.mul(pairs, 2), length),
             [&](OpBuilder &) { pair(pairs, false); });
  forLoop(b, loc, math.opaque(math.div(math.add(length, 1), 2)), words, one,
          [&](OpBuilder &, Value row) { clear(kernel, packed, row, zero, source.width); });
}

void dynac::cpu::packPanel(KernelFunction &kernel, const PanelSource &source, Value length,
                           Value packed) {
  if (source.transposed)
    packTransposed(kernel, source, length, packed);
  else
    packRows(kernel, source, length, packed);
}
