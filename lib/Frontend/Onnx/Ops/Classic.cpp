//===- Classic.cpp - ai.onnx.ml: linear models and features ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PostTransform.h"

#include "Families.h"

#include <cmath>

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit otherLabels{
    "labels that are strings, or one row of coefficients for two labels"};

/// Values as a constant f32 vector.
static Tensor vectorOf(Node &n, llvm::ArrayRef<double> values) {
  llvm::SmallVector<float> narrow(values.begin(), values.end());
  return constantF32(n.ctx(), narrow);
}

static Tensor inF32(Node &n, Tensor x) { return convert(x, n.ctx().builder.getF32Type()); }

// x > threshold ? 1 : 0
static RowStatus binarizer(Node &n) {
  Tensor x = n.in(0);
  double threshold = n.f("threshold", 0);
  if (x) // An integer is above a number if it is above what that is rounded down to.
    n.out(0, convert(x > (x.isFloat() ? threshold : std::floor(threshold)), x.dtype()));
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

// x / max x, x / sum |x| or x / sqrt(sum x^2) per row; x where the divisor is 0
static RowStatus normalizer(Node &n) {
  Tensor x = inF32(n, n.in(0)), divisor;
  std::string norm = n.s("norm", "MAX");
  if (!x)
    return RowStatus::Done;
  if (norm == "MAX")
    divisor = reduceMax(x, -1, true);
  else if (norm == "L1")
    divisor = sum(abs(x), -1, true);
  else if (norm == "L2")
    divisor = sqrt(sum(x * x, -1, true));
  else
    return n.invalid("attribute 'norm': got '" + norm + "'");
  n.out(0, x / select(equal(divisor, fullLike(divisor, 0)), 1.0, divisor));
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

// The inputs as floats side by side, each cut or filled up with zeros to its size
static RowStatus featureVectorizer(Node &n) {
  auto sizes = n.ints("inputdimensions");
  Tensors parts;
  for (int64_t i = 0; i < n.inputCount(); ++i) {
    Tensor x = inF32(n, n.in(i));
    if (!x)
      return RowStatus::Done;
    if (x.rank() == 1)
      x = unsqueeze(x, 0);
    if (x.rank() != 2)
      return n.invalid("operand " + llvm::Twine(i) + ": expected rows, got " +
                       prim::shapeText(x.shape()));
    if (i < int64_t(sizes.size()) && x.dim(1) != SymExpr(sizes[i])) {
      Tensor zero = full(n.ctx(), {}, 0, x.dtype());
      x = pad(x, zero, {SymExpr(0), SymExpr(0)}, {SymExpr(0), SymExpr(sizes[i]) - x.dim(1)});
    }
    parts.push_back(x);
  }
  n.out(0, concat(parts, 1));
  return RowStatus::Done;
}

// 1 at the place of x in the list of categories, else 0, along a new last axis
static RowStatus oneHotEncoder(Node &n) {
  Tensor x = n.in(0);
  auto categories = n.ints("cats_int64s");
  if (!x)
    return RowStatus::Done;
  if (categories.empty())
    return n.unsupported(noStrings, "categories");
  mlir::Type i64 = n.ctx().builder.getI64Type();
  Tensor isHere = equal(unsqueeze(convert(x, i64), -1), constantI64(n.ctx(), categories));
  if (n.i("zeros", 1) == 0)
    require(n, reduce(Combiner::or_, isHere, -1), "OneHotEncoder: a value is no category");
  n.out(0, inF32(n, isHere));
  return RowStatus::Done;
}

// sum of coefficients * kernel(x, support vector) + rho; without support vectors x coefficients'
// + rho; one_class: its sign
static RowStatus svmRegressor(Node &n) {
  Tensor x = inF32(n, n.in(0));
  auto coefficients = n.floats("coefficients"), rho = n.floats("rho"),
       vectors = n.floats("support_vectors"), parameters = n.floats("kernel_params");
  int64_t supports = n.i("n_supports", 0);
  std::string kernel = n.s("kernel_type", "LINEAR");
  auto transform = postTransformOf(n.s("post_transform", "NONE"));
  if (!x)
    return RowStatus::Done;
  if (x.rank() == 1)
    x = unsqueeze(x, 0);
  if (x.rank() != 2 || rho.size() != 1 || !transform || coefficients.empty() || supports < 0 ||
      (supports > 0 &&
       (int64_t(coefficients.size()) != supports || vectors.size() % supports != 0)))
    return n.invalid("the attributes do not fit " + prim::shapeText(x.shape()));
  parameters.resize(3, 0); // gamma, coef0, degree
  Tensor weights = unsqueeze(vectorOf(n, coefficients), 1), similar = x;
  if (supports > 0) {
    int64_t features = int64_t(vectors.size()) / supports;
    Tensor support = reshape(vectorOf(n, vectors), {SymExpr(supports), SymExpr(features)});
    if (kernel == "RBF") {
      Tensor difference = unsqueeze(x, 1) - unsqueeze(support, 0);
      similar = exp(sum(difference * difference, 2) * -parameters[0]);
    } else {
      similar = dot(x, support, {}, {}, 1, 1);
      if (kernel == "POLY")
        similar = pow(similar * parameters[0] + parameters[1], parameters[2]);
      else if (kernel == "SIGMOID")
        similar = tanh(similar * parameters[0] + parameters[1]);
      else if (kernel != "LINEAR")
        return n.invalid("attribute 'kernel_type': got '" + kernel + "'");
    }
  }
  Tensor y = matmul(similar, weights) + rho[0];
  if (n.i("one_class", 0) != 0)
    y = select(y > 0.0, full(n.ctx(), {}, 1, y.dtype()), -1.0);
  n.out(0, transformed(y, *transform));
  return RowStatus::Done;
}

// The label of the greatest of x coefficients' + intercepts, and these scores
static RowStatus linearClassifier(Node &n) {
  Tensor x = inF32(n, n.in(0));
  auto coefficients = n.floats("coefficients"), intercepts = n.floats("intercepts");
  auto labels = n.ints("classlabels_ints");
  auto transform = postTransformOf(n.s("post_transform", "NONE"));
  if (!x)
    return RowStatus::Done;
  if (x.rank() == 1)
    x = unsqueeze(x, 0);
  if (!transform)
    return n.invalid("attribute 'post_transform' is unknown");
  const int64_t classes = int64_t(labels.size());
  if (classes < 2 || (!intercepts.empty() && int64_t(intercepts.size()) != classes) ||
      coefficients.size() % classes != 0)
    return n.unsupported(otherLabels);
  SymExpr features(int64_t(coefficients.size()) / classes);
  if (!n.ctx().requireEqual(x.dim(1), features, "the number of features"))
    return RowStatus::Done;
  Tensor w = reshape(vectorOf(n, coefficients), {SymExpr(classes), features});
  Tensor scores = dot(x, w, {}, {}, 1, 1);
  if (!intercepts.empty())
    scores = scores + vectorOf(n, intercepts);
  Tensor best = argReduce(Combiner::max, scores, 1, /*last=*/false, /*keep=*/false);
  n.out(0, take(constantI64(n.ctx(), labels), best, 0));
  n.out(1, transformed(scores, *transform));
  return RowStatus::Done;
}

/// `prefix` with one of the endings that numbers have; invalid where there is none.
static Tensor listOf(Node &n, const std::string &prefix) {
  if (n.has(prefix + "_tensor"))
    return n.tensor(prefix + "_tensor");
  if (n.has(prefix + "_int64s"))
    return constantI64(n.ctx(), n.ints(prefix + "_int64s"));
  return n.has(prefix + "_floats") ? vectorOf(n, n.floats(prefix + "_floats")) : Tensor();
}

// values[i] where x = keys[i], NaN being equal to NaN, else the default. Of equal keys the last
// one counts, before version 4 the first.
static RowStatus labelEncoder(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  Tensor keys = listOf(n, "keys"), values = listOf(n, "values"), other;
  if (!keys || !values)
    return n.ctx().failed() ? RowStatus::Done : n.unsupported(noStrings, "labels");
  if (n.has("default_tensor"))
    other = reshape(n.tensor("default_tensor"), {});
  else if (values.isFloat())
    other = full(n.ctx(), {}, n.f("default_float", -0.0), values.dtype());
  else
    other = fullInt(n.ctx(), {}, n.i("default_int64", -1), values.dtype());
  if (n.ctx().failed() || keys.rank() != 1 || keys.shape() != values.shape() ||
      other.dtype() != values.dtype() || keys.size().isZero())
    return n.invalid("keys, values and default do not fit");
  keys = convert(keys, x.dtype());
  Tensor asked = unsqueeze(x, -1), isKey = equal(asked, keys);
  if (x.isFloat())
    isKey = isKey | (isNan(asked) & isNan(keys));
  Tensor place = argReduce(Combiner::max, convert(isKey, n.ctx().builder.getI32Type()), -1,
                           /*last=*/n.opset() >= 4, /*keep=*/false);
  n.out(0, select(reduce(Combiner::or_, isKey, -1), take(values, place, 0), other));
  return RowStatus::Done;
}

void onnx::addClassicRows(OpTable &t) {
  llvm::StringRef domain = "ai.onnx.ml";
  t.add("Binarizer", 1, binarizer, "T=number", domain);
  t.add("Scaler", 1, scaler, "T=number", domain);
  t.add("ArrayFeatureExtractor", 1, arrayFeatureExtractor, "T=number Y=index", domain);
  t.add("Normalizer", 1, normalizer, "T=number", domain);
  t.add("Imputer", 1, imputer, "T=number", domain);
  t.add("LinearRegressor", 1, linearRegressor, "T=number", domain);
  t.add("LinearClassifier", 1, linearClassifier, "T1=number", domain).limits({&otherLabels});
  t.add("LabelEncoder", 2, labelEncoder, "T1=number", domain).limits({&noStrings});
  t.add("FeatureVectorizer", 1, featureVectorizer, "T1=number", domain);
  t.add("OneHotEncoder", 1, oneHotEncoder, "T=number", domain).limits({&noStrings});
  t.add("SVMRegressor", 1, svmRegressor, "T=number", domain);
}
