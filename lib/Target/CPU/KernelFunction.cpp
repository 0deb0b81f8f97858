//===- KernelFunction.cpp - opens a kernel function in a module -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/KernelFunction.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dynac::cpu;

void dynac::cpu::loadKernelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                      index::IndexDialect, LLVM::LLVMDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
}

Value dynac::cpu::memrefFromPointer(OpBuilder &b, Location loc, Value pointer, MemRefType type,
                                    ValueRange dynamicExtents) {
  LLVMTypeConverter converter(b.getContext());
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return b.create<LLVM::ConstantOp>(loc, i64, b.getI64IntegerAttr(value));
  };
  SmallVector<Value> sizes, strides(type.getRank());
  unsigned next = 0;
  for (int64_t extent : type.getShape())
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? Value(b.create<arith::IndexCastOp>(loc, i64, dynamicExtents[next++]))
                        : number(extent));
  int64_t staticStride = 1;
  Value stride = number(1);
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    if (ShapedType::isDynamic(staticStride) || type.isDynamicDim(axis)) {
      stride = b.create<LLVM::MulOp>(loc, stride, sizes[axis]);
      staticStride = ShapedType::kDynamic;
    } else {
      staticStride *= type.getDimSize(axis);
      stride = number(staticStride);
    }
  }
  SmallVector<Value> parts = {pointer, pointer, number(0)};
  parts.append(sizes);
  parts.append(strides);
  Value descriptor = MemRefDescriptor::pack(b, loc, converter, type, parts);
  return b.create<UnrealizedConversionCastOp>(loc, type, descriptor).getResult(0);
}

/// `passthrough` attributes: what LLVM must know about the CPU and, for bodies, not to inline them
/// (inlining turns the noalias arguments into scope metadata, which is weaker and slower to
/// compile).
static ArrayAttr functionAttributes(OpBuilder &b, const Isa &isa, bool isBody) {
  auto pair = [&](StringRef key, StringRef value) -> Attribute {
    return b.getStrArrayAttr({key, value});
  };
  SmallVector<Attribute> attributes = {
      pair("target-cpu", isa.targetCpu), pair("tune-cpu", isa.tuneCpu),
      pair("prefer-vector-width", std::to_string(isa.vectorBits())), b.getStringAttr("nounwind")};
  if (!isa.targetFeatures.empty())
    attributes.push_back(pair("target-features", isa.targetFeatures));
  if (isBody)
    attributes.push_back(b.getStringAttr("noinline"));
  return b.getArrayAttr(attributes);
}

namespace {

/// The arguments of a body, in order: buffers, dims, scratch, begin, end.
struct BodySignature {
  unsigned buffers, dims;
  bool scratch;
  unsigned scratchIndex() const { return buffers + dims; }
  unsigned beginIndex() const { return scratchIndex() + scratch; }
  unsigned size() const { return beginIndex() + 2; }
};

} // namespace

static func::FuncOp createBody(OpBuilder &b, Location loc, StringRef name, const Isa &isa,
                               ArrayRef<BufferArg> buffers, const BodySignature &signature) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  SmallVector<Type> types(signature.size(), i64);
  std::fill_n(types.begin(), signature.buffers, pointer);
  if (signature.scratch)
    types[signature.scratchIndex()] = pointer;
  auto func =
      b.create<func::FuncOp>(loc, (name + ".body").str(), b.getFunctionType(types, b.getI32Type()));
  func.setPrivate();
  func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Private));
  func->setAttr("passthrough", functionAttributes(b, isa, /*isBody=*/true));
  func->setAttr("dynac.cpu_level", b.getI32IntegerAttr(isa.level));
  UnitAttr unit = b.getUnitAttr();
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    if (!buffer.mayAlias)
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
    func.setArgAttr(i, LLVM::LLVMDialect::getNoUndefAttrName(), unit);
  }
  if (signature.scratch) {
    func.setArgAttr(signature.scratchIndex(), LLVM::LLVMDialect::getNoAliasAttrName(), unit);
    func.setArgAttr(signature.scratchIndex(), LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(64));
  }
  func.addEntryBlock();
  return func;
}

/// The function of the ABI: loads everything from dynac_kernel_args_t {buffers, dims, scratch}.
static void createEntry(OpBuilder &b, Location loc, StringRef name, const Isa &isa,
                        func::FuncOp body, const BodySignature &signature) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type(),
       i32 = b.getI32Type();
  auto func = b.create<func::FuncOp>(loc, name, b.getFunctionType({pointer, i64, i64}, i32));
  func->setAttr("passthrough", functionAttributes(b, isa, /*isBody=*/false));
  Block *entry = func.addEntryBlock();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);

  auto loadAt = [&](Type type, Value base, int32_t index) -> Value {
    Value address = b.create<LLVM::GEPOp>(loc, pointer, type, base, ArrayRef<LLVM::GEPArg>{index});
    return b.create<LLVM::LoadOp>(loc, type, address);
  };
  Value args = entry->getArgument(0);
  SmallVector<Value> operands;
  if (signature.buffers) {
    Value table = loadAt(pointer, args, 0);
    for (unsigned i = 0; i < signature.buffers; ++i)
      operands.push_back(loadAt(pointer, table, i));
  }
  if (signature.dims) {
    Value table = loadAt(pointer, args, 1);
    for (unsigned i = 0; i < signature.dims; ++i)
      operands.push_back(loadAt(i64, table, i));
  }
  if (signature.scratch)
    operands.push_back(loadAt(pointer, args, 2));
  operands.append({entry->getArgument(1), entry->getArgument(2)});
  auto call = b.create<func::CallOp>(loc, body, operands);
  b.create<func::ReturnOp>(loc, call.getResults());
}

KernelFunction::KernelFunction(ModuleOp module, StringRef name, const Isa &isa,
                               ArrayRef<BufferArg> bufferArgs, unsigned dimCount,
                               int64_t scratchBytes)
    : b(module.getBodyRegion()), location(b.getUnknownLoc()), isaValue(isa),
      bufferArgs(bufferArgs) {
  b.setInsertionPointToEnd(module.getBody());
  const BodySignature signature{unsigned(bufferArgs.size()), dimCount, scratchBytes > 0};
  bodyFunc = createBody(b, location, name, isa, bufferArgs, signature);
  createEntry(b, location, name, isa, bodyFunc, signature);

  Block *entry = &bodyFunc.getBody().front();
  b.setInsertionPointToStart(entry);
  auto index = [&](unsigned argument) -> Value {
    return b.create<arith::IndexCastOp>(location, b.getIndexType(), entry->getArgument(argument));
  };
  for (unsigned j = 0; j < dimCount; ++j)
    dims.push_back(index(signature.buffers + j));
  for (auto [i, buffer] : llvm::enumerate(bufferArgs)) {
    Type element = buffer.elementType.isInteger(1) ? b.getI8Type() : buffer.elementType;
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (const Extent &extent : buffer.shape) {
      shape.push_back(extent.dynamic ? ShapedType::kDynamic : extent.value);
      if (extent.dynamic)
        dynamic.push_back(dims[extent.value]);
    }
    buffers.push_back(memrefFromPointer(b, location, entry->getArgument(i),
                                        MemRefType::get(shape, element), dynamic));
  }
  if (signature.scratch)
    scratchValue = memrefFromPointer(b, location, entry->getArgument(signature.scratchIndex()),
                                     MemRefType::get({scratchBytes}, b.getI8Type()));
  beginValue = index(signature.beginIndex());
  endValue = index(signature.beginIndex() + 1);
}

Value KernelFunction::pointer(unsigned i) { return bodyFunc.getArgument(i); }

Value KernelFunction::extent(unsigned i, unsigned axis) {
  const Extent &extent = bufferArgs[i].shape[axis];
  return extent.dynamic ? dims[extent.value] : constant(extent.value);
}

Value KernelFunction::scratch(MemRefType type, int64_t byteOffset) {
  return b.create<memref::ViewOp>(location, type, scratchValue, constant(byteOffset), ValueRange{});
}

Value KernelFunction::constant(int64_t value) {
  Value &cached = constants[value];
  if (!cached) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&bodyFunc.getBody().front());
    cached = b.create<arith::ConstantIndexOp>(location, value);
  }
  return cached;
}

Value KernelFunction::alloca(MemRefType type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&bodyFunc.getBody().front());
  return b.create<memref::AllocaOp>(location, type, b.getI64IntegerAttr(64));
}

void KernelFunction::fail(OpBuilder &at, Value condition, int32_t code) {
  if (!statusSlot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&bodyFunc.getBody().front());
    auto type = MemRefType::get({}, b.getI32Type());
    statusSlot = b.create<memref::AllocaOp>(location, type);
    Value zero = b.create<arith::ConstantIntOp>(location, 0, 32);
    b.create<memref::StoreOp>(location, zero, statusSlot);
  }
  // A select, not a branch: once the slot is in a register, LLVM sees a reduction and may
  // vectorise.
  Value old = at.create<memref::LoadOp>(location, statusSlot);
  Value codeValue = at.create<arith::ConstantIntOp>(location, code, 32);
  Value status = at.create<arith::SelectOp>(location, condition, codeValue, old);
  at.create<memref::StoreOp>(location, status, statusSlot);
}

void KernelFunction::keepLoops() {
  auto attributes = bodyFunc->getAttrOfType<ArrayAttr>("passthrough");
  SmallVector<Attribute> all(attributes.begin(), attributes.end());
  all.push_back(b.getStringAttr("dynac-keep-loops"));
  bodyFunc->setAttr("passthrough", b.getArrayAttr(all));
}

void KernelFunction::finish() {
  Value status = statusSlot ? Value(b.create<memref::LoadOp>(location, statusSlot))
                            : Value(b.create<arith::ConstantIntOp>(location, 0, 32));
  b.create<func::ReturnOp>(location, status);
}
