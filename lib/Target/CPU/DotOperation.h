//===- DotOperation.h - multiplies and adds words ---------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_DOTOPERATION_H
#define DYNAC_LIB_TARGET_CPU_DOTOPERATION_H

#include "dynac/Target/CPU/DotKind.h"

#include "mlir/IR/Builders.h"

namespace dynac::cpu {

/// One step of a tile: sums += A * B, on vectors of words of one native width.
struct DotOperation {
  DotKind kind;
  const Isa &isa;
  mlir::OpBuilder &b;
  mlir::Location loc;

  /// A vector of words, ready to be multiplied any number of times: itself, or taken apart.
  using Factor = llvm::SmallVector<mlir::Value, 2>;
  Factor factorA(mlir::Value words) const;
  Factor factorB(mlir::Value words) const;
  mlir::Value accumulate(mlir::Value sums, const Factor &a, const Factor &factor) const;

private:
  Factor halves(mlir::Value words, bool isSigned) const;
  mlir::Value splat(int64_t value) const;
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands) const;
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_DOTOPERATION_H
