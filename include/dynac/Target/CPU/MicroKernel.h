//===- MicroKernel.h - the register tile of every contraction ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEMM, batched GEMM and convolution are the same body: a tile of `rows` x `vectors` native vectors
// of sums that stays in registers over a nest of reduction loops,
//
//   for each loop iteration, for each step:                       (steps are unrolled)
//     acc[r][v] += A[aBase + aRow[r] + loops + step.a] * B[bBase + v * lanes + loops + step.b]
//
// with other addresses: a row is a row of A in GEMM, an output pixel in a convolution. Addresses
// are element numbers in flat buffers; of numbers shorter than 32 bits, numbers of words (DotKind).
// aRow should be constants: with 8 or more row offsets in registers the integer registers run out.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_MICROKERNEL_H
#define DYNAC_TARGET_CPU_MICROKERNEL_H

#include "dynac/Target/CPU/DotKind.h"
#include "dynac/Target/CPU/KernelFunction.h"

#include <functional>
#include <optional>

namespace dynac::cpu {

/// Where a vector of finished sums goes.
struct EpilogueCoords {
  KernelFunction &kernel;
  /// Index of lane 0 in the output memref (GEMM: row, column; convolution: n, channel block, y, x,
  /// lane).
  llvm::SmallVector<mlir::Value, 6> index;
  /// The output channel (GEMM: column) of lane 0: the index of a bias.
  mlir::Value channel;
  /// Vector of the accumulator: f32, or i32 for products of bytes.
  mlir::VectorType type;
  /// The lanes that exist (vector of i1), null if all.
  mlir::Value mask;

  /// Loads the lanes at `index` (any memref element type), 0 where masked.
  mlir::Value load(mlir::OpBuilder &b, mlir::Value memref, mlir::ValueRange index) const;
};

/// Turns sums into the vector to store, of the output's element type: bias, activation, residual,
/// conversion. Extra buffers are reached through `coords.kernel.buffer(i)`.
using Epilogue = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value acc,
                                           const EpilogueCoords &coords)>;

/// Runs `epilogue` (if any) on `acc` and stores the result to `output` at `index`.
void storeTileVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value acc,
                     const Epilogue &epilogue, const EpilogueCoords &coords, mlir::Value output,
                     mlir::ValueRange index);

struct MicroKernel {
  /// One reduction loop: trip count and what an iteration adds to the addresses; index values.
  struct Loop {
    mlir::Value count, aStride, bStride;
    /// Each iteration sums from zero and is added to those before it: short chains of sums round
    /// less than a long one. Costs a load, an add and a store of each sum. Only for sums in f32.
    bool isSeparate = false;
  };
  /// One unrolled multiply-add step: index values, best constants.
  struct Step {
    mlir::Value a, b;
  };

  unsigned rows, vectors, lanes;
  /// Flat memrefs: of words (i32), or for DotKind::F32 of f32, bf16, f16 or i8 that are widened
  /// when loaded.
  mlir::Value a, b;
  mlir::Value aBase, bBase;            ///< index
  llvm::SmallVector<mlir::Value> aRow; ///< index, one per row
  llvm::SmallVector<Loop> loops;       ///< outermost first
  /// If set (index): the innermost loop's trip count in the last iteration of the outermost loop,
  /// which must be another one.
  mlir::Value lastCount;
  llvm::SmallVector<Step> steps;
  /// Step s adds to copy s % chains of the sums, and the copies are added up at the end: a tile of
  /// few sums would wait for one addition after the other. Only for sums in f32 without lastLanes.
  unsigned chains = 1;
  /// How many lanes of a row's last vector are computed, of f32 only; the others become 0. A CPU
  /// that does wide vectors in halves gains half of the vector's time.
  std::optional<unsigned> lastLanes;
  /// Lanes of B that may be read (one mask per vector, null: all).
  llvm::SmallVector<mlir::Value> bMasks;
  /// If set (index): B is the sum of b[...] and b[... + bOther], or their difference. Adding
  /// vectors as they are loaded costs next to nothing, storing the sums would.
  mlir::Value bOther;
  bool bMinus = false;
  /// If not 0: `b` from element `prefetchBase` on is fetched into L2, 1/prefetchShares of what the
  /// tile itself reads, spread over the iterations of the innermost loop.
  int64_t prefetchShares = 0;
  int64_t prefetchLines = 1; ///< lines per iteration
  mlir::Value prefetchBase;
  DotKind dot = DotKind::F32;
  /// A holds vectors like B's, which lanes do not share; `vectors` is 1.
  bool vectorsOfA = false;

  /// rows * vectors sums (row-major) that continue from `init`.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &b, mlir::Location loc, const Isa &isa,
                                      mlir::ValueRange init) const;
};

/// A flat view of f32 (or `element`) memory at `pointer`, for addresses that the emitter computes
/// itself.
mlir::Value flatView(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                     mlir::Type element);

/// A constant mask of `lanes` lanes of which the first `valid` are set; null if all are.
mlir::Value laneMask(mlir::OpBuilder &b, mlir::Location loc, unsigned lanes, int64_t valid);

/// Index arithmetic that folds constants.
struct IndexMath {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value add(mlir::Value x, int64_t y) const { return add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, int64_t y) const { return mul(x, constant(y)); }
  /// Of non-negative numbers.
  mlir::Value div(mlir::Value x, int64_t y) const;
  mlir::Value div(mlir::Value x, mlir::Value y) const;
  mlir::Value rem(mlir::Value x, int64_t y) const;
  mlir::Value rem(mlir::Value x, mlir::Value y) const;
  mlir::Value min(mlir::Value x, mlir::Value y) const;
  mlir::Value max(mlir::Value x, mlir::Value y) const;
  mlir::Value less(mlir::Value x, mlir::Value y) const;
  mlir::Value equal(mlir::Value x, mlir::Value y) const;
  /// `x` (of index type) by way of an empty assembly statement: LLVM then works with the value and
  /// not with how it came about. Loop analysis of addresses that contain divisions takes most of
  /// the compile time otherwise, and such a value may be recomputed inside a loop.
  mlir::Value opaque(mlir::Value x) const;
};

/// `for (iv = lower; iv < upper; iv += step) body(builder, iv)`; nothing is carried.
void forLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lower, mlir::Value upper,
             mlir::Value step, llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);
/// `if (condition) then() else otherwise()`; `otherwise` may be null.
void ifThenElse(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition,
                llvm::function_ref<void(mlir::OpBuilder &)> then,
                llvm::function_ref<void(mlir::OpBuilder &)> otherwise = nullptr);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_MICROKERNEL_H
