//===- Classic.cpp - ai.onnx.ml: linear models and features ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PostTransform.h"

#include "Families.h"

using namespace dynac;
using namespace dynac::onnx;

/// Values as a constant f32 vector.
static Tensor vectorOf(Node &n, llvm::ArrayRef<double> values) {
  llvm::SmallVector<float> narrow(values.begin(), values.end());
  return constantF32(n.ctx(), narrow);
}

static Tensor inF32(Node &n, Tensor x) { return convert(x, n.ctx().builder.getF32Type()); }

// x > threshold ? 1 : 0
static RowStatus binarizer(Node &n) {
  Tensor x = n.in(0);
  if (x)
    n.out(0, convert(x > n.f("threshold", 0), x.dtype()));
  return RowStatus::Done;
}

// (x - offset) * scale, one value for all or one per column
static RowStatus scaler(Node &n) {
  Tensor x = inF32(n, n.in(0));
  auto offset = n.floats("offset"), scale = n.floats("scale");
  if (offset.empty() || scale.empty())
    return n.invalid("attributes 'offset' and 'scale' are needed");
  n.out(0, (x - vectorOf(n, offset)) * vectorOf(n, scale));
  return RowStatus::Done;
}

// x[..., indices]
static RowStatus arrayFeatureExtractor(Node &n) {
  Tensor x = n.in(0), index = n.in(1);
  if (!x || !index)
    return RowStatus::Done;
  // A vector counts as one row.
  if (x.rank() == 1)
    x = unsqueeze(x, 0);
  n.out(0, take(x, reshape(index, {index.size()}), -1));
  return RowStatus::Done;
}

// x / max |x|, x / sum |x| or x / sqrt(sum x^2) per row
static RowStatus normalizer(Node &n) {
  Tensor x = inF32(n, n.in(0));
  std::string norm = n.s("norm", "MAX");
  if (!x)
    return RowStatus::Done;
  if (norm == "MAX")
    n.out(0, x / reduceMax(abs(x), -1, true));
  else if (norm == "L1")
    n.out(0, x / sum(abs(x), -1, true));
  else if (norm == "L2")
    n.out(0, x / sqrt(sum(x * x, -1, true)));
  else
    return n.invalid("attribute 'norm': got '" + norm + "'");
  return RowStatus::Done;
}

// x where it is not the value to replace (NaN too), else the imputed one, per column
static RowStatus imputer(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  if (!x.isFloat()) {
    auto values = n.ints("imputed_value_int64s");
    Tensor missing = equal(x, fullLike(x, double(n.i("replaced_value_int64", 0))));
    n.out(0, select(missing, convert(constantI64(n.ctx(), values), x.dtype()), x));
    return RowStatus::Done;
  }
  double replaced = n.f("replaced_value_float", 0);
  Tensor missing = replaced != replaced ? isNan(x) : equal(x, fullLike(x, replaced));
  n.out(0, select(missing, convert(vectorOf(n, n.floats("imputed_value_floats")), x.dtype()), x));
  return RowStatus::Done;
}

// x coefficients' + intercepts
static RowStatus linearRegressor(Node &n) {
  Tensor x = inF32(n, n.in(0));
  int64_t targets = n.i("targets", 1);
  auto coefficients = n.floats("coefficients"), intercepts = n.floats("intercepts");
  if (!x)
    return RowStatus::Done;
  if (x.rank() == 1)
    x = unsqueeze(x, 0);
  if (targets < 1 || coefficients.size() % targets != 0)
    return n.invalid("coefficients do not divide into " + llvm::Twine(targets) + " targets");
  Tensor w = reshape(vectorOf(n, coefficients),
                     {SymExpr(targets), SymExpr(int64_t(coefficients.size()) / targets)});
  Tensor y = dot(x, w, {}, {}, 1, 1);
  if (!intercepts.empty())
    y = y + vectorOf(n, intercepts);
  auto transform = postTransformOf(n.s("post_transform", "NONE"));
  if (!transform)
    return n.invalid("attribute 'post_transform' is unknown");
  n.out(0, transformed(y, *transform));
  return RowStatus::Done;
}

// Numbers to numbers by a list of pairs; what is not in it: the default
static RowStatus labelEncoder(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  auto keyInts = n.ints("keys_int64s"), valueInts = n.ints("values_int64s");
  auto keyFloats = n.floats("keys_floats"), valueFloats = n.floats("values_floats");
  bool intKeys = n.has("keys_int64s"), intValues = n.has("values_int64s");
  size_t count = intKeys ? keyInts.size() : keyFloats.size();
  if ((!intKeys && !n.has("keys_floats")) || (!intValues && !n.has("values_floats")))
    return n.unsupported("labels other than attribute lists of integers or floats");
  if (count != (intValues ? valueInts.size() : valueFloats.size()))
    return n.invalid("keys and values differ in number");
  if (count > 256)
    return n.unsupported("more than 256 labels");
  mlir::Builder &builder = n.ctx().builder;
  Tensor y = intValues ? fullInt(n.ctx(), x.shape(), n.i("default_int64", -1), builder.getI64Type())
                       : full(n.ctx(), x.shape(), n.f("default_float", -0.0), builder.getF32Type());
  // The first of equal keys wins: it is chosen last.
  for (size_t i = count; i-- > 0;) {
    Tensor key = intKeys ? fullInt(n.ctx(), {}, keyInts[i], x.dtype())
                         : full(n.ctx(), {}, keyFloats[i], x.dtype());
    bool isNanKey = !intKeys && keyFloats[i] != keyFloats[i];
    Tensor value = intValues ? fullInt(n.ctx(), {}, valueInts[i], y.dtype())
                             : full(n.ctx(), {}, valueFloats[i], y.dtype());
    y = select(isNanKey ? isNan(x) : equal(x, key), value, y);
  }
  n.out(0, y);
  return RowStatus::Done;
}

void onnx::addClassicRows(OpTable &t) {
  llvm::StringRef domain = "ai.onnx.ml";
  t.add("Binarizer", 1, binarizer, domain);
  t.add("Scaler", 1, scaler, domain);
  t.add("ArrayFeatureExtractor", 1, arrayFeatureExtractor, domain).limits("no strings");
  t.add("Normalizer", 1, normalizer, domain);
  t.add("Imputer", 1, imputer, domain);
  t.add("LinearRegressor", 1, linearRegressor, domain);
  t.add("LabelEncoder", 2, labelEncoder, domain).limits("numbers, at most 256");
}
