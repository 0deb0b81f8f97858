//===- WinogradKernel.cpp - F(4x4, 3x3) and F(2x2, 3x3) convolution -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is a block of tiles times a panel of output channels. The transformed inputs of a block
// serve all its panels of one call. Scratch memory: V [product][tiles][c], M [product][tiles][32],
// the padded rows of 16 channels, and one tile of outputs.
//
//===----------------------------------------------------------------------===//

#include "WinogradKernel.h"
#include "ConvPatch.h"
#include "dynac/Target/CPU/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;
using llvm::alignTo;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

constexpr double kA = winogradA, kB = winogradB, kA2 = kA * kA, kB2 = kB * kB;

class WinogradEmitter {
public:
  WinogradEmitter(ModuleOp module, StringRef name, const Isa &isa, const ConvSpec &spec)
      : spec(spec), plan(spec.plan), shape(plan.shape), g(plan),
        kernel(module, name, isa, convBuffers(module.getContext(), spec), spec.dimCount,
               plan.scratchBytes),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc}, lanes(isa.lanes),
        type(VectorType::get(isa.lanes, b.getF32Type())) {}

  void emit();

private:
  struct Block {
    Value n, row, tileRows, tiles; ///< row: first output row of each phase
  };
  struct Phase {
    Value number, row, col; ///< the first pixel's place
  };
  struct Tile {
    Phase phase;
    Value row, col, number; ///< in the phase, and in the block
  };

  void forPhases(llvm::function_ref<void(const Phase &)> body);
  void forTiles(const Block &block, const Phase &phase,
                llvm::function_ref<void(const Tile &)> body);
  void transformInputs(const Block &block);
  void transformTile(Value channelBlock, Value lane, const Tile &tile);
  void panel(const Block &block, Value number, int64_t width);
  void multiply(Value base, int64_t width);
  void transformOutputs(const Block &block, Value number, int64_t width);
  void storeTile(const Block &block, Value channel, const Tile &tile);

  Value loadInput(Value at);
  Value load(Value element) { return b.create<vector::LoadOp>(loc, type, scratch, element); }
  void store(Value value, Value element) {
    b.create<vector::StoreOp>(loc, value, scratch, element);
  }
  Value addV(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
  Value subV(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
  Value splat(double number) {
    return b.create<arith::ConstantOp>(loc,
                                       DenseElementsAttr::get(type, llvm::APFloat(float(number))));
  }
  Value mulV(double factor, Value x) { return b.create<arith::MulFOp>(loc, x, splat(factor)); }
  /// x * factor + y.
  Value fma(double factor, Value x, Value y) {
    return b.create<vector::FMAOp>(loc, x, splat(factor), y);
  }
  SmallVector<Value> inputTransform(ArrayRef<Value> d);
  SmallVector<Value> outputTransform(ArrayRef<Value> m);

  const ConvSpec &spec;
  const ConvPlan &plan;
  const ConvShape &shape;
  const WinogradGeometry g;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  const int64_t lanes;
  VectorType type;
  Value x, packed, output, scratch;
  Value patch; ///< scratch memory as words of x
};

} // namespace

void WinogradEmitter::emit() {
  kernel.keepLoops();
  x = flatView(b, loc, kernel.pointer(0), wordType(shape.dot, b.getContext()));
  packed = flatView(b, loc, kernel.pointer(1), b.getF32Type());
  output = kernel.buffer(2 + spec.extra.size());
  scratch = kernel.scratch(MemRefType::get({g.elements}, b.getF32Type()), 0);
  patch = kernel.scratch(MemRefType::get({g.elements}, wordType(shape.dot, b.getContext())), 0);
  const int64_t panels = plan.groupPanels, rowBlocks = divideCeil(shape.oh.value, plan.blockRows);
  Value one = math.constant(1);
  forLoop(b, loc, math.div(kernel.begin(), panels),
          math.div(math.add(kernel.end(), panels - 1), panels), one,
          [&](OpBuilder &, Value number) {
            Block block;
            block.n = math.opaque(math.div(number, rowBlocks));
            Value firstTile = math.mul(math.rem(number, rowBlocks), g.tileRows);
            block.row = math.opaque(math.mul(firstTile, g.side));
            Value left = math.sub(math.constant(divideCeil(g.phaseRows, g.side)), firstTile);
            block.tileRows = math.opaque(math.min(math.constant(g.tileRows), left));
            block.tiles = math.opaque(math.mul(block.tileRows, g.phases * g.tileCols));
            transformInputs(block);
            Value base = math.mul(number, panels);
            Value first = math.opaque(math.max(math.sub(kernel.begin(), base), math.constant(0)));
            Value last = math.opaque(math.min(math.sub(kernel.end(), base), math.constant(panels)));
            const int64_t lastWidth = alignTo(shape.k, 16) - (panels - 1) * 32;
            forLoop(b, loc, first, last, one, [&](OpBuilder &, Value panelNumber) {
              if (lastWidth == 32)
                return panel(block, panelNumber, 32);
              ifThenElse(
                  b, loc, math.less(panelNumber, math.constant(panels - 1)),
                  [&](OpBuilder &) { panel(block, panelNumber, 32); },
                  [&](OpBuilder &) { panel(block, panelNumber, lastWidth); });
            });
          });
  kernel.finish();
}

void WinogradEmitter::forPhases(llvm::function_ref<void(const Phase &)> body) {
  Value zero = math.constant(0);
  if (g.phases == 1)
    return body({zero, zero, zero});
  forLoop(b, loc, zero, math.constant(g.phases), math.constant(1), [&](OpBuilder &, Value phase) {
    body({phase, math.opaque(math.div(phase, shape.dilation[1])),
          math.opaque(math.rem(phase, shape.dilation[1]))});
  });
}

void WinogradEmitter::forTiles(const Block &block, const Phase &phase,
                               llvm::function_ref<void(const Tile &)> body) {
  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, block.tileRows, one, [&](OpBuilder &, Value row) {
    Value rowNumber = math.add(math.mul(phase.number, block.tileRows), row);
    forLoop(b, loc, zero, math.constant(g.tileCols), one, [&](OpBuilder &, Value col) {
      body({phase, row, col, math.add(math.mul(rowNumber, g.tileCols), col)});
    });
  });
}

void WinogradEmitter::transformInputs(const Block &block) {
  Value zero = math.constant(0), one = math.constant(1);
  const int64_t blocks = g.channels / 16, words = shape.blockWords();
  Value patchRows = math.add(math.mul(block.tileRows, g.side), 2);
  forLoop(b, loc, zero, math.constant(blocks), one, [&](OpBuilder &, Value channelBlock) {
    forPhases([&](const Phase &phase) {
      PaddedRow row;
      row.image = x;
      row.target = patch;
      row.plane = math.opaque(math.mul(math.add(math.mul(block.n, blocks), channelBlock),
                                       shape.h.value * shape.w.value * words));
      row.firstCol = math.sub(phase.col, math.constant(shape.padBegin[1]));
      row.height = math.constant(shape.h.value);
      row.width = math.constant(shape.w.value);
      row.cols = g.patchCols;
      row.block = words;
      row.step = shape.dilation[1];
      forLoop(b, loc, zero, patchRows, one, [&](OpBuilder &, Value patchRow) {
        Value y = math.mul(math.add(block.row, patchRow), shape.dilation[0]);
        row.y = math.sub(math.add(phase.row, y), math.constant(shape.padBegin[0]));
        row.targetBase = math.add(math.mul(patchRow, g.patchCols * words), g.patch);
        copyPaddedRow(kernel, row);
      });
      forLoop(b, loc, zero, math.constant(16), math.constant(lanes), [&](OpBuilder &, Value lane) {
        forTiles(block, phase, [&](const Tile &tile) { transformTile(channelBlock, lane, tile); });
      });
    });
  });
}

/// Channels of a pixel of the padded copy, from word `at` on.
Value WinogradEmitter::loadInput(Value at) {
  if (shape.dot == DotKind::F32)
    return load(at);
  const int64_t group = groupOf(shape.dot);
  auto words = VectorType::get(lanes / group, cast<MemRefType>(patch.getType()).getElementType());
  Value loaded = b.create<vector::LoadOp>(loc, words, patch, at);
  auto halves = VectorType::get(lanes, b.getBF16Type());
  Value numbers = b.create<vector::BitCastOp>(loc, halves, loaded);
  return b.create<arith::ExtFOp>(loc, type, numbers);
}

/// B^T d for one column of inputs.
SmallVector<Value> WinogradEmitter::inputTransform(ArrayRef<Value> d) {
  if (g.side == 2)
    return {subV(d[0], d[2]), addV(d[1], d[2]), subV(d[2], d[1]), subV(d[1], d[3])};
  Value p = fma(-kB2, d[2], d[4]), q = fma(-kB2, d[1], d[3]), r = fma(-kA2, d[2], d[4]),
        s = fma(-kA2, d[1], d[3]);
  auto end = [&](Value x, Value y, Value z) { return fma(kA2 * kB2, x, fma(-(kA2 + kB2), y, z)); };
  return {end(d[0], d[2], d[4]), fma(kA, q, p),  fma(-kA, q, p),
          fma(kB, s, r),         fma(-kB, s, r), end(d[1], d[3], d[5])};
}

/// A^T m for one column of products.
SmallVector<Value> WinogradEmitter::outputTransform(ArrayRef<Value> m) {
  if (g.side == 2)
    return {addV(addV(m[0], m[1]), m[2]), subV(subV(m[1], m[2]), m[3])};
  Value p = addV(m[1], m[2]), q = subV(m[1], m[2]), r = addV(m[3], m[4]), s = subV(m[3], m[4]);
  return {addV(addV(m[0], p), r), fma(kB, s, mulV(kA, q)), fma(kB2, r, mulV(kA2, p)),
          fma(kB2 * kB, s, fma(kA2 * kA, q, m[5]))};
}

void WinogradEmitter::transformTile(Value channelBlock, Value lane, const Tile &tile) {
  const int64_t words = shape.blockWords();
  Value pixel = math.add(math.mul(tile.row, g.side * g.patchCols), math.mul(tile.col, g.side));
  Value source = math.add(math.add(math.mul(pixel, words), math.div(lane, groupOf(shape.dot))),
                          math.constant(g.patch));
  SmallVector<SmallVector<Value>> half; // [column][row]
  for (int64_t column = 0; column < g.inputs; ++column) {
    SmallVector<Value> d;
    for (int64_t row = 0; row < g.inputs; ++row)
      d.push_back(loadInput(math.add(source, (row * g.patchCols + column) * words)));
    half.push_back(inputTransform(d));
  }
  Value target = math.add(math.add(math.mul(tile.number, g.channels), math.mul(channelBlock, 16)),
                          math.add(lane, g.v));
  for (int64_t row = 0; row < g.inputs; ++row) {
    SmallVector<Value> d;
    for (int64_t column = 0; column < g.inputs; ++column)
      d.push_back(half[column][row]);
    for (auto [column, value] : llvm::enumerate(inputTransform(d)))
      store(value,
            math.add(target, (row * g.inputs + int64_t(column)) * g.paddedTiles * g.channels));
  }
}

void WinogradEmitter::panel(const Block &block, Value number, int64_t width) {
  Value base = math.opaque(math.mul(number, 32 * g.channels * g.products));
  const unsigned vectors = tileVectors(kernel.isa(), width);
  const int64_t pixels = tilePixels(kernel.isa(), vectors);
  // Even tiles; the last one may run over the end into room that nobody reads.
  const int64_t rows = divideCeil(g.tiles, divideCeil(g.tiles, pixels));
  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, math.constant(g.products), one, [&](OpBuilder &, Value product) {
    forLoop(b, loc, zero, math.constant(width), math.constant(vectors * lanes),
            [&](OpBuilder &, Value slice) {
              forLoop(b, loc, zero, block.tiles, math.constant(rows), [&](OpBuilder &, Value tile) {
                MicroKernel micro = {};
                micro.rows = rows;
                micro.vectors = vectors;
                micro.lanes = lanes;
                micro.a = scratch;
                micro.b = packed;
                for (int64_t r = 0; r < rows; ++r)
                  micro.aRow.push_back(math.constant(r * g.channels));
                micro.aBase = math.add(
                    math.mul(math.add(math.mul(product, g.paddedTiles), tile), g.channels), g.v);
                Value weights = math.add(base, math.mul(product, g.channels * width));
                micro.bBase = math.add(weights, slice);
                micro.loops = {
                    {math.constant(g.channels / 4), math.constant(4), math.constant(4 * width)}};
                for (int64_t u = 0; u < 4; ++u)
                  micro.steps.push_back({math.constant(u), math.constant(u * width)});
                // The next product's weights move to L2.
                const int64_t shares =
                    std::min<int64_t>(4, llvm::bit_floor(uint64_t(divideCeil(g.tiles, rows))));
                micro.prefetchShares = shares;
                micro.prefetchLines = std::max<int64_t>(1, 4 * width / 16 / shares);
                Value share = math.rem(math.div(tile, rows), shares);
                micro.prefetchBase = math.add(math.add(weights, g.channels * width),
                                              math.mul(share, g.channels * width / shares));
                Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
                SmallVector<Value> sums =
                    micro.emit(b, loc, kernel.isa(), SmallVector<Value>(rows * vectors, none));
                Value target = math.add(
                    math.add(math.mul(math.add(math.mul(product, g.paddedTiles), tile), 32), slice),
                    g.m);
                for (unsigned i = 0; i < sums.size(); ++i)
                  store(sums[i], math.add(target, i / vectors * 32 + i % vectors * lanes));
              });
            });
  });
  transformOutputs(block, number, width);
}

void WinogradEmitter::transformOutputs(const Block &block, Value number, int64_t width) {
  Value firstChannel = math.opaque(math.mul(number, 32));
  auto transform = [&](Value column, const Tile &tile) {
    Value source = math.add(math.add(math.mul(tile.number, 32), column), g.m);
    SmallVector<SmallVector<Value>> half; // [column][row]
    for (int64_t j = 0; j < g.inputs; ++j) {
      SmallVector<Value> m;
      for (int64_t i = 0; i < g.inputs; ++i)
        m.push_back(load(math.add(source, (i * g.inputs + j) * g.paddedTiles * 32)));
      half.push_back(outputTransform(m));
    }
    for (int64_t i = 0; i < g.side; ++i) {
      SmallVector<Value> m;
      for (int64_t j = 0; j < g.inputs; ++j)
        m.push_back(half[j][i]);
      for (auto [j, value] : llvm::enumerate(outputTransform(m)))
        store(value, math.constant(g.outputs + (i * g.side + int64_t(j)) * lanes));
    }
    storeTile(block, math.add(firstChannel, column), tile);
  };
  forLoop(b, loc, math.constant(0), math.constant(width), math.constant(lanes),
          [&](OpBuilder &, Value column) {
            forPhases([&](const Phase &phase) {
              forTiles(block, phase, [&](const Tile &tile) { transform(column, tile); });
            });
          });
}

/// The outputs of a tile that exist, through the epilogue.
void WinogradEmitter::storeTile(const Block &block, Value channel, const Tile &tile) {
  Value zero = math.constant(0), one = math.constant(1), side = math.constant(g.side);
  const int64_t rowStep = shape.dilation[0], colStep = shape.dilation[1];
  // Of the phase: the first row and column of the tile, and how many there are.
  Value firstRow = math.add(block.row, math.mul(tile.row, g.side)),
        firstCol = math.mul(tile.col, g.side);
  auto exist = [&](int64_t all, Value first, int64_t step, Value at) {
    Value ofPhase = math.div(math.sub(math.constant(all + step - 1), first), step);
    return math.min(math.sub(ofPhase, at), side);
  };
  Value rows = exist(shape.oh.value, tile.phase.row, rowStep, firstRow);
  Value channelBlock = math.opaque(math.div(channel, 16)),
        lane = math.opaque(math.rem(channel, 16));
  auto put = [&](Value i, Value j) {
    Value value = load(math.add(math.mul(math.add(math.mul(i, g.side), j), lanes), g.outputs));
    Value y = math.add(tile.phase.row, math.mul(math.add(firstRow, i), rowStep));
    Value x = math.add(tile.phase.col, math.mul(math.add(firstCol, j), colStep));
    EpilogueCoords coords{kernel, {block.n, channelBlock, y, x, lane}, channel, type, nullptr};
    storeTileVector(b, loc, value, spec.epilogue, coords, output, coords.index);
  };
  auto row = [&](Value i) {
    if (shape.ow.value % (g.side * colStep) == 0) {
      for (int64_t j = 0; j < g.side; ++j)
        put(i, math.constant(j));
      return;
    }
    Value cols = exist(shape.ow.value, tile.phase.col, colStep, firstCol);
    forLoop(b, loc, zero, cols, one, [&](OpBuilder &, Value j) { put(i, j); });
  };
  forLoop(b, loc, zero, rows, one, [&](OpBuilder &, Value i) { row(i); });
}

void dynac::cpu::emitWinograd(ModuleOp module, StringRef name, const Isa &isa,
                              const ConvSpec &spec) {
  WinogradEmitter(module, name, isa, spec).emit();
}
