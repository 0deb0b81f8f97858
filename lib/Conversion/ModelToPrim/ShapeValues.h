//===- ShapeValues.h - values of small tensors while importing --*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a tensor of at most 64 elements: found by evaluating the primitives that make
// it, so that operators propagate shapes (Shape, Gather, Concat, Mul, Where, Reshape, …) without
// saying so.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_SHAPEVALUES_H
#define DYNAC_CONVERSION_SHAPEVALUES_H

#include "Assumptions.h"
#include "KnownValue.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

namespace dynac {

class ShapeValues {
public:
  static constexpr int64_t maxElements = 64;
  using Elements = std::vector<KnownValue>;

  /// `weights` may be null: weights are unknown then.
  ShapeValues(const WeightStore *weights, const Assumptions &assumptions)
      : weights(weights), assumptions(assumptions) {}

  /// The elements of `value` in row-major order; null if it is not small or its size is not static.
  const Elements *of(mlir::Value value);
  /// All elements as dimension expressions, if all are known integers.
  std::optional<llvm::SmallVector<SymExpr>> dims(mlir::Value value);
  /// The constant that `value` is, if it is a literal or a weight of at most `limit` elements.
  mlir::DenseElementsAttr constant(mlir::Value value, int64_t limit) const;

private:
  Elements evaluate(mlir::Value value, mlir::RankedTensorType type);

  const WeightStore *weights;
  const Assumptions &assumptions;
  llvm::DenseMap<mlir::Value, Elements> known;
};

/// Weight bytes of a static `type` as a literal; null for element types that literals cannot hold.
mlir::DenseElementsAttr literalOf(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// The elements of a literal.
std::vector<KnownValue> elementsOf(mlir::ElementsAttr literal);

} // namespace dynac

#endif // DYNAC_CONVERSION_SHAPEVALUES_H
