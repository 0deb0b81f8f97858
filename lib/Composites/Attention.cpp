//===- Attention.cpp - scaled dot-product attention -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

using namespace mlir;
using namespace dynac;

static StringRef causalName(Causal causal) {
  switch (causal) {
  case Causal::No:
    return "no";
  case Causal::FromStart:
    return "from_start";
  case Causal::FromEnd:
    return "from_end";
  }
  llvm_unreachable("an enumerator is missing");
}

/// Whether the operands form an attention; `why` says what is wrong first.
static bool checkOperands(Tensor q, Tensor k, Tensor v, Tensor bias, prim::Misfit &why) {
  auto refuse = [&](std::string text) {
    why.text = std::move(text);
    return false;
  };
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
    return refuse("got ranks " + std::to_string(q.rank()) + ", " + std::to_string(k.rank()) +
                  " and " + std::to_string(v.rank()) + ", expected 4");
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype() || (bias && bias.dtype() != q.dtype()))
    return refuse("element types of q, k, v and bias differ");
  std::string shapes = "q " + prim::shapeText(q.shape()) + ", k " + prim::shapeText(k.shape()) +
                       " and v " + prim::shapeText(v.shape());
  for (auto [a, b] :
       {std::pair(q.dim(0), k.dim(0)), std::pair(q.dim(0), v.dim(0)), std::pair(k.dim(1), v.dim(1)),
        std::pair(k.dim(2), v.dim(2)), std::pair(q.dim(3), k.dim(3))})
    if (a != b) {
      prim::refuseUnequal(why, shapes + " do not fit", a, b);
      return false;
    }
  if (!q.dim(1).exactDiv(k.dim(1)))
    return refuse(shapes + ": the heads of k do not divide those of q");
  if (!bias)
    return true;
  Shape scores{q.dim(0), q.dim(1), q.dim(2), k.dim(2)};
  auto shape = prim::inferNumpyBroadcast(scores, bias.shape(), why);
  if (shape && *shape != scores)
    return refuse("bias " + prim::shapeText(bias.shape()) + " does not broadcast to " +
                  prim::shapeText(scores));
  return shape.has_value();
}

Tensor dynac::attention(Tensor q, Tensor k, Tensor v, Tensor bias, double scale,
                        bool zeroMaskedRows, Causal causal) {
  if (!requireFloats("attention", q) || !k || !v)
    return invalidTensor({q, k, v});
  TensorContext &context = q.ctx();
  prim::Misfit why;
  if (!checkOperands(q, k, v, bias, why))
    return failTensor(context, "attention", why);
  SmallVector<Tensor> xs{q, k, v};
  if (bias)
    xs.push_back(bias);
  DictionaryAttr entries = config(context, {{"scale", attr(context, scale)},
                                            {"zero_masked_rows", attr(context, zeroMaskedRows)},
                                            {"causal", attr(context, causalName(causal))}});
  return composite("attention", xs, entries, {q.dim(0), q.dim(1), q.dim(2), v.dim(3)});
}

/// Scores with -inf where query i must not see key j: j > i, or j > i + S - T.
static Tensor maskCausal(Tensor scores, bool fromEnd) {
  TensorContext &context = scores.ctx();
  SymExpr queries = scores.dim(2), keys = scores.dim(3);
  Type index = int64Type(context);
  Tensor i = iota(context, {queries, SymExpr(1)}, 0, index);
  if (fromEnd)
    i = i + dimScalar(context, keys - queries, index);
  Tensor j = iota(context, {SymExpr(1), keys}, 1, index);
  return select(j <= i, scores, -std::numeric_limits<double>::infinity());
}

// Each key head serves H / G query heads in a row: these heads' queries are one matrix.
Tensors dynac::attentionBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr config) {
  Tensor q = widened(xs[0]), k = widened(xs[1]), v = widened(xs[2]);
  SymExpr batch = q.dim(0), heads = q.dim(1), queries = q.dim(2), keys = k.dim(2);
  SymExpr groups = k.dim(1);
  auto shared = heads.exactDiv(groups);
  if (!shared) {
    context.fail("the heads of k do not divide those of q");
    return {};
  }
  SymExpr rows = *shared * queries;
  Tensor scaled = reshape(q * floatOf(context, config, "scale"), {batch, groups, rows, q.dim(3)});
  Tensor scores = dot(scaled, k, {0, 1}, {0, 1}, {3}, {3});
  scores = reshape(scores, {batch, heads, queries, keys});
  if (xs.size() > 3)
    scores = scores + widened(xs[3]);
  StringRef causal = stringOf(context, config, "causal");
  if (scores && causal != causalName(Causal::No))
    scores = maskCausal(scores, causal == causalName(Causal::FromEnd));

  Tensor largest = reduceMax(scores, 3, true);
  bool zeroMaskedRows = boolOf(context, config, "zero_masked_rows");
  if (zeroMaskedRows) // -inf - 0: all shares become 0
    largest = select(equal(largest, fullLike(largest, -std::numeric_limits<double>::infinity())),
                     0.0, largest);
  Tensor shares = exp(scores - largest);
  Tensor total = sum(shares, 3, true);
  if (zeroMaskedRows)
    total = select(equal(total, fullLike(total, 0)), 1.0, total);
  Tensor weights = reshape(shares / total, {batch, groups, rows, keys});
  Tensor y = dot(weights, v, {0, 1}, {0, 1}, {3}, {2});
  y = reshape(y, {batch, heads, queries, v.dim(3)});
  return {convert(y, xs[0].dtype())};
}
