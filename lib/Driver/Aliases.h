//===- Aliases.h - outputs in the memory of inputs --------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_DRIVER_ALIASES_H
#define DYNAC_LIB_DRIVER_ALIASES_H

#include "dynac/Driver/Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace dynac {

/// Marks the results of @main (in prim, as ModelToPrim makes it) that update an argument in place.
/// One that appends to its argument (a concat with it in front) and has a capacity becomes a
/// scatter of what is new into an argument of that capacity; what the model calls the argument and
/// the result are slices of that memory. Errors: ExitCode::SignatureMismatch, Unsupported, Usage.
llvm::Error applyAliases(mlir::ModuleOp module, llvm::ArrayRef<AliasOption> aliases);

} // namespace dynac

#endif // DYNAC_LIB_DRIVER_ALIASES_H
