//===- Check.cpp - what the generic way can code --------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "Access.h"
#include "dynac/Conversion/PrimToLoops.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::loops;

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

static bool isSupportedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    const unsigned width = integer.getWidth();
    return llvm::isPowerOf2_32(width) && width <= 64;
  }
  return prim::isSmallFloat(type) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType, Float8E5M2Type,
             Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}

static std::string whyNotSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "a kernel cannot take values of type " + typeText(type);
  if (!isSupportedElement(tensor.getElementType()))
    return "elements of type " + typeText(tensor.getElementType()) + " are not supported";
  return "";
}

static bool isPulled(Operation *op) {
  return prim::isElementwise(op) || isReduction(op) ||
         isa<prim::ConstantOp, prim::IotaOp, prim::DimsToTensorOp, prim::BroadcastOp,
             prim::ReshapeOp, prim::TransposeOp, prim::ReverseOp, prim::SliceOp,
             prim::StopGradientOp, prim::BarrierOp, prim::PadOp, prim::ConcatOp, prim::GatherOp,
             prim::DynamicSliceOp, prim::DynamicUpdateSliceOp, prim::RngBitsOp>(op);
}

std::string dynac::whyNotSupported(prim::RegionOp region) {
  for (Operation &op : region.getBody().front()) {
    for (Type type : op.getOperandTypes())
      if (std::string reason = ::whyNotSupported(type); !reason.empty())
        return reason;
    for (Type type : op.getResultTypes())
      if (std::string reason = ::whyNotSupported(type); !reason.empty())
        return reason;
    if (isa<prim::YieldOp>(op))
      continue;
    const std::string name = op.getName().getStringRef().str();
    if (!isPulled(&op) && !isSpecial(&op))
      return name + " cannot be inside of a kernel";
    if (isSpecial(&op))
      for (Operation *user : op.getUsers())
        if (!isa<prim::YieldOp>(user))
          return "the results of " + name + " can only be results of its kernel";
    if (auto constant = dyn_cast<prim::ConstantOp>(op);
        constant && !isa<DenseElementsAttr>(constant.getValue()))
      return "a constant inside of a kernel must be dense";
  }
  return "";
}
