//===- Passes.h - transformations of prim -----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TRANSFORMS_PASSES_H
#define DYNAC_TRANSFORMS_PASSES_H

#include "dynac/Dialect/Prim/Prim.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace dynac {

/// Set on an op by a target's claim phase: the kernel that takes it. Such an op is the root of its
/// region, and later phases leave it whole.
inline constexpr llvm::StringLiteral kClaimAttr = "dynac.claim";
/// Set beside kClaimAttr when the kernel evaluates an elementwise epilogue on its result.
inline constexpr llvm::StringLiteral kEpilogueAttr = "dynac.epilogue";

/// Set on a result of @main that updates an argument in place: the argument's number.
inline constexpr llvm::StringLiteral kAliasAttr = "dynac.alias";
/// Set beside kAliasAttr on a result that appends to its argument: the axis along which it grows
/// and the extent of that axis in memory. Argument and result then have the types of the memory;
/// what the caller gives and gets is in kTypeAttr, the first elements along the axis.
inline constexpr llvm::StringLiteral kCapacityAttr = "dynac.capacity";
/// Set on an argument or result of @main whose type is not the model's: the model's.
inline constexpr llvm::StringLiteral kTypeAttr = "dynac.type";

#define GEN_PASS_DECL
#include "dynac/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "dynac/Transforms/Passes.h.inc"

} // namespace dynac

#endif // DYNAC_TRANSFORMS_PASSES_H
