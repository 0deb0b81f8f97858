//===- DotKind.h - the numbers that a register tile multiplies --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of short numbers go over words of 32 bits, each of which holds a group of numbers
// that are neighbours in k: two bf16, or four bytes. One step of a tile multiplies the words of A
// and B number by number and adds the products to one sum of 32 bits. So the kernels' addresses,
// loops and packings are those of f32, with words for numbers.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_DOTKIND_H
#define DYNAC_TARGET_CPU_DOTKIND_H

#include "dynac/Target/CPU/Isa.h"

#include "mlir/IR/BuiltinTypes.h"

namespace dynac::cpu {

enum class DotKind {
  F32,  ///< f32 * f32, f32 sums
  Bf16, ///< bf16 * bf16, f32 sums
  U8S8, ///< A unsigned, B signed bytes, i32 sums that are exact
};

/// Numbers in a word.
inline int64_t groupOf(DotKind kind) {
  return kind == DotKind::F32 ? 1 : kind == DotKind::Bf16 ? 2 : 4;
}

/// Whether the level multiplies and adds words with one instruction. If not, words are taken apart:
/// twice the multiplications, and twice the registers for factors.
inline bool hasDot(const Isa &isa, DotKind kind) {
  return kind == DotKind::F32 || (kind == DotKind::Bf16 ? isa.hasBf16Dot : isa.hasVnni);
}

/// The element type of A's and B's memory as the kernels see it: f32 or i32.
inline mlir::Type wordType(DotKind kind, mlir::MLIRContext *context) {
  if (kind == DotKind::F32)
    return mlir::Float32Type::get(context);
  return mlir::IntegerType::get(context, 32);
}

inline mlir::Type sumType(DotKind kind, mlir::MLIRContext *context) {
  if (kind == DotKind::U8S8)
    return mlir::IntegerType::get(context, 32);
  return mlir::Float32Type::get(context);
}

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_DOTKIND_H
