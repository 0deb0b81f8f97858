//===- MathExpansion.h - elementary functions as arithmetic -----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementary functions of f32 as straight-line arithmetic, on scalars and on vectors alike: no
// calls, no branches, so a loop over the scalar form is vectorised by LLVM. Inputs of f16 and bf16
// are computed in f32. Error bounds (checked by CpuMathTest against libm in f64) stand at each
// function in the .cpp files.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_MATHEXPANSION_H
#define DYNAC_TARGET_CPU_MATHEXPANSION_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace dynac::cpu {

/// Replaces math dialect operations on f32 by arithmetic; and conversions from and to f16 and bf16,
/// and fma, where the function's CPU level has no instruction for them (LLVM would call a library
/// function). Functions of f64 that have no instruction stay, for libm.
std::unique_ptr<mlir::Pass> createMathExpansionPass();

/// The patterns of elementary functions alone.
void populateMathExpansionPatterns(mlir::RewritePatternSet &patterns);

/// Builds the expansion of one function of an f32 scalar or vector, for emitters that want it
/// inline.
mlir::Value emitExp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// The same for vector<16xf32> with AVX-512, which has an instruction for p * 2^n.
mlir::Value emitExpAvx512(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitExp2(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitExpm1(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog2(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog10(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitLog1p(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitErf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitTanh(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitSinh(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitCosh(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitSin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitTan(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitAtan(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitAsin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitAcos(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitAtan2(mlir::OpBuilder &b, mlir::Location loc, mlir::Value y, mlir::Value x);
mlir::Value emitPow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base, mlir::Value exponent);
/// 1 / (1 + exp(-x)).
mlir::Value emitLogistic(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// The same for vector<16xf32> with AVX-512.
mlir::Value emitLogisticAvx512(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_MATHEXPANSION_H
