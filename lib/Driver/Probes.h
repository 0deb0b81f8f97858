//===- Probes.h - results of nodes as outputs -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_DRIVER_PROBES_H
#define DYNAC_LIB_DRIVER_PROBES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace dynac {

/// Replaces the outputs of an imported model by the first results of these nodes (none: leaves it
/// as it is). Error: ExitCode::Usage if there is no such node.
llvm::Error probe(mlir::ModuleOp module, llvm::ArrayRef<size_t> nodes);

} // namespace dynac

#endif // DYNAC_LIB_DRIVER_PROBES_H
