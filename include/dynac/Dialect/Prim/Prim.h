//===- Prim.h - the prim dialect --------------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIM_H
#define DYNAC_DIALECT_PRIM_PRIM_H

#include "dynac/Support/SymExpr.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dynac {
class WeightStore;

namespace prim {

/// How the fuse phase may treat an op: free, recomputable per element, a reduction, an own kernel,
/// or none of a kernel's business.
enum class Cost { View, Fusible, Reduction, Heavy, Structural };

/// Trait of ops whose result elements depend only on the operands' elements at the same place.
template <typename Op> class IsElementwise : public mlir::OpTrait::TraitBase<Op, IsElementwise> {};

using Shape = llvm::SmallVector<SymExpr>;

/// The dimensions of `type`, as expressions.
Shape shapeOf(mlir::Type type);
inline Shape shapeOf(mlir::Value value) { return shapeOf(value.getType()); }
/// The tensor type with these dimensions: encoding only if one is symbolic.
mlir::RankedTensorType tensorType(llvm::ArrayRef<SymExpr> shape, mlir::Type elementType);
mlir::RankedTensorType withElementType(mlir::Type tensor, mlir::Type elementType);
/// Product of all dimensions.
SymExpr elementCount(llvm::ArrayRef<SymExpr> shape);
/// "2x?Nx3"-like text for messages: "[2, N, 3]".
std::string shapeText(llvm::ArrayRef<SymExpr> shape);
/// Whether `type` is a tensor type of this dialect: elements are floats, signless or unsigned
/// integers, and each dimension that is not a number has a name.
bool isPrimTensor(mlir::Type type);
/// Cost class of a prim op; Structural for others.
Cost costOf(mlir::Operation *op);
bool isElementwise(mlir::Operation *op);
/// Bits of an element of a prim tensor.
unsigned bitWidth(mlir::Type elementType);
/// Whether `type` is a float that the builtin types lack (f4E2M1, f8E8M0).
bool isSmallFloat(mlir::Type type);
/// Whether elements are smaller than a byte and no bools: files, callers and weights hold them
/// packed, the first in the low bits of a byte; buffers between kernels hold one in each byte.
bool isPacked(mlir::Type elementType);
/// Whether `type` is the element type bool (i1).
inline bool isBool(mlir::Type type) { return type.isInteger(1); }

} // namespace prim
} // namespace dynac

#include "dynac/Dialect/Prim/PrimDialect.h.inc"
#include "dynac/Dialect/Prim/PrimEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dynac/Dialect/Prim/PrimAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dynac/Dialect/Prim/PrimTypes.h.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Prim/PrimOps.h.inc"

#endif // DYNAC_DIALECT_PRIM_PRIM_H
