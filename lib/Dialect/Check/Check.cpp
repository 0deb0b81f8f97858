//===- Check.cpp - the check dialect --------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Check/Check.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dynac::check;

#include "dynac/Dialect/Check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Check/CheckOps.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dynac/Dialect/Check/CheckOps.cpp.inc"
      >();
}

LogicalResult CheckDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  if (name != "check.refused" && name != "check.invalid" && name != "check.static")
    return op->emitError() << "'" << name
                           << "': expected check.refused, check.invalid or check.static";
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitError() << "'" << name << "': expected a part of the message";
  return success();
}

LogicalResult CloseOp::verify() {
  if (!isa<FloatType>(getElementTypeOrSelf(getGot().getType())))
    return emitOpError() << "compares " << getElementTypeOrSelf(getGot().getType())
                         << ", expected floats (check.equal compares others)";
  if (getRtol().isNegative() || getAtol().isNegative())
    return emitOpError("has a negative tolerance");
  return success();
}
