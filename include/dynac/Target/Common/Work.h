//===- Work.h - what a region computes and moves ----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_WORK_H
#define DYNAC_TARGET_COMMON_WORK_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac {

/// Multiplications of a `prim.dot` or `prim.conv`, each of which an addition follows; 0 of any
/// other op. Products with a convolution's padding count.
SymExpr multiplicationsOf(mlir::Operation *op);

/// Floating-point operations, and operations of products of integers: two for each multiplication
/// of a contraction, one for each element of another op that computes floats. `products` are the
/// multiplications of the region's composite, which only its kernel knows.
SymExpr flopsOf(prim::RegionOp region, const SymExpr &products);

/// The type of the factors that the region's contractions multiply; f32 if it has none.
mlir::Type factorTypeOf(prim::RegionOp region);

/// Bytes of operand `operand` that the region reads: of one that it only takes slices of or gathers
/// from, at most as much as these take.
SymExpr bytesRead(prim::RegionOp region, unsigned operand);

/// The operand whose memory the result lies in: what an update in place changes.
std::optional<unsigned> operandInPlace(prim::RegionOp region, mlir::OpResult result);

/// Bytes of the result that the region writes: of an update in place, only what is new.
SymExpr bytesWritten(prim::RegionOp region, mlir::OpResult result);

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_WORK_H
