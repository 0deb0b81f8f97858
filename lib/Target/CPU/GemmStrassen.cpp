//===- GemmStrassen.cpp - two panels of B by seven products ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmStrassen.h"
#include "GemmPanel.h"
#include "dynac/Target/CPU/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

static constexpr int64_t products = 7;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {

/// Where things lie in scratch memory, in floats; all are multiples of a line. The sums between
/// passes of the plain product come first.
struct ScratchPlan {
  int64_t halfRows, rowStride, aStride;
  int64_t scales, inverses, sums, unwanted, left, size;

  explicit ScratchPlan(const GemmPlan &plan) {
    halfRows = llvm::divideCeil(plan.unitRows, 2);
    rowStride = 2 * plan.panelWidth;
    aStride = plan.halfK;
    if (aStride % 1024 == 0) // rows at the same place of all pages get into each other's way
      aStride += 16;
    const int64_t rows = llvm::alignTo(2 * halfRows, 16);
    scales = plan.kBlock >= plan.k ? 0 : llvm::alignTo(plan.unitRows * plan.panelWidth, 16);
    inverses = scales + rows;
    sums = inverses + rows;
    unwanted = sums + 2 * halfRows * rowStride;
    left = unwanted + halfRows * rowStride;
    size = left + plan.k / 2 * products * halfRows / plan.halfK * aStride;
  }
};

} // namespace

void dynac::cpu::planStrassen(GemmPlan &plan, int64_t m, int64_t unitRows) {
  // Each sum is added to two others after so many multiplications.
  constexpr int64_t longest = 256, shortest = 96;
  // Half of a unit's rows are whole tiles of every height.
  constexpr int64_t wholeTiles = 48;
  if (m >= 0 && m < GemmPlan::strassenRows)
    return;
  int64_t halfK = longest;
  while (halfK >= shortest && plan.k % (2 * halfK) != 0)
    halfK -= 16;
  const int64_t pairs = plan.n / plan.panelWidth / 2;
  if (halfK < shortest || pairs == 0)
    return;
  if (!unitRows)
    unitRows = plan.panels < 4 ? 96 : plan.panels < 16 || plan.k > 4096 ? 144 : 240;
  if (m >= 0 && unitRows >= m)
    unitRows = m;
  else if (unitRows % wholeTiles != 0)
    return;
  plan.pairs = pairs;
  plan.halfK = halfK;
  plan.unitRows = unitRows;
  plan.scratchBytes = ScratchPlan(plan).size * int64_t(sizeof(float));
}

//===----------------------------------------------------------------------===//
// The unit
//===----------------------------------------------------------------------===//

StrassenUnit::StrassenUnit(KernelFunction &kernel, const GemmPlan &plan, const Extent &m,
                           int64_t lda, Value a, Value packed)
    : kernel(kernel), plan(plan), m(m), lda(lda), b(kernel.builder()), loc(kernel.loc()),
      math{b, loc}, type(VectorType::get(kernel.isa().lanes, b.getF32Type())), a(a), packed(packed),
      scratch(kernel.scratch(MemRefType::get({ScratchPlan(plan).size}, b.getF32Type()), 0)) {}

Value StrassenUnit::load(Value memref, Value at) {
  return b.create<vector::LoadOp>(loc, type, memref, ValueRange{at});
}
void StrassenUnit::store(Value value, Value memref, Value at) {
  b.create<vector::StoreOp>(loc, value, memref, ValueRange{at});
}
Value StrassenUnit::splat(float value) {
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, b.getF32FloatAttr(value).getValue()));
}
/// A number in scratch memory, in all lanes.
Value StrassenUnit::scalarAt(Value at) {
  return b.create<vector::BroadcastOp>(loc, type,
                                       b.create<memref::LoadOp>(loc, scratch, ValueRange{at}));
}

/// The value that belongs to a product.
Value StrassenUnit::pick(Value product, ArrayRef<Value> values) {
  Value result = values.back();
  for (int64_t i = int64_t(values.size()) - 2; i >= 0; --i)
    result =
        b.create<arith::SelectOp>(loc, math.equal(product, math.constant(i)), values[i], result);
  return result;
}
Value StrassenUnit::pick(Value product, ArrayRef<int64_t> values) {
  SmallVector<Value> constants;
  for (int64_t value : values)
    constants.push_back(math.constant(value));
  return math.opaque(pick(product, ArrayRef<Value>(constants)));
}

/// Finds the power of two that takes a row's largest number to [1, 2), and its inverse. Rows of
/// zeros, denormals or numbers that are not finite stay as they are.
void StrassenUnit::scaleRow(Value r) {
  const ScratchPlan at(plan);
  const int64_t lanes = kernel.isa().lanes;
  Value base = math.mul(math.add(row, r), lda);
  SmallVector<Value> none(2, splat(0));
  auto loop = b.create<scf::ForOp>(loc, math.constant(0), math.constant(plan.k),
                                   math.constant(2 * lanes), none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> largest;
    for (auto [i, before] : llvm::enumerate(loop.getRegionIterArgs())) {
      Value x = load(a, math.add(math.add(base, loop.getInductionVar()), int64_t(i) * lanes));
      Value size = b.create<math::AbsFOp>(loc, x);
      Value wins = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, size, before);
      largest.push_back(b.create<arith::SelectOp>(loc, wins, size, before));
    }
    b.create<scf::YieldOp>(loc, largest);
  }
  Value both = b.create<arith::MaximumFOp>(loc, loop.getResult(0), loop.getResult(1));
  Value largest = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXIMUMF, both);
  auto i32 = [&](int32_t value) -> Value { return b.create<arith::ConstantIntOp>(loc, value, 32); };
  Value bits = b.create<arith::BitcastOp>(loc, b.getI32Type(), largest);
  Value power = b.create<arith::AndIOp>(loc, bits, i32(0x7f800000));
  // Unsigned, so that 0 is out of range as well.
  Value isNormal = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                           b.create<arith::SubIOp>(loc, power, i32(0x00800000)),
                                           i32(0x7f000000 - 0x00800000));
  power = b.create<arith::SelectOp>(loc, isNormal, power, i32(0x3f800000));
  auto keep = [&](Value bits, int64_t where) {
    Value number = b.create<arith::BitcastOp>(loc, b.getF32Type(), bits);
    b.create<memref::StoreOp>(loc, number, scratch, ValueRange{math.add(r, where)});
  };
  keep(b.create<arith::SubIOp>(loc, i32(0x7f000000), power), at.scales);
  keep(power, at.inverses);
}

void StrassenUnit::setRows(Value firstRow, Value rowCount) {
  row = firstRow;
  rows = rowCount;
  half = math.div(math.add(rows, 1), 2);
  if (m.dynamic) { // whole tiles: rows that are too many cost less than code for all remainders
    const int64_t tile = tileRows(kernel.isa(), tileVectors(kernel.isa(), plan.panelWidth));
    half = math.mul(math.div(math.add(half, tile - 1), tile), tile);
  }
  half = math.opaque(half);
}

Value StrassenUnit::pays() {
  Value isEnough = math.less(math.constant(GemmPlan::strassenRows - 1), rows);
  if (!m.dynamic)
    return isEnough;
  // Rows that fill the last tile must not cost more than is gained: 15 / 16 at least of the rest.
  Value isFaster = math.less(math.mul(half, 15), math.add(math.mul(rows, 8), 1));
  return b.create<arith::AndIOp>(loc, isEnough, isFaster);
}

void StrassenUnit::prepare() {
  const ScratchPlan at(plan);
  const int64_t lanes = kernel.isa().lanes;
  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, rows, one, [&](OpBuilder &, Value r) { scaleRow(r); });
  forLoop(b, loc, zero, half, one, [&](OpBuilder &, Value r) {
    // The last row stands for those that do not exist.
    Value lower = math.min(math.add(half, r), math.sub(rows, one));
    Value upperScale = scalarAt(math.add(r, at.scales));
    Value lowerScale = scalarAt(math.add(lower, at.scales));
    Value upperBase = math.opaque(math.mul(math.add(row, r), lda));
    Value lowerBase = math.opaque(math.mul(math.add(row, lower), lda));
    forLoop(b, loc, zero, math.constant(plan.k / (2 * plan.halfK)), one,
            [&](OpBuilder &, Value block) {
              Value out = math.add(math.mul(block, products * at.halfRows), r);
              out = math.opaque(math.add(math.mul(out, at.aStride), at.left));
              Value in = math.opaque(math.mul(block, 2 * plan.halfK));
              forLoop(b, loc, zero, math.constant(plan.halfK), math.constant(lanes),
                      [&](OpBuilder &, Value k) {
                        auto quarter = [&](Value base, Value scale, int64_t from) -> Value {
                          Value x = load(a, math.add(math.add(base, math.add(in, k)), from));
                          return b.create<arith::MulFOp>(loc, x, scale);
                        };
                        Value a11 = quarter(upperBase, upperScale, 0);
                        Value a12 = quarter(upperBase, upperScale, plan.halfK);
                        Value a21 = quarter(lowerBase, lowerScale, 0);
                        Value a22 = quarter(lowerBase, lowerScale, plan.halfK);
                        auto sum = [&](Value x, Value y) -> Value {
                          return b.create<arith::AddFOp>(loc, x, y);
                        };
                        auto difference = [&](Value x, Value y) -> Value {
                          return b.create<arith::SubFOp>(loc, x, y);
                        };
                        const Value left[products] = {
                            sum(a11, a22),        sum(a21, a22),       a11, a22, sum(a11, a12),
                            difference(a21, a11), difference(a12, a22)};
                        for (auto [i, value] : llvm::enumerate(left))
                          store(value, scratch,
                                math.add(math.add(out, k), int64_t(i) * at.halfRows * at.aStride));
                      });
            });
  });
  // Sums that nobody reads are added up here; they must not be denormal, which is slow.
  forLoop(b, loc, zero, math.constant(at.halfRows * at.rowStride), math.constant(lanes),
          [&](OpBuilder &, Value i) { store(splat(0), scratch, math.add(i, at.unwanted)); });
}

/// Calls `body` for the vectors of sums of a row of the unit.
void StrassenUnit::eachSum(Value r, llvm::function_ref<void(Value, int64_t)> body) {
  const ScratchPlan at(plan);
  Value base = math.add(math.mul(r, at.rowStride), at.sums);
  for (int64_t column = 0; column < at.rowStride; column += kernel.isa().lanes)
    body(math.add(base, column), column);
}

Value StrassenUnit::multiply(Value pair, llvm::function_ref<void(Value, Value, Value)> store) {
  const ScratchPlan at(plan);
  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, math.mul(half, 2), one, [&](OpBuilder &, Value r) {
    eachSum(r, [&](Value at, int64_t) { this->store(splat(0), scratch, at); });
  });
  Value base = math.opaque(math.mul(pair, 2 * plan.panelWidth * plan.k));
  const int64_t blocks = plan.k / (2 * plan.halfK);
  forLoop(b, loc, zero, math.constant(blocks), one, [&](OpBuilder &, Value block) {
    const int64_t step = 2 * plan.halfK * plan.panelWidth;
    Value blockBase = math.opaque(math.add(base, math.mul(block, step)));
    Value isLast = math.equal(block, math.constant(blocks - 1));
    Value next = b.create<arith::SelectOp>(
        loc, isLast, math.add(base, 2 * plan.panelWidth * plan.k), math.add(blockBase, step));
    next = math.opaque(next);
    forLoop(b, loc, zero, math.constant(products), one,
            [&](OpBuilder &, Value number) { product(number, block, blockBase, next); });
  });
  Value fine = isFinite();
  ifThenElse(b, loc, fine, [&](OpBuilder &) {
    forLoop(b, loc, zero, rows, one, [&](OpBuilder &, Value r) {
      Value inverse = scalarAt(math.add(r, at.inverses));
      eachSum(r, [&](Value at, int64_t column) {
        Value sums = b.create<arith::MulFOp>(loc, load(scratch, at), inverse);
        store(math.add(row, r), math.constant(column), sums);
      });
    });
  });
  return fine;
}

/// Adds a product of a block of k to two quarters of the sums. `base`: where the block begins in
/// the first panel; `next`: the same of the block that comes after it, which is fetched.
void StrassenUnit::product(Value number, Value block, Value base, Value next) {
  const ScratchPlan at(plan);
  const int64_t size = plan.halfK * plan.panelWidth;
  const int64_t b11 = 0, b12 = plan.k * plan.panelWidth, b21 = size, b22 = b12 + size;
  Value x = pick(number, {b11, b11, b12, b21, b22, b11, b21});
  Value y = pick(number, {b22, b11, b22, b11, b22, b12, b22});
  Value bottom = math.mul(half, at.rowStride), middle = math.constant(plan.panelWidth);
  Value c11 = math.constant(at.sums), c12 = math.add(c11, middle);
  Value c21 = math.add(c11, bottom), c22 = math.add(c21, middle);
  Value unwanted = math.constant(at.unwanted);
  Value first = math.opaque(pick(number, {c11, c21, c12, c11, c12, c22, c11}));
  Value second = math.opaque(pick(number, {c22, c22, c22, c21, c11, unwanted, unwanted}));
  Value isNegative = math.equal(pick(number, {0, 1, 0, 0, 1, 0, 0}), math.constant(1));
  Value secondSign = b.create<arith::SelectOp>(loc, isNegative, splat(-1), splat(1));

  GemmPanel job(kernel);
  job.a = scratch;
  Value from = math.add(math.mul(block, products), number);
  job.aBase = math.opaque(math.add(math.mul(from, at.halfRows * at.aStride), at.left));
  job.aRowStride = math.constant(at.aStride);
  job.aKStride = math.constant(1);
  job.row = math.constant(0);
  job.rowEnd = half;
  job.unitRows = at.halfRows;
  job.rowCount = at.halfRows;
  if (!m.dynamic)
    job.rowCount =
        m.value / plan.unitRows * at.halfRows + llvm::divideCeil(m.value % plan.unitRows, 2);
  Value begin = math.opaque(math.add(base, x));
  job.b = packed;
  job.bKStride = math.constant(plan.panelWidth);
  job.bBase = [&](Value) { return begin; };
  // Each product fetches a quarter of what comes next, the last ones do so in vain.
  job.next = math.add(next, pick(number, {b11, b12, b21, b22, b22, b22, b22}));
  job.width = job.columns = plan.panelWidth;
  job.k = math.constant(plan.halfK);
  job.staticK = job.kBlock = plan.halfK;
  job.store = [&](Value r, Value column, Value sums, Value) {
    Value place = math.add(math.mul(r, at.rowStride), column);
    Value to = math.add(first, place);
    store(b.create<arith::AddFOp>(loc, load(scratch, to), sums), scratch, to);
    to = math.add(second, place);
    store(b.create<vector::FMAOp>(loc, sums, secondSign, load(scratch, to)), scratch, to);
  };
  // Products of one quarter of B, of a sum and of a difference.
  Value form = pick(number, {1, 0, 2, 2, 0, 1, 1});
  ifThenElse(
      b, loc, math.equal(form, math.constant(0)), [&](OpBuilder &) { job.emit(); },
      [&](OpBuilder &) {
        job.bOther = math.opaque(math.sub(y, x));
        ifThenElse(
            b, loc, math.equal(form, math.constant(1)), [&](OpBuilder &) { job.emit(); },
            [&](OpBuilder &) {
              job.bMinus = true;
              job.emit();
            });
      });
}

/// Whether all sums are finite: 0 times one that is not is NaN.
Value StrassenUnit::isFinite() {
  const ScratchPlan at(plan);
  SmallVector<Value> zeros(at.rowStride / kernel.isa().lanes, splat(0));
  auto loop = b.create<scf::ForOp>(loc, math.constant(0), rows, math.constant(1), zeros);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums;
    eachSum(loop.getInductionVar(), [&](Value at, int64_t) {
      sums.push_back(b.create<vector::FMAOp>(loc, load(scratch, at), splat(0),
                                             loop.getRegionIterArgs()[sums.size()]));
    });
    b.create<scf::YieldOp>(loc, sums);
  }
  Value all = loop.getResult(0);
  for (Value sum : loop.getResults().drop_front())
    all = b.create<arith::AddFOp>(loc, all, sum);
  Value zero = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(0));
  Value sum = b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, all);
  return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, sum, zero);
}
