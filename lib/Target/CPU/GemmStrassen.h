//===- GemmStrassen.h - two panels of B by seven products -------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One level of Strassen's method. A block of k is cut into two halves, the rows of a unit into two
// halves, and the columns are those of two panels: of the quarters,
//
//   M0 = (A11 + A22) (B11 + B22)    M3 = A22 (B21 - B11)            C11 = M0 + M3 - M4 + M6
//   M1 = (A21 + A22) B11            M4 = (A11 + A12) B22            C12 = M2 + M4
//   M2 = A11 (B12 - B22)            M5 = (A21 - A11) (B11 + B12)    C21 = M1 + M3
//                                   M6 = (A12 - A22) (B21 + B22)    C22 = M0 - M1 + M2 + M5
//
// Seven eighths of the multiplications. What is on the left is made once for all panels, what is on
// the right once for all rows of a unit, of the weight as it is packed for the plain product.
//
// Errors: an element's bound is that of the plain sum times about 3, but relative to the norms of
// its row, of its column and of the column it is paired with, where the plain sum has those of row
// and column. Rows that are paired do not matter to each other, since each is scaled by a power of
// two to numbers below 2. A number that is not finite would spread; a pair in which one comes up is
// left to the plain product.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_GEMMSTRASSEN_H
#define DYNAC_LIB_TARGET_CPU_GEMMSTRASSEN_H

#include "dynac/Target/CPU/GemmKernel.h"

namespace dynac::cpu {

/// Sets `plan.pairs` and what goes with it if the method is faster for the plan's panels, and grows
/// its scratch memory. `m`: -1 if not known. `unitRows`: 0, or the plan's rows of a unit stay.
void planStrassen(GemmPlan &plan, int64_t m, int64_t unitRows);

class StrassenUnit {
public:
  /// `a`, `packed`: flat views of f32; lda: elements from one row of A to the next.
  StrassenUnit(KernelFunction &kernel, const GemmPlan &plan, const Extent &m, int64_t lda,
               mlir::Value a, mlir::Value packed);

  /// What follows is for rows [row, row + rows).
  void setRows(mlir::Value row, mlir::Value rows);

  /// Whether the method is faster than the plain product for them (i1).
  mlir::Value pays();

  /// Makes the products' left sides; to be done before any pair.
  void prepare();

  /// Computes the panels 2 * pair and 2 * pair + 1 of these rows and hands each vector to `store`:
  /// row, column within the two panels, sums. Returns whether it did (i1): not if there are numbers
  /// that are not finite.
  mlir::Value
  multiply(mlir::Value pair,
           llvm::function_ref<void(mlir::Value row, mlir::Value column, mlir::Value sums)> store);

private:
  mlir::Value load(mlir::Value memref, mlir::Value at);
  void store(mlir::Value value, mlir::Value memref, mlir::Value at);
  mlir::Value splat(float value);
  mlir::Value scalarAt(mlir::Value at);
  mlir::Value pick(mlir::Value product, llvm::ArrayRef<mlir::Value> values);
  mlir::Value pick(mlir::Value product, llvm::ArrayRef<int64_t> values);
  void scaleRow(mlir::Value row);
  void product(mlir::Value number, mlir::Value block, mlir::Value base, mlir::Value next);
  mlir::Value isFinite();
  void eachSum(mlir::Value row, llvm::function_ref<void(mlir::Value at, int64_t column)> body);

  KernelFunction &kernel;
  const GemmPlan &plan;
  const Extent m;
  const int64_t lda;
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  mlir::VectorType type;
  mlir::Value a, packed, scratch;
  mlir::Value row, rows, half; ///< of the unit
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_GEMMSTRASSEN_H
