//===- Tensor.h - formulas over primitives ----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary in which operators, composites and adjoints are written: a `Tensor` is a value of
// the prim dialect, and functions on it build primitives. Unlike the dialect, these functions
// broadcast as numpy does, accept negative axes and take C++ numbers as scalars of the tensor's
// element type. Elementwise functions require equal element types otherwise: nothing is promoted.
//
// Errors: a function whose operands do not fit reports one line to its `TensorContext` and returns
// an invalid tensor; functions of invalid tensors return invalid tensors silently. So a formula
// needs no checks, and its caller looks once at `TensorContext::failed`.
//
// Overloaded operators build primitives in the order of evaluation, and C++ does not fix the order
// of operands; rows whose result must not depend on the compiler name their subexpressions. (The
// order of independent pure primitives carries no meaning: later phases sort them.)
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_COMPOSITES_TENSOR_H
#define DYNAC_COMPOSITES_TENSOR_H

#include "dynac/Dialect/Prim/Prim.h"

namespace dynac {

class WeightStore;
namespace prim {
struct Misfit;
}
using prim::Combiner;
using prim::CompareDirection;
using prim::Shape;
using Axes = llvm::ArrayRef<int64_t>;
using Dims = llvm::ArrayRef<SymExpr>;

/// Where tensors are built, and the first error met there.
class TensorContext {
public:
  explicit TensorContext(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string error; ///< first error; empty: none
  bool failed() const { return !error.empty(); }
  void fail(const llvm::Twine &message) {
    if (error.empty())
      error = message.str();
  }
  /// "what: why"; the dimensions that `why` names become `unequal`.
  void fail(const llvm::Twine &what, const prim::Misfit &why);
  /// Whether a and b are provably equal. Reports if they are not; `what` says of what they are.
  bool requireEqual(const SymExpr &a, const SymExpr &b, const llvm::Twine &what);
  /// a / b if b provably divides a; else reports.
  std::optional<SymExpr> requireMultiple(const SymExpr &a, const SymExpr &b,
                                         const llvm::Twine &what);
  /// What would have to be equal for the first error not to be one.
  std::optional<std::pair<SymExpr, SymExpr>> unequal;
  /// A symbol name not used before in this model: "u0", "u1", ... (data-dependent sizes). One
  /// context, and so one count, serves a whole walk; the first call looks which names the module
  /// has already.
  SymExpr freshSymbol();
  int64_t nextSymbol = -1;  ///< -1: not yet known
  int64_t firstSymbol = -1; ///< the first that `freshSymbol` gave; -1: none
  /// Whether a size in `dim` is one that the run finds out: a symbol of `freshSymbol`.
  bool isFound(const SymExpr &dim) const;
};

class Tensor {
public:
  Tensor() = default;
  Tensor(TensorContext &context, mlir::Value value) : context(&context), handle(value) {}

  explicit operator bool() const { return static_cast<bool>(handle); }
  mlir::Value value() const { return handle; }
  TensorContext &ctx() const { return *context; }

  int64_t rank() const;
  Shape shape() const;
  SymExpr dim(int64_t axis) const; ///< negative axes count from the end
  SymExpr size() const;            ///< number of elements
  mlir::Type dtype() const;
  bool isFloat() const;
  bool isBool() const;
  bool isUnsigned() const;          ///< unsigned integer or bool
  bool isInteger() const;           ///< integer but not bool
  int64_t axis(int64_t axis) const; ///< normalised; reports and returns 0 when out of range

private:
  TensorContext *context = nullptr;
  mlir::Value handle;
};
using Tensors = llvm::SmallVector<Tensor, 4>;

//===-- Constants -------------------------------------------------------===//
/// A tensor filled with `value` (converted to `dtype`; integers exactly).
Tensor full(TensorContext &, Dims shape, double value, mlir::Type dtype);
Tensor fullInt(TensorContext &, Dims shape, int64_t value, mlir::Type dtype);
/// Like `full` with shape and dtype of `like`.
Tensor fullLike(Tensor like, double value);
/// Greatest / lowest value of `dtype` (infinities for floats) as a 0-D tensor.
Tensor highest(TensorContext &, mlir::Type dtype);
Tensor lowest(TensorContext &, mlir::Type dtype);
/// 1-D (rank 1) constants.
Tensor constantI64(TensorContext &, llvm::ArrayRef<int64_t> values);
Tensor constantF32(TensorContext &, llvm::ArrayRef<float> values);
/// The values of dimension expressions as a 1-D tensor.
Tensor dimsTensor(TensorContext &, Dims values, mlir::Type dtype);
Tensor dimScalar(TensorContext &, const SymExpr &value, mlir::Type dtype);
/// Index along `axis`.
Tensor iota(TensorContext &, Dims shape, int64_t axis, mlir::Type dtype);

//===-- Elementwise -----------------------------------------------------===//
Tensor operator+(Tensor, Tensor);
Tensor operator-(Tensor, Tensor);
Tensor operator*(Tensor, Tensor);
Tensor operator/(Tensor, Tensor); ///< integers truncate
Tensor operator-(Tensor);
Tensor operator+(Tensor, double);
Tensor operator-(Tensor, double);
Tensor operator*(Tensor, double);
Tensor operator/(Tensor, double);
Tensor operator+(double, Tensor);
Tensor operator-(double, Tensor);
Tensor operator*(double, Tensor);
Tensor operator/(double, Tensor);
Tensor rem(Tensor, Tensor); ///< sign of the dividend
Tensor pow(Tensor, Tensor);
Tensor pow(Tensor, double);
Tensor maximum(Tensor, Tensor); ///< NaN wins
Tensor maximum(Tensor, double);
Tensor minimum(Tensor, Tensor);
Tensor minimum(Tensor, double);
Tensor atan2(Tensor, Tensor);
Tensor operator&(Tensor, Tensor);
Tensor operator|(Tensor, Tensor);
Tensor operator^(Tensor, Tensor);
Tensor operator~(Tensor); ///< bool and bitwise not; `!x` asks whether x is valid
Tensor shiftLeft(Tensor, Tensor);
Tensor shiftRightLogical(Tensor, Tensor);
Tensor shiftRightArith(Tensor, Tensor);
Tensor compare(CompareDirection, Tensor, Tensor);
Tensor operator<(Tensor, Tensor);
Tensor operator<=(Tensor, Tensor);
Tensor operator>(Tensor, Tensor);
Tensor operator>=(Tensor, Tensor);
Tensor operator<(Tensor, double);
Tensor operator<=(Tensor, double);
Tensor operator>(Tensor, double);
Tensor operator>=(Tensor, double);
Tensor equal(Tensor, Tensor);
Tensor notEqual(Tensor, Tensor);
Tensor isNan(Tensor);
Tensor isFinite(Tensor);
Tensor select(Tensor condition, Tensor a, Tensor b);
Tensor select(Tensor condition, Tensor a, double b);
Tensor select(Tensor condition, double a, Tensor b);
Tensor clamp(Tensor x, double lo, double hi);
Tensor abs(Tensor);
Tensor sign(Tensor);
Tensor floor(Tensor);
Tensor ceil(Tensor);
Tensor roundEven(Tensor);
Tensor trunc(Tensor);
Tensor sqrt(Tensor);
Tensor rsqrt(Tensor);
Tensor exp(Tensor);
Tensor expm1(Tensor);
Tensor log(Tensor);
Tensor log1p(Tensor);
Tensor erf(Tensor);
Tensor logistic(Tensor);
Tensor sin(Tensor);
Tensor cos(Tensor);
Tensor tan(Tensor);
Tensor tanh(Tensor);
/// Change of element type by value; the operand itself if it has it already.
Tensor convert(Tensor, mlir::Type dtype, bool saturate = false);
Tensor bitcast(Tensor, mlir::Type dtype);
/// x as f8E8M0. Half-way between two powers goes up. What is out of range becomes the nearest power
/// or, without `saturate`, NaN; negative numbers become NaN.
enum class ScaleRounding { Up, Down, Nearest };
Tensor toF8E8M0(Tensor x, ScaleRounding rounding, bool saturate);
/// Elements of a packed type (prim::isPacked) as one vector of bytes, and back; the first element
/// is in the low bits of the first byte, and the last byte is filled up with zeros.
Tensor packElements(Tensor x);
Tensor unpackElements(Tensor bytes, Dims shape, mlir::Type dtype);
/// The type of `packElements` of a tensor of type `tensor`.
mlir::Type packedType(mlir::Type tensor);

//===-- Data movement ---------------------------------------------------===//
/// numpy's broadcast of x to `shape`.
Tensor broadcastTo(Tensor x, Dims shape);
/// Operand axis i becomes result axis axes[i].
Tensor broadcastInDim(Tensor x, Dims shape, Axes axes);
Tensor reshape(Tensor, Dims shape);
/// Inserts axes of size 1 at positions `axes` of the result / removes axes of size 1.
Tensor unsqueeze(Tensor, Axes axes);
Tensor squeeze(Tensor, Axes axes);
Tensor transpose(Tensor, Axes permutation);
Tensor swapAxes(Tensor, int64_t a, int64_t b);
Tensor reverse(Tensor, Axes axes);
/// starts inclusive, ends exclusive, both within the axes; positive strides; one entry per axis.
Tensor slice(Tensor, Dims starts, Dims ends, Axes strides);
/// Elements [start, end) along one axis.
Tensor sliceAxis(Tensor, int64_t axis, const SymExpr &start, const SymExpr &end);
Tensor concat(llvm::ArrayRef<Tensor>, int64_t axis);
Tensor stack(llvm::ArrayRef<Tensor>, int64_t axis);
Tensor pad(Tensor x, Tensor value, Dims lo, Dims hi, Axes interior = {});
Tensor gather(Tensor x, Tensor indices, Axes axes, int64_t batch = 0);
/// Along `axis`, x[..., index, ...]: the index's axes replace the axis. Indices in range.
Tensor take(Tensor x, Tensor index, int64_t axis);
/// Elements of x at index[...] along `axis`, index having x's rank (ONNX GatherElements).
Tensor takeAlongAxis(Tensor x, Tensor index, int64_t axis);
Tensor scatter(Combiner, Tensor x, Tensor indices, Tensor updates, Axes axes, int64_t batch = 0);
Tensor dynamicSlice(Tensor x, Tensor starts, Dims sizes);
Tensor dynamicUpdateSlice(Tensor x, Tensor update, Tensor starts);
/// Integer index tensor with negative entries counted from the end of an axis of `size`.
Tensor wrapIndex(Tensor index, const SymExpr &size);
/// Turns element `element` of an integer tensor into a dimension in [0, upper].
SymExpr bindDim(Tensor x, int64_t element, std::optional<SymExpr> upper = std::nullopt);

//===-- Reductions, windows, contractions --------------------------------===//
/// Reductions; `keep` keeps the axes with size 1. An empty `axes` reduces nothing.
Tensor reduce(Combiner, Tensor, Axes axes, bool keep = false);
Tensor sum(Tensor, Axes axes, bool keep = false);
Tensor mean(Tensor, Axes axes, bool keep = false);
Tensor reduceMax(Tensor, Axes axes, bool keep = false);
Tensor reduceMin(Tensor, Axes axes, bool keep = false);
Tensor argReduce(Combiner, Tensor, int64_t axis, bool last, bool keep);
Tensor cumulative(Combiner, Tensor, int64_t axis, bool exclusive = false, bool reverse = false);
Tensor reduceWindow(Combiner, Tensor, Axes window, Axes strides, Axes dilations, Dims lo, Dims hi);
/// Second tensor: linear indices of the winners.
std::pair<Tensor, Tensor> maxWindowWithIndices(Tensor, Axes window, Axes strides, Axes dilations,
                                               Dims lo, Dims hi);
Tensors sort(llvm::ArrayRef<Tensor>, int64_t axis, bool descending);
std::pair<Tensor, Tensor> topK(Tensor, const SymExpr &k, int64_t axis, bool smallest);
/// General contraction; `dtype` null: the operands' type.
Tensor dot(Tensor a, Tensor b, Axes batchA, Axes batchB, Axes contractA, Axes contractB,
           mlir::Type dtype = {});
/// numpy's matmul: vectors, matrices and broadcast stacks.
Tensor matmul(Tensor a, Tensor b, mlir::Type dtype = {});
Tensor conv(Tensor x, Tensor w, Axes strides, Dims lo, Dims hi, Axes lhsDilation, Axes rhsDilation,
            int64_t groups, mlir::Type dtype = {});
std::pair<Tensor, Tensor> nonzero(Tensor);

//===-- Composites ------------------------------------------------------===//
/// A composite op with one result of `resultShape` and the dtype of xs[0] unless given.
Tensor composite(llvm::StringRef name, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config,
                 Dims resultShape, mlir::Type dtype = {});

/// Attribute dictionaries for composites, by value: config(ctx, {{"axis", 1}, {"epsilon", 1e-5}}).
struct ConfigEntry {
  llvm::StringRef name;
  mlir::Attribute value;
};
mlir::Attribute attr(TensorContext &, int64_t);
inline mlir::Attribute attr(TensorContext &context, int value) {
  return attr(context, static_cast<int64_t>(value));
}
mlir::Attribute attr(TensorContext &, double);
mlir::Attribute attr(TensorContext &, bool);
mlir::Attribute attr(TensorContext &, llvm::StringRef);
inline mlir::Attribute attr(TensorContext &context, const char *text) {
  return attr(context, llvm::StringRef(text));
}
mlir::Attribute attr(TensorContext &, Axes);
mlir::DictionaryAttr config(TensorContext &, llvm::ArrayRef<ConfigEntry>);

} // namespace dynac

#endif // DYNAC_COMPOSITES_TENSOR_H
