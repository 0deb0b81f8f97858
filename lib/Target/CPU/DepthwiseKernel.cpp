//===- DepthwiseKernel.cpp - depthwise convolution in blocks of 16 --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/DepthwiseKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;

DepthwisePlan dynac::cpu::planDepthwise(const ConvShape &shape, bool channelsLast,
                                        int64_t blockRows) {
  DepthwisePlan plan = {shape, blockRows ? blockRows : 8, channelsLast};
  if (!shape.oh.dynamic)
    plan.blockRows = std::clamp<int64_t>(shape.oh.value, 1, plan.blockRows);
  return plan;
}

void dynac::cpu::packDepthwise(const DepthwisePlan &plan, llvm::ArrayRef<float> weights,
                               llvm::MutableArrayRef<float> packed) {
  const int64_t taps = plan.shape.kernel[0] * plan.shape.kernel[1];
  for (int64_t i = 0, end = plan.packedElements(); i < end; ++i) {
    const int64_t lane = i % 16, tap = i / 16 % taps, channel = i / 16 / taps * 16 + lane;
    packed[i] = channel < plan.shape.c ? weights[channel * taps + tap] : 0.f;
  }
}

namespace {

class DepthwiseEmitter {
public:
  DepthwiseEmitter(ModuleOp module, StringRef name, const Isa &isa, const DepthwiseSpec &spec)
      : spec(spec), shape(spec.plan.shape),
        kernel(module, name, isa, buffers(module.getContext(), spec), spec.dimCount),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc},
        type(VectorType::get(isa.lanes, b.getF32Type())) {}

  void emit();

private:
  /// A row of output pixels of one channel block, lanes [lane, lane + isa.lanes).
  struct Row {
    Value n, channelBlock, y, lane;
    Value firstTap, endTap; ///< vertical taps that lie within x
    Value plane,
        weights; ///< element of x / of the weights where the channel block starts (lane included)
  };
  /// Horizontal taps that a pixel may use: all, but at the border.
  using TapFilter = llvm::function_ref<bool(int64_t pixel, int64_t tap)>;

  static SmallVector<BufferArg> buffers(MLIRContext *context, const DepthwiseSpec &spec);
  Value extent(const Extent &e) {
    return e.dynamic ? kernel.dim(e.value) : kernel.constant(e.value);
  }
  void block(Value unit);
  void row(const Row &row);
  void staticColumns(const Row &row);
  void dynamicColumns(const Row &row);
  void tile(const Row &row, Value col, int64_t pixels, TapFilter uses);
  void borderPixel(const Row &row, Value col);
  void multiplyRow(const Row &row, Value tapRow, Value col, int64_t pixels, TapFilter uses,
                   SmallVector<Value> &sums);
  Value inputRow(const Row &row, Value tapRow);
  void store(const Row &row, Value col, Value sum);
  /// Elements from one pixel to the next.
  int64_t pixel() const { return spec.plan.channelsLast ? shape.c : 16; }
  int64_t tilePixelLimit() const { return kernel.isa().registers == 32 ? 14 : 7; }

  const DepthwiseSpec &spec;
  const ConvShape &shape;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  VectorType type;
  Value x, packed, output, h, w, rows, cols;
};

} // namespace

SmallVector<BufferArg> DepthwiseEmitter::buffers(MLIRContext *context, const DepthwiseSpec &spec) {
  Type f32 = Float32Type::get(context);
  const ConvShape &s = spec.plan.shape;
  const int64_t blocks = llvm::divideCeil(s.c, 16);
  auto image = [&](Extent rows, Extent cols) -> SmallVector<Extent> {
    if (spec.plan.channelsLast)
      return {s.n, rows, cols, s.c};
    return {s.n, blocks, rows, cols, 16};
  };
  SmallVector<BufferArg> args = {{f32, image(s.h, s.w)}, {f32, {spec.plan.packedElements()}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back(
      {spec.outputType ? spec.outputType : f32, image(s.oh, s.ow), true, spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

void DepthwiseEmitter::emit() {
  h = extent(shape.h);
  w = extent(shape.w);
  rows = extent(shape.oh);
  cols = extent(shape.ow);
  x = flatView(b, loc, kernel.pointer(0), b.getF32Type());
  packed = flatView(b, loc, kernel.pointer(1), b.getF32Type());
  output = kernel.buffer(2 + spec.extra.size());
  kernel.keepLoops();
  forLoop(b, loc, kernel.begin(), kernel.end(), math.constant(1),
          [&](OpBuilder &, Value unit) { block(unit); });
  kernel.finish();
}

void DepthwiseEmitter::block(Value unit) {
  const int64_t blocks = llvm::divideCeil(shape.c, 16), blockRows = spec.plan.blockRows;
  Value rowBlocks = math.div(math.add(rows, blockRows - 1), blockRows);
  Row common = {};
  // All blocks of the same rows lie side by side if channels are last: they come one after another.
  const bool last = spec.plan.channelsLast;
  Value outer = math.opaque(math.div(unit, last ? math.constant(blocks) : rowBlocks));
  Value inner = math.opaque(math.rem(unit, last ? math.constant(blocks) : rowBlocks));
  common.channelBlock = last ? inner : math.opaque(math.rem(outer, blocks));
  common.n = math.opaque(math.div(outer, last ? rowBlocks : math.constant(blocks)));
  Value rowBlock = last ? math.opaque(math.rem(outer, rowBlocks)) : inner;
  Value first = math.opaque(math.mul(rowBlock, blockRows));
  Value end = math.opaque(math.min(math.add(first, blockRows), rows));
  const int64_t lanes = kernel.isa().lanes;
  forLoop(b, loc, math.constant(0), math.constant(16), math.constant(lanes),
          [&](OpBuilder &, Value lane) {
            common.lane = lane;
            Value image = math.mul(h, w);
            Value start = last ? math.add(math.mul(common.n, math.mul(image, shape.c)),
                                          math.mul(common.channelBlock, 16))
                               : math.mul(math.mul(outer, image), 16);
            common.plane = math.opaque(math.add(start, lane));
            common.weights = math.add(
                math.mul(common.channelBlock, 16 * shape.kernel[0] * shape.kernel[1]), lane);
            forLoop(b, loc, first, end, math.constant(1), [&](OpBuilder &, Value y) {
              Row current = common;
              current.y = y;
              row(current);
            });
          });
}

void DepthwiseEmitter::row(const Row &at) {
  Row current = at;
  const int64_t dilation = shape.dilation[0];
  auto ceilDiv = [&](Value value) { return math.div(math.add(value, dilation - 1), dilation); };
  // Tap i reads row y * stride - pad + i * dilation, which must be in [0, h).
  Value zero = math.constant(0), taps = math.constant(shape.kernel[0]);
  Value start = math.mul(at.y, shape.stride[0]);
  Value above = math.max(math.sub(math.constant(shape.padBegin[0]), start), zero);
  Value below = math.max(math.sub(math.add(h, shape.padBegin[0]), start), zero);
  current.firstTap = math.min(ceilDiv(above), taps);
  current.endTap = math.max(math.min(ceilDiv(below), taps), current.firstTap);
  if (shape.padBegin[0] == 0 && shape.padEnd[0] == 0) {
    current.firstTap = zero;
    current.endTap = taps;
  }
  if (shape.w.dynamic || shape.ow.dynamic)
    dynamicColumns(current);
  else
    staticColumns(current);
}

/// Even tiles; a run of tiles that stay clear of both borders is a loop.
void DepthwiseEmitter::staticColumns(const Row &row) {
  const int64_t width = shape.ow.value;
  const int64_t step = llvm::divideCeil(width, llvm::divideCeil(width, tilePixelLimit()));
  auto inside = [&](int64_t col, int64_t tap) {
    const int64_t position = col * shape.stride[1] - shape.padBegin[1] + tap * shape.dilation[1];
    return position >= 0 && position < shape.w.value;
  };
  auto isClear = [&](int64_t col) {
    return col + step <= width && inside(col, 0) && inside(col + step - 1, shape.kernel[1] - 1);
  };
  for (int64_t col = 0; col < width;) {
    int64_t runEnd = col;
    while (runEnd < width && isClear(runEnd))
      runEnd += step;
    if (runEnd > col) {
      forLoop(b, loc, math.constant(col), math.constant(runEnd), math.constant(step),
              [&](OpBuilder &, Value start) {
                tile(row, start, step, [](int64_t, int64_t) { return true; });
              });
      col = runEnd;
      continue;
    }
    tile(row, math.constant(col), std::min(step, width - col),
         [&](int64_t pixel, int64_t tap) { return inside(col + pixel, tap); });
    col += step;
  }
}

void DepthwiseEmitter::dynamicColumns(const Row &row) {
  const int64_t stride = shape.stride[1], pad = shape.padBegin[1];
  const int64_t reach = (shape.kernel[1] - 1) * shape.dilation[1];
  // Pixels [left, right) read within x for every tap.
  Value zero = math.constant(0);
  Value left = math.min(math.constant(llvm::divideCeil(pad, stride)), cols);
  Value room = math.max(math.sub(math.add(w, pad + stride - 1), math.constant(reach)), zero);
  Value right = math.max(math.min(math.div(room, stride), cols), left);
  auto border = [&](Value from, Value to) {
    forLoop(b, loc, from, to, math.constant(1),
            [&](OpBuilder &, Value col) { borderPixel(row, col); });
  };
  border(zero, left);
  Value col = left;
  for (int64_t step : {tilePixelLimit(), int64_t(1)}) {
    Value end = math.add(col, math.mul(math.div(math.sub(right, col), step), step));
    forLoop(b, loc, col, end, math.constant(step), [&](OpBuilder &, Value start) {
      tile(row, start, step, [](int64_t, int64_t) { return true; });
    });
    col = end;
  }
  border(right, cols);
}

/// Element of x at column -padBegin of the row that vertical tap `tapRow` reads.
Value DepthwiseEmitter::inputRow(const Row &row, Value tapRow) {
  Value y =
      math.sub(math.add(math.mul(row.y, shape.stride[0]), math.mul(tapRow, shape.dilation[0])),
               math.constant(shape.padBegin[0]));
  return math.add(row.plane,
                  math.mul(math.sub(math.mul(y, w), math.constant(shape.padBegin[1])), pixel()));
}

/// Adds one row of taps to the sums of `pixels` neighbours; each input vector is loaded once.
void DepthwiseEmitter::multiplyRow(const Row &row, Value tapRow, Value col, int64_t pixels,
                                   TapFilter uses, SmallVector<Value> &sums) {
  Value input = math.add(inputRow(row, tapRow), math.mul(col, shape.stride[1] * pixel()));
  Value weights = math.add(row.weights, math.mul(tapRow, shape.kernel[1] * 16));
  SmallVector<Value> taps;
  for (int64_t tap = 0; tap < shape.kernel[1]; ++tap)
    taps.push_back(
        b.create<vector::LoadOp>(loc, type, packed, ValueRange{math.add(weights, tap * 16)}));
  llvm::MapVector<int64_t, SmallVector<std::pair<int64_t, int64_t>>>
      users; // input column -> (pixel, tap)
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    for (int64_t tap = 0; tap < shape.kernel[1]; ++tap)
      if (uses(pixel, tap))
        users[pixel * shape.stride[1] + tap * shape.dilation[1]].push_back({pixel, tap});
  for (auto &[column, pairs] : users) {
    Value value =
        b.create<vector::LoadOp>(loc, type, x, ValueRange{math.add(input, column * pixel())});
    for (auto [pixel, tap] : pairs)
      sums[pixel] = b.create<vector::FMAOp>(loc, value, taps[tap], sums[pixel]);
  }
}

void DepthwiseEmitter::tile(const Row &row, Value col, int64_t pixels, TapFilter uses) {
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  SmallVector<Value> init(pixels, zero);
  auto loop = b.create<scf::ForOp>(loc, row.firstTap, row.endTap, math.constant(1), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums = llvm::to_vector(ValueRange(loop.getRegionIterArgs()));
    multiplyRow(row, loop.getInductionVar(), col, pixels, uses, sums);
    b.create<scf::YieldOp>(loc, sums);
  }
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    store(row, math.add(col, pixel), loop.getResult(pixel));
}

/// One pixel whose horizontal taps are bounded at run time.
void DepthwiseEmitter::borderPixel(const Row &row, Value col) {
  const int64_t dilation = shape.dilation[1];
  auto ceilDiv = [&](Value value) { return math.div(math.add(value, dilation - 1), dilation); };
  Value zero = math.constant(0), one = math.constant(1), taps = math.constant(shape.kernel[1]);
  Value start = math.mul(col, shape.stride[1]);
  Value first =
      math.min(ceilDiv(math.max(math.sub(math.constant(shape.padBegin[1]), start), zero)), taps);
  Value end = math.max(
      math.min(ceilDiv(math.max(math.sub(math.add(w, shape.padBegin[1]), start), zero)), taps),
      first);
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  auto outer = b.create<scf::ForOp>(loc, row.firstTap, row.endTap, one, none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outer.getBody());
    Value tapRow = outer.getInductionVar();
    Value input = math.add(inputRow(row, tapRow), math.mul(start, pixel()));
    Value weights = math.add(row.weights, math.mul(tapRow, shape.kernel[1] * 16));
    auto inner = b.create<scf::ForOp>(loc, first, end, one, ValueRange{outer.getRegionIterArg(0)});
    {
      OpBuilder::InsertionGuard innerGuard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value tap = inner.getInductionVar();
      Value value = b.create<vector::LoadOp>(
          loc, type, x, ValueRange{math.add(input, math.mul(tap, dilation * pixel()))});
      Value weight = b.create<vector::LoadOp>(loc, type, packed,
                                              ValueRange{math.add(weights, math.mul(tap, 16))});
      Value sum = b.create<vector::FMAOp>(loc, value, weight, inner.getRegionIterArg(0));
      b.create<scf::YieldOp>(loc, sum);
    }
    b.create<scf::YieldOp>(loc, inner.getResult(0));
  }
  store(row, col, outer.getResult(0));
}

void DepthwiseEmitter::store(const Row &row, Value col, Value sum) {
  Value channel = math.add(math.mul(row.channelBlock, 16), row.lane);
  SmallVector<Value> index{row.n, row.channelBlock, row.y, col, row.lane};
  if (spec.plan.channelsLast)
    index = {row.n, row.y, col, channel};
  EpilogueCoords coords{kernel, index, channel, type, nullptr};
  storeTileVector(b, loc, sum, spec.epilogue, coords, output, coords.index);
}

void dynac::cpu::emitDepthwise(ModuleOp module, StringRef name, const Isa &isa,
                               const DepthwiseSpec &spec) {
  DepthwiseEmitter(module, name, isa, spec).emit();
}
