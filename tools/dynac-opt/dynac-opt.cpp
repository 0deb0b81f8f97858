//===- dynac-opt.cpp - runs passes on textual IR --------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Dialect/Check/Check.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/Prim.h"
#include "dynac/Target/CPU/Passes.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<dynac::prim::PrimDialect, dynac::check::CheckDialect, dynac::model::ModelDialect,
                  mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::memref::MemRefDialect, mlir::vector::VectorDialect,
                  mlir::LLVM::LLVMDialect>();
  mlir::registerCanonicalizer();
  mlir::registerCSEPass();
  dynac::registerTransformsPasses();
  mlir::registerPass(dynac::cpu::createBf16OperandsPass);
  mlir::registerPass(dynac::cpu::createBlockedLayoutPass);
  mlir::registerPass(dynac::cpu::createChannelsLastPass);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "dynac's passes on textual IR\n", registry));
}
