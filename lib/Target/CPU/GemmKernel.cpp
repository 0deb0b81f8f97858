//===- GemmKernel.cpp - matrix product with a packed weight ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/GemmKernel.h"
#include "dynac/Target/CPU/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

namespace {

/// k steps that are unrolled; between them lies one prefetch.
constexpr int64_t unroll = 4;

class GemmEmitter {
public:
  GemmEmitter(ModuleOp module, StringRef name, const Isa &isa, const GemmSpec &spec)
      : spec(spec), plan(spec.plan), lda(spec.lda ? spec.lda : plan.k),
        kernel(module, name, isa, buffers(module.getContext(), spec), spec.dimCount,
               plan.scratchBytes),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc} {}

  void emit();

private:
  /// A panel's part of one work unit: `width` columns from `column`, rows [row, rowEnd).
  struct Panel {
    Value number, column, row, rowEnd;
    int64_t width;
    int64_t columns; ///< of `width`, those that exist in C
  };
  /// One pass over k in [begin, begin + length).
  struct Pass {
    Value begin, length, isFirst, isLast;
  };

  static SmallVector<BufferArg> buffers(MLIRContext *context, const GemmSpec &spec);
  void panel(const Panel &panel);
  void rowTiles(const Panel &panel, const Pass &pass, unsigned vectors, int64_t slice);
  void tile(const Panel &panel, const Pass &pass, unsigned rows, unsigned vectors, int64_t slice,
            Value row);
  SmallVector<Value> initialSums(const Pass &pass, unsigned count,
                                 llvm::function_ref<Value(unsigned)> load);
  bool onePass() const { return plan.kBlock >= plan.k; }

  const GemmSpec &spec;
  const GemmPlan &plan;
  const int64_t lda;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  Value a, packed, partial, output;
};

} // namespace

SmallVector<BufferArg> GemmEmitter::buffers(MLIRContext *context, const GemmSpec &spec) {
  Type f32 = Float32Type::get(context);
  const int64_t lda = spec.lda ? spec.lda : spec.plan.k;
  SmallVector<BufferArg> args = {{f32, {spec.m, lda}}, {f32, {spec.plan.packedElements()}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back(
      {spec.outputType ? spec.outputType : f32, {spec.m, spec.plan.n}, true, spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

void GemmEmitter::emit() {
  a = flatView(b, loc, kernel.pointer(0), b.getF32Type());
  packed = flatView(b, loc, kernel.pointer(1), b.getF32Type());
  output = kernel.buffer(2 + spec.extra.size());
  if (!onePass())
    partial = kernel.scratch(MemRefType::get({plan.unitRows, plan.panelWidth}, b.getF32Type()), 0);
  Value m = spec.m.dynamic ? kernel.dim(spec.m.value) : kernel.constant(spec.m.value);

  forLoop(b, loc, kernel.begin(), kernel.end(), kernel.constant(1), [&](OpBuilder &, Value unit) {
    Panel whole;
    whole.number = math.rem(unit, plan.panels);
    whole.row = math.mul(math.div(unit, plan.panels), plan.unitRows);
    whole.rowEnd = math.min(math.add(whole.row, plan.unitRows), m);
    whole.column = math.mul(whole.number, plan.panelWidth);
    whole.width = whole.columns = plan.panelWidth;
    Panel last = whole;
    last.number = math.constant(plan.panels - 1);
    last.column = math.constant((plan.panels - 1) * plan.panelWidth);
    last.width = plan.lastWidth;
    last.columns = plan.n - (plan.panels - 1) * plan.panelWidth;
    const bool lastDiffers = last.columns != plan.panelWidth;
    if (!lastDiffers)
      return panel(whole);
    if (plan.panels == 1)
      return panel(last);
    ifThenElse(
        b, loc, math.less(whole.number, last.number), [&](OpBuilder &) { panel(whole); },
        [&](OpBuilder &) { panel(last); });
  });
  kernel.finish();
}

void GemmEmitter::panel(const Panel &panel) {
  const unsigned lanes = kernel.isa().lanes;
  const unsigned vectors = tileVectors(kernel.isa(), panel.width);
  auto passOver = [&](const Pass &pass) {
    for (int64_t slice = 0; slice < panel.columns; slice += vectors * lanes)
      rowTiles(panel, pass, vectors, slice);
  };
  if (onePass())
    return passOver({math.constant(0), math.constant(plan.k), nullptr, nullptr});
  const int64_t passes = (plan.k + plan.kBlock - 1) / plan.kBlock;
  forLoop(b, loc, math.constant(0), math.constant(passes), math.constant(1),
          [&](OpBuilder &, Value number) {
            Pass pass;
            pass.begin = math.mul(number, plan.kBlock);
            pass.length =
                math.min(math.constant(plan.kBlock), math.sub(math.constant(plan.k), pass.begin));
            pass.isFirst = math.equal(number, math.constant(0));
            pass.isLast = math.equal(number, math.constant(passes - 1));
            passOver(pass);
          });
}

/// Full tiles, then what is left of the rows: one exact tile if the number of rows is known, else
/// tiles of 4, 2 and 1 rows.
void GemmEmitter::rowTiles(const Panel &panel, const Pass &pass, unsigned vectors, int64_t slice) {
  const int64_t rows = tileRows(kernel.isa(), vectors);
  auto tilesOf = [&](Value from, Value to, int64_t step) {
    forLoop(b, loc, from, to, math.constant(step),
            [&](OpBuilder &, Value row) { tile(panel, pass, step, vectors, slice, row); });
  };
  Value row = panel.row;
  auto fullTiles = [&](int64_t step) {
    Value end = math.add(row, math.mul(math.div(math.sub(panel.rowEnd, row), step), step));
    tilesOf(row, end, step);
    row = end;
  };
  if (spec.m.dynamic || spec.m.value >= rows)
    fullTiles(rows);
  if (!spec.m.dynamic) {
    // Units are whole tiles but for the last one, which ends at m.
    const int64_t lastUnit =
        spec.m.value % plan.unitRows ? spec.m.value % plan.unitRows : plan.unitRows;
    if (const int64_t rest = lastUnit % rows)
      ifThenElse(b, loc, math.less(row, panel.rowEnd),
                 [&](OpBuilder &) { tile(panel, pass, rest, vectors, slice, row); });
    return;
  }
  for (int64_t step : {4, 2, 1})
    if (step < rows)
      fullTiles(step);
}

SmallVector<Value> GemmEmitter::initialSums(const Pass &pass, unsigned count,
                                            llvm::function_ref<Value(unsigned)> load) {
  auto type = VectorType::get(kernel.isa().lanes, b.getF32Type());
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  SmallVector<Value> zeros(count, zero);
  if (!pass.isFirst)
    return zeros;
  SmallVector<Type> types(count, type);
  auto choice = b.create<scf::IfOp>(loc, types, pass.isFirst, /*withElseRegion=*/true);
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

void GemmEmitter::tile(const Panel &panel, const Pass &pass, unsigned rows, unsigned vectors,
                       int64_t slice, Value row) {
  const unsigned lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, b.getF32Type());
  auto partialIndex = [&](unsigned i) -> SmallVector<Value> {
    return {math.add(math.sub(row, panel.row), i / vectors),
            math.constant(slice + i % vectors * lanes)};
  };
  SmallVector<Value> sums = initialSums(pass, rows * vectors, [&](unsigned i) -> Value {
    return b.create<vector::LoadOp>(loc, type, partial, partialIndex(i));
  });

  MicroKernel micro = {};
  micro.rows = rows;
  micro.vectors = vectors;
  micro.lanes = lanes;
  micro.a = a;
  micro.b = packed;
  for (unsigned r = 0; r < rows; ++r)
    micro.aRow.push_back(math.constant(r * lda));
  micro.aBase = math.add(math.mul(row, lda), pass.begin);
  Value panelBase = math.mul(panel.number, plan.panelWidth * plan.k);
  micro.bBase = math.add(math.add(panelBase, slice), math.mul(pass.begin, panel.width));

  // The next panel moves to L2 while this one is in use: each row tile fetches a share of it.
  int64_t shares = panel.width / unroll;
  const int64_t tiles = llvm::divideCeil(plan.unitRows, rows);
  while (shares % 2 == 0 && shares > tiles)
    shares /= 2;
  Value share = math.min(math.div(math.sub(row, panel.row), rows), math.constant(shares - 1));
  micro.prefetchShares = slice == 0 ? shares : 0;
  micro.prefetchBase = math.add(math.add(panelBase, panel.width * plan.k),
                                math.add(math.mul(pass.begin, panel.width),
                                         math.mul(share, plan.kBlock * panel.width / shares)));
  Value blocks = math.div(pass.length, unroll);
  micro.loops = {{blocks, math.constant(unroll), math.constant(unroll * panel.width)}};
  for (int64_t u = 0; u < unroll; ++u)
    micro.steps.push_back({u, u * panel.width});
  sums = micro.emit(b, loc, sums);

  if (plan.k % unroll != 0) {
    micro.prefetchShares = 0;
    Value done = math.mul(blocks, unroll);
    micro.aBase = math.add(micro.aBase, done);
    micro.bBase = math.add(micro.bBase, math.mul(done, panel.width));
    micro.loops = {{math.sub(pass.length, done), math.constant(1), math.constant(panel.width)}};
    micro.steps = {{0, 0}};
    sums = micro.emit(b, loc, sums);
  }

  auto finish = [&](OpBuilder &) {
    for (unsigned i = 0; i < sums.size(); ++i) {
      const int64_t offset = slice + i % vectors * lanes;
      if (offset >= panel.columns)
        continue;
      Value column = math.add(panel.column, offset);
      EpilogueCoords coords{kernel,
                            {math.add(row, i / vectors), column},
                            column,
                            type,
                            laneMask(b, loc, lanes, panel.columns - offset)};
      storeTileVector(b, loc, sums[i], spec.epilogue, coords, output);
    }
  };
  if (!pass.isLast)
    return finish(b);
  ifThenElse(b, loc, pass.isLast, finish, [&](OpBuilder &) {
    for (unsigned i = 0; i < sums.size(); ++i)
      b.create<vector::StoreOp>(loc, sums[i], partial, partialIndex(i));
  });
}

void dynac::cpu::emitGemm(ModuleOp module, StringRef name, const Isa &isa, const GemmSpec &spec) {
  GemmEmitter(module, name, isa, spec).emit();
}
