//===- AttentionKernel.cpp - softmax(q kT) v in one kernel ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/AttentionKernel.h"
#include "GemmDots.h"
#include "GemmPanel.h"
#include "MatrixKernel.h"
#include "PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace dynac::cpu;

static constexpr float infinity = std::numeric_limits<float>::infinity();
/// A block of scores: a quarter of a second-level cache.
static constexpr int64_t scoreElements = 65536;
/// Queries that are worth packing keys for whose depth is contiguous.
static constexpr int64_t packedRows = 9;
/// Rows of up to so many vectors are unrolled.
static constexpr int64_t rowVectors = 12;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Columns of a panel of `columns`, -1: not known.
static int64_t panelWidthOf(int64_t columns) {
  if (columns >= 0 && columns <= 64)
    return llvm::alignTo(std::max<int64_t>(columns, 1), 16);
  return columns >= 0 && columns % 64 != 0 && columns % 48 == 0 ? 48 : 64;
}

int64_t AttentionSpec::keyBlock() const {
  return !keys.dynamic && keys.value <= 1024 ? std::max<int64_t>(keys.value, 1) : 512;
}

/// All are multiples of the rows of any tile.
int64_t AttentionSpec::unitRows() const {
  int64_t rows = 240;
  while (rows > 24 && rows * keyBlock() > scoreElements * cachePercent / 100)
    rows = rows == 240 ? 120 : rows / 2 / 24 * 24;
  return queries.dynamic ? rows : std::clamp<int64_t>(queries.value, 1, rows);
}

int64_t AttentionSpec::units(int64_t batchCount, int64_t queries) const {
  return batchCount * llvm::divideCeil(queries, unitRows());
}

/// Words of the tiles of both products. 0: vectors multiply.
static int64_t tileWordsOf(const Isa &isa, const AttentionSpec &spec) {
  return tileWords(isa, spec.dot, spec.depth / groupOf(spec.dot));
}

bool dynac::cpu::attentionTakesTiles(const Isa &isa, const AttentionSpec &spec) {
  return tileWordsOf(isa, spec) > 0;
}

namespace {

/// Where things lie in scratch memory, in floats; all are multiples of a line.
struct ScratchPlan {
  int64_t scoreStride, scores, packed, statistics, partials, results, valueStride, size;

  explicit ScratchPlan(const AttentionSpec &spec) {
    const int64_t rows = spec.unitRows(), block = spec.keyBlock();
    scoreStride = llvm::alignTo(block, 64);
    if (scoreStride % 1024 == 0) // rows at the same place of all pages get into each other's way
      scoreStride += 16;
    valueStride = llvm::alignTo(spec.valueDepth, 64);
    scores = 0;
    packed = rows * scoreStride;
    // Rows of bf16 are half as many words.
    const int64_t keyPanel = spec.depth * panelWidthOf(spec.keys.dynamic ? -1 : spec.keys.value);
    // Tiles take whole multiples of their words.
    const int64_t valueWords = llvm::alignTo(llvm::divideCeil(block, 2), MatrixTiles::maxWords);
    const int64_t valuePanel = std::max(block, valueWords) * panelWidthOf(spec.valueDepth);
    statistics = llvm::alignTo(packed + std::max(keyPanel, valuePanel), 16);
    partials = statistics + 5 * llvm::alignTo(rows, 16);
    results = partials + 16 * 16; // a vector for each lane
    size = results + (spec.oneBlock() ? 0 : rows * valueStride);
  }
};

} // namespace

int64_t AttentionSpec::scratchBytes() const {
  return ScratchPlan(*this).size * int64_t(sizeof(float));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

class AttentionEmitter {
public:
  AttentionEmitter(ModuleOp module, StringRef name, const Isa &isa, const AttentionSpec &spec)
      : spec(spec), plan(spec), lanes(isa.lanes),
        kernel(module, name, isa, buffers(module.getContext(), spec), spec.dimCount,
               spec.scratchBytes()),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc},
        vectorType(VectorType::get(lanes, b.getF32Type())), tileK(tileWordsOf(isa, spec)) {}

  void emit();

private:
  struct Block {
    Value begin, length; ///< keys
  };
  using RowBody = llvm::function_ref<SmallVector<Value>(Value column, Value mask, ValueRange)>;

  using Combine = llvm::function_ref<Value(Value, Value)>;

  static SmallVector<BufferArg> buffers(MLIRContext *context, const AttentionSpec &spec);
  Value number(const Extent &e) {
    return e.dynamic ? kernel.dim(e.value) : kernel.constant(e.value);
  }
  Value matrix(ArrayRef<Extent> strides, ValueRange batch, const Extent &offset = 0);
  void unit(Value number);
  void block(const Block &block);
  void scores(const Block &block);
  void dots(const Block &block);
  bool isBf16() const { return spec.dot == DotKind::Bf16; }
  bool takesDots() const {
    return !isBf16() && spec.k.transposed && !spec.q.transposed && !spec.queries.dynamic &&
           spec.queries.value < packedRows;
  }
  Value change(const Block &block, Value sums, Value row, Value column, Value mask);
  void softmaxRows(const Block &block, Value first);
  Value combined(ArrayRef<Value> vectors, Combine combine);
  Value acrossRows(Combine combine);
  SmallVector<Value> overRow(Value length, int64_t copies, ValueRange init, RowBody body);
  Value shareWordsOf(const Block &block);
  void values(const Block &block);
  void finish(Value row, Value column, Value sums, Value mask);
  void storeResult(Value row, Value column, Value result, Value mask);
  void results();
  void panels(Value length, int64_t count,
              llvm::function_ref<void(Value column, int64_t width, int64_t columns)> panel);

  Value splat(float value) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(vectorType, b.getF32FloatAttr(value).getValue()));
  }
  Value broadcast(Value scalar) { return b.create<vector::BroadcastOp>(loc, vectorType, scalar); }
  Value larger(Value x, Value y) { // as x86 has it: y if one is NaN
    Value wins = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, x, y);
    return b.create<arith::SelectOp>(loc, wins, x, y);
  }
  Value share(Value score, Value largest);
  Value load(Value memref, Value at, Value mask, float other);
  void store(Value value, Value memref, Value at, Value mask);
  Value words(unsigned which);
  Value statistic(int64_t which, Value row) {
    return math.add(row, plan.statistics + which * llvm::alignTo(spec.unitRows(), 16));
  }
  int64_t known(const Extent &e) const { return e.dynamic ? -1 : e.value; }
  /// The number of keys of a block if all blocks have it, else -1.
  int64_t blockKeys() const { return spec.oneBlock() ? spec.keys.value : -1; }

  const AttentionSpec &spec;
  const ScratchPlan plan;
  const int64_t lanes;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  VectorType vectorType;
  const int64_t tileK; ///< words of a tile of matrices, 0: none
  std::optional<MatrixTiles> tiles;
  Value queries, keys, scratch, packed;
  Value shares;     ///< scratch memory as shares are stored: f32 or bf16
  Value shareWords; ///< the same as products take them
  // Of a unit.
  SmallVector<Value> batch, keyBatch, termBases;
  Value firstRow, rows, qBase, kBase, vBase, yBase;

  enum Statistic { Factor, Reference, Largest, Sum, Correction };
};

} // namespace

SmallVector<BufferArg> AttentionEmitter::buffers(MLIRContext *context, const AttentionSpec &spec) {
  Type f32 = Float32Type::get(context);
  Type number = spec.dot == DotKind::Bf16 ? Type(BFloat16Type::get(context)) : f32;
  SmallVector<BufferArg> args(3, {number, {INT64_MAX / 64}});
  for (const AttentionSpec::Term &term : spec.terms)
    args.push_back({term.isMask ? Type(IntegerType::get(context, 8)) : f32, {INT64_MAX / 64}});
  args.push_back({number, {INT64_MAX / 64}, true});
  return args;
}

/// Element where the matrix of a batch starts.
Value AttentionEmitter::matrix(ArrayRef<Extent> strides, ValueRange batch, const Extent &offset) {
  Value base = number(offset);
  for (auto [index, stride] : llvm::zip(batch, strides))
    base = math.add(base, math.mul(index, number(stride)));
  return base;
}

void AttentionEmitter::emit() {
  queries = number(spec.queries);
  keys = number(spec.keys);
  scratch = kernel.scratch(MemRefType::get({plan.size}, b.getF32Type()), 0);
  Type word = wordType(spec.dot, b.getContext());
  packed = kernel.scratch(MemRefType::get({plan.statistics - plan.packed}, word),
                          plan.packed * int64_t(sizeof(float)));
  shares = shareWords = scratch;
  if (isBf16()) {
    shares = kernel.scratch(MemRefType::get({2 * plan.size}, b.getBF16Type()), 0);
    shareWords = kernel.scratch(MemRefType::get({plan.size}, word), 0);
  }
  if (tileK)
    tiles.emplace(kernel, spec.dot, tileK);
  kernel.keepLoops();
  forLoop(b, loc, kernel.begin(), kernel.end(), math.constant(1),
          [&](OpBuilder &, Value number) { unit(number); });
  if (tiles)
    tiles->release();
  kernel.finish();
}

void AttentionEmitter::unit(Value unitNumber) {
  Value rowBlocks = math.div(math.add(queries, spec.unitRows() - 1), spec.unitRows());
  firstRow = math.opaque(math.mul(math.rem(unitNumber, rowBlocks), spec.unitRows()));
  rows = math.opaque(math.min(math.constant(spec.unitRows()), math.sub(queries, firstRow)));
  Value rest = math.div(unitNumber, rowBlocks);
  batch.assign(spec.batch.size(), Value());
  for (size_t i = batch.size(); i-- > 0;) {
    Value extent = number(spec.batch[i]);
    batch[i] = math.opaque(i == 0 ? rest : math.rem(rest, extent));
    if (i != 0)
      rest = math.div(rest, extent);
  }
  keyBatch = batch;
  if (spec.headsPerKey != 1)
    keyBatch.back() = math.opaque(math.div(batch.back(), spec.headsPerKey));
  auto rowsFrom = [&](const MatrixLayout &layout, const Extent &offset) {
    Value start = matrix(layout.batchStrides, batch, offset);
    return math.opaque(math.add(
        start, layout.transposed ? firstRow : math.mul(firstRow, number(layout.rowStride))));
  };
  qBase = rowsFrom(spec.q, spec.qOffset);
  yBase = rowsFrom(spec.y, 0);
  kBase = math.opaque(matrix(spec.k.batchStrides, keyBatch, spec.kOffset));
  vBase = math.opaque(matrix(spec.v.batchStrides, keyBatch, spec.vOffset));
  termBases.clear();
  for (const AttentionSpec::Term &term : spec.terms) {
    SmallVector<Value> place(batch);
    place.push_back(firstRow);
    termBases.push_back(math.opaque(matrix(ArrayRef(term.strides).drop_back(), place)));
  }
  if (spec.oneBlock())
    return block({math.constant(0), keys});

  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, rows, one, [&](OpBuilder &, Value row) {
    auto set = [&](Statistic which, float value) {
      Value number = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(value));
      b.create<memref::StoreOp>(loc, number, scratch, ValueRange{statistic(which, row)});
    };
    set(Factor, 1); // stays if there are no keys at all: sums of nothing are 0
    set(Largest, -infinity);
    set(Sum, 0);
    for (int64_t column = 0; column < plan.valueStride; column += lanes)
      store(splat(0), scratch, math.add(math.mul(row, plan.valueStride), plan.results + column),
            nullptr);
  });
  forLoop(b, loc, zero, keys, math.constant(spec.keyBlock()), [&](OpBuilder &, Value begin) {
    block({begin, math.opaque(math.min(math.constant(spec.keyBlock()), math.sub(keys, begin)))});
  });
  results();
}

void AttentionEmitter::block(const Block &block) {
  scores(block);
  forLoop(b, loc, math.constant(0), rows, math.constant(lanes),
          [&](OpBuilder &, Value first) { softmaxRows(block, first); });
  values(block);
}

/// Panels over `length` columns; `count` is their number if known, else -1.
void AttentionEmitter::panels(
    Value length, int64_t count,
    llvm::function_ref<void(Value column, int64_t width, int64_t columns)> panel) {
  const int64_t width = panelWidthOf(count);
  if (count >= 0 && count < width)
    return panel(math.constant(0), width, count);
  Value whole = math.opaque(math.mul(math.div(length, width), width));
  forLoop(b, loc, math.constant(0), whole, math.constant(width),
          [&](OpBuilder &, Value column) { panel(column, width, width); });
  if (count < 0)
    return ifThenElse(b, loc, math.less(whole, length),
                      [&](OpBuilder &) { panel(whole, width, -1); });
  if (int64_t rest = count % width)
    panel(math.constant(count - rest), llvm::alignTo(rest, 16), rest);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Operand `which` of q, k and v as words.
Value AttentionEmitter::words(unsigned which) {
  return isBf16() ? flatView(b, loc, kernel.pointer(which), wordType(spec.dot, b.getContext()))
                  : kernel.buffer(which);
}

void AttentionEmitter::scores(const Block &block) {
  if (takesDots())
    return dots(block);
  const int64_t group = groupOf(spec.dot), depth = spec.depth / group;
  auto inWords = [&](Value elements) { return isBf16() ? math.div(elements, group) : elements; };
  Value stride = inWords(number(spec.k.rowStride)), one = math.constant(1);
  Value qBase = math.opaque(inWords(this->qBase)), kBase = math.opaque(inWords(this->kBase));
  panels(block.length, blockKeys(), [&](Value column, int64_t width, int64_t columns) {
    Value key = math.add(block.begin, column);
    GemmPanel job(kernel);
    job.dot = spec.dot;
    job.a = words(0);
    job.aBase = qBase;
    job.aRowStride = spec.q.transposed ? one : inWords(number(spec.q.rowStride));
    job.aKStride = spec.q.transposed ? number(spec.q.rowStride) : one;
    job.row = math.constant(0);
    job.rowEnd = rows;
    job.rowCount = known(spec.queries);
    job.unitRows = spec.unitRows();
    job.width = width;
    job.columns = columns;
    job.validColumns = math.opaque(math.min(math.sub(block.length, column), math.constant(width)));
    job.k = math.constant(depth);
    job.staticK = job.kBlock = depth;
    job.b = packed;
    job.bKStride = math.constant(width);
    job.bBase = [&](Value) { return math.constant(0); };
    job.beforePass = [&](Value, Value length) {
      Value base = math.add(kBase, spec.k.transposed ? math.mul(key, stride) : key);
      packPanel(
          kernel,
          {words(1), base, stride, spec.k.transposed, width, columns == width, job.validColumns},
          length, packed);
    };
    job.tiles = tiles ? &*tiles : nullptr;
    job.tileK = tileK;
    job.store = [&](Value row, Value offset, Value sums, Value mask) {
      Value at = math.add(column, offset);
      store(change(block, sums, row, at, mask), scratch,
            math.add(math.mul(row, plan.scoreStride), at), nullptr);
    };
    job.emit();
  });
}

/// Few queries, all of them in one unit: keys are read where they lie.
void AttentionEmitter::dots(const Block &block) {
  GemmDots job(kernel);
  job.a = kernel.buffer(0);
  for (int64_t row = 0; row < spec.queries.value; ++row)
    job.aRows.push_back(math.add(qBase, math.mul(number(spec.q.rowStride), row)));
  job.b = kernel.buffer(1);
  job.bStride = number(spec.k.rowStride);
  job.bBase = math.opaque(math.add(kBase, math.mul(block.begin, job.bStride)));
  job.end = block.length;
  if (blockKeys() >= 0)
    job.staticRest = blockKeys() % lanes;
  job.k = math.constant(spec.depth);
  job.store = [&](int64_t row, Value column, Value sums, Value mask) {
    store(change(block, sums, math.constant(row), column, mask), scratch,
          math.add(math.constant(row * plan.scoreStride), column), nullptr);
  };
  job.emit();
}

/// The scores of sums of products.
Value AttentionEmitter::change(const Block &block, Value sums, Value row, Value column,
                               Value mask) {
  Value score = sums;
  bool isScaled = spec.scale == 1;
  auto scale = [&] {
    if (!isScaled)
      score = b.create<arith::MulFOp>(loc, score, splat(spec.scale));
    isScaled = true;
  };
  for (auto [i, term] : llvm::enumerate(spec.terms)) {
    const Extent &alongKeys = term.strides.back(), &alongRows = term.strides[batch.size()];
    Value at = math.add(termBases[i], math.mul(row, number(alongRows)));
    Value memref = kernel.buffer(3 + i);
    Value x;
    if (alongKeys.value != 0) {
      EpilogueCoords coords{kernel, {}, column, vectorType, mask};
      x = coords.load(b, memref, {math.add(at, math.add(block.begin, column))});
    } else {
      Value scalar = b.create<memref::LoadOp>(loc, memref, ValueRange{at});
      x = b.create<vector::BroadcastOp>(loc, VectorType::get(lanes, scalar.getType()), scalar);
    }
    if (!term.isMask) {
      score = isScaled ? Value(b.create<arith::AddFOp>(loc, score, x))
                       : Value(b.create<vector::FMAOp>(loc, score, splat(spec.scale), x));
      isScaled = true;
      continue;
    }
    scale();
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(x.getType()));
    Value isSeen = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x, zero);
    score = b.create<arith::SelectOp>(loc, isSeen, score, splat(term.fill));
  }
  scale();
  return score;
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

Value AttentionEmitter::load(Value memref, Value at, Value mask, float other) {
  if (!mask)
    return b.create<vector::LoadOp>(loc, vectorType, memref, ValueRange{at});
  return b.create<vector::MaskedLoadOp>(loc, vectorType, memref, ValueRange{at}, mask,
                                        splat(other));
}

void AttentionEmitter::store(Value value, Value memref, Value at, Value mask) {
  if (mask)
    b.create<vector::MaskedStoreOp>(loc, memref, ValueRange{at}, mask, value);
  else
    b.create<vector::StoreOp>(loc, value, memref, ValueRange{at});
}

/// exp(score - largest), 0 where it would be denormal: products with such numbers take a hundred
/// times as long, and no sum of shares notices them, unless values differ by as much.
Value AttentionEmitter::share(Value score, Value largest) {
  Value difference = b.create<arith::SubFOp>(loc, score, largest);
  Value result = b.create<math::ExpOp>(loc, difference);
  if (spec.keepTiny)
    return result;
  Value tiny = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, difference, splat(-87.0f));
  return b.create<arith::SelectOp>(loc, tiny, splat(0), result);
}

/// Calls `body` for the vectors of [0, length), which carry values: `copies` sets of them, so that
/// one vector need not wait for the one before.
SmallVector<Value> AttentionEmitter::overRow(Value length, int64_t copies, ValueRange init,
                                             RowBody body) {
  const int64_t each = init.size() / copies;
  SmallVector<Value> state(init);
  auto step = [&](Value column, int64_t copy, Value mask, SmallVector<Value> &values) {
    SmallVector<Value> next = body(column, mask, ValueRange(values).slice(copy * each, each));
    llvm::copy(next, values.begin() + copy * each);
  };
  auto loop = [&](Value from, Value to, int64_t stride,
                  llvm::function_ref<void(Value, SmallVector<Value> &)> inside) {
    auto op = b.create<scf::ForOp>(loc, from, to, math.constant(stride), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    SmallVector<Value> carried(op.getRegionIterArgs());
    inside(op.getInductionVar(), carried);
    b.create<scf::YieldOp>(loc, carried);
    state.assign(op.getResults().begin(), op.getResults().end());
  };
  const int64_t stride = lanes * copies;
  Value whole = math.opaque(math.mul(math.div(length, stride), stride));
  loop(math.constant(0), whole, stride, [&](Value column, SmallVector<Value> &values) {
    for (int64_t copy = 0; copy < copies; ++copy)
      step(math.add(column, copy * lanes), copy, nullptr, values);
  });
  loop(whole, length, lanes, [&](Value column, SmallVector<Value> &values) {
    Value mask = b.create<vector::CreateMaskOp>(loc, VectorType::get(lanes, b.getI1Type()),
                                                math.sub(length, column));
    step(column, 0, mask, values);
  });
  return state;
}

/// Turns as many rows of scores as a vector has lanes into shares times their sum, and leaves what
/// results are multiplied with. What is known once for a row is computed for all of them in one
/// vector: across a row alone, it would be a chain of operations that each wait for the last.
void AttentionEmitter::softmaxRows(const Block &block, Value first) {
  Value end = math.min(math.add(first, lanes), rows);
  auto eachRow = [&](llvm::function_ref<Value(Value, Value)> body) {
    forLoop(b, loc, first, end, math.constant(1), [&](OpBuilder &, Value row) {
      Value result = body(row, math.mul(row, plan.scoreStride));
      store(result, scratch, math.add(math.mul(math.sub(row, first), lanes), plan.partials),
            nullptr);
    });
  };
  auto loadStatistic = [&](Statistic which) {
    return load(scratch, statistic(which, first), nullptr, 0);
  };
  auto storeStatistic = [&](Statistic which, Value value) {
    store(value, scratch, statistic(which, first), nullptr);
  };
  auto maximum = [&](Value x, Value y) { return larger(x, y); };
  auto sum = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };

  // The largest scores; vectors of a short row are not looped over.
  const int64_t count = blockKeys(), vectors = llvm::divideCeil(count, lanes);
  const bool isShort = count > 0 && vectors <= rowVectors;
  auto column = [&](Value base, int64_t i) { return math.add(base, i * lanes); };
  auto mask = [&](int64_t i) { return laneMask(b, loc, lanes, count - i * lanes); };
  eachRow([&](Value, Value base) {
    SmallVector<Value> best;
    if (isShort)
      for (int64_t i = 0; i < vectors; ++i)
        best.push_back(load(scratch, column(base, i), mask(i), -infinity));
    else
      best = overRow(block.length, 4, SmallVector<Value>(4, splat(-infinity)),
                     [&](Value column, Value mask, ValueRange best) {
                       Value x = load(scratch, math.add(base, column), mask, -infinity);
                       return SmallVector<Value>{larger(x, best[0])};
                     });
    return combined(best, maximum);
  });
  Value largest = acrossRows(maximum), before;
  if (!spec.oneBlock()) {
    before = loadStatistic(Largest);
    largest = larger(largest, before);
    storeStatistic(Largest, largest);
  }
  // Where nothing is seen yet, shares are 0 and not NaN.
  Value isNothing =
      b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, largest, splat(-infinity));
  Value reference = b.create<arith::SelectOp>(loc, isNothing, splat(0), largest);
  storeStatistic(Reference, reference);

  eachRow([&](Value row, Value base) {
    Value references =
        broadcast(b.create<memref::LoadOp>(loc, scratch, ValueRange{statistic(Reference, row)}));
    auto shareAt = [&](Value at, Value mask) {
      Value result = share(load(scratch, at, mask, -infinity), references);
      if (!isBf16()) {
        store(result, scratch, at, mask);
        return result;
      }
      // Half of the memory, so never over scores that are still to be read; lanes that do not
      // exist are zeros that the other half of a word needs.
      auto type = VectorType::get(lanes, b.getBF16Type());
      store(b.create<arith::TruncFOp>(loc, type, result), shares, math.add(base, at), nullptr);
      return result;
    };
    SmallVector<Value> sums;
    if (isShort)
      for (int64_t i = 0; i < vectors; ++i)
        sums.push_back(shareAt(column(base, i), mask(i)));
    else
      sums = overRow(block.length, 2, SmallVector<Value>(2, splat(0)),
                     [&](Value column, Value mask, ValueRange sums) {
                       Value y = shareAt(math.add(base, column), mask);
                       return SmallVector<Value>{sum(sums[0], y)};
                     });
    if (tileK) {
      Value from = math.mul(math.div(math.add(block.length, lanes - 1), lanes), lanes);
      Value none =
          b.create<arith::ConstantOp>(loc, b.getZeroAttr(VectorType::get(lanes, b.getBF16Type())));
      forLoop(b, loc, from, math.mul(shareWordsOf(block), 2), math.constant(lanes),
              [&](OpBuilder &, Value at) {
                store(none, shares, math.add(math.mul(base, 2), at), nullptr);
              });
    }
    return combined(sums, sum);
  });
  Value total = acrossRows(sum);
  if (!spec.oneBlock()) {
    Value correction = share(before, reference);
    storeStatistic(Correction, correction);
    total = b.create<vector::FMAOp>(loc, loadStatistic(Sum), correction, total);
    storeStatistic(Sum, total);
  }
  // A row that sees nothing has sums and a result of 0, which 1 / 0 makes NaN.
  Value factor = b.create<arith::DivFOp>(loc, splat(1), total);
  if (spec.zeroEmpty || spec.zeroNan) {
    Value isEmpty = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, total, splat(0));
    factor = b.create<arith::SelectOp>(loc, isEmpty, splat(1), factor);
  }
  storeStatistic(Factor, factor);
}

/// All of `vectors` as one.
Value AttentionEmitter::combined(ArrayRef<Value> vectors, Combine combine) {
  SmallVector<Value> left(vectors);
  while (left.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < left.size(); i += 2)
      next.push_back(combine(left[i], left[i + 1]));
    if (left.size() % 2)
      next.push_back(left.back());
    left = std::move(next);
  }
  return left.front();
}

/// Lane i is what the lanes of row i's vector come to; the vectors lie in scratch memory. Each
/// round combines the halves of two vectors and interleaves them. Rows that do not exist give
/// anything.
Value AttentionEmitter::acrossRows(Combine combine) {
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, lanes + i});
    high.append({lanes / 2 + i, lanes + lanes / 2 + i});
  }
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i)
    vectors.push_back(load(scratch, math.constant(plan.partials + i * lanes), nullptr, 0));
  while (vectors.size() > 1) {
    const size_t half = vectors.size() / 2;
    SmallVector<Value> next;
    for (size_t i = 0; i < half; ++i)
      next.push_back(
          combine(b.create<vector::ShuffleOp>(loc, vectors[i], vectors[i + half], low),
                  b.create<vector::ShuffleOp>(loc, vectors[i], vectors[i + half], high)));
    vectors = std::move(next);
  }
  return vectors.front();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Words of a row of shares as products take them: those past the keys are zeros.
Value AttentionEmitter::shareWordsOf(const Block &block) {
  const int64_t step = tileK ? tileK : 1, keys = step * groupOf(spec.dot);
  return math.mul(math.div(math.add(block.length, keys - 1), keys), step);
}

void AttentionEmitter::values(const Block &block) {
  const bool packs =
      isBf16() || spec.v.transposed || spec.queries.dynamic || spec.queries.value >= 48;
  Value stride = number(spec.v.rowStride), one = math.constant(1);
  panels(math.constant(spec.valueDepth), spec.valueDepth,
         [&](Value column, int64_t width, int64_t columns) {
           GemmPanel job(kernel);
           job.dot = spec.dot;
           job.a = shareWords;
           job.aBase = math.constant(0);
           job.aRowStride = math.constant(plan.scoreStride);
           job.aKStride = one;
           job.row = math.constant(0);
           job.rowEnd = rows;
           job.rowCount = known(spec.queries);
           job.unitRows = spec.unitRows();
           job.width = width;
           job.columns = columns;
           job.validColumns = math.constant(columns);
           job.k = block.length;
           job.staticK = blockKeys();
           job.kBlock = spec.keyBlock();
           if (isBf16()) {
             job.k = math.opaque(shareWordsOf(block));
             job.staticK = blockKeys() < 0 ? -1 : llvm::divideCeil(blockKeys(), 2);
             job.kBlock = llvm::divideCeil(spec.keyBlock(), 2);
           }
           job.tiles = tiles ? &*tiles : nullptr;
           job.tileK = tileK;
           job.kFitsBlock = true;
           Value start =
               math.add(vBase, spec.v.transposed ? math.add(math.mul(column, stride), block.begin)
                                                 : math.add(math.mul(block.begin, stride), column));
           start = math.opaque(start);
           if (packs) {
             job.b = packed;
             job.bKStride = math.constant(width);
             job.bBase = [&](Value) { return math.constant(0); };
             job.beforePass = [&](Value, Value length) {
               PanelSource source{kernel.buffer(2),  start, stride,
                                  spec.v.transposed, width, columns == width,
                                  job.validColumns};
               if (isBf16())
                 packPairs(kernel, source, block.length, job.k, packed);
               else
                 packPanel(kernel, source, length, packed);
             };
           } else {
             job.b = kernel.buffer(2);
             job.bKStride = stride;
             job.bBase = [&](Value) { return start; };
           }
           job.store = [&](Value row, Value offset, Value sums, Value mask) {
             finish(row, math.add(column, offset), sums, mask);
           };
           job.emit();
         });
}

/// Takes the products of a block of keys.
void AttentionEmitter::finish(Value row, Value column, Value sums, Value mask) {
  if (spec.oneBlock())
    return storeResult(row, column, sums, mask);
  Value at = math.add(math.add(math.mul(row, plan.valueStride), column), plan.results);
  Value correction =
      broadcast(b.create<memref::LoadOp>(loc, scratch, ValueRange{statistic(Correction, row)}));
  Value before = b.create<vector::LoadOp>(loc, vectorType, scratch, ValueRange{at});
  store(b.create<vector::FMAOp>(loc, before, correction, sums), scratch, at, nullptr);
}

void AttentionEmitter::storeResult(Value row, Value column, Value result, Value mask) {
  Value factor =
      broadcast(b.create<memref::LoadOp>(loc, scratch, ValueRange{statistic(Factor, row)}));
  result = b.create<arith::MulFOp>(loc, result, factor);
  if (spec.zeroNan) {
    Value isNan = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, factor, factor);
    result = b.create<arith::SelectOp>(loc, isNan, splat(0), result);
  }
  Value at = math.add(math.add(yBase, math.mul(row, number(spec.y.rowStride))), column);
  if (isBf16())
    result = b.create<arith::TruncFOp>(loc, VectorType::get(lanes, b.getBF16Type()), result);
  store(result, kernel.buffer(3 + spec.terms.size()), at, mask);
}

void AttentionEmitter::results() {
  forLoop(b, loc, math.constant(0), rows, math.constant(1), [&](OpBuilder &, Value row) {
    for (int64_t column = 0; column < spec.valueDepth; column += lanes) {
      Value at = math.add(math.mul(row, plan.valueStride), plan.results + column);
      Value result = b.create<vector::LoadOp>(loc, vectorType, scratch, ValueRange{at});
      storeResult(row, math.constant(column), result,
                  laneMask(b, loc, lanes, spec.valueDepth - column));
    }
  });
}

void dynac::cpu::emitAttention(ModuleOp module, StringRef name, const Isa &isa,
                               const AttentionSpec &spec) {
  AttentionEmitter(module, name, isa, spec).emit();
}
