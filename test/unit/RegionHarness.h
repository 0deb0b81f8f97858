//===- RegionHarness.h - compiles and runs one prim.region ------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_REGIONHARNESS_H
#define DYNAC_TEST_UNIT_REGIONHARNESS_H

#include "KernelJit.h"
#include "dynac/Conversion/PrimToLoops.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace dynac::test {

/// Elements of a tensor of any type. The mantissa of `long double` holds all 64-bit integers.
using Numbers = std::vector<long double>;
using SymbolValues = std::map<std::string, int64_t>;

template <typename T> long double readAs(const char *p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}
template <typename T> void writeAs(char *p, long double number) {
  T value = T(number);
  std::memcpy(p, &value, sizeof(T));
}

inline size_t bytesOf(mlir::Type type) { return std::max(1u, type.getIntOrFloatBitWidth() / 8); }

/// Calls `action` with the C++ type of an element type; f16, bf16 and fp8 go through APFloat.
template <typename Action> void withCppType(mlir::Type type, Action action) {
  const bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  if (type.isF32())
    return action(float());
  if (type.isF64())
    return action(double());
  switch (bytesOf(type)) {
  case 1:
    return isUnsigned ? action(uint8_t()) : action(int8_t());
  case 2:
    return isUnsigned ? action(uint16_t()) : action(int16_t());
  case 4:
    return isUnsigned ? action(uint32_t()) : action(int32_t());
  default:
    return isUnsigned ? action(uint64_t()) : action(int64_t());
  }
}

inline long double readElement(mlir::Type type, const char *p) {
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type);
      floatType && floatType.getWidth() < 32) {
    uint64_t bits = 0;
    std::memcpy(&bits, p, bytesOf(type));
    llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(floatType.getWidth(), bits));
    return value.convertToDouble();
  }
  long double result = 0;
  withCppType(type, [&](auto zero) { result = readAs<decltype(zero)>(p); });
  return result;
}

inline void writeElement(mlir::Type type, char *p, long double number) {
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type);
      floatType && floatType.getWidth() < 32) {
    llvm::APFloat value{double(number)};
    bool loses;
    value.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    uint64_t bits = value.bitcastToAPInt().getZExtValue();
    std::memcpy(p, &bits, bytesOf(type));
    return;
  }
  withCppType(type, [&](auto zero) { writeAs<decltype(zero)>(p, number); });
}

/// A region made of the function in `text` (its body's ops, its arguments and results), with its
/// kernel.
class RegionKernel {
public:
  RegionKernel(mlir::MLIRContext &context, llvm::StringRef text) {
    context.loadDialect<prim::PrimDialect, mlir::func::FuncDialect>();
    cpu::loadKernelDialects(context);
    source = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!source) {
      ADD_FAILURE() << "cannot parse " << text.str();
      return;
    }
    makeRegion();
  }

  explicit operator bool() const { return bool(region); }

  /// Emits the kernel for `isa` into a module of its own. Empty, after a test failure, on errors.
  mlir::OwningOpRef<mlir::ModuleOp> emit(const cpu::Isa &isa) {
    mlir::OwningOpRef<mlir::ModuleOp> kernels = mlir::ModuleOp::create(region.getLoc());
    auto buffers = bufferArgsOf<cpu::BufferArg>(region);
    cpu::KernelFunction kernel(*kernels, "kernel", isa, buffers, kernelDimsOf(region).size());
    auto messageIndex = [&](llvm::StringRef message) {
      messages.push_back(message.str());
      return int(messages.size() - 1);
    };
    if (llvm::Error error = emitRegionKernel(region, kernel, messageIndex)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return {};
    }
    kernel.finish();
    if (mlir::failed(mlir::verify(*kernels))) {
      kernels->dump();
      ADD_FAILURE() << "the kernel's IR is invalid";
      return {};
    }
    return kernels;
  }

  /// Runs the kernel in `pieces` parts; `status` gets the first code that is not 0.
  std::vector<Numbers> run(const cpu::Isa &isa, const std::vector<Numbers> &inputs,
                           const SymbolValues &symbols, int pieces = 3, int32_t *status = nullptr) {
    mlir::OwningOpRef<mlir::ModuleOp> kernels = emit(isa);
    if (!kernels)
      return {};
    cpu::test::KernelJit jit(*kernels);
    dynac_kernel_fn fn = jit["kernel"];
    auto value = [&](const SymExpr &expr) {
      return *expr.evaluate([&](std::string_view name) -> std::optional<int64_t> {
        auto known = symbols.find(std::string(name));
        return known == symbols.end() ? std::nullopt : std::optional(known->second);
      });
    };
    llvm::SmallVector<mlir::RankedTensorType> types;
    for (mlir::Type type : region->getOperandTypes())
      types.push_back(mlir::cast<mlir::RankedTensorType>(type));
    for (mlir::Type type : region->getResultTypes())
      types.push_back(mlir::cast<mlir::RankedTensorType>(type));
    llvm::append_range(types, workspaceOf(region));

    std::vector<cpu::test::Aligned<char>> memory;
    std::vector<void *> buffers;
    for (auto [i, type] : llvm::enumerate(types)) {
      const size_t count = value(prim::elementCount(prim::shapeOf(type))),
                   bytes = bytesOf(type.getElementType());
      memory.emplace_back(count * bytes, char(0x55));
      if (i < inputs.size()) {
        EXPECT_EQ(inputs[i].size(), count) << "elements of input " << i;
        for (size_t k = 0; k < count; ++k)
          writeElement(type.getElementType(), memory.back().data() + k * bytes, inputs[i][k]);
      }
    }
    for (auto &array : memory)
      buffers.push_back(array.data());
    std::vector<int64_t> dims;
    for (const SymExpr &dim : kernelDimsOf(region))
      dims.push_back(value(dim));

    const int64_t units = value(extentOf(region).units);
    int32_t result = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const int64_t begin = units * piece / pieces, end = units * (piece + 1) / pieces;
      if (int32_t code = begin < end ? cpu::test::callKernel(fn, buffers, dims, begin, end) : 0;
          code && !result)
        result = code;
    }
    if (status)
      *status = result;
    else
      EXPECT_EQ(result, 0);

    std::vector<Numbers> outputs;
    for (size_t i = region.getNumOperands(); i < region.getNumOperands() + region.getNumResults();
         ++i) {
      outputs.emplace_back();
      mlir::Type element = types[i].getElementType();
      for (size_t at = 0; at < memory[i].size(); at += bytesOf(element))
        outputs.back().push_back(readElement(element, memory[i].data() + at));
    }
    return outputs;
  }

  prim::RegionOp region;
  std::vector<std::string> messages;

private:
  void makeRegion() {
    auto func = *source->getOps<mlir::func::FuncOp>().begin();
    mlir::OpBuilder b(func);
    // A function around the isolated region, with the same arguments.
    auto outer = mlir::func::FuncOp::create(func.getLoc(), "outer", func.getFunctionType());
    source->push_back(outer);
    mlir::Block *entry = outer.addEntryBlock();
    b.setInsertionPointToStart(entry);
    region =
        b.create<prim::RegionOp>(func.getLoc(), func.getResultTypes(), "test",
                                 entry->getArguments(), mlir::StringAttr(), mlir::DictionaryAttr());
    region.getBody().takeBody(func.getBody());
    mlir::Operation *terminator = region.getBody().front().getTerminator();
    mlir::OpBuilder inner(terminator);
    inner.create<prim::YieldOp>(terminator->getLoc(), terminator->getOperands());
    terminator->erase();
    b.create<mlir::func::ReturnOp>(func.getLoc(), region.getResults());
    func.erase();
    if (mlir::failed(mlir::verify(*source)))
      ADD_FAILURE() << "the region is invalid";
  }

  mlir::OwningOpRef<mlir::ModuleOp> source;
};

} // namespace dynac::test

#endif // DYNAC_TEST_UNIT_REGIONHARNESS_H
