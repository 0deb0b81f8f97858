//===- GemmPanel.cpp - rows of A times one panel of B ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmPanel.h"
#include "MatrixKernel.h"
#include "NibbleTile.h"
#include "dynac/Target/CPU/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

/// k steps that are unrolled; between them lies one prefetch.
static constexpr int64_t unroll = 4;

unsigned GemmPanel::vectors() const { return tileVectors(kernel.isa(), width); }

void GemmPanel::emit() {
  if (tiles)
    return emitTiles();
  IndexMath math{kernel.builder(), kernel.loc()};
  if (onePass())
    return pass({math.constant(0), k, nullptr, nullptr});
  Value passes = math.opaque(math.div(math.add(k, kBlock - 1), kBlock));
  // Even without any k the epilogue runs once.
  passes = math.max(passes, math.constant(1));
  forLoop(kernel.builder(), kernel.loc(), math.constant(0), passes, math.constant(1),
          [&](OpBuilder &, Value number) {
            Pass current;
            current.begin = math.opaque(math.mul(number, kBlock));
            current.length =
                math.opaque(math.min(math.constant(kBlock), math.sub(k, current.begin)));
            current.isFirst = math.equal(number, math.constant(0));
            current.isLast = math.equal(number, math.sub(passes, math.constant(1)));
            pass(current);
          });
}

void GemmPanel::emitTiles() {
  IndexMath math{kernel.builder(), kernel.loc()};
  if (beforePass)
    beforePass(math.constant(0), k);
  Value rows =
      rowCount >= 0 && rowCount <= unitRows ? math.constant(rowCount) : math.sub(rowEnd, row);
  MatrixKernel matrix(kernel, *tiles, dot);
  matrix.a = a;
  matrix.b = b;
  matrix.aRowStride = aRowStride;
  matrix.bStride = bKStride;
  matrix.bBase = bBase(math.constant(0));
  matrix.columnTiles = width / MatrixTiles::columns;
  matrix.loops = {
      {math.opaque(math.div(k, tileK)), math.constant(tileK), math.mul(bKStride, tileK)}};
  if (next) {
    matrix.next = next;
    matrix.nextWords = width * staticK;
    matrix.staticPieces = llvm::divideCeil(unitRows, MatrixTiles::maxRows);
  }
  matrix.pieces =
      math.opaque(math.div(math.add(rows, MatrixTiles::maxRows - 1), MatrixTiles::maxRows));
  Value height = math.opaque(
      math.div(math.add(rows, math.sub(matrix.pieces, math.constant(1))), matrix.pieces));
  matrix.height = height;
  auto start = [&](Value piece) {
    return math.min(math.mul(piece, height), math.sub(rows, height));
  };
  matrix.aBase = [&](Value piece) {
    return math.add(aBase, math.mul(math.add(row, start(piece)), aRowStride));
  };
  matrix.firstRow = [&](Value piece) { return math.sub(math.mul(piece, height), start(piece)); };
  matrix.store = [&](Value piece, Value at, unsigned tile, Value sums) {
    const int64_t column = tile * MatrixTiles::columns;
    if (columns >= 0 && column >= columns)
      return;
    store(math.add(row, math.add(start(piece), at)), math.constant(column), sums,
          maskAt(math.constant(0), 0, tile));
  };
  matrix.emit();
}

/// With 16 registers a tile is a slice of the panel. Slices that lack columns are unrolled, the
/// others a loop.
void GemmPanel::pass(const Pass &current) {
  IndexMath math{kernel.builder(), kernel.loc()};
  if (beforePass)
    beforePass(current.begin, current.length);
  const int64_t sliceWidth = vectors() * kernel.isa().lanes;
  if (allColumns() && sliceWidth < width) {
    forLoop(kernel.builder(), kernel.loc(), math.constant(0), math.constant(width),
            math.constant(sliceWidth),
            [&](OpBuilder &, Value slice) { rowTiles(current, slice, -1); });
    return;
  }
  for (int64_t slice = 0; slice < (columns < 0 ? width : columns); slice += sliceWidth)
    rowTiles(current, math.constant(slice), slice);
}

/// Full tiles, then what is left of the rows: one exact tile if the number of rows is known, else
/// tiles of 4, 2 and 1 rows.
void GemmPanel::rowTiles(const Pass &current, Value slice, int64_t staticSlice) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};
  int64_t rows = tileRows(kernel.isa(), vectors(), dot);
  if (weight.kind == WeightFormat::Int4)
    rows = std::min(rows, nibbleTileRows);
  Value from = row;
  auto fullTiles = [&](int64_t step) {
    Value end = math.opaque(math.add(from, math.mul(math.div(math.sub(rowEnd, from), step), step)));
    forLoop(b, loc, from, end, math.constant(step),
            [&](OpBuilder &, Value at) { tile(current, step, at, slice, staticSlice); });
    from = end;
  };
  if (rowCount < 0 || rowCount >= rows)
    fullTiles(rows);
  if (rowCount >= 0) {
    const int64_t rest = rowCount % unitRows == 0 ? unitRows % rows : rowCount % unitRows % rows;
    if (rest)
      ifThenElse(b, loc, math.less(from, rowEnd),
                 [&](OpBuilder &) { tile(current, rest, from, slice, staticSlice); });
    return;
  }
  for (int64_t step : {4, 2, 1})
    fullTiles(step);
}

/// How many products are summed in one chain where K is known and long: a divisor of each pass's
/// whole unrolled steps. 0: all, if there is none.
int64_t GemmPanel::chainLength() const {
  constexpr int64_t longest = 256, shortest = 64;
  if (dot != DotKind::F32 || staticK <= longest)
    return 0;
  int64_t steps = staticK - staticK % unroll;
  if (!onePass())
    steps = staticK % kBlock == 0 ? kBlock : 0;
  for (int64_t chain = longest; steps && chain >= shortest; chain -= unroll)
    if (steps % chain == 0)
      return chain;
  return 0;
}

SmallVector<Value> GemmPanel::initialSums(const Pass &current, unsigned count,
                                          llvm::function_ref<Value(unsigned)> load) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  auto type = VectorType::get(kernel.isa().lanes, sumType(dot, b.getContext()));
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  SmallVector<Value> zeros(count, zero);
  if (!current.isFirst)
    return zeros;
  SmallVector<Type> types(count, type);
  auto choice = b.create<scf::IfOp>(loc, types, current.isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(loc, zeros);
  b.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> loaded;
  for (unsigned i = 0; i < count; ++i)
    loaded.push_back(load(i));
  b.create<scf::YieldOp>(loc, loaded);
  return llvm::to_vector(ValueRange(choice.getResults()));
}

/// Null if all lanes exist.
Value GemmPanel::maskAt(Value slice, int64_t staticSlice, unsigned vector) {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  const unsigned lanes = kernel.isa().lanes;
  if (allColumns())
    return nullptr;
  if (columns >= 0)
    return laneMask(b, loc, lanes, columns - staticSlice - int64_t(vector) * lanes);
  IndexMath math{b, loc};
  Value valid =
      math.max(math.sub(validColumns, math.add(slice, int64_t(vector) * lanes)), math.constant(0));
  return b.create<vector::CreateMaskOp>(loc, VectorType::get(lanes, b.getI1Type()), valid);
}

/// Adds the products of the pass to the sums of a tile.
void GemmPanel::products(const Pass &current, int64_t rows, Value at, Value slice,
                         int64_t staticSlice, SmallVector<Value> &sums) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const unsigned lanes = kernel.isa().lanes, perRow = vectors();
  MicroKernel micro = {};
  micro.rows = rows;
  micro.vectors = perRow;
  micro.lanes = lanes;
  micro.dot = dot;
  micro.a = a;
  micro.b = b;
  micro.bOther = bOther;
  micro.bMinus = bMinus;
  for (int64_t r = 0; r < rows; ++r)
    micro.aRow.push_back(math.mul(aRowStride, r));
  micro.aBase =
      math.add(aBase, math.add(math.mul(at, aRowStride), math.mul(current.begin, aKStride)));
  micro.bBase = math.add(bBase(current.begin), slice);
  if (!beforePass && !allColumns() && !next)
    for (unsigned v = 0; v < perRow; ++v)
      micro.bMasks.push_back(maskAt(slice, staticSlice, v));
  if (next && staticSlice <= 0) {
    // The next panel moves to L2 while this one is in use: each row tile fetches a share of it.
    int64_t shares = width / unroll;
    const int64_t tiles = llvm::divideCeil(unitRows, rows);
    while (shares > tiles || width / unroll % shares)
      --shares;
    Value share = math.min(math.div(math.sub(at, row), rows), math.constant(shares - 1));
    micro.prefetchShares = shares;
    const int64_t perLine = 512 / cast<MemRefType>(b.getType()).getElementTypeBitWidth();
    micro.prefetchLines = std::max<int64_t>(1, unroll * width / perLine / shares);
    micro.prefetchBase = math.add(math.add(next, math.mul(current.begin, width)),
                                  math.mul(share, kBlock * width / shares));
  }
  Value blocks = math.opaque(math.div(current.length, unroll));
  micro.loops = {{blocks, math.mul(aKStride, unroll), math.mul(bKStride, unroll)}};
  if (const int64_t chain = chainLength()) {
    micro.loops = {
        {math.opaque(math.div(current.length, chain)), math.mul(aKStride, chain),
         math.mul(bKStride, chain), /*isSeparate=*/true},
        {math.constant(chain / unroll), math.mul(aKStride, unroll), math.mul(bKStride, unroll)}};
  }
  for (int64_t u = 0; u < unroll; ++u)
    micro.steps.push_back({math.mul(aKStride, u), math.mul(bKStride, u)});
  if (dot == DotKind::F32)
    micro.chains = rows * perRow <= 3 ? 4 : rows * perRow <= 6 ? 2 : 1;
  sums = micro.emit(builder, loc, kernel.isa(), sums);

  if (staticK < 0 || staticK % unroll != 0) {
    micro.prefetchShares = 0;
    micro.chains = 1;
    Value done = math.mul(blocks, unroll);
    micro.aBase = math.add(micro.aBase, math.mul(done, aKStride));
    micro.bBase = math.add(micro.bBase, math.mul(done, bKStride));
    micro.loops = {{math.sub(current.length, done), aKStride, bKStride}};
    micro.steps.resize(1);
    sums = micro.emit(builder, loc, kernel.isa(), sums);
  }
}

void GemmPanel::tile(const Pass &current, int64_t rows, Value at, Value slice,
                     int64_t staticSlice) {
  OpBuilder &builder = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{builder, loc};
  const unsigned lanes = kernel.isa().lanes, perRow = vectors();
  auto type = VectorType::get(lanes, sumType(dot, builder.getContext()));
  auto columnOf = [&](unsigned i) { return math.add(slice, int64_t(i % perRow) * lanes); };
  auto partialIndex = [&](unsigned i) -> SmallVector<Value> {
    return {math.add(math.sub(at, row), i / perRow), columnOf(i)};
  };
  SmallVector<Value> sums;
  if (weight.kind == WeightFormat::Int4) {
    NibbleTile nibbles{
        rows,  perRow,  a,           b, {}, aRowStride, math.add(bBase(current.begin), slice),
        width, staticK, weight.block};
    nibbles.aBase = math.add(aBase, math.mul(at, aRowStride));
    sums = nibbles.emit(builder, loc, kernel.isa());
  } else {
    sums = initialSums(current, rows * perRow, [&](unsigned i) -> Value {
      return builder.create<vector::LoadOp>(loc, type, partial, partialIndex(i));
    });
    products(current, rows, at, slice, staticSlice, sums);
  }

  auto finish = [&](OpBuilder &) {
    for (unsigned i = 0; i < sums.size(); ++i) {
      const unsigned v = i % perRow;
      if (columns >= 0 && staticSlice >= 0 && staticSlice + int64_t(v) * lanes >= columns)
        continue;
      store(math.add(at, i / perRow), columnOf(i), sums[i], maskAt(slice, staticSlice, v));
    }
  };
  if (!current.isLast)
    return finish(builder);
  ifThenElse(builder, loc, current.isLast, finish, [&](OpBuilder &) {
    for (unsigned i = 0; i < sums.size(); ++i)
      builder.create<vector::StoreOp>(loc, sums[i], partial, partialIndex(i));
  });
}
