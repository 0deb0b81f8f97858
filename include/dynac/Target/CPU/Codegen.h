//===- Codegen.h - from kernels in MLIR to object files ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_CODEGEN_H
#define DYNAC_TARGET_CPU_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace dynac::cpu {

struct CodegenOptions {
  /// Threads to compile on. The bytes do not depend on it.
  unsigned threads = 1;
  /// Kernels per object file; the split does not depend on `threads`.
  unsigned kernelsPerObject = 8;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 2;
};

/// Adds the passes that take kernels (arith, math, scf, memref, vector, cf, index, LLVM dialects)
/// to the LLVM dialect, own math expansions included.
void addKernelLowering(mlir::OpPassManager &pm);

/// Runs addKernelLowering on `kernels`, in place.
llvm::Error lowerToLLVMDialect(mlir::ModuleOp kernels);

/// Compiles `kernels`, which it lowers in place, to relocatable x86-64 ELF objects:
/// position-independent, small code model, each function for the level of its KernelFunction; every
/// kernel's symbol is hidden. What a kernel calls outside the objects is at most libm (f64
/// transcendental functions) and memcpy/memmove/memset. Deterministic.
llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
lowerToObjects(mlir::ModuleOp kernels, const CodegenOptions &options = {});

enum class KernelText { LLVMIR, OptimizedLLVMIR, Assembly };
/// The text of a stage, for `--emit` and for tests. Lowers `kernels` in place.
llvm::Expected<std::string> lowerToText(mlir::ModuleOp kernels, KernelText stage,
                                        const CodegenOptions &options = {});

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_CODEGEN_H
