//===- Check.h - the check dialect ------------------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_CHECK_CHECK_H
#define DYNAC_DIALECT_CHECK_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dynac/Dialect/Check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Check/CheckOps.h.inc"

#endif // DYNAC_DIALECT_CHECK_CHECK_H
