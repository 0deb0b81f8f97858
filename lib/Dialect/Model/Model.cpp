//===- Model.cpp - the model dialect's registration -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Model/Model.h"
#include "dynac/Support/Diagnostic.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac::model;

#include "dynac/Dialect/Model/ModelDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dynac/Dialect/Model/ModelAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dynac/Dialect/Model/ModelTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Model/ModelOps.cpp.inc"

void ModelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dynac/Dialect/Model/ModelOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dynac/Dialect/Model/ModelAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dynac/Dialect/Model/ModelTypes.cpp.inc"
      >();
}

StringRef NodeOp::getDomain() {
  StringRef domain = getOp().rsplit('.').first;
  return domain == "onnx" ? StringRef() : domain;
}

StringRef NodeOp::getOpType() { return getOp().rsplit('.').second; }

std::string NodeOp::describe() {
  std::string name = getNodeName().empty() ? "#" + std::to_string(getIndex())
                                           : "'" + dynac::printable(getNodeName()) + "'";
  StringRef domain = getDomain();
  return "node " + name + " (" + (domain.empty() ? "" : domain.str() + ".") + getOpType().str() +
         ", opset " + std::to_string(getOpset()) + ")";
}

LogicalResult NodeOp::verify() {
  if (!getOp().contains('.'))
    return emitOpError("expected DOMAIN.OPERATOR, got \"") << getOp() << "\"";
  if (getGraphs().size() != getBodies().size())
    return emitOpError("has ") << getGraphs().size() << " names for " << getBodies().size()
                               << " regions";
  for (Region &body : getBodies())
    if (body.front().empty() || !isa<OutputOp>(body.front().back()))
      return emitOpError("expected its regions to end with model.output");
  return success();
}
