//===- Import.h - an ONNX file as a module of the model dialect -*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_IMPORT_H
#define DYNAC_FRONTEND_ONNX_IMPORT_H

#include "dynac/Frontend/Onnx/Model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace dynac {
class WeightStore;

namespace onnx {

/// The element type as MLIR has it: bool is i1, unsigned integers are ui8 and so on, signed ones
/// are signless. Null for strings, unknown numbers and types that MLIR 19 lacks (FLOAT8E8M0,
/// FLOAT4, FLOAT6).
mlir::Type toElementType(mlir::MLIRContext &context, ElementType type);

/// `model`, whose functions are inlined, as a module of the model dialect. Element data enters
/// `weights` by reference, so the model must outlive it. Dimension names become symbols: characters
/// that a symbol cannot hold are replaced, a name such as "past + new" whose parts are names of
/// other dimensions is read as that sum, and a dimension without a name is called INPUT_AXIS.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(const OnnxModel &model, mlir::MLIRContext &context, WeightStore &weights);

} // namespace onnx
} // namespace dynac

#endif // DYNAC_FRONTEND_ONNX_IMPORT_H
