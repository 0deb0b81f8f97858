//===- ModelSource.h - where a compilation gets its model -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_MODELSOURCE_H
#define DYNAC_DRIVER_MODELSOURCE_H

#include "dynac/Driver/Pipeline.h"
#include "dynac/Frontend/Table.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dynac {

/// The import phase of one front end. It outlives the compilation, whose weights may refer to its
/// memory.
class ModelSource {
public:
  virtual ~ModelSource() = default;
  /// The model as a module of the model dialect in `context`, its element data in `weights`.
  virtual llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  import(mlir::MLIRContext &context, WeightStore &weights, Progress &progress) = 0;
  /// What its operators mean.
  virtual OpTable operators() const = 0;
};

/// Compiles what `source` gives, as `compileModel` does; `options.model` is its name.
llvm::Expected<CompileReport> compile(ModelSource &source, const CompileOptions &options,
                                      Progress &progress);

} // namespace dynac

#endif // DYNAC_DRIVER_MODELSOURCE_H
