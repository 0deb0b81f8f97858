//===- Random.cpp - counter-based random bits -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): ten
/// rounds of (c0, c1, c2, c3) <- (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)).
Value Emitter::emitRngBits(prim::RngBitsOp op, IndicesRef indices) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto number = [&](uint32_t value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(i32, APInt(32, value)));
  };
  auto exclusiveOr = [&](Value x, Value y) -> Value { return b.create<arith::XOrIOp>(loc, x, y); };
  auto wideProduct = [&](Value x, uint32_t factor) -> std::pair<Value, Value> { // high, low
    Value wide = b.create<arith::ExtUIOp>(loc, i64, x);
    Value constant = b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(factor));
    Value product = mul(wide, constant);
    Value high = b.create<arith::ShRUIOp>(
        loc, product, b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(32)));
    return {b.create<arith::TruncIOp>(loc, i32, high),
            b.create<arith::TruncIOp>(loc, i32, product)};
  };
  Value key[2];
  Type seedType = elementType(op.getSeed());
  for (int64_t word : {0, 1}) {
    Value seed = emit(op.getSeed(), Index(SymExpr(word)));
    key[word] = emitConvert(b, loc, seed, seedType,
                            IntegerType::get(b.getContext(), 32, IntegerType::Unsigned));
  }
  Value element = b.create<arith::IndexCastOp>(
      loc, i64, index(space.linearize(indices, prim::shapeOf(op.getY()))));
  Value block = b.create<arith::ShRUIOp>(loc, element,
                                         b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(2)));
  Value c[4] = {b.create<arith::TruncIOp>(loc, i32, block), number(op.getSite()), number(0),
                number(0)};
  for (int round = 0; round < 10; ++round) {
    auto [high0, low0] = wideProduct(c[0], 0xD2511F53u);
    auto [high1, low1] = wideProduct(c[2], 0xCD9E8D57u);
    Value next[4] = {exclusiveOr(exclusiveOr(high1, c[1]), key[0]), low1,
                     exclusiveOr(exclusiveOr(high0, c[3]), key[1]), low0};
    std::copy(next, next + 4, c);
    key[0] = add(key[0], number(0x9E3779B9u));
    key[1] = add(key[1], number(0xBB67AE85u));
  }
  Value word =
      b.create<arith::AndIOp>(loc, b.create<arith::TruncIOp>(loc, i32, element), number(3));
  Value result = c[0];
  for (uint32_t i = 1; i < 4; ++i)
    result = select(cmp(arith::CmpIPredicate::eq, word, number(i)), c[i], result);
  return result;
}
