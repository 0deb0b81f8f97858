//===- ConvKernel.cpp - direct convolution on blocks of 16 channels -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/ConvKernel.h"
#include "ConvPatch.h"
#include "MatrixKernel.h"
#include "WinogradKernel.h"
#include "dynac/Target/CPU/TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

/// How many words that follow each other in x also do in the packed weights, among those that an
/// output pixel reads: neighbouring taps of a row, or the channels of a block.
static int64_t wordsTogether(const ConvPlan &plan) {
  const ConvShape &s = plan.shape;
  if (plan.gathersPixels)
    return MatrixTiles::maxWords;
  return s.dilation[1] == 1 ? s.kernel[1] * s.blockWords() : s.blockWords();
}

namespace {

/// Channel steps that are unrolled.
constexpr int64_t unroll = 4;

class ConvEmitter {
public:
  ConvEmitter(ModuleOp module, StringRef name, const Isa &isa, const ConvSpec &spec)
      : spec(spec), plan(spec.plan), shape(plan.shape), block(shape.blockWords()),
        groupBlocks(shape.groupBlocks()), groupColumns(llvm::alignTo(shape.k / shape.groups, 16)),
        kernel(module, name, isa, convBuffers(module.getContext(), spec), spec.dimCount,
               plan.scratchBytes),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc},
        tileK(tileWords(isa, shape.dot, wordsTogether(plan))) {}

  void emit();

private:
  /// The outer part of a unit: an image, a group and a block of output pixels.
  struct Block {
    Value n, group, row, col; ///< row, col: first output pixel
    Value rows, cols;         ///< output pixels
    Value aOrigin;            ///< element of A that tap (0, 0) of the first pixel reads
  };
  struct Panel {
    Value columns, base; ///< output channels and elements of the packed weights before the panel
    int64_t width;
    Value slice; ///< first column of the slice within the panel
    unsigned vectors;
    bool endsInHalf; ///< the last 8 columns are padding
  };

  Value extent(const Extent &e) {
    return e.dynamic ? kernel.dim(e.value) : kernel.constant(e.value);
  }
  void setGeometry();
  Block blockOf(Value number);
  void copyPadded(const Block &block);
  void copyRow(const Block &block, Value channelBlock, Value row, int64_t channels);
  void gatherPixels(const Block &block);
  void panels(const Block &block, Value first, Value last);
  void panel(const Block &block, Value number, int64_t width, bool endsInHalf);
  void tiles(const Block &block, const Panel &panel);
  void matrices(const Block &block, const Panel &panel);
  void columnTiles(const Block &block, const Panel &panel, Value row, unsigned tileRows);
  void tile(const Block &block, const Panel &panel, Value row, Value col, unsigned tileRows,
            unsigned tileCols);
  bool gathers() const { return tileK && plan.gathersPixels; }
  int64_t staticBlockCols() const;
  int64_t prefetchShares(int64_t pixels, int64_t width) const;

  const ConvSpec &spec;
  const ConvPlan &plan;
  const ConvShape &shape;
  const int64_t block;        ///< words of a pixel that lie together in x
  const int64_t groupBlocks;  ///< such blocks per group
  const int64_t groupColumns; ///< output channels per group, padded
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;

  Value x, a, packed, output;
  Value n, h, w, rows, cols; ///< of the images as the kernel sees them (flat: one row)
  Value aPlane, aRowPitch;   ///< elements between channel blocks and rows of A
  int64_t patchCols = 0;     ///< of the padded copy
  const int64_t tileK;       ///< words of a tile of matrices, 0: none
  std::optional<MatrixTiles> matrixTiles;
};

} // namespace

/// The element type of a plain x.
static Type plainType(DotKind dot, MLIRContext *context) {
  if (dot == DotKind::U8S8)
    return IntegerType::get(context, 8);
  return Float32Type::get(context);
}

SmallVector<BufferArg> dynac::cpu::convBuffers(MLIRContext *context, const ConvSpec &spec) {
  const ConvShape &s = spec.plan.shape;
  Type word = wordType(s.dot, context);
  const int64_t blocksOut = llvm::divideCeil(s.k, 16);
  BufferArg x = {word, {s.n, s.groups * s.groupBlocks(), s.h, s.w, s.blockWords()}};
  if (s.plainInput)
    x = {plainType(s.dot, context), {s.n, s.c, s.h, s.w}};
  SmallVector<BufferArg> args = {x, {word, {spec.plan.packedElements()}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back({spec.outputType ? spec.outputType : sumType(s.dot, context),
                  {s.n, blocksOut, s.oh, s.ow, 16},
                  true,
                  spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void ConvEmitter::setGeometry() {
  n = extent(shape.n);
  h = extent(shape.h);
  w = extent(shape.w);
  rows = extent(shape.oh);
  cols = extent(shape.ow);
  if (plan.flat) {
    w = math.mul(h, w);
    cols = math.mul(rows, cols);
    h = rows = math.constant(1);
  }
  Type word = wordType(shape.dot, b.getContext());
  x = flatView(b, loc, kernel.pointer(0),
               shape.plainInput ? plainType(shape.dot, b.getContext()) : word);
  packed = flatView(b, loc, kernel.pointer(1), word);
  output = kernel.buffer(2 + spec.extra.size());
  if (!plan.padded) {
    a = x;
    aRowPitch = math.mul(w, block);
    aPlane = math.mul(h, aRowPitch);
    return;
  }
  patchCols =
      (plan.blockCols - 1) * shape.stride[1] + (shape.kernel[1] - 1) * shape.dilation[1] + 1;
  const int64_t patchRows =
      (plan.blockRows - 1) * shape.stride[0] + (shape.kernel[0] - 1) * shape.dilation[0] + 1;
  aRowPitch = math.constant(patchCols * block);
  aPlane = math.constant(patchRows * patchCols * block);
  a = kernel.scratch(MemRefType::get({plan.scratchBytes / 4}, word), 0);
}

ConvEmitter::Block ConvEmitter::blockOf(Value number) {
  Value colBlocks = math.div(math.add(cols, plan.blockCols - 1), plan.blockCols);
  Value rowBlocks = math.div(math.add(rows, plan.blockRows - 1), plan.blockRows);
  Block result;
  result.group = math.opaque(math.rem(number, shape.groups));
  Value rest = math.div(number, shape.groups);
  result.col = math.opaque(math.mul(math.rem(rest, colBlocks), plan.blockCols));
  rest = math.div(rest, colBlocks);
  result.row = math.opaque(math.mul(math.rem(rest, rowBlocks), plan.blockRows));
  result.n = math.opaque(math.div(rest, rowBlocks));
  result.rows = math.opaque(math.min(math.constant(plan.blockRows), math.sub(rows, result.row)));
  result.cols = math.opaque(math.min(math.constant(plan.blockCols), math.sub(cols, result.col)));
  if (plan.padded) {
    result.aOrigin = math.constant(0);
    return result;
  }
  Value plane =
      math.add(math.mul(result.n, groupBlocks * shape.groups), math.mul(result.group, groupBlocks));
  result.aOrigin = math.opaque(math.add(
      math.add(math.mul(plane, aPlane), math.mul(math.mul(result.row, shape.stride[0]), aRowPitch)),
      math.mul(result.col, shape.stride[1] * block)));
  return result;
}

void ConvEmitter::emit() {
  kernel.keepLoops();
  setGeometry();
  if (tileK)
    matrixTiles.emplace(kernel, shape.dot, tileK);
  // Units of one block lie together, so that its copy serves all panels of this call.
  Value one = math.constant(1);
  const int64_t perBlock = plan.groupPanels;
  Value firstBlock = math.div(kernel.begin(), perBlock);
  Value endBlock = math.div(math.add(kernel.end(), perBlock - 1), perBlock);
  forLoop(b, loc, firstBlock, endBlock, one, [&](OpBuilder &, Value number) {
    Block block = blockOf(number);
    if (plan.padded)
      copyPadded(block);
    else if (gathers())
      gatherPixels(block);
    Value base = math.mul(number, perBlock);
    Value first = math.opaque(math.max(math.sub(kernel.begin(), base), math.constant(0)));
    Value last = math.opaque(math.min(math.sub(kernel.end(), base), math.constant(perBlock)));
    panels(block, first, last);
  });
  if (tileK)
    matrixTiles->release();
  kernel.finish();
}

//===----------------------------------------------------------------------===//
// The padded copy
//===----------------------------------------------------------------------===//

void ConvEmitter::copyPadded(const Block &at) {
  Value one = math.constant(1);
  // Only what the block's own rows read: the last block may be lower.
  Value patchRows = math.add(math.mul(math.sub(at.rows, one), shape.stride[0]),
                             (shape.kernel[0] - 1) * shape.dilation[0] + 1);
  auto copyPlane = [&](Value channelBlock, int64_t channels) {
    forLoop(b, loc, math.constant(0), patchRows, one,
            [&](OpBuilder &, Value row) { copyRow(at, channelBlock, row, channels); });
  };
  if (!shape.gathersWords()) {
    forLoop(b, loc, math.constant(0), math.constant(groupBlocks), one,
            [&](OpBuilder &, Value channelBlock) { copyPlane(channelBlock, 0); });
    return;
  }
  const int64_t group = groupOf(shape.dot);
  for (int64_t word = 0; word < groupBlocks; ++word)
    copyPlane(math.constant(word), std::min(group, shape.c - word * group));
}

/// `channels`: how many channels of x become a word, 0 if they are words already.
void ConvEmitter::copyRow(const Block &at, Value channelBlock, Value row, int64_t channels) {
  Value plane = math.mul(channelBlock, groupOf(shape.dot));
  plane = channels ? math.add(math.mul(at.n, shape.c), plane)
                   : math.add(math.add(math.mul(at.n, groupBlocks * shape.groups),
                                       math.mul(at.group, groupBlocks)),
                              channelBlock);
  PaddedRow copy;
  copy.image = x;
  copy.target = a;
  copy.plane = math.mul(math.mul(plane, math.mul(h, w)), block);
  copy.y =
      math.sub(math.add(math.mul(at.row, shape.stride[0]), row), math.constant(shape.padBegin[0]));
  copy.firstCol = math.sub(math.mul(at.col, shape.stride[1]), math.constant(shape.padBegin[1]));
  copy.height = h;
  copy.width = w;
  copy.targetBase = math.add(math.mul(channelBlock, aPlane), math.mul(row, aRowPitch));
  copy.cols = patchCols;
  copy.block = block;
  copy.fill = shape.padByte * 0x01010101;
  copy.gathered = channels;
  copyPaddedRow(kernel, copy);
}

/// Pixels of a block as rows of 16 words: [groupBlocks * block / 16][pixel][16].
void ConvEmitter::gatherPixels(const Block &at) {
  Value one = math.constant(1);
  Value target = kernel.scratch(MemRefType::get({plan.scratchBytes / 4}, b.getI32Type()), 0);
  auto type = VectorType::get(block, b.getI32Type());
  const int64_t perRow = MatrixTiles::maxWords / block;
  const int64_t pixels = plan.blockRows * plan.blockCols;
  auto copyPixel = [&](Value chunk, Value row, Value col) {
    Value pixel = math.add(math.mul(row, plan.blockCols), col);
    Value to = math.mul(math.add(math.mul(chunk, pixels), pixel), MatrixTiles::maxWords);
    Value from = math.add(math.add(at.aOrigin, math.mul(row, math.mul(aRowPitch, shape.stride[0]))),
                          math.mul(col, shape.stride[1] * block));
    for (int64_t i = 0; i < perRow; ++i) {
      Value plane = math.mul(math.add(math.mul(chunk, perRow), i), aPlane);
      Value words = b.create<vector::LoadOp>(loc, type, x, ValueRange{math.add(from, plane)});
      b.create<vector::StoreOp>(loc, words, target, ValueRange{math.add(to, i * block)});
    }
  };
  forLoop(b, loc, math.constant(0), math.constant(groupBlocks / perRow), one,
          [&](OpBuilder &, Value chunk) {
            forLoop(b, loc, math.constant(0), at.rows, one, [&](OpBuilder &, Value row) {
              forLoop(b, loc, math.constant(0), at.cols, one,
                      [&](OpBuilder &, Value col) { copyPixel(chunk, row, col); });
            });
          });
}

//===----------------------------------------------------------------------===//
// Panels and tiles
//===----------------------------------------------------------------------===//

void ConvEmitter::panels(const Block &at, Value first, Value last) {
  const int64_t lastWidth = groupColumns - (plan.groupPanels - 1) * 32;
  const bool endsInHalf = shape.dot == DotKind::F32 && groupColumns - shape.k / shape.groups >= 8;
  forLoop(b, loc, first, last, math.constant(1), [&](OpBuilder &, Value number) {
    if (plan.groupPanels == 1 || (lastWidth == 32 && !endsInHalf))
      return panel(at, number, lastWidth, endsInHalf);
    ifThenElse(
        b, loc, math.less(number, math.constant(plan.groupPanels - 1)),
        [&](OpBuilder &) { panel(at, number, 32, false); },
        [&](OpBuilder &) { panel(at, number, lastWidth, endsInHalf); });
  });
}

void ConvEmitter::panel(const Block &at, Value number, int64_t width, bool endsInHalf) {
  Value columns = math.add(math.mul(at.group, groupColumns), math.mul(number, 32));
  const int64_t depth = groupBlocks * block * shape.kernel[0] * shape.kernel[1];
  Value base = math.add(math.mul(columns, depth), plan.packedBase);
  Panel result = {math.opaque(columns),
                  math.opaque(base),
                  width,
                  math.constant(0),
                  tileVectors(kernel.isa(), width),
                  false};
  if (tileK)
    return matrices(at, result);
  // LLVM runs out of registers where halves and whole vectors share factors.
  if (endsInHalf && kernel.isa().lanes == 16)
    result.vectors = 1;
  const int64_t sliceWidth = result.vectors * kernel.isa().lanes;
  const int64_t lastSlice = endsInHalf || sliceWidth >= width ? width - sliceWidth : width;
  if (lastSlice > 0)
    forLoop(b, loc, math.constant(0), math.constant(lastSlice), math.constant(sliceWidth),
            [&](OpBuilder &, Value slice) {
              result.slice = slice;
              tiles(at, result);
            });
  if (lastSlice == width)
    return;
  result.slice = math.constant(lastSlice);
  result.endsInHalf = endsInHalf;
  tiles(at, result);
}

/// Pieces of rows of the block's pixels.
void ConvEmitter::matrices(const Block &at, const Panel &panel) {
  const int64_t width = staticBlockCols(), taps = shape.kernel[0] * shape.kernel[1];
  Value cols = width > 0 ? math.constant(width) : at.cols;
  Value perRow =
      math.opaque(math.div(math.add(cols, MatrixTiles::maxRows - 1), MatrixTiles::maxRows));
  Value height = math.opaque(math.div(math.add(cols, math.sub(perRow, math.constant(1))), perRow));
  const int64_t colStep = gathers() ? tileK : shape.stride[1] * block;
  Value rowStep =
      gathers() ? math.constant(plan.blockCols * tileK) : math.mul(aRowPitch, shape.stride[0]);
  auto rowOf = [&](Value piece) { return math.div(piece, perRow); };
  auto unclamped = [&](Value piece) { return math.mul(math.rem(piece, perRow), height); };
  auto colOf = [&](Value piece) { return math.min(unclamped(piece), math.sub(cols, height)); };

  MatrixKernel matrix(kernel, *matrixTiles, shape.dot);
  matrix.a = a;
  if (gathers())
    matrix.a = kernel.scratch(MemRefType::get({plan.scratchBytes / 4}, b.getI32Type()), 0);
  matrix.b = packed;
  matrix.aRowStride = math.constant(colStep);
  matrix.bStride = math.constant(panel.width);
  matrix.bBase = panel.base;
  matrix.columnTiles = panel.width / MatrixTiles::columns;
  matrix.pieces = math.mul(at.rows, perRow);
  const int64_t depth = groupBlocks * taps * block;
  if (!shape.plainInput && !shape.oh.dynamic && !shape.ow.dynamic) {
    matrix.next = math.add(panel.base, panel.width * depth);
    matrix.nextWords = panel.width * depth;
    matrix.staticPieces = plan.blockRows * llvm::divideCeil(plan.blockCols, MatrixTiles::maxRows);
  }
  matrix.height = height;
  const int64_t tap = block * panel.width, together = wordsTogether(plan);
  if (gathers()) {
    matrix.loops.push_back({math.constant(depth / tileK),
                            math.constant(plan.blockRows * plan.blockCols * tileK),
                            math.constant(tileK * panel.width)});
  } else {
    matrix.loops.push_back({math.constant(groupBlocks), aPlane, math.constant(taps * tap)});
    if (shape.kernel[0] > 1)
      matrix.loops.push_back({math.constant(shape.kernel[0]),
                              math.mul(aRowPitch, shape.dilation[0]),
                              math.constant(shape.kernel[1] * tap)});
    if (together == block && shape.kernel[1] > 1)
      matrix.loops.push_back({math.constant(shape.kernel[1]),
                              math.constant(shape.dilation[1] * block), math.constant(tap)});
    matrix.loops.push_back({math.constant(together / tileK), math.constant(tileK),
                            math.constant(tileK * panel.width)});
  }
  matrix.aBase = [&](Value piece) {
    Value pixel = math.add(math.mul(rowOf(piece), rowStep), math.mul(colOf(piece), colStep));
    return gathers() ? pixel : math.add(at.aOrigin, pixel);
  };
  matrix.firstRow = [&](Value piece) { return math.sub(unclamped(piece), colOf(piece)); };
  Value firstBlock = math.opaque(math.div(panel.columns, 16));
  matrix.store = [&](Value piece, Value row, unsigned tile, Value sums) {
    EpilogueCoords coords{kernel,
                          {at.n, math.add(firstBlock, tile), math.add(at.row, rowOf(piece)),
                           math.add(at.col, math.add(colOf(piece), row)), math.constant(0)},
                          math.add(panel.columns, tile * MatrixTiles::columns),
                          cast<VectorType>(sums.getType()),
                          nullptr};
    storeTileVector(b, loc, sums, spec.epilogue, coords, output, coords.index);
  };
  matrix.emit();
}

/// The number of columns of a block if all blocks have the same, else -1.
int64_t ConvEmitter::staticBlockCols() const {
  if (shape.ow.dynamic || (plan.flat && shape.oh.dynamic))
    return -1;
  const int64_t all = plan.flat ? shape.oh.value * shape.ow.value : shape.ow.value;
  return all % plan.blockCols == 0 ? plan.blockCols : -1;
}

/// Tiles of several rows where a row is short (two rows of 7 pixels), else tiles within rows.
void ConvEmitter::tiles(const Block &at, const Panel &panel) {
  const int64_t pixels = tilePixels(kernel.isa(), panel.vectors, shape.dot);
  const int64_t width = staticBlockCols();
  const int64_t together = width > 0 && !plan.flat ? std::min(pixels / width, plan.blockRows) : 1;
  Value row = math.constant(0);
  if (together > 1) {
    Value end = math.opaque(math.mul(math.div(at.rows, together), together));
    forLoop(b, loc, row, end, math.constant(together), [&](OpBuilder &, Value tileRow) {
      tile(at, panel, tileRow, math.constant(0), together, width);
    });
    if (!shape.oh.dynamic && shape.oh.value % plan.blockRows == 0 && plan.blockRows % together == 0)
      return;
    row = end;
  }
  forLoop(b, loc, row, at.rows, math.constant(1),
          [&](OpBuilder &, Value tileRow) { columnTiles(at, panel, tileRow, 1); });
}

void ConvEmitter::columnTiles(const Block &at, const Panel &panel, Value row, unsigned tileRows) {
  const int64_t pixels = tilePixels(kernel.isa(), panel.vectors, shape.dot);
  auto run = [&](Value from, Value to, int64_t step) {
    forLoop(b, loc, from, to, math.constant(step),
            [&](OpBuilder &, Value col) { tile(at, panel, row, col, tileRows, step); });
  };
  const int64_t width = staticBlockCols();
  if (width > 0) {
    // Even tiles: 30 = 10 + 10 + 10, not 14 + 14 + 2.
    const int64_t count = llvm::divideCeil(width, pixels), step = llvm::divideCeil(width, count);
    const int64_t whole = width / step * step;
    run(math.constant(0), math.constant(whole), step);
    if (whole < width)
      tile(at, panel, row, math.constant(whole), tileRows, width - whole);
    return;
  }
  Value col = math.constant(0);
  for (int64_t step : {pixels, int64_t(4), int64_t(1)}) {
    Value end = math.opaque(math.add(col, math.mul(math.div(math.sub(at.cols, col), step), step)));
    run(col, end, step);
    col = end;
  }
}

/// A tile fetches 1/shares of the next panel: all tiles of the block together fetch it whole.
int64_t ConvEmitter::prefetchShares(int64_t pixels, int64_t width) const {
  const bool isStatic = !shape.oh.dynamic && !shape.ow.dynamic;
  const int64_t all = isStatic ? plan.blockRows * plan.blockCols : INT64_MAX;
  int64_t shares = width / unroll;
  while (shares > 1 && shares * pixels > all)
    shares /= 2;
  return shares;
}

void ConvEmitter::tile(const Block &at, const Panel &panel, Value row, Value col, unsigned tileRows,
                       unsigned tileCols) {
  const unsigned lanes = kernel.isa().lanes;
  auto type = VectorType::get(lanes, sumType(shape.dot, b.getContext()));
  const int64_t taps = shape.kernel[0] * shape.kernel[1], depth = groupBlocks * block * taps;

  MicroKernel micro = {};
  micro.rows = tileRows * tileCols;
  micro.vectors = panel.vectors;
  micro.lanes = lanes;
  micro.dot = shape.dot;
  if (panel.endsInHalf)
    micro.lastLanes = lanes > 8 ? 8 : 0;
  else if (shape.dot == DotKind::F32 && block > 1 && micro.rows * micro.vectors <= 3)
    micro.chains = 4;
  micro.a = a;
  micro.b = packed;
  Value rowStep = math.mul(aRowPitch, shape.stride[0]);
  const int64_t colStep = shape.stride[1] * block;
  micro.aBase = math.add(at.aOrigin, math.add(math.mul(row, rowStep), math.mul(col, colStep)));
  for (unsigned i = 0; i < tileRows; ++i)
    for (unsigned j = 0; j < tileCols; ++j)
      micro.aRow.push_back(math.add(math.mul(rowStep, i), j * colStep));
  Value columns = panel.columns;
  Value panelBase = panel.base;
  micro.bBase = math.add(panelBase, panel.slice);

  const int64_t width = panel.width;
  micro.loops.push_back({math.constant(groupBlocks), aPlane, math.constant(taps * block * width)});
  if (shape.kernel[0] > 1)
    micro.loops.push_back({math.constant(shape.kernel[0]), math.mul(aRowPitch, shape.dilation[0]),
                           math.constant(shape.kernel[1] * block * width)});
  const int64_t tapStep = shape.dilation[1] * block;
  if (shape.kernel[1] > 1)
    micro.loops.push_back(
        {math.constant(shape.kernel[1]), math.constant(tapStep), math.constant(block * width)});
  if (block == 1) {
    // One tap at a time: with the taps unrolled, LLVM would keep an input of one pixel for the next
    // pixel's other tap, and run out of registers.
    micro.steps.push_back({math.constant(0), math.constant(0)});
  } else {
    const int64_t together = std::min(unroll, block);
    if (block > together) {
      // Channels that the last block does not have are left out.
      const int64_t channels = shape.c / shape.groups - (groupBlocks - 1) * 16;
      Value count = math.constant(block / together);
      Value last =
          math.constant(llvm::divideCeil(llvm::divideCeil(channels, groupOf(shape.dot)), together));
      if (groupBlocks == 1)
        count = last;
      else if (channels <= 16 - together * groupOf(shape.dot))
        micro.lastCount = last;
      micro.loops.push_back({count, math.constant(together), math.constant(together * width)});
    }
    for (int64_t u = 0; u < together; ++u)
      micro.steps.push_back({math.constant(u), math.constant(u * width)});
  }
  if (!shape.plainInput) {
    // The weights of the next panel move to L2 while this one is in use; a tile fetches a share of
    // it.
    const int64_t shares = prefetchShares(tileRows * tileCols, width);
    Value share = math.rem(math.add(math.div(col, tileCols), math.div(row, tileRows)), shares);
    micro.prefetchShares = shares;
    micro.prefetchLines = std::max<int64_t>(1, unroll * width / 16 / shares);
    micro.prefetchBase =
        math.add(math.add(panelBase, width * depth), math.mul(share, width * depth / shares));
  }

  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  SmallVector<Value> sums =
      micro.emit(b, loc, kernel.isa(), SmallVector<Value>(micro.rows * micro.vectors, zero));

  // A tile of 16 channels and more starts at a block of channels, a narrower one lies within a
  // block.
  Value firstChannel = math.add(columns, panel.slice);
  Value firstBlock = math.opaque(math.div(firstChannel, 16));
  const bool wholeBlocks = panel.vectors * lanes >= 16;
  Value firstLane = wholeBlocks ? math.constant(0) : math.opaque(math.rem(firstChannel, 16));
  for (unsigned i = 0; i < sums.size(); ++i) {
    const unsigned pixel = i / panel.vectors, offset = i % panel.vectors * lanes;
    Value channelBlock = math.add(firstBlock, wholeBlocks ? offset / 16 : 0);
    Value lane = math.add(firstLane, wholeBlocks ? offset % 16 : offset);
    Value y = math.add(math.add(at.row, row), pixel / tileCols);
    Value x = math.add(math.add(at.col, col), pixel % tileCols);
    EpilogueCoords coords{
        kernel, {at.n, channelBlock, y, x, lane}, math.add(firstChannel, offset), type, nullptr};
    storeTileVector(b, loc, sums[i], spec.epilogue, coords, output, coords.index);
  }
}

bool dynac::cpu::convTakesTiles(const Isa &isa, const ConvPlan &plan) {
  return (!plan.winograd || plan.hasDirect) &&
         tileWords(isa, plan.shape.dot, wordsTogether(plan)) > 0;
}

void dynac::cpu::emitConv(ModuleOp module, StringRef name, const Isa &isa, const ConvSpec &spec) {
  if (!spec.plan.winograd)
    return ConvEmitter(module, name, isa, spec).emit();
  if (!convTakesTiles(isa, spec.plan))
    return emitWinograd(module, name, isa, spec);
  ConvSpec direct = spec;
  direct.plan = spec.plan.direct();
  ConvEmitter(module, name, isa, direct).emit();
}
