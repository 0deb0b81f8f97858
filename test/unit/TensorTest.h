//===- TensorTest.h - a function to build formulas in -----------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_UNIT_TENSORTEST_H
#define DYNAC_TEST_UNIT_TENSORTEST_H

#include "dynac/Composites/Composites.h"
#include "dynac/Composites/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

namespace dynac {

/// Builds into one function of a module, which is verified at the end of each test.
class TensorTest : public ::testing::Test {
protected:
  TensorTest() : builder(&mlir), context(builder, builder.getUnknownLoc()) {
    mlir.loadDialect<prim::PrimDialect, mlir::func::FuncDialect>();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto function = builder.create<mlir::func::FuncOp>(builder.getUnknownLoc(), "formula",
                                                       builder.getFunctionType({}, {}));
    block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    f32 = builder.getF32Type();
    f16 = builder.getF16Type();
    i64 = builder.getI64Type();
    i1 = builder.getI1Type();
  }

  /// A value of which nothing but the type is known; dims are numbers or expressions: {"2", "N"}.
  Tensor input(std::initializer_list<const char *> dims, mlir::Type dtype = {}) {
    mlir::Type type = prim::tensorType(shape(dims), dtype ? dtype : f32);
    mlir::OperationState state(builder.getUnknownLoc(), "test.input");
    state.addTypes(type);
    mlir.allowUnregisteredDialects();
    return Tensor(context, builder.create(state)->getResult(0));
  }

  static Shape shape(std::initializer_list<const char *> dims) {
    Shape result;
    for (const char *dim : dims)
      result.push_back(*SymExpr::parse(dim));
    return result;
  }

  /// Shape and element type: "f32 [2, N]"; "invalid" for an invalid tensor.
  static std::string text(Tensor x) {
    if (!x)
      return "invalid";
    std::string result;
    llvm::raw_string_ostream(result) << x.dtype() << " " << prim::shapeText(x.shape());
    return result;
  }

  /// The first error, which is cleared.
  std::string takeError() {
    std::string error = std::move(context.error);
    context.error.clear();
    return error;
  }

  int64_t countOps(llvm::StringRef name) {
    int64_t count = 0;
    module->walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  void TearDown() override {
    EXPECT_EQ(context.error, "");
    builder.setInsertionPointToEnd(block);
    builder.create<mlir::func::ReturnOp>(builder.getUnknownLoc());
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  }

  mlir::MLIRContext mlir;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  TensorContext context;
  mlir::Block *block = nullptr;
  mlir::Type f32, f16, i64, i1;
};

} // namespace dynac

#endif // DYNAC_TEST_UNIT_TENSORTEST_H
