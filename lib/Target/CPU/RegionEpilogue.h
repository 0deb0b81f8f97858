//===- RegionEpilogue.h - elementwise chains on register tiles --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a region that follows its claimed op: bias, activation, residual, conversion. It is
// evaluated on vectors of the kernel's sums; its other operands are read through strides, 0 where
// they are broadcast.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_REGIONEPILOGUE_H
#define DYNAC_LIB_TARGET_CPU_REGIONEPILOGUE_H

#include "Claim.h"
#include "dynac/Target/CPU/MicroKernel.h"

namespace dynac::cpu {

class RegionEpilogue {
public:
  /// `region` outlives this object. Dimensions that strides need are added to `dims`.
  RegionEpilogue(prim::RegionOp region, mlir::Operation *claimed, KernelDims &dims);

  /// Whether the region is the claimed op alone.
  bool empty() const;
  /// Region operands that the epilogue reads, in the order of their buffers.
  llvm::SmallVector<unsigned> operands;
  /// Their arguments: flat arrays.
  llvm::SmallVector<BufferArg> buffers() const;
  /// The element type that is stored.
  mlir::Type outputType() const;
  /// Whether an operand has the shape of the result, so that the result may be written over it.
  bool readsResidual() const;

  /// Whether operands may be read with one counter for axes `outer` and `inner` of the result.
  bool mayCountPixels(unsigned outer, unsigned inner) const;

  /// The emitter; buffer `firstBuffer + i` of the kernel is operands[i]. `rowsAndColumns`: the
  /// kernel's index is (row, column) of the result seen as a matrix, else one index per axis of the
  /// result.
  Epilogue emitter(unsigned firstBuffer, bool rowsAndColumns) const;

private:
  struct Leaf {
    unsigned operand; ///< position in `operands`
    /// Element stride per axis of the result; an entry of -2 - i means dimension argument i.
    llvm::SmallVector<int64_t> strides;
    bool isWhole; ///< the result's own shape
  };
  std::optional<Leaf> leafOf(mlir::Value value);
  void findLeaves(mlir::Value value);

  mutable prim::RegionOp region; // accessors of ops are not const
  mlir::Operation *claimed;
  KernelDims &dims;
  llvm::DenseMap<mlir::Value, Leaf> leaves;
  llvm::SmallVector<int64_t> resultExtents; ///< encoded like strides
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_REGIONEPILOGUE_H
