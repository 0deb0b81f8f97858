//===- GroupedKernel.cpp - convolution of narrow groups of channels -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/GroupedKernel.h"
#include "ConvPatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dynac::cpu;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// Plan and weights
//===----------------------------------------------------------------------===//

/// A unit's spread part of x.
static constexpr int64_t spreadBudget = 192 * 1024;

/// `total` in the fewest even pieces of at most `limit`.
static int64_t evenPiece(const Extent &total, int64_t limit) {
  if (total.dynamic)
    return limit;
  const int64_t size = std::max<int64_t>(total.value, 1);
  return divideCeil(size, divideCeil(size, limit));
}

/// Extent along `axis` of the part of x that `size` outputs read.
static int64_t inputExtent(const ConvShape &s, unsigned axis, int64_t size) {
  return (size - 1) * s.stride[axis] + (s.kernel[axis] - 1) * s.dilation[axis] + 1;
}

GroupedPlan dynac::cpu::planGrouped(const ConvShape &s, int64_t cachePercent) {
  GroupedPlan plan = {s, 1, 1, 0};
  const int64_t budget = spreadBudget * cachePercent / 100;
  const int64_t pixelBytes = plan.groupChannels() * 64;
  // A signal has its pixels in one row.
  const bool isSignal = !s.oh.dynamic && s.oh.value == 1;
  const int64_t cols = isSignal ? budget / (pixelBytes * s.stride[1]) / 14 * 14 : 0;
  plan.blockCols = evenPiece(s.ow, std::clamp<int64_t>(cols, 28, 560));
  const int64_t rowBytes = pixelBytes * inputExtent(s, 1, plan.blockCols);
  const int64_t reach = (s.kernel[0] - 1) * s.dilation[0] + 1;
  const int64_t rows = (budget / rowBytes - reach) / s.stride[0] + 1;
  plan.blockRows = evenPiece(s.oh, std::clamp<int64_t>(rows, 4, 28));
  plan.scratchBytes = rowBytes * inputExtent(s, 0, plan.blockRows);
  return plan;
}

void dynac::cpu::packGrouped(const GroupedPlan &plan, llvm::ArrayRef<float> weights,
                             llvm::MutableArrayRef<float> packed) {
  const int64_t taps = plan.shape.kernel[0] * plan.shape.kernel[1], depth = plan.groupChannels();
  float *out = packed.data();
  for (int64_t block = 0; block < plan.outputBlocks(); ++block)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t i = 0; i < depth; ++i)
        for (int64_t filter = block * 16; filter < block * 16 + 16; ++filter)
          *out++ = filter < plan.shape.k ? weights[(filter * depth + i) * taps + tap] : 0.f;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

class GroupedEmitter {
public:
  GroupedEmitter(ModuleOp module, StringRef name, const Isa &isa, const GroupedSpec &spec)
      : spec(spec), plan(spec.plan), shape(plan.shape), depth(plan.groupChannels()),
        width(plan.groupFilters()), lanes(isa.lanes),
        patchCols(inputExtent(shape, 1, plan.blockCols)),
        kernel(module, name, isa, buffers(module.getContext(), spec), spec.dimCount,
               plan.scratchBytes),
        b(kernel.builder()), loc(kernel.loc()), math{b, loc},
        type(VectorType::get(isa.lanes, b.getF32Type())) {}

  void emit();

private:
  /// A unit, or the `lanes` output channels from `lane` on of it.
  struct Block {
    Value n, channelBlock, row, col; ///< row, col: first output pixel
    Value rows, cols;                ///< output pixels
    Value lane;
  };
  /// What a pixel of x has for a vector: its value at element `source` of the pixel's first block.
  using Spread = llvm::function_ref<Value(Value source)>;

  static SmallVector<BufferArg> buffers(MLIRContext *context, const GroupedSpec &spec);
  Value extent(const Extent &e) {
    return e.dynamic ? kernel.dim(e.value) : kernel.constant(e.value);
  }
  /// Whether groups lie within blocks, at the same place in x and y.
  bool isAligned() const { return width == depth && 16 % width == 0; }
  Block blockOf(Value number);
  void spreadAligned(const Block &block);
  void spreadTwoGroups(const Block &block);
  void spreadAnyGroups(const Block &block);
  Value planeOf(const Block &block, Value channelBlock);
  void spread(const Block &block, Value plane, Value first, ArrayRef<Spread> vectors);
  void tiles(const Block &block);
  void tile(const Block &block, Value row, Value col, int64_t pixels);

  const GroupedSpec &spec;
  const GroupedPlan &plan;
  const ConvShape &shape;
  const int64_t depth, width; ///< input and output channels of a group
  const int64_t lanes, patchCols;
  KernelFunction kernel;
  OpBuilder &b;
  Location loc;
  IndexMath math;
  VectorType type;
  Value x, packed, output, scratch, h, w, rows, cols;
};

} // namespace

SmallVector<BufferArg> GroupedEmitter::buffers(MLIRContext *context, const GroupedSpec &spec) {
  Type f32 = Float32Type::get(context);
  const ConvShape &s = spec.plan.shape;
  SmallVector<BufferArg> args = {{f32, {s.n, int64_t(divideCeil(s.c, 16)), s.h, s.w, 16}},
                                 {f32, {spec.plan.packedElements()}}};
  args.append(spec.extra.begin(), spec.extra.end());
  args.push_back({spec.outputType ? spec.outputType : f32,
                  {s.n, spec.plan.outputBlocks(), s.oh, s.ow, 16},
                  true,
                  spec.outputMayAlias});
  if (spec.outputMayAlias)
    for (unsigned i = 2; i < args.size(); ++i)
      args[i].mayAlias = true;
  return args;
}

void GroupedEmitter::emit() {
  kernel.keepLoops();
  h = extent(shape.h);
  w = extent(shape.w);
  rows = extent(shape.oh);
  cols = extent(shape.ow);
  x = flatView(b, loc, kernel.pointer(0), b.getF32Type());
  packed = flatView(b, loc, kernel.pointer(1), b.getF32Type());
  output = kernel.buffer(2 + spec.extra.size());
  scratch = kernel.scratch(MemRefType::get({plan.scratchBytes / 4}, b.getF32Type()), 0);
  forLoop(b, loc, kernel.begin(), kernel.end(), math.constant(1), [&](OpBuilder &, Value unit) {
    Block block = blockOf(unit);
    forLoop(b, loc, math.constant(0), math.constant(16), math.constant(lanes),
            [&](OpBuilder &, Value lane) {
              block.lane = lane;
              if (isAligned())
                spreadAligned(block);
              else if (width >= lanes)
                spreadTwoGroups(block);
              else
                spreadAnyGroups(block);
              tiles(block);
            });
  });
  kernel.finish();
}

GroupedEmitter::Block GroupedEmitter::blockOf(Value number) {
  Value colBlocks = math.div(math.add(cols, plan.blockCols - 1), plan.blockCols);
  Value rowBlocks = math.div(math.add(rows, plan.blockRows - 1), plan.blockRows);
  Block result;
  result.col = math.opaque(math.mul(math.rem(number, colBlocks), plan.blockCols));
  Value rest = math.div(number, colBlocks);
  result.row = math.opaque(math.mul(math.rem(rest, rowBlocks), plan.blockRows));
  rest = math.div(rest, rowBlocks);
  result.channelBlock = math.opaque(math.rem(rest, plan.outputBlocks()));
  result.n = math.opaque(math.div(rest, plan.outputBlocks()));
  result.rows = math.opaque(math.min(math.constant(plan.blockRows), math.sub(rows, result.row)));
  result.cols = math.opaque(math.min(math.constant(plan.blockCols), math.sub(cols, result.col)));
  return result;
}

//===----------------------------------------------------------------------===//
// Spreading x
//===----------------------------------------------------------------------===//

/// Element of x where a block of input channels starts.
Value GroupedEmitter::planeOf(const Block &block, Value channelBlock) {
  Value plane = math.add(math.mul(block.n, divideCeil(shape.c, 16)), channelBlock);
  return math.mul(plane, math.mul(math.mul(h, w), 16));
}

/// Writes vectors [first, first + vectors) of every pixel of the unit's part of x, whose block of
/// channels starts at element `plane`.
void GroupedEmitter::spread(const Block &block, Value plane, Value first,
                            ArrayRef<Spread> vectors) {
  Value one = math.constant(1);
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  PaddedRow at;
  at.plane = plane;
  at.height = h;
  at.width = w;
  at.cols = patchCols;
  at.block = 16;
  at.firstCol = math.sub(math.mul(block.col, shape.stride[1]), math.constant(shape.padBegin[1]));
  Value patchRows = math.add(math.mul(math.sub(block.rows, one), shape.stride[0]),
                             (shape.kernel[0] - 1) * shape.dilation[0] + 1);
  forLoop(b, loc, math.constant(0), patchRows, one, [&](OpBuilder &, Value row) {
    at.y = math.sub(math.add(math.mul(block.row, shape.stride[0]), row),
                    math.constant(shape.padBegin[0]));
    Value target = math.mul(math.add(math.mul(row, patchCols * depth), first), lanes);
    forPaddedSpans(kernel, at, [&](Value from, Value to, Value source, bool inside) {
      forLoop(b, loc, from, to, one, [&](OpBuilder &, Value col) {
        Value pixel = math.add(source, math.mul(col, 16));
        Value out = math.add(target, math.mul(col, depth * lanes));
        for (auto [i, vector] : llvm::enumerate(vectors))
          b.create<vector::StoreOp>(loc, inside ? vector(pixel) : none, scratch,
                                    ValueRange{math.add(out, int64_t(i) * lanes)});
      });
    });
  });
}

/// All vectors of a pixel are permutations of one.
void GroupedEmitter::spreadAligned(const Block &block) {
  Value plane = math.opaque(planeOf(block, block.channelBlock));
  Value whole, known; // the pixel's channels, and which pixel that is
  SmallVector<std::function<Value(Value)>> functions;
  SmallVector<Spread> vectors;
  functions.reserve(depth);
  for (int64_t i = 0; i < depth; ++i)
    functions.push_back([&, i](Value source) -> Value {
      if (width > lanes) {
        Value channel = math.mul(math.div(block.lane, width), width);
        Value element =
            b.create<memref::LoadOp>(loc, x, ValueRange{math.add(math.add(source, channel), i)});
        return b.create<vector::BroadcastOp>(loc, type, element);
      }
      if (known != source)
        whole = b.create<vector::LoadOp>(loc, type, x, ValueRange{math.add(source, block.lane)});
      known = source;
      SmallVector<int64_t> order;
      for (int64_t lane = 0; lane < lanes; ++lane)
        order.push_back(lane / width * width + i);
      return b.create<vector::ShuffleOp>(loc, whole, whole, order);
    });
  for (auto &function : functions)
    vectors.push_back(function);
  spread(block, plane, math.constant(0), vectors);
}

/// A vector spans two groups at most: the lanes before `boundary` and the others.
void GroupedEmitter::spreadTwoGroups(const Block &block) {
  Value channel = math.add(math.mul(block.channelBlock, 16), block.lane);
  Value first = math.opaque(math.min(math.div(channel, width), math.constant(shape.groups - 1)));
  Value second =
      math.opaque(math.min(math.add(first, math.constant(1)), math.constant(shape.groups - 1)));
  Value boundary =
      math.opaque(math.sub(math.mul(math.add(first, math.constant(1)), width), channel));
  auto numbers = VectorType::get(lanes, b.getIndexType());
  SmallVector<Attribute> counted;
  for (int64_t lane = 0; lane < lanes; ++lane)
    counted.push_back(b.getIndexAttr(lane));
  Value lane = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(numbers, counted));
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane,
                                          b.create<vector::BroadcastOp>(loc, numbers, boundary));
  Value planeSize = math.mul(math.mul(h, w), 16);
  forLoop(
      b, loc, math.constant(0), math.constant(depth), math.constant(1), [&](OpBuilder &, Value i) {
        // The element of each group's channel, from the first block on.
        auto offset = [&](Value group) {
          Value c = math.add(math.mul(group, depth), i);
          return math.opaque(math.add(math.mul(math.div(c, 16), planeSize), math.rem(c, 16)));
        };
        Value left = offset(first), right = offset(second);
        auto vector = [&](Value source) -> Value {
          auto load = [&](Value element) -> Value {
            Value value = b.create<memref::LoadOp>(loc, x, ValueRange{math.add(source, element)});
            return b.create<vector::BroadcastOp>(loc, type, value);
          };
          return b.create<arith::SelectOp>(loc, isFirst, load(left), load(right));
        };
        spread(block, planeOf(block, math.constant(0)), i, {Spread(vector)});
      });
}

/// Narrow groups that cross blocks: lane by lane.
void GroupedEmitter::spreadAnyGroups(const Block &block) {
  auto numbers = VectorType::get(lanes, b.getIndexType());
  auto splat = [&](Value value) -> Value {
    return b.create<vector::BroadcastOp>(loc, numbers, value);
  };
  auto number = [&](int64_t value) { return splat(math.constant(value)); };
  SmallVector<Attribute> counted;
  for (int64_t lane = 0; lane < lanes; ++lane)
    counted.push_back(b.getIndexAttr(lane));
  Value filter = b.create<arith::AddIOp>(
      loc, splat(math.add(math.mul(block.channelBlock, 16), block.lane)),
      b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(numbers, counted)));
  Value group = b.create<arith::MinUIOp>(loc, b.create<arith::DivUIOp>(loc, filter, number(width)),
                                         number(shape.groups - 1));
  Value firstChannel = b.create<arith::MulIOp>(loc, group, number(depth));
  Value planeSize = splat(math.mul(math.mul(h, w), 16));
  Value all = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), true));
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  forLoop(
      b, loc, math.constant(0), math.constant(depth), math.constant(1), [&](OpBuilder &, Value i) {
        Value channel = b.create<arith::AddIOp>(loc, firstChannel, splat(i));
        Value plane = b.create<arith::DivUIOp>(loc, channel, number(16));
        Value elements =
            b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, plane, planeSize),
                                    b.create<arith::RemUIOp>(loc, channel, number(16)));
        auto vector = [&](Value source) -> Value {
          return b.create<vector::GatherOp>(loc, type, x, ValueRange{source}, elements, all, none);
        };
        spread(block, planeOf(block, math.constant(0)), i, {Spread(vector)});
      });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Columns outside, rows inside: the vectors of a tile's rows stay in the first-level cache for the
/// next.
void GroupedEmitter::tiles(const Block &block) {
  const int64_t limit = kernel.isa().registers == 32 ? 14 : 7;
  const bool isStatic = !shape.ow.dynamic && shape.ow.value % plan.blockCols == 0;
  auto run = [&](Value from, Value to, int64_t pixels) {
    forLoop(b, loc, from, to, math.constant(pixels), [&](OpBuilder &, Value col) {
      forLoop(b, loc, math.constant(0), block.rows, math.constant(1),
              [&](OpBuilder &, Value row) { tile(block, row, col, pixels); });
    });
  };
  if (isStatic) {
    const int64_t pixels = divideCeil(plan.blockCols, divideCeil(plan.blockCols, limit));
    const int64_t whole = plan.blockCols / pixels * pixels;
    run(math.constant(0), math.constant(whole), pixels);
    if (whole < plan.blockCols)
      run(math.constant(whole), math.constant(plan.blockCols), plan.blockCols - whole);
    return;
  }
  Value col = math.constant(0);
  for (int64_t pixels : {limit, int64_t(4), int64_t(1)}) {
    Value end =
        math.opaque(math.add(col, math.mul(math.div(math.sub(block.cols, col), pixels), pixels)));
    run(col, end, pixels);
    col = end;
  }
}

void GroupedEmitter::tile(const Block &block, Value row, Value col, int64_t pixels) {
  MicroKernel micro = {};
  micro.rows = pixels;
  micro.vectors = 1;
  micro.lanes = lanes;
  micro.vectorsOfA = true;
  micro.a = scratch;
  micro.b = packed;
  const int64_t pixel = depth * lanes, taps = shape.kernel[0] * shape.kernel[1];
  micro.aBase = math.add(math.mul(row, shape.stride[0] * patchCols * pixel),
                         math.mul(col, shape.stride[1] * pixel));
  for (int64_t i = 0; i < pixels; ++i)
    micro.aRow.push_back(math.constant(i * shape.stride[1] * pixel));
  micro.bBase = math.add(math.mul(block.channelBlock, 16 * taps * depth), block.lane);
  auto loop = [&](int64_t count, int64_t aStride, int64_t bStride) {
    if (count > 1)
      micro.loops.push_back({math.constant(count), math.constant(aStride), math.constant(bStride)});
  };
  loop(shape.kernel[0], shape.dilation[0] * patchCols * pixel, shape.kernel[1] * depth * 16);
  loop(shape.kernel[1], shape.dilation[1] * pixel, depth * 16);
  const int64_t together = depth % 4 == 0 ? 4 : depth % 2 == 0 ? 2 : 1;
  loop(depth / together, together * lanes, together * 16);
  for (int64_t u = 0; u < together; ++u)
    micro.steps.push_back({math.constant(u * lanes), math.constant(u * 16)});
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  SmallVector<Value> sums = micro.emit(b, loc, kernel.isa(), SmallVector<Value>(pixels, zero));
  Value channel = math.add(math.mul(block.channelBlock, 16), block.lane);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value y = math.add(block.row, row);
    Value x = math.add(math.add(block.col, col), int64_t(i));
    EpilogueCoords coords{
        kernel, {block.n, block.channelBlock, y, x, block.lane}, channel, type, nullptr};
    storeTileVector(b, loc, sum, spec.epilogue, coords, output, coords.index);
  }
}

void dynac::cpu::emitGrouped(ModuleOp module, StringRef name, const Isa &isa,
                             const GroupedSpec &spec) {
  GroupedEmitter(module, name, isa, spec).emit();
}
