//===- ConvPatch.cpp - copies a row of an image with its padding ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvPatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

void dynac::cpu::copyPaddedRow(KernelFunction &kernel, const PaddedRow &row) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  Value zero = math.constant(0), one = math.constant(1), cols = math.constant(row.cols);
  const int64_t lanes = kernel.isa().lanes;
  // Columns [left, right) of the copy exist in the image.
  Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, row.y, row.height);
  Value left = math.min(math.max(math.sub(zero, row.firstCol), zero), cols);
  Value right = math.max(math.min(math.sub(row.width, row.firstCol), cols), left);
  right = b.create<arith::SelectOp>(loc, inside, right, zero);
  left = b.create<arith::SelectOp>(loc, inside, left, zero);
  Value source = math.opaque(
      math.add(row.plane, math.mul(math.add(math.mul(row.y, row.width), row.firstCol), row.block)));
  auto put = [&](Value from, Value to, bool copy) {
    forLoop(b, loc, from, to, one, [&](OpBuilder &, Value col) {
      if (row.block == 1) {
        Value value =
            copy
                ? Value(b.create<memref::LoadOp>(loc, row.image, ValueRange{math.add(source, col)}))
                : Value(b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(0)));
        b.create<memref::StoreOp>(loc, value, row.target,
                                  ValueRange{math.add(row.targetBase, col)});
        return;
      }
      auto type = VectorType::get(lanes, b.getF32Type());
      for (int64_t lane = 0; lane < row.block; lane += lanes) {
        Value offset = math.add(math.mul(col, row.block), lane);
        Value value = copy ? Value(b.create<vector::LoadOp>(loc, type, row.image,
                                                            ValueRange{math.add(source, offset)}))
                           : Value(b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)));
        b.create<vector::StoreOp>(loc, value, row.target,
                                  ValueRange{math.add(row.targetBase, offset)});
      }
    });
  };
  put(zero, left, /*copy=*/false);
  put(left, right, /*copy=*/true);
  put(right, cols, /*copy=*/false);
}
