//===- WinogradKernel.cpp - F(4x4, 3x3) convolution -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is a block of tiles times a panel of output channels. The transformed inputs of a block
// serve all its panels of one call. Scratch memory: V [36][tiles][c], M [36][tiles][32], the padded
// rows of 16 channels, and one tile of outputs.
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
// The plan
//===----------------------------------------------------------------------===//

namespace {

/// Sizes that follow from a plan.
struct Geometry {
  int64_t channels, tileCols, tileRows, tiles; ///< tiles of a block: tileRows * tileCols
  int64_t paddedTiles;                         ///< room for tiles of 14 and of 6 rows
  int64_t patchRows, patchCols;
  int64_t v, m, patch, outputs, elements; ///< first elements in scratch memory, and all

  explicit Geometry(const ConvPlan &plan) {
    channels = alignTo(plan.shape.c, 16);
    tileCols = divideCeil(plan.shape.ow.value, 4);
    tileRows = divideCeil(plan.blockRows, 4);
    tiles = tileRows * tileCols;
    paddedTiles = tiles + 14;
    patchRows = 4 * tileRows + 2;
    patchCols = 4 * tileCols + 2;
    v = 0;
    m = v + 36 * paddedTiles * channels;
    patch = m + 36 * paddedTiles * 32;
    outputs = patch + patchRows * patchCols * 16;
    elements = outputs + 16 * 16;
  }
};

} // namespace

bool dynac::cpu::prefersWinograd(const ConvShape &s) {
  const bool isThreeByThree = s.kernel == std::array<int64_t, 2>{3, 3} &&
                              s.stride == std::array<int64_t, 2>{1, 1} &&
                              s.dilation == std::array<int64_t, 2>{1, 1};
  if (!s.allowWinograd || s.dot != DotKind::F32 || !isThreeByThree || s.groups != 1 ||
      s.plainInput || s.oh.dynamic || s.ow.dynamic || s.h.dynamic || s.w.dynamic)
    return false;
  // Below 12x12 too many outputs of the tiles are thrown away, and weights of 4 times the size are
  // read for few tiles.
  return s.c >= 32 && s.k >= 32 && s.oh.value >= 12 && s.ow.value >= 12;
}

void dynac::cpu::planWinograd(ConvPlan &plan) {
  const int64_t tileRows = divideCeil(plan.shape.oh.value, 4),
                tileCols = divideCeil(plan.shape.ow.value, 4);
  // V and M of a block stay in the second-level cache.
  const int64_t limit = 700 * 1024 / (36 * 4 * int64_t(alignTo(plan.shape.c, 16) + 32));
  const int64_t blocks = divideCeil(tileRows, std::max<int64_t>(1, limit / tileCols));
  plan.blockRows = 4 * divideCeil(tileRows, blocks);
  plan.blockCols = plan.shape.ow.value;
  plan.scratchBytes = Geometry(plan).elements * int64_t(sizeof(float));
}

//===----------------------------------------------------------------------===//
// The points of interpolation
//===----------------------------------------------------------------------===//

// 0, +-A, +-B and infinity. With 5/8 and 3/2 the terms of the transforms are of like size and all
// coefficients exact: a convolution of 128 channels errs by 1.1e-6 (relative L2), with the usual
// 1 and 2 by 2.5e-6, computed directly by 0.9e-6.
static constexpr double kA = 0.625, kB = 1.5, kA2 = kA * kA, kB2 = kB * kB;

void dynac::cpu::packWinograd(const ConvPlan &plan, llvm::ArrayRef<float> weights,
                              llvm::MutableArrayRef<float> packed) {
  static constexpr double na = 2 * kA2 * (kA2 - kB2), nb = 2 * kB2 * (kB2 - kA2);
  static constexpr double g[6][3] = {{1 / (kA2 * kB2), 0, 0},      {1 / na, kA / na, kA2 / na},
                                     {1 / na, -kA / na, kA2 / na}, {1 / nb, kB / nb, kB2 / nb},
                                     {1 / nb, -kB / nb, kB2 / nb}, {0, 0, 1}};
  const ConvShape &s = plan.shape;
  const int64_t channels = alignTo(s.c, 16), columns = alignTo(s.k, 16);
  std::fill(packed.begin(), packed.end(), 0.f);
  for (int64_t k = 0; k < s.k; ++k) {
    const int64_t first = k / 32 * 32, width = std::min<int64_t>(32, columns - first);
    float *panel = packed.data() + first * channels * 36 + (k - first);
    for (int64_t c = 0; c < s.c; ++c) {
      const float *w = weights.data() + (k * s.c + c) * 9;
      double half[6][3];
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 3; ++j)
          half[i][j] = g[i][0] * w[j] + g[i][1] * w[3 + j] + g[i][2] * w[6 + j];
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          panel[((i * 6 + j) * channels + c) * width] =
              float(half[i][0] * g[j][0] + half[i][1] * g[j][1] + half[i][2] * g[j][2]);
    }
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

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
    Value n, row, tileRows, tiles; ///< row: first output row
  };

  void transformInputs(const Block &block);
  void transformTile(Value channelBlock, Value lane, Value tileRow, Value tileCol);
  void panel(const Block &block, Value number, int64_t width);
  void multiply(Value base, int64_t width);
  void transformOutputs(const Block &block, Value number, int64_t width);
  void storeTile(const Block &block, Value channel, Value tileRow, Value tileCol);

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
  const Geometry g;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  const int64_t lanes;
  VectorType type;
  Value x, packed, output, scratch;
};

} // namespace

void WinogradEmitter::emit() {
  kernel.keepLoops();
  x = flatView(b, loc, kernel.pointer(0), b.getF32Type());
  packed = flatView(b, loc, kernel.pointer(1), b.getF32Type());
  output = kernel.buffer(2 + spec.extra.size());
  scratch = kernel.scratch(MemRefType::get({g.elements}, b.getF32Type()), 0);
  const int64_t panels = plan.groupPanels, rowBlocks = divideCeil(shape.oh.value, plan.blockRows);
  Value one = math.constant(1);
  forLoop(b, loc, math.div(kernel.begin(), panels),
          math.div(math.add(kernel.end(), panels - 1), panels), one,
          [&](OpBuilder &, Value number) {
            Block block;
            block.n = math.opaque(math.div(number, rowBlocks));
            block.row = math.opaque(math.mul(math.rem(number, rowBlocks), plan.blockRows));
            Value rows = math.min(math.constant(plan.blockRows),
                                  math.sub(math.constant(shape.oh.value), block.row));
            block.tileRows = math.opaque(math.div(math.add(rows, 3), 4));
            block.tiles = math.opaque(math.mul(block.tileRows, g.tileCols));
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

void WinogradEmitter::transformInputs(const Block &block) {
  Value zero = math.constant(0), one = math.constant(1);
  const int64_t blocks = g.channels / 16;
  Value patchRows = math.add(math.mul(block.tileRows, 4), 2);
  forLoop(b, loc, zero, math.constant(blocks), one, [&](OpBuilder &, Value channelBlock) {
    PaddedRow row;
    row.image = x;
    row.target = scratch;
    row.plane = math.opaque(math.mul(math.add(math.mul(block.n, blocks), channelBlock),
                                     shape.h.value * shape.w.value * 16));
    row.firstCol = math.constant(-shape.padBegin[1]);
    row.height = math.constant(shape.h.value);
    row.width = math.constant(shape.w.value);
    row.cols = g.patchCols;
    row.block = 16;
    forLoop(b, loc, zero, patchRows, one, [&](OpBuilder &, Value patchRow) {
      row.y = math.sub(math.add(block.row, patchRow), math.constant(shape.padBegin[0]));
      row.targetBase = math.add(math.mul(patchRow, g.patchCols * 16), g.patch);
      copyPaddedRow(kernel, row);
    });
    forLoop(b, loc, zero, math.constant(16), math.constant(lanes), [&](OpBuilder &, Value lane) {
      forLoop(b, loc, zero, block.tileRows, one, [&](OpBuilder &, Value tileRow) {
        forLoop(b, loc, zero, math.constant(g.tileCols), one, [&](OpBuilder &, Value tileCol) {
          transformTile(channelBlock, lane, tileRow, tileCol);
        });
      });
    });
  });
}

/// B^T d for one column of six.
SmallVector<Value> WinogradEmitter::inputTransform(ArrayRef<Value> d) {
  Value p = fma(-kB2, d[2], d[4]), q = fma(-kB2, d[1], d[3]), r = fma(-kA2, d[2], d[4]),
        s = fma(-kA2, d[1], d[3]);
  auto end = [&](Value x, Value y, Value z) { return fma(kA2 * kB2, x, fma(-(kA2 + kB2), y, z)); };
  return {end(d[0], d[2], d[4]), fma(kA, q, p),  fma(-kA, q, p),
          fma(kB, s, r),         fma(-kB, s, r), end(d[1], d[3], d[5])};
}

/// A^T m for one column of six.
SmallVector<Value> WinogradEmitter::outputTransform(ArrayRef<Value> m) {
  Value p = addV(m[1], m[2]), q = subV(m[1], m[2]), r = addV(m[3], m[4]), s = subV(m[3], m[4]);
  return {addV(addV(m[0], p), r), fma(kB, s, mulV(kA, q)), fma(kB2, r, mulV(kA2, p)),
          fma(kB2 * kB, s, fma(kA2 * kA, q, m[5]))};
}

void WinogradEmitter::transformTile(Value channelBlock, Value lane, Value tileRow, Value tileCol) {
  Value source =
      math.add(math.add(math.mul(tileRow, 4 * g.patchCols * 16), math.mul(tileCol, 4 * 16)),
               math.add(lane, g.patch));
  SmallVector<SmallVector<Value>> half; // [column][row]
  for (int64_t column = 0; column < 6; ++column) {
    SmallVector<Value> d;
    for (int64_t row = 0; row < 6; ++row)
      d.push_back(load(math.add(source, (row * g.patchCols + column) * 16)));
    half.push_back(inputTransform(d));
  }
  Value tile = math.add(math.mul(tileRow, g.tileCols), tileCol);
  Value target = math.add(math.add(math.mul(tile, g.channels), math.mul(channelBlock, 16)),
                          math.add(lane, g.v));
  for (int64_t row = 0; row < 6; ++row) {
    SmallVector<Value> d;
    for (int64_t column = 0; column < 6; ++column)
      d.push_back(half[column][row]);
    for (auto [column, value] : llvm::enumerate(inputTransform(d)))
      store(value, math.add(target, (row * 6 + int64_t(column)) * g.paddedTiles * g.channels));
  }
}

void WinogradEmitter::panel(const Block &block, Value number, int64_t width) {
  Value base = math.opaque(math.mul(number, 32 * g.channels * 36));
  const unsigned vectors = tileVectors(kernel.isa(), width);
  const int64_t pixels = tilePixels(kernel.isa(), vectors);
  // Even tiles; the last one may run over the end into room that nobody reads.
  const int64_t rows = divideCeil(g.tiles, divideCeil(g.tiles, pixels));
  Value zero = math.constant(0), one = math.constant(1);
  forLoop(b, loc, zero, math.constant(36), one, [&](OpBuilder &, Value product) {
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
  Value zero = math.constant(0), one = math.constant(1);
  Value firstChannel = math.opaque(math.mul(number, 32));
  forLoop(b, loc, zero, math.constant(width), math.constant(lanes), [&](OpBuilder &, Value column) {
    Value channel = math.add(firstChannel, column);
    forLoop(b, loc, zero, block.tileRows, one, [&](OpBuilder &, Value tileRow) {
      forLoop(b, loc, zero, math.constant(g.tileCols), one, [&](OpBuilder &, Value tileCol) {
        Value tile = math.add(math.mul(tileRow, g.tileCols), tileCol);
        Value source = math.add(math.add(math.mul(tile, 32), column), g.m);
        SmallVector<SmallVector<Value>> half; // [column][row]
        for (int64_t j = 0; j < 6; ++j) {
          SmallVector<Value> m;
          for (int64_t i = 0; i < 6; ++i)
            m.push_back(load(math.add(source, (i * 6 + j) * g.paddedTiles * 32)));
          half.push_back(outputTransform(m));
        }
        for (int64_t i = 0; i < 4; ++i) {
          SmallVector<Value> m;
          for (int64_t j = 0; j < 6; ++j)
            m.push_back(half[j][i]);
          for (auto [j, value] : llvm::enumerate(outputTransform(m)))
            store(value, math.constant(g.outputs + (i * 4 + int64_t(j)) * lanes));
        }
        storeTile(block, channel, tileRow, tileCol);
      });
    });
  });
}

/// The outputs of a tile that exist, through the epilogue.
void WinogradEmitter::storeTile(const Block &block, Value channel, Value tileRow, Value tileCol) {
  Value zero = math.constant(0), one = math.constant(1), four = math.constant(4);
  Value y = math.add(block.row, math.mul(tileRow, 4)), xFirst = math.mul(tileCol, 4);
  Value rows = math.min(math.sub(math.constant(shape.oh.value), y), four);
  Value channelBlock = math.opaque(math.div(channel, 16)),
        lane = math.opaque(math.rem(channel, 16));
  auto put = [&](Value i, Value j) {
    Value value = load(math.add(math.mul(math.add(math.mul(i, 4), j), lanes), g.outputs));
    EpilogueCoords coords{kernel,
                          {block.n, channelBlock, math.add(y, i), math.add(xFirst, j), lane},
                          channel,
                          type,
                          nullptr};
    storeTileVector(b, loc, value, spec.epilogue, coords, output, coords.index);
  };
  auto row = [&](Value i) {
    if (shape.ow.value % 4 == 0) {
      for (int64_t j = 0; j < 4; ++j)
        put(i, math.constant(j));
      return;
    }
    Value cols = math.min(math.sub(math.constant(shape.ow.value), xFirst), four);
    forLoop(b, loc, zero, cols, one, [&](OpBuilder &, Value j) { put(i, j); });
  };
  forLoop(b, loc, zero, rows, one, [&](OpBuilder &, Value i) { row(i); });
}

void dynac::cpu::emitWinograd(ModuleOp module, StringRef name, const Isa &isa,
                              const ConvSpec &spec) {
  WinogradEmitter(module, name, isa, spec).emit();
}
