//===- Model.h - the model dialect ------------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_MODEL_MODEL_H
#define DYNAC_DIALECT_MODEL_MODEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dynac/Dialect/Model/ModelDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dynac/Dialect/Model/ModelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dynac/Dialect/Model/ModelTypes.h.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Model/ModelOps.h.inc"

#endif // DYNAC_DIALECT_MODEL_MODEL_H
