//===- DotOperation.cpp - multiplies and adds words -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

Value DotOperation::splat(int64_t value) const {
  auto type = VectorType::get(isa.lanes, b.getI32Type());
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(static_cast<int32_t>(value))));
}

Value DotOperation::intrinsic(StringRef name, Type type, ValueRange operands) const {
  return b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name), operands).getResult(0);
}

/// The even and the odd bytes of each word, as 16-bit numbers in words.
DotOperation::Factor DotOperation::halves(Value words, bool isSigned) const {
  if (!isSigned)
    return {b.create<arith::AndIOp>(loc, words, splat(0x00FF00FF)),
            b.create<arith::AndIOp>(loc, b.create<arith::ShRUIOp>(loc, words, splat(8)),
                                    splat(0x00FF00FF))};
  auto shorts = VectorType::get(2 * isa.lanes, b.getI16Type());
  Value eight =
      b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(shorts, b.getI16IntegerAttr(8)));
  Value pairs = b.create<vector::BitCastOp>(loc, shorts, words);
  Value even = b.create<arith::ShRSIOp>(loc, b.create<arith::ShLIOp>(loc, pairs, eight), eight);
  Value odd = b.create<arith::ShRSIOp>(loc, pairs, eight);
  return {b.create<vector::BitCastOp>(loc, words.getType(), even),
          b.create<vector::BitCastOp>(loc, words.getType(), odd)};
}

DotOperation::Factor DotOperation::factorA(Value words) const {
  if (hasDot(isa, kind))
    return {words};
  if (kind == DotKind::U8S8)
    return halves(words, /*isSigned=*/false);
  // bf16 is the upper half of f32.
  auto f32 = VectorType::get(isa.lanes, b.getF32Type());
  Value even = b.create<arith::ShLIOp>(loc, words, splat(16));
  Value odd = b.create<arith::AndIOp>(loc, words, splat(0xFFFF0000));
  return {b.create<arith::BitcastOp>(loc, f32, even), b.create<arith::BitcastOp>(loc, f32, odd)};
}

DotOperation::Factor DotOperation::factorB(Value words) const {
  if (kind == DotKind::U8S8 && !hasDot(isa, kind))
    return halves(words, /*isSigned=*/true);
  return factorA(words);
}

Value DotOperation::accumulate(Value sums, const Factor &x, const Factor &y) const {
  const std::string width = std::to_string(isa.vectorBits());
  if (kind == DotKind::U8S8 && hasDot(isa, kind))
    return intrinsic("llvm.x86.avx512.vpdpbusd." + width, sums.getType(), {sums, x[0], y[0]});
  if (kind == DotKind::U8S8) {
    // Pairs of 16-bit products never overflow an i32.
    const StringRef name = isa.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                           : isa.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                            : "llvm.x86.sse2.pmadd.wd";
    auto shorts = VectorType::get(2 * isa.lanes, b.getI16Type());
    for (auto [a, c] : llvm::zip(x, y)) {
      Value left = b.create<vector::BitCastOp>(loc, shorts, a);
      Value right = b.create<vector::BitCastOp>(loc, shorts, c);
      sums = b.create<arith::AddIOp>(loc, sums, intrinsic(name, sums.getType(), {left, right}));
    }
    return sums;
  }
  if (kind == DotKind::Bf16 && hasDot(isa, kind)) {
    auto pairs = VectorType::get(2 * isa.lanes, b.getBF16Type());
    Value left = b.create<vector::BitCastOp>(loc, pairs, x[0]);
    Value right = b.create<vector::BitCastOp>(loc, pairs, y[0]);
    return intrinsic("llvm.x86.avx512bf16.dpbf16ps." + width, sums.getType(), {sums, left, right});
  }
  for (auto [a, c] : llvm::zip(x, y))
    sums = b.create<vector::FMAOp>(loc, a, c, sums);
  return sums;
}
