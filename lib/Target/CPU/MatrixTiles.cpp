//===- MatrixTiles.cpp - registers that hold matrices ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

static constexpr unsigned tileCount = 8;

/// The configuration's 64 bytes as eight numbers: 0 is the palette, 2 and 3 the bytes of a row (16
/// bits for each tile), 6 the rows (8 bits each).
static constexpr int64_t bytesAt = 2, rowsAt = 6;

//===----------------------------------------------------------------------===//
// Both ways
//===----------------------------------------------------------------------===//

MatrixTiles::MatrixTiles(KernelFunction &kernel, DotKind dot, int64_t words)
    : dot(dot), words(words), native(kernel.isa().matrices == MatrixUnit::Amx), b(kernel.builder()),
      loc(kernel.loc()), math{b, loc} {
  sumBuffer = kernel.alloca(MemRefType::get({sumTiles * maxRows * columns}, b.getI32Type()));
  config = kernel.alloca(MemRefType::get({8}, b.getI64Type()));
  if (!native)
    tiles = kernel.alloca(MemRefType::get({tileCount, maxRows, maxWords}, b.getI32Type()));
  const int64_t full = 4 * columns, narrow = 4 * words;
  const int64_t values[8] = {1, 0, full * 0x0001000100010001,
                             narrow * 0x00010001 + full * 0x0001000100000000};
  for (auto [i, value] : llvm::enumerate(values))
    b.create<memref::StoreOp>(loc, number(value), config, ValueRange{math.constant(i)});
}

Value MatrixTiles::number(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

void MatrixTiles::configure(Value rows) {
  Value height = b.create<arith::IndexCastOp>(loc, b.getI64Type(), rows);
  Value all =
      b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, height, number(0x0000010101010101)),
                              number(words * 0x0101000000000000));
  Value at = math.constant(rowsAt);
  Value before = b.create<memref::LoadOp>(loc, config, ValueRange{at});
  Value differs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, all, before);
  ifThenElse(b, loc, differs, [&](OpBuilder &) {
    b.create<memref::StoreOp>(loc, all, config, ValueRange{at});
    if (native)
      intrinsic("llvm.x86.ldtilecfg", {address(config, math.constant(0))});
    else
      configureLoops();
  });
}

void MatrixTiles::zero(unsigned tile) {
  if (native)
    return intrinsic("llvm.x86.tilezero", {register8(tile)});
  Value none =
      b.create<arith::ConstantOp>(loc, b.getZeroAttr(VectorType::get(maxWords, b.getI32Type())));
  forLoop(b, loc, math.constant(0), math.constant(maxRows), math.constant(1),
          [&](OpBuilder &, Value row) { setRow(tile, row, none); });
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

void MatrixTiles::intrinsic(StringRef name, ValueRange operands) {
  b.create<LLVM::CallIntrinsicOp>(loc, TypeRange{}, b.getStringAttr(name), operands,
                                  LLVM::FastmathFlagsAttr());
}

Value MatrixTiles::register8(unsigned tile) {
  return b.create<LLVM::ConstantOp>(loc, b.getI8Type(), b.getI8IntegerAttr(int8_t(tile)));
}

Value MatrixTiles::address(Value memory, Value index) {
  // Out of the descriptor: MLIR takes memref.extract_aligned_pointer_as_index of a memref.view for
  // that of what is viewed, wherever the view begins.
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto extents = LLVM::LLVMArrayType::get(b.getI64Type(), 1);
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, pointer, b.getI64Type(), extents, extents});
  Value descriptor = b.create<UnrealizedConversionCastOp>(loc, type, memory).getResult(0);
  Value start = b.create<LLVM::ExtractValueOp>(loc, descriptor, 1);
  Value at = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index);
  return b.create<LLVM::GEPOp>(loc, pointer, cast<MemRefType>(memory.getType()).getElementType(),
                               start, ValueRange{at});
}

Value MatrixTiles::stride(Value words) {
  return b.create<arith::IndexCastOp>(loc, b.getI64Type(), math.mul(words, 4));
}

void MatrixTiles::release() {
  if (native)
    intrinsic("llvm.x86.tilerelease", {});
}

void MatrixTiles::load(unsigned tile, Value memory, Value index, Value rowStride) {
  if (native)
    return intrinsic("llvm.x86.tileloadd64",
                     {register8(tile), address(memory, index), stride(rowStride)});
  Value rows = rowsOf(tile);
  auto type = VectorType::get(maxWords, b.getI32Type());
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  Value mask =
      b.create<vector::CreateMaskOp>(loc, VectorType::get(maxWords, b.getI1Type()), wordsOf(tile));
  forLoop(b, loc, math.constant(0), rows, math.constant(1), [&](OpBuilder &, Value row) {
    Value at = address(memory, math.add(index, math.mul(row, rowStride)));
    setRow(tile, row, b.create<LLVM::MaskedLoadOp>(loc, type, at, mask, ValueRange{none}, 4));
  });
  forLoop(b, loc, rows, math.constant(maxRows), math.constant(1),
          [&](OpBuilder &, Value row) { setRow(tile, row, none); });
}

void MatrixTiles::store(unsigned tile, Value memory, Value index, Value rowStride) {
  if (native)
    return intrinsic("llvm.x86.tilestored64",
                     {register8(tile), address(memory, index), stride(rowStride)});
  Value mask =
      b.create<vector::CreateMaskOp>(loc, VectorType::get(maxWords, b.getI1Type()), wordsOf(tile));
  forLoop(b, loc, math.constant(0), rowsOf(tile), math.constant(1), [&](OpBuilder &, Value row) {
    Value at = address(memory, math.add(index, math.mul(row, rowStride)));
    b.create<LLVM::MaskedStoreOp>(loc, rowOf(tile, row), at, mask, 4);
  });
}

void MatrixTiles::multiply(unsigned sum, unsigned a, unsigned factor) {
  if (native)
    return intrinsic(dot == DotKind::Bf16 ? "llvm.x86.tdpbf16ps" : "llvm.x86.tdpbusd",
                     {register8(sum), register8(a), register8(factor)});
  forLoop(b, loc, math.constant(0), rowsOf(sum), math.constant(1),
          [&](OpBuilder &, Value row) { multiplyRow(sum, a, factor, row); });
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Bits of one of the configuration's numbers, as index.
static Value field(OpBuilder &b, Location loc, Value config, int64_t number, unsigned bit,
                   unsigned bits) {
  Value at = b.create<arith::ConstantIndexOp>(loc, number);
  Value all = b.create<memref::LoadOp>(loc, config, ValueRange{at});
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); };
  Value part = b.create<arith::AndIOp>(loc, b.create<arith::ShRUIOp>(loc, all, constant(bit)),
                                       constant((int64_t(1) << bits) - 1));
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), part);
}

Value MatrixTiles::rowsOf(unsigned tile) { return field(b, loc, config, rowsAt, tile * 8, 8); }

Value MatrixTiles::wordsOf(unsigned tile) {
  return math.div(field(b, loc, config, bytesAt + tile / 4, tile % 4 * 16, 16), 4);
}

Value MatrixTiles::rowOf(unsigned tile, Value row) {
  return b.create<vector::LoadOp>(loc, VectorType::get(maxWords, b.getI32Type()), tiles,
                                  ValueRange{math.constant(tile), row, math.constant(0)});
}

void MatrixTiles::setRow(unsigned tile, Value row, Value value) {
  b.create<vector::StoreOp>(loc, value, tiles,
                            ValueRange{math.constant(tile), row, math.constant(0)});
}

void MatrixTiles::configureLoops() {
  for (unsigned tile = 0; tile < tileCount; ++tile)
    zero(tile);
}

/// One row of sum, for which each word of a row of A multiplies a row of B.
void MatrixTiles::multiplyRow(unsigned sum, unsigned a, unsigned factor, Value row) {
  auto wordsType = VectorType::get(maxWords, b.getI32Type());
  auto floats = VectorType::get(maxWords, b.getF32Type());
  auto splat = [&](uint32_t value) -> Value {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(wordsType, b.getI32IntegerAttr(int32_t(value))));
  };
  auto shift = [&](Value x, int64_t left, int64_t right, bool isSigned) {
    Value top = b.create<arith::ShLIOp>(loc, x, splat(left));
    return isSigned ? Value(b.create<arith::ShRSIOp>(loc, top, splat(right)))
                    : Value(b.create<arith::ShRUIOp>(loc, top, splat(right)));
  };
  const bool isBf16 = dot == DotKind::Bf16;
  SmallVector<Value> init;
  Value before = rowOf(sum, row);
  if (isBf16)
    init.assign(2, b.create<arith::ConstantOp>(loc, b.getZeroAttr(floats)));
  else
    init.push_back(before);
  auto loop = b.create<scf::ForOp>(loc, math.constant(0), wordsOf(a), math.constant(1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value word = b.create<memref::LoadOp>(loc, tiles, ValueRange{math.constant(a), row, k});
    Value left = b.create<vector::BroadcastOp>(loc, wordsType, word), right = rowOf(factor, k);
    SmallVector<Value> sums(loop.getRegionIterArgs());
    if (isBf16) {
      // bf16 is the upper half of f32.
      auto half = [&](Value x, unsigned i) -> Value {
        Value bits = i ? b.create<arith::AndIOp>(loc, x, splat(0xFFFF0000)).getResult()
                       : shift(x, 16, 0, /*isSigned=*/false);
        return b.create<arith::BitcastOp>(loc, floats, bits);
      };
      for (unsigned i = 0; i < 2; ++i)
        sums[i] = b.create<vector::FMAOp>(loc, half(left, i), half(right, i), sums[i]);
    } else {
      for (int64_t byte = 0; byte < 4; ++byte)
        sums[0] = b.create<arith::AddIOp>(
            loc, sums[0],
            b.create<arith::MulIOp>(loc, shift(left, 24 - 8 * byte, 24, /*isSigned=*/false),
                                    shift(right, 24 - 8 * byte, 24, /*isSigned=*/true)));
    }
    b.create<scf::YieldOp>(loc, sums);
  }
  Value result = loop.getResult(0);
  if (isBf16) {
    Value both = b.create<arith::AddFOp>(loc, result, loop.getResult(1));
    Value total =
        b.create<arith::AddFOp>(loc, b.create<arith::BitcastOp>(loc, floats, before), both);
    result = b.create<arith::BitcastOp>(loc, wordsType, total);
  }
  setRow(sum, row, result);
}
