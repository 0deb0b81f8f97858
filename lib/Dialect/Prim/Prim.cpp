//===- Prim.cpp - the prim dialect's registration and attributes ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Prim/Prim.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::prim;

#include "dynac/Dialect/Prim/PrimDialect.cpp.inc"
#include "dynac/Dialect/Prim/PrimEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dynac/Dialect/Prim/PrimAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dynac/Dialect/Prim/PrimTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dynac/Dialect/Prim/PrimOps.cpp.inc"

void PrimDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dynac/Dialect/Prim/PrimOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dynac/Dialect/Prim/PrimAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dynac/Dialect/Prim/PrimTypes.cpp.inc"
      >();
}

Operation *PrimDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, type, elements);
}

//===----------------------------------------------------------------------===//
// DimsAttr
//===----------------------------------------------------------------------===//

DimsAttr DimsAttr::get(MLIRContext *context, ArrayRef<SymExpr> dims) {
  SmallVector<Attribute> entries;
  for (const SymExpr &dim : dims) {
    if (auto value = dim.constant())
      entries.push_back(IntegerAttr::get(IntegerType::get(context, 64), *value));
    else
      entries.push_back(StringAttr::get(context, dim.str()));
  }
  return get(context, ArrayRef<Attribute>(entries));
}

SmallVector<SymExpr> DimsAttr::exprs() const {
  SmallVector<SymExpr> result;
  for (Attribute entry : getEntries()) {
    if (auto number = llvm::dyn_cast<IntegerAttr>(entry))
      result.push_back(SymExpr(number.getInt()));
    else // The verifier made sure that it parses.
      result.push_back(*SymExpr::parse(llvm::cast<StringAttr>(entry).getValue()));
  }
  return result;
}

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Attribute> entries) {
  for (Attribute entry : entries) {
    if (auto number = llvm::dyn_cast<IntegerAttr>(entry)) {
      if (number.getType().isInteger(64))
        continue;
      return emitError() << "#prim.dims: expected 64-bit integers";
    }
    auto text = llvm::dyn_cast<StringAttr>(entry);
    if (!text)
      return emitError() << "#prim.dims: expected integers and strings";
    auto parsed = SymExpr::parse(text.getValue());
    if (!parsed || parsed->str() != text.getValue())
      return emitError() << "#prim.dims: \"" << text.getValue() << "\" is no canonical expression";
    if (parsed->isConstant())
      return emitError() << "#prim.dims: \"" << text.getValue() << "\" is a number, not a string";
  }
  return success();
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> entries;
  auto parseEntry = [&]() -> ParseResult {
    std::string text;
    if (succeeded(parser.parseOptionalString(&text))) {
      entries.push_back(parser.getBuilder().getStringAttr(text));
      return success();
    }
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    entries.push_back(parser.getBuilder().getI64IntegerAttr(value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseEntry))
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                    ArrayRef<Attribute>(entries));
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (getEntries().size() != shape.size())
    return emitError() << "#prim.dims names " << getEntries().size()
                       << " dimensions of a tensor of "
                       << "rank " << shape.size();
  for (auto [i, entry] : llvm::enumerate(getEntries())) {
    auto number = llvm::dyn_cast<IntegerAttr>(entry);
    if (number ? number.getInt() != shape[i] : !ShapedType::isDynamic(shape[i]))
      return emitError() << "#prim.dims: entry " << i << " is " << (number ? "" : "named ") << entry
                         << ", the tensor's dimension is " << SymExpr(shape[i]).str();
  }
  if (!llvm::any_of(shape, ShapedType::isDynamic))
    return emitError() << "#prim.dims on a tensor whose dimensions are all numbers";
  return success();
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getEntries(), printer.getStream(), [&](Attribute entry) {
    if (auto number = llvm::dyn_cast<IntegerAttr>(entry))
      printer << number.getInt();
    else
      printer << entry;
  });
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Shapes and classes
//===----------------------------------------------------------------------===//

Shape prim::shapeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
    return Shape(dims.exprs());
  Shape shape;
  for (int64_t dim : tensor.getShape())
    shape.push_back(SymExpr(dim));
  return shape;
}

RankedTensorType prim::tensorType(ArrayRef<SymExpr> shape, Type elementType) {
  SmallVector<int64_t> dims;
  bool isStatic = true;
  for (const SymExpr &dim : shape) {
    auto value = dim.constant();
    isStatic &= value.has_value();
    dims.push_back(value.value_or(ShapedType::kDynamic));
  }
  Attribute encoding;
  if (!isStatic)
    encoding = DimsAttr::get(elementType.getContext(), shape);
  return RankedTensorType::get(dims, elementType, encoding);
}

RankedTensorType prim::withElementType(Type tensor, Type elementType) {
  auto ranked = cast<RankedTensorType>(tensor);
  return RankedTensorType::get(ranked.getShape(), elementType, ranked.getEncoding());
}

SymExpr prim::elementCount(ArrayRef<SymExpr> shape) {
  SymExpr count(1);
  for (const SymExpr &dim : shape)
    count = count * dim;
  return count;
}

std::string prim::shapeText(ArrayRef<SymExpr> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i].str();
  return text + "]";
}

unsigned prim::bitWidth(Type elementType) {
  if (isa<F4E2M1Type>(elementType))
    return 4;
  return isa<F8E8M0Type>(elementType) ? 8 : elementType.getIntOrFloatBitWidth();
}

bool prim::isSmallFloat(Type type) { return isa<F4E2M1Type, F8E8M0Type>(type); }

bool prim::isPacked(Type elementType) {
  return (isa<IntegerType>(elementType) || isSmallFloat(elementType)) && !isBool(elementType) &&
         bitWidth(elementType) < 8;
}

bool prim::isPrimTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  if (!isa<FloatType>(element) && !isSmallFloat(element) &&
      !(isa<IntegerType>(element) && !element.isSignedInteger()))
    return false;
  return tensor.hasStaticShape() ? !tensor.getEncoding()
                                 : isa_and_nonnull<DimsAttr>(tensor.getEncoding());
}

Cost prim::costOf(Operation *op) {
  return TypeSwitch<Operation *, Cost>(op)
      .Case<
#define GET_OP_LIST
#include "dynac/Dialect/Prim/PrimOps.cpp.inc"
          >([](auto primOp) { return decltype(primOp)::costClass; })
      .Default([](Operation *) { return Cost::Structural; });
}

bool prim::isElementwise(Operation *op) { return op->hasTrait<IsElementwise>(); }
