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

/// The word of an image's pixel at element `index` of its first plane: `row.gathered` bytes or f32,
/// the first in the low bits.
static Value gatheredWord(const PaddedRow &row, OpBuilder &b, Location loc, Value index) {
  IndexMath math{b, loc};
  Type i32 = b.getI32Type();
  auto number = [&](int32_t value) -> Value {
    return b.create<arith::ConstantIntOp>(loc, value, 32);
  };
  const bool isByte = cast<MemRefType>(row.image.getType()).getElementType().isInteger(8);
  Value word, planeSize = math.mul(row.height, row.width);
  for (int64_t i = 0; i < row.gathered; ++i) {
    Value x = b.create<memref::LoadOp>(loc, row.image,
                                       ValueRange{math.add(index, math.mul(planeSize, i))});
    if (isByte) {
      x = b.create<arith::ExtUIOp>(loc, i32, x);
    } else { // to the nearest bf16, ties to even
      Value bits = b.create<arith::BitcastOp>(loc, i32, x);
      Value isNan = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, x, x);
      Value odd =
          b.create<arith::AndIOp>(loc, b.create<arith::ShRUIOp>(loc, bits, number(16)), number(1));
      Value rounded =
          b.create<arith::AddIOp>(loc, bits, b.create<arith::AddIOp>(loc, odd, number(0x7FFF)));
      x = b.create<arith::ShRUIOp>(
          loc, b.create<arith::SelectOp>(loc, isNan, number(0x7FC00000), rounded), number(16));
    }
    if (!word) {
      word = x;
      continue;
    }
    x = b.create<arith::ShLIOp>(loc, x, number(i * (isByte ? 8 : 16)));
    word = b.create<arith::OrIOp>(loc, word, x);
  }
  return word;
}

void dynac::cpu::forPaddedSpans(KernelFunction &kernel, const PaddedRow &row,
                                llvm::function_ref<void(Value, Value, Value, bool)> put) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  Value zero = math.constant(0), cols = math.constant(row.cols);
  // Columns [left, right) exist in the image.
  Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, row.y, row.height);
  auto firstAtOrBehind = [&](Value column) { // of the image
    Value distance = math.max(math.sub(column, row.firstCol), zero);
    return math.min(math.div(math.add(distance, row.step - 1), row.step), cols);
  };
  Value left = firstAtOrBehind(zero);
  Value right = math.max(firstAtOrBehind(row.width), left);
  right = b.create<arith::SelectOp>(loc, inside, right, zero);
  left = b.create<arith::SelectOp>(loc, inside, left, zero);
  Value source = math.opaque(
      math.add(row.plane, math.mul(math.add(math.mul(row.y, row.width), row.firstCol), row.block)));
  put(zero, left, source, /*inside=*/false);
  put(left, right, source, /*inside=*/true);
  put(right, cols, source, /*inside=*/false);
}

void dynac::cpu::copyPaddedRow(KernelFunction &kernel, const PaddedRow &row) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  const int64_t lanes = std::min<int64_t>(kernel.isa().lanes, row.block);
  Type word = cast<MemRefType>(row.target.getType()).getElementType();
  TypedAttr fill = word.isF32() ? TypedAttr(b.getF32FloatAttr(0))
                                : b.getI32IntegerAttr(static_cast<int32_t>(row.fill));
  forPaddedSpans(kernel, row, [&](Value from, Value to, Value source, bool copy) {
    forLoop(b, loc, from, to, math.constant(1), [&](OpBuilder &, Value col) {
      if (row.block == 1) {
        Value from = math.add(source, math.mul(col, row.step));
        Value value = copy ? row.gathered ? gatheredWord(row, b, loc, from)
                                          : Value(b.create<memref::LoadOp>(loc, row.image, from))
                           : Value(b.create<arith::ConstantOp>(loc, fill));
        b.create<memref::StoreOp>(loc, value, row.target,
                                  ValueRange{math.add(row.targetBase, col)});
        return;
      }
      auto type = VectorType::get(lanes, word);
      for (int64_t lane = 0; lane < row.block; lane += lanes) {
        Value offset = math.add(math.mul(col, row.block), lane);
        Value from = math.add(source, math.add(math.mul(col, row.step * row.block), lane));
        Value value = copy ? Value(b.create<vector::LoadOp>(loc, type, row.image, from))
                           : Value(b.create<arith::ConstantOp>(
                                 loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(fill))));
        b.create<vector::StoreOp>(loc, value, row.target,
                                  ValueRange{math.add(row.targetBase, offset)});
      }
    });
  });
}
