//===- Einsum.cpp - sums of products by index letters ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace dynac;
using namespace dynac::onnx;

namespace {

/// A tensor whose axes have names: letters, and negative numbers for the axes of an ellipsis, -1
/// the last.
struct Term {
  Tensor value;
  llvm::SmallVector<int> axes;
  int64_t find(int axis) const {
    const auto *found = llvm::find(axes, axis);
    return found == axes.end() ? -1 : found - axes.begin();
  }
};

/// The axes that a subscript such as "b...ij" gives a tensor of `rank` axes (`rank` -1: `ellipsis`
/// axes stand for "...").
std::optional<llvm::SmallVector<int>> axesOfSubscript(llvm::StringRef text, int64_t rank,
                                                      int64_t ellipsis) {
  int64_t letters = 0;
  for (char c : text)
    letters += llvm::isAlpha(c);
  bool hasDots = text.contains("...");
  if (rank >= 0) {
    ellipsis = rank - letters;
    if (ellipsis < 0 || (ellipsis > 0 && !hasDots))
      return std::nullopt;
  }
  llvm::SmallVector<int> axes;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      for (int64_t i = ellipsis; i > 0; --i)
        axes.push_back(-int(i));
      continue;
    }
    if (!llvm::isAlpha(text.front()))
      return std::nullopt;
    axes.push_back(text.front());
    text = text.drop_front();
  }
  return axes;
}

/// Sums out axes of `term` that `isWanted` refuses.
template <typename F> Term reduced(Term term, F isWanted) {
  llvm::SmallVector<int64_t> dropped;
  llvm::SmallVector<int> kept;
  for (auto [i, axis] : llvm::enumerate(term.axes)) {
    if (isWanted(axis))
      kept.push_back(axis);
    else
      dropped.push_back(i);
  }
  if (!dropped.empty())
    term.value = sum(term.value, dropped);
  term.axes = kept;
  return term;
}

/// Replaces repeated letters by the diagonal.
Term diagonal(Term term) {
  for (size_t i = 0; i < term.axes.size(); ++i) {
    for (size_t j = i + 1; j < term.axes.size(); ++j) {
      if (term.axes[i] != term.axes[j] || !term.value)
        continue;
      TensorContext &ctx = term.value.ctx();
      // Both axes to the front, then one gather of (k, k) for all k.
      llvm::SmallVector<int64_t> order = {int64_t(i), int64_t(j)};
      llvm::SmallVector<int> axes = {term.axes[i]};
      for (size_t k = 0; k < term.axes.size(); ++k) {
        if (k != i && k != j) {
          order.push_back(k);
          axes.push_back(term.axes[k]);
        }
      }
      Tensor index = iota(ctx, {term.value.dim(i), SymExpr(2)}, 0, ctx.builder.getI64Type());
      term = {gather(transpose(term.value, order), index, {0, 1}), axes};
      return diagonal(term);
    }
  }
  return term;
}

/// Removes axes of size 1 that the other term has with another size: they broadcast.
void dropBroadcast(Term &a, const Term &b) {
  for (int64_t i = int64_t(a.axes.size()) - 1; i >= 0 && a.value; --i) {
    int64_t other = b.find(a.axes[i]);
    if (other < 0 || !a.value.dim(i).isOne() || b.value.dim(other).isOne())
      continue;
    a.value = squeeze(a.value, i);
    a.axes.erase(a.axes.begin() + i);
  }
}

/// The product of two terms, summed over the letters that `isWanted` refuses.
template <typename F> Term product(Term a, Term b, F isWanted) {
  dropBroadcast(a, b);
  dropBroadcast(b, a);
  a = reduced(a, [&](int axis) { return isWanted(axis) || b.find(axis) >= 0; });
  b = reduced(b, [&](int axis) { return isWanted(axis) || a.find(axis) >= 0; });
  llvm::SmallVector<int64_t> batchA, batchB, contractA, contractB;
  llvm::SmallVector<int> axes, freeB;
  for (auto [i, axis] : llvm::enumerate(a.axes)) {
    int64_t j = b.find(axis);
    if (j >= 0 && isWanted(axis)) {
      batchA.push_back(i);
      batchB.push_back(j);
      axes.push_back(axis);
    } else if (j >= 0) {
      contractA.push_back(i);
      contractB.push_back(j);
    }
  }
  for (int axis : a.axes)
    if (b.find(axis) < 0)
      axes.push_back(axis);
  for (int axis : b.axes)
    if (a.find(axis) < 0)
      axes.push_back(axis);
  return {dot(a.value, b.value, batchA, batchB, contractA, contractB), axes};
}

// Sum over the letters that the output lacks of the product of the operands
RowStatus einsum(Node &n) {
  std::string text = n.s("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  auto [left, right] = llvm::StringRef(text).split("->");
  bool hasOutput = llvm::StringRef(text).contains("->");
  llvm::SmallVector<llvm::StringRef> subscripts;
  left.split(subscripts, ',');
  if (int64_t(subscripts.size()) != n.inputCount())
    return n.invalid("equation '" + text + "' has " + llvm::Twine(subscripts.size()) +
                     " terms for " + llvm::Twine(n.inputCount()) + " operands");
  std::vector<Term> terms;
  std::map<int, int> uses;
  int64_t ellipsis = 0;
  for (auto [i, subscript] : llvm::enumerate(subscripts)) {
    Tensor x = n.in(i);
    if (!x)
      return RowStatus::Done;
    auto axes = axesOfSubscript(subscript, x.rank(), 0);
    if (!axes)
      return n.invalid("equation '" + text + "': term " + llvm::Twine(i) +
                       " does not fit an operand " + prim::shapeText(x.shape()));
    for (int axis : *axes) {
      ++uses[axis];
      ellipsis = std::max<int64_t>(ellipsis, -axis);
    }
    terms.push_back({x, *axes});
  }
  // Without an output: the ellipsis, then the letters that occur once, in alphabetical order.
  llvm::SmallVector<int> wanted;
  if (hasOutput) {
    auto axes = axesOfSubscript(right, -1, ellipsis);
    if (!axes)
      return n.invalid("equation '" + text + "'");
    wanted = *axes;
  } else {
    for (int64_t i = ellipsis; i > 0; --i)
      wanted.push_back(-int(i));
    for (auto [axis, count] : uses)
      if (axis > 0 && count == 1)
        wanted.push_back(axis);
  }
  for (int axis : wanted)
    if (!uses.count(axis) || llvm::count(wanted, axis) > 1)
      return n.invalid("equation '" + text + "': its output");
  for (Term &term : terms)
    term = diagonal(term);
  Term result = terms.front();
  for (size_t i = 1; i < terms.size() && result.value && !n.ctx().failed(); ++i) {
    result = product(result, terms[i], [&](int axis) {
      if (llvm::is_contained(wanted, axis))
        return true;
      for (size_t later = i + 1; later < terms.size(); ++later)
        if (terms[later].find(axis) >= 0)
          return true;
      return false;
    });
  }
  result = reduced(result, [&](int axis) { return llvm::is_contained(wanted, axis); });
  llvm::SmallVector<int64_t> order;
  for (int axis : wanted)
    order.push_back(result.find(axis));
  if (result.value)
    n.out(0, transpose(result.value, order));
  return RowStatus::Done;
}

} // namespace

void onnx::addEinsumRows(OpTable &t) { t.add("Einsum", 12, einsum, "T=number").inF32(); }
