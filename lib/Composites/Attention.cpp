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

/// `number` axes in order.
static SmallVector<int64_t> plainAxes(size_t number) {
  return llvm::to_vector(llvm::seq<int64_t>(0, number));
}

AttentionConfig::AttentionConfig(prim::CompositeOp op) {
  DictionaryAttr config = op.getConfig();
  if (auto entry = config.getAs<FloatAttr>("scale"))
    scale = entry.getValueAsDouble();
  if (auto entry = config.getAs<StringAttr>("causal"))
    for (Causal each : {Causal::FromStart, Causal::FromEnd})
      if (entry.getValue() == causalName(each))
        causal = each;
  auto isSet = [&](StringRef name) {
    auto entry = config.getAs<BoolAttr>(name);
    return entry && entry.getValue();
  };
  zeroMaskedRows = isSet("zero_masked_rows");
  zeroNan = isSet("zero_nan");
  if (auto entry = config.getAs<DenseF64ArrayAttr>("fills"))
    fills.assign(entry.asArrayRef().begin(), entry.asArrayRef().end());
  const int64_t rank = cast<RankedTensorType>(op.getYs()[0].getType()).getRank();
  auto axesOf = [&](StringRef name) {
    auto entry = config.getAs<DenseI64ArrayAttr>(name);
    return entry ? llvm::to_vector(entry.asArrayRef()) : plainAxes(rank);
  };
  q = axesOf("q_axes");
  k = axesOf("k_axes");
  v = axesOf("v_axes");
  y = axesOf("y_axes");
}

DictionaryAttr AttentionConfig::attribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries{
      b.getNamedAttr("scale", b.getF64FloatAttr(scale)),
      b.getNamedAttr("causal", b.getStringAttr(causalName(causal))),
      b.getNamedAttr("zero_masked_rows", b.getBoolAttr(zeroMaskedRows))};
  if (zeroNan)
    entries.push_back(b.getNamedAttr("zero_nan", b.getBoolAttr(true)));
  if (!fills.empty())
    entries.push_back(b.getNamedAttr("fills", b.getDenseF64ArrayAttr(fills)));
  auto addAxes = [&](StringRef name, ArrayRef<int64_t> axes) {
    if (!llvm::is_sorted(axes))
      entries.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(axes)));
  };
  addAxes("q_axes", q);
  addAxes("k_axes", k);
  addAxes("v_axes", v);
  addAxes("y_axes", y);
  return b.getDictionaryAttr(entries);
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
  AttentionConfig config;
  config.scale = scale;
  config.causal = causal;
  config.zeroMaskedRows = zeroMaskedRows;
  return composite("attention", xs, config.attribute(context.builder.getContext()),
                   {q.dim(0), q.dim(1), q.dim(2), v.dim(3)});
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

static SmallVector<int64_t> inverse(ArrayRef<int64_t> axes) {
  SmallVector<int64_t> result(axes.size());
  for (auto [i, axis] : llvm::enumerate(axes))
    result[axis] = i;
  return result;
}

// Each key head serves H / G query heads in a row: these heads' queries are one matrix. Of operands
// in bf16 both products are: shares times their sum are rounded to it.
Tensors dynac::attentionBody(TensorContext &context, ArrayRef<Tensor> xs, DictionaryAttr entries) {
  auto axesOf = [&](StringRef name, size_t rank) {
    auto entry = entries.getAs<DenseI64ArrayAttr>(name);
    return entry ? llvm::to_vector(entry.asArrayRef()) : plainAxes(rank);
  };
  auto arranged = [&](Tensor x, StringRef name) {
    return transpose(widened(x), axesOf(name, x.rank()));
  };
  Tensor q = arranged(xs[0], "q_axes"), k = arranged(xs[1], "k_axes"),
         v = arranged(xs[2], "v_axes");
  if (!q || !k || !v)
    return {};
  const int64_t rank = q.rank(), heads = rank - 3;
  SymExpr queries = q.dim(rank - 2), keys = k.dim(rank - 2);
  auto shared = q.dim(heads).exactDiv(k.dim(heads));
  if (!shared) {
    context.fail("the heads of k do not divide those of q");
    return {};
  }
  SmallVector<int64_t> batch = plainAxes(rank - 2);
  Shape plain = q.shape(), grouped = q.shape();
  plain.back() = keys;
  grouped[heads] = k.dim(heads);
  grouped[rank - 2] = *shared * queries;
  Tensor scaled = reshape(q * floatOf(context, entries, "scale"), grouped);
  Tensor scores = reshape(dot(scaled, k, batch, batch, {rank - 1}, {rank - 1}), plain);
  auto fills = entries.getAs<DenseF64ArrayAttr>("fills");
  for (auto [i, term] : llvm::enumerate(xs.drop_front(3))) {
    if (!term)
      return {};
    if (term.dtype().isInteger(1))
      scores = select(term, scores, fills ? fills.asArrayRef()[i] : 0.0);
    else
      scores = scores + widened(term);
  }
  StringRef causal = stringOf(context, entries, "causal");
  if (scores && causal != causalName(Causal::No))
    scores = maskCausal(scores, causal == causalName(Causal::FromEnd));

  Tensor largest = reduceMax(scores, rank - 1, true);
  bool zeroMaskedRows = boolOf(context, entries, "zero_masked_rows");
  if (zeroMaskedRows) // -inf - 0: all shares become 0
    largest = select(equal(largest, fullLike(largest, -std::numeric_limits<double>::infinity())),
                     0.0, largest);
  Tensor shares = exp(scores - largest);
  Tensor total = sum(shares, rank - 1, true);
  if (zeroMaskedRows)
    total = select(equal(total, fullLike(total, 0)), 1.0, total);
  if (xs[0].dtype().isBF16())
    shares = widened(convert(shares, xs[0].dtype()));
  shares = shares * (1.0 / total);
  if (entries.getAs<BoolAttr>("zero_nan"))
    shares = select(isNan(shares), 0.0, shares);
  grouped.back() = keys;
  Tensor y = dot(reshape(shares, grouped), v, batch, batch, {rank - 1}, {rank - 2});
  plain.back() = v.dim(rank - 1);
  y = transpose(reshape(y, plain), inverse(axesOf("y_axes", rank)));
  return {convert(y, xs[0].dtype())};
}
