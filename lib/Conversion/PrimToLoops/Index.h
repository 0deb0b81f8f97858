//===- Index.h - indices as linear forms over loop variables ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index is a sum of variables times symbolic coefficients, plus an offset. Movement ops
// transform forms, not values; a form becomes arithmetic only where memory is accessed. So a
// reshape costs nothing where the loops fit it, and adjacent axes are one loop where every access
// treats them alike.
//
// Where a form F cannot be split exactly (a reshape across the loops), F / D % M becomes a *digit*:
// a variable that knows its parent F. Digits that meet again in a linear address recombine to F.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_CONVERSION_PRIMTOLOOPS_INDEX_H
#define DYNAC_LIB_CONVERSION_PRIMTOLOOPS_INDEX_H

#include "dynac/Support/SymExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace dynac::loops {

using Dims = llvm::ArrayRef<SymExpr>;

struct Term {
  unsigned var;
  SymExpr coeff;
  bool operator==(const Term &other) const { return var == other.var && coeff == other.coeff; }
};

struct Index {
  llvm::SmallVector<Term, 2> terms; ///< by rising variable; no zero coefficient
  SymExpr offset;

  Index(SymExpr offset = 0) : offset(std::move(offset)) {}
  bool isConstant() const { return terms.empty(); }
  bool operator==(const Index &other) const {
    return terms == other.terms && offset == other.offset;
  }
  Index operator+(const Index &other) const;
  Index operator*(const SymExpr &factor) const;
  Index operator-(const SymExpr &value) const { return *this + Index(SymExpr(0) - value); }
  /// The coefficient of a variable.
  SymExpr coeffOf(unsigned var) const;
};
using Indices = llvm::SmallVector<Index, 4>;
using IndicesRef = llvm::ArrayRef<Index>;

/// A variable takes values in [0, extent).
struct Var {
  SymExpr extent;
  /// Loop variables and loaded indices; null for digits (and while only forms are of interest).
  mlir::Value value;
  /// The number of the scope that defines it.
  unsigned level = 0;
  /// The variable of a lane loop: what varies with it may be computed for a whole row of lanes.
  bool isLane = false;
  /// The variable of a vector: `value` is that of the first lane.
  bool isVector = false;
  mlir::Value mask; ///< the lanes of a vector that exist; null: all
  /// Digits: parent / divisor % modulus (modulus 0: none). With divisor 1 and no modulus: another
  /// name of `parent` with a tighter extent.
  std::optional<Index> parent;
  SymExpr divisor = 1, modulus = 0;
};

/// The variables of one kernel.
class IndexSpace {
public:
  unsigned addVar(Var var) {
    vars.push_back(std::move(var));
    return vars.size() - 1;
  }
  Var &operator[](unsigned var) { return vars[var]; }
  const Var &operator[](unsigned var) const { return vars[var]; }
  /// The form that is the variable itself; the constant 0 if its extent is 1.
  Index of(unsigned var) const;
  /// A new variable, as a form.
  Index make(SymExpr extent, mlir::Value value = {}, unsigned level = 0);

  /// Row-major linear form of `indices` in an array of shape `dims`.
  Index linearize(IndicesRef indices, Dims dims) const;
  /// The inverse.
  Indices split(const Index &linear, Dims dims);
  /// index / divisor and index % divisor; `bound` is index's extent if it is known.
  std::pair<Index, Index> divide(const Index &index, const SymExpr &divisor,
                                 const SymExpr &quotientExtent);
  /// Replaces digits that add up to (a part of) their parent.
  Index recombine(Index index) const;
  /// Replaces a variable.
  Index substitute(const Index &index, unsigned var, const Index &by);

  /// The number of the innermost scope that `index` depends on; variables of lane loops count only
  /// if `lanesToo`.
  unsigned levelOf(const Index &index, bool lanesToo = true) const;
  unsigned levelOf(IndicesRef indices, bool lanesToo = true) const;
  bool dependsOn(const Index &index, unsigned var) const;
  /// The lane variable that it depends on.
  std::optional<unsigned> laneOf(const Index &index) const;
  std::optional<unsigned> laneOf(IndicesRef indices) const;
  /// The vector variable that it depends on.
  std::optional<unsigned> vectorOf(const Index &index) const;
  /// The coefficient of `var` in `index`; nothing if a digit hides it.
  std::optional<SymExpr> strideOf(const Index &index, unsigned var) const;

  /// parent / divisor % modulus, a value below `extent`.
  Index digit(const Index &parent, const SymExpr &divisor, const SymExpr &modulus,
              const SymExpr &extent);

private:
  std::vector<Var> vars;
};

} // namespace dynac::loops

#endif // DYNAC_LIB_CONVERSION_PRIMTOLOOPS_INDEX_H
