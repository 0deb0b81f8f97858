//===- GemmKernel.cpp - matrix product with a packed weight ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/GemmKernel.h"
#include "GemmPanel.h"
#include "GemmStrassen.h"
#include "MatrixKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

/// The element type of packed B.
static Type storedType(const GemmPlan &plan, MLIRContext *context) {
  switch (plan.weight.kind) {
  case WeightFormat::F32:
    break;
  case WeightFormat::Bf16:
    return BFloat16Type::get(context);
  case WeightFormat::Int8:
    return IntegerType::get(context, 8);
  case WeightFormat::Int4:
    return IntegerType::get(context, 32);
  }
  return wordType(plan.dot, context);
}

static SmallVector<BufferArg> gemmBuffers(MLIRContext *context, const GemmSpec &spec) {
  Type word = wordType(spec.plan.dot, context);
  const int64_t lda = spec.lda ? spec.lda : spec.plan.k;
  Type stored = storedType(spec.plan, context);
  SmallVector<BufferArg> args = {{word, {spec.m, lda}}, {stored, {spec.plan.packedWords()}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back({spec.outputType ? spec.outputType : sumType(spec.plan.dot, context),
                  {spec.m, spec.plan.n},
                  true,
                  spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

bool dynac::cpu::gemmTakesTiles(const Isa &isa, const GemmPlan &plan) {
  return tileWords(isa, plan.dot, plan.k) > 0;
}

void dynac::cpu::emitGemm(ModuleOp module, StringRef name, const Isa &isa, const GemmSpec &spec) {
  const GemmPlan &plan = spec.plan;
  const int64_t tileK = tileWords(isa, plan.dot, plan.k);
  const bool onePass = plan.kBlock >= plan.k || tileK;
  KernelFunction kernel(module, name, isa, gemmBuffers(module.getContext(), spec), spec.dimCount,
                        plan.scratchBytes);
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  IndexMath math{b, loc};

  Type word = wordType(plan.dot, b.getContext()), sum = sumType(plan.dot, b.getContext());
  Value a = flatView(b, loc, kernel.pointer(0), word);
  Value packed = flatView(b, loc, kernel.pointer(1), storedType(spec.plan, b.getContext()));
  Value scales;
  if (plan.weight.kind == WeightFormat::Int8)
    scales = flatView(b, loc, kernel.pointer(1), sum);
  Value output = kernel.buffer(2 + spec.extra.size());
  Value partial =
      onePass ? Value() : kernel.scratch(MemRefType::get({plan.unitRows, plan.panelWidth}, sum), 0);
  Value m = spec.m.dynamic ? kernel.dim(spec.m.value) : kernel.constant(spec.m.value);

  std::optional<MatrixTiles> tiles;
  if (tileK)
    tiles.emplace(kernel, plan.dot, tileK);

  const int64_t lda = spec.lda ? spec.lda : plan.k;
  auto storeSums = [&](Value row, Value column, Value sums, Value mask) {
    if (scales) { // there is one for each column of a panel, whether it exists or not
      Value at = math.add(column, scalesOffset(plan) / int64_t(sizeof(float)));
      Value scale = b.create<vector::LoadOp>(loc, cast<VectorType>(sums.getType()), scales, at);
      sums = b.create<arith::MulFOp>(loc, sums, scale);
    }
    EpilogueCoords coords{kernel, {row, column}, column, cast<VectorType>(sums.getType()), mask};
    storeTileVector(b, loc, sums, spec.epilogue, coords, output, coords.index);
  };
  auto emitPanel = [&](Value row, Value number, int64_t width, int64_t columns) {
    GemmPanel panel(kernel);
    panel.dot = plan.dot;
    panel.a = a;
    panel.aBase = math.constant(0);
    panel.aRowStride = math.constant(lda);
    panel.aKStride = math.constant(1);
    panel.row = row;
    panel.rowEnd = math.opaque(math.min(math.add(row, plan.unitRows), m));
    panel.rowCount = spec.m.dynamic ? -1 : spec.m.value;
    panel.unitRows = plan.unitRows;
    Value base = math.opaque(math.mul(number, plan.panelWidth * plan.packedRows()));
    panel.b = packed;
    panel.bKStride = math.constant(width);
    panel.bBase = [&math, base, width](Value kBegin) {
      return math.add(base, math.mul(kBegin, width));
    };
    panel.next = math.add(base, width * plan.packedRows());
    panel.weight = plan.weight;
    panel.width = width;
    panel.columns = columns;
    panel.k = math.constant(plan.k);
    panel.staticK = plan.k;
    panel.kBlock = plan.kBlock;
    panel.partial = partial;
    panel.tiles = tiles ? &*tiles : nullptr;
    panel.tileK = tileK;
    Value firstColumn = math.opaque(math.mul(number, plan.panelWidth));
    panel.store = [&](Value row, Value offset, Value sums, Value mask) {
      storeSums(row, math.add(firstColumn, offset), sums, mask);
    };
    panel.emit();
  };
  auto emitAnyPanel = [&](Value row, Value number) {
    const int64_t lastColumns = plan.n - (plan.panels - 1) * plan.panelWidth;
    if (lastColumns == plan.panelWidth)
      return emitPanel(row, number, plan.panelWidth, plan.panelWidth);
    Value last = math.constant(plan.panels - 1);
    if (plan.panels == 1)
      return emitPanel(row, last, plan.lastWidth, lastColumns);
    ifThenElse(
        b, loc, math.less(number, last),
        [&](OpBuilder &) { emitPanel(row, number, plan.panelWidth, plan.panelWidth); },
        [&](OpBuilder &) { emitPanel(row, last, plan.lastWidth, lastColumns); });
  };

  kernel.keepLoops();
  Value one = math.constant(1);
  if (!plan.pairs) {
    forLoop(b, loc, kernel.begin(), kernel.end(), one, [&](OpBuilder &, Value unit) {
      Value number = math.opaque(math.rem(unit, plan.panels));
      Value row = math.opaque(math.mul(math.div(unit, plan.panels), plan.unitRows));
      emitAnyPanel(row, number);
    });
  } else {
    StrassenUnit strassen(kernel, plan, spec.m, lda, a, packed);
    const int64_t units = plan.blockUnits();
    Value zero = math.constant(0), pairs = math.constant(plan.pairs);
    forLoop(b, loc, math.div(kernel.begin(), units),
            math.div(math.add(kernel.end(), units - 1), units), one, [&](OpBuilder &, Value block) {
              Value row = math.opaque(math.mul(block, plan.unitRows));
              Value rows = math.opaque(math.min(math.constant(plan.unitRows), math.sub(m, row)));
              Value unitBase = math.mul(block, units);
              Value first = math.opaque(math.max(math.sub(kernel.begin(), unitBase), zero));
              Value last =
                  math.opaque(math.min(math.sub(kernel.end(), unitBase), math.constant(units)));
              strassen.setRows(row, rows);
              Value pays = strassen.pays();
              ifThenElse(b, loc, b.create<arith::AndIOp>(loc, pays, math.less(first, pairs)),
                         [&](OpBuilder &) { strassen.prepare(); });
              forLoop(b, loc, first, last, one, [&](OpBuilder &, Value unit) {
                // The panels that are left to the plain product.
                Value isPair = math.less(unit, pairs);
                Value begin = b.create<arith::SelectOp>(loc, isPair, math.mul(unit, 2),
                                                        math.add(unit, pairs));
                Value end =
                    math.add(begin, b.create<arith::SelectOp>(loc, isPair, math.constant(2), one));
                auto choice = b.create<scf::IfOp>(loc, TypeRange{b.getIndexType()},
                                                  b.create<arith::AndIOp>(loc, pays, isPair),
                                                  /*withElseRegion=*/true);
                {
                  OpBuilder::InsertionGuard guard(b);
                  b.setInsertionPointToStart(choice.thenBlock());
                  Value firstColumn = math.opaque(math.mul(unit, 2 * plan.panelWidth));
                  Value isDone = strassen.multiply(unit, [&](Value row, Value column, Value sums) {
                    storeSums(row, math.add(firstColumn, column), sums, nullptr);
                  });
                  b.create<scf::YieldOp>(
                      loc, ValueRange{b.create<arith::SelectOp>(loc, isDone, end, begin)});
                  b.setInsertionPointToStart(choice.elseBlock());
                  b.create<scf::YieldOp>(loc, ValueRange{begin});
                }
                forLoop(b, loc, choice.getResult(0), end, one,
                        [&](OpBuilder &, Value panel) { emitAnyPanel(row, math.opaque(panel)); });
              });
            });
  }
  if (tiles)
    tiles->release();
  kernel.finish();
}
