//===- ModelToPrim.h - from the model dialect to primitives -----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_MODELTOPRIM_H
#define DYNAC_CONVERSION_MODELTOPRIM_H

#include "dynac/Frontend/Table.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace dynac {

/// The range of a dimension, as `--dim NAME=1..64:32*16` gives it.
struct DimRange {
  int64_t min = 0;
  int64_t max = INT64_MAX;
  int64_t multipleOf = 1;
  int64_t hint = -1; ///< a typical size; -1: none
};

struct ImportOptions {
  /// Shapes that replace those of inputs (`--shape x=1x3x224x224`); the key is the input's name.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Dimensions by name: `min == max` fixes one.
  std::map<std::string, DimRange> dims;
};

/// Imports a module of the model dialect, in one walk in topological order: every type is inferred,
/// shapes are numbers or symbolic expressions, and only primitives and composites are left. The
/// result has one function, `main`, with `dynac.name` on arguments and results, `dynac.dim_ranges`
/// (a dictionary from symbol to [min, max, multiple, hint]) where a dimension is restricted, and
/// locations that name nodes. Inputs and outputs of a packed type (prim::isPacked) are vectors of
/// bytes, with the model's type in `dynac.type`. Weights are those of the context's prim dialect.
///
/// Fails with everything that is not supported (exit code 4) or invalid (3), one line for each
/// operator and reason.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerModelToPrim(mlir::ModuleOp model, const OpTable &table, const ImportOptions &options = {});

} // namespace dynac

#endif // DYNAC_CONVERSION_MODELTOPRIM_H
