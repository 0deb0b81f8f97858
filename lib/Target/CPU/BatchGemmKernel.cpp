//===- BatchGemmKernel.cpp - products of two activations ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/BatchGemmKernel.h"
#include "GemmDots.h"
#include "GemmPanel.h"
#include "PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

/// k per pass: a packed panel of 64 columns takes 128 KB of the second-level cache.
static constexpr int64_t kBlock = 512;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

int64_t BatchGemmSpec::panelWidth() const {
  if (n.dynamic)
    return 64;
  if (n.value <= 64)
    return llvm::alignTo(std::max<int64_t>(n.value, 1), 16);
  return n.value % 64 != 0 && n.value % 48 == 0 ? 48 : 64;
}

int64_t BatchGemmSpec::unitRows() const {
  return m.dynamic ? mostRows : std::clamp<int64_t>(m.value, 1, mostRows);
}

/// Rows that are worth packing a transposed panel for.
static constexpr int64_t packedRows = 9;

bool BatchGemmSpec::takesDots() const {
  const bool isVector = a.transposed && !a.rowStride.dynamic && a.rowStride.value == 1;
  return b.transposed && !m.dynamic && m.value < (isVector ? 2 : packedRows) &&
         (!a.transposed || isVector);
}

bool BatchGemmSpec::packs() const {
  return !takesDots() && (b.transposed || m.dynamic || m.value >= 48);
}

int64_t BatchGemmSpec::scratchBytes() const {
  if (takesDots())
    return 0;
  const bool onePass = !k.dynamic && k.value <= kBlock;
  const int64_t packed =
      packs() ? (onePass ? k.value : kBlock) * panelWidth() * int64_t(sizeof(float)) : 0;
  return packed + (onePass ? 0 : unitRows() * panelWidth() * int64_t(sizeof(float)));
}

int64_t BatchGemmSpec::units(int64_t batchCount, int64_t rows, int64_t columns) const {
  return batchCount * llvm::divideCeil(rows, unitRows()) * llvm::divideCeil(columns, panelWidth());
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

class BatchGemmEmitter {
public:
  BatchGemmEmitter(ModuleOp module, StringRef name, const Isa &isa, const BatchGemmSpec &spec)
      : spec(spec), width(spec.panelWidth()), unitRows(spec.unitRows()),
        onePass(!spec.k.dynamic && spec.k.value <= kBlock),
        kernel(module, name, isa, buffers(module.getContext(), spec), spec.dimCount,
               spec.scratchBytes()),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc} {}

  void emit();

private:
  /// One panel of one unit.
  struct Unit {
    SmallVector<Value> batch;
    Value row, column;
    int64_t width, columns; ///< as in GemmPanel
  };

  static SmallVector<BufferArg> buffers(MLIRContext *context, const BatchGemmSpec &spec);
  Value number(const Extent &e) {
    return e.dynamic ? kernel.dim(e.value) : kernel.constant(e.value);
  }
  /// Element where the matrix of this unit's batch starts.
  Value matrix(const MatrixLayout &layout, ValueRange batch);
  void panel(const Unit &unit);
  void dots(const Unit &unit);
  void pack(Value from, Value length, const Unit &unit, Value validColumns);

  const BatchGemmSpec &spec;
  const int64_t width, unitRows;
  const bool onePass;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  Value aBuffer, bBuffer, output, packed, partial;
  Value m, n, k;
};

} // namespace

SmallVector<BufferArg> BatchGemmEmitter::buffers(MLIRContext *context, const BatchGemmSpec &spec) {
  // Operands are addressed by their layouts; the flat extent here takes no part in that.
  Type f32 = Float32Type::get(context);
  SmallVector<BufferArg> args = {{f32, {INT64_MAX / 64}}, {f32, {INT64_MAX / 64}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back(
      {spec.outputType ? spec.outputType : f32, {INT64_MAX / 64}, true, spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

Value BatchGemmEmitter::matrix(const MatrixLayout &layout, ValueRange batch) {
  Value base = math.constant(0);
  for (auto [index, stride] : llvm::zip(batch, layout.batchStrides))
    base = math.add(base, math.mul(index, number(stride)));
  return math.opaque(base);
}

void BatchGemmEmitter::emit() {
  m = number(spec.m);
  n = number(spec.n);
  k = number(spec.k);
  aBuffer = kernel.buffer(0);
  bBuffer = kernel.buffer(1);
  output = kernel.buffer(2 + spec.extra.size());
  const int64_t packedBytes =
      spec.packs() ? (onePass ? spec.k.value : kBlock) * width * int64_t(sizeof(float)) : 0;
  if (spec.packs())
    packed = kernel.scratch(MemRefType::get({packedBytes / 4}, b.getF32Type()), 0);
  if (!onePass && !spec.takesDots())
    partial = kernel.scratch(MemRefType::get({unitRows, width}, b.getF32Type()), packedBytes);

  Value panels = math.div(math.add(n, width - 1), width);
  Value rowBlocks = math.div(math.add(m, unitRows - 1), unitRows);
  kernel.keepLoops();
  forLoop(b, loc, kernel.begin(), kernel.end(), math.constant(1), [&](OpBuilder &, Value number) {
    Unit unit;
    Value panelNumber = math.rem(number, panels), rest = math.div(number, panels);
    unit.column = math.opaque(math.mul(panelNumber, width));
    unit.row = math.opaque(math.mul(math.rem(rest, rowBlocks), unitRows));
    rest = math.div(rest, rowBlocks);
    unit.batch.resize(spec.batch.size());
    for (size_t i = spec.batch.size(); i-- > 0;) {
      Value extent = this->number(spec.batch[i]);
      unit.batch[i] = math.opaque(i == 0 ? rest : math.rem(rest, extent));
      if (i != 0)
        rest = math.div(rest, extent);
    }
    if (spec.takesDots())
      return dots(unit);
    Unit whole = unit, last = unit;
    whole.width = whole.columns = width;
    const int64_t lastColumns = spec.n.dynamic ? -1 : spec.n.value % width;
    last.width = lastColumns < 0 ? width : llvm::alignTo(lastColumns, 16);
    last.columns = lastColumns;
    if (lastColumns == 0)
      return panel(whole);
    if (!spec.n.dynamic && spec.n.value < width)
      return panel(last);
    ifThenElse(
        b, loc, math.less(n, math.add(unit.column, width)), [&](OpBuilder &) { panel(last); },
        [&](OpBuilder &) { panel(whole); });
  });
  kernel.finish();
}

void BatchGemmEmitter::panel(const Unit &unit) {
  Value one = math.constant(1);
  GemmPanel job(kernel);
  job.a = aBuffer;
  job.aBase = matrix(spec.a, unit.batch);
  job.aRowStride = spec.a.transposed ? one : number(spec.a.rowStride);
  job.aKStride = spec.a.transposed ? number(spec.a.rowStride) : one;
  job.row = unit.row;
  job.rowEnd = math.opaque(math.min(math.add(unit.row, unitRows), m));
  job.rowCount = spec.m.dynamic ? -1 : spec.m.value;
  job.unitRows = unitRows;
  job.width = unit.width;
  job.columns = unit.columns;
  job.validColumns = math.opaque(math.min(math.sub(n, unit.column), math.constant(unit.width)));
  job.k = k;
  job.staticK = spec.k.dynamic ? -1 : spec.k.value;
  job.kBlock = onePass ? spec.k.value : kBlock;
  job.partial = partial;
  if (spec.packs()) {
    job.b = packed;
    job.bKStride = math.constant(unit.width);
    job.bBase = [&](Value) { return math.constant(0); };
    job.beforePass = [&](Value begin, Value length) {
      pack(begin, length, unit, job.validColumns);
    };
  } else {
    Value base = math.add(matrix(spec.b, unit.batch), unit.column),
          stride = number(spec.b.rowStride);
    job.b = bBuffer;
    job.bKStride = stride;
    job.bBase = [&, base, stride](Value begin) { return math.add(base, math.mul(begin, stride)); };
  }
  Value c = matrix(spec.c, unit.batch), cStride = number(spec.c.rowStride);
  job.store = [&](Value row, Value offset, Value sums, Value mask) {
    Value column = math.add(unit.column, offset);
    EpilogueCoords coords{kernel, {}, column, cast<VectorType>(sums.getType()), mask};
    coords.index.append(unit.batch.begin(), unit.batch.end());
    coords.index.append({row, column});
    Value element = math.add(math.add(c, math.mul(row, cStride)), column);
    storeTileVector(b, loc, sums, spec.epilogue, coords, output, element);
  };
  job.emit();
}

void BatchGemmEmitter::dots(const Unit &unit) {
  GemmDots job(kernel);
  job.a = aBuffer;
  job.b = bBuffer;
  Value a = matrix(spec.a, unit.batch);
  for (int64_t row = 0; row < spec.m.value; ++row)
    job.aRows.push_back(row == 0 ? a : math.add(a, math.mul(this->number(spec.a.rowStride), row)));
  job.bStride = number(spec.b.rowStride);
  job.bBase = math.add(matrix(spec.b, unit.batch), math.mul(unit.column, job.bStride));
  job.end = math.opaque(math.min(math.sub(n, unit.column), math.constant(width)));
  if (!spec.n.dynamic)
    job.staticRest = spec.n.value % kernel.isa().lanes;
  job.k = k;
  Value c = matrix(spec.c, unit.batch), cStride = number(spec.c.rowStride);
  job.store = [&](int64_t row, Value offset, Value sums, Value mask) {
    Value column = math.add(unit.column, offset);
    EpilogueCoords coords{kernel, {}, column, cast<VectorType>(sums.getType()), mask};
    coords.index.append(unit.batch.begin(), unit.batch.end());
    coords.index.append({math.constant(row), column});
    Value element = math.add(math.add(c, math.mul(cStride, row)), column);
    storeTileVector(b, loc, sums, spec.epilogue, coords, output, element);
  };
  job.emit();
}

void BatchGemmEmitter::pack(Value from, Value length, const Unit &unit, Value validColumns) {
  Value stride = number(spec.b.rowStride), start = matrix(spec.b, unit.batch);
  Value base = spec.b.transposed ? math.add(math.add(start, math.mul(unit.column, stride)), from)
                                 : math.add(math.add(start, unit.column), math.mul(from, stride));
  packPanel(kernel,
            {bBuffer, base, stride, spec.b.transposed, unit.width, unit.columns == unit.width,
             validColumns},
            length, packed);
}

void dynac::cpu::emitBatchGemm(ModuleOp module, StringRef name, const Isa &isa,
                               const BatchGemmSpec &spec) {
  BatchGemmEmitter(module, name, isa, spec).emit();
}
