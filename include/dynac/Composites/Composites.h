//===- Composites.h - the spec table of composite operations ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A composite keeps an operation whole until a target had the chance to claim it. Its meaning is
// its body: a formula over `Tensor`, in this table. Each has a builder (declared here, used by
// front ends and by raise), which makes the `prim.composite` op.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_COMPOSITES_COMPOSITES_H
#define DYNAC_COMPOSITES_COMPOSITES_H

#include "dynac/Composites/Tensor.h"

namespace dynac {

struct CompositeSpec {
  llvm::StringRef name;
  llvm::StringRef formula; ///< one line for `--emit` and the tables
  /// The body: results from operands and attributes.
  Tensors (*body)(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
};

/// All composites, in a fixed order.
llvm::ArrayRef<CompositeSpec> compositeTable();
const CompositeSpec *findComposite(llvm::StringRef name);
/// Replaces `op` by its body. Fails (with a diagnostic on the op) if the name is unknown.
mlir::LogicalResult inlineComposite(prim::CompositeOp op);

// Builders. Statistics and sums of half-precision operands are formed in f32 and rounded once.

/// exp(x - max) / sum exp(x - max) along one axis.
Tensor softmax(Tensor x, int64_t axis);
Tensor logSoftmax(Tensor x, int64_t axis);
/// (x - mean) / sqrt(var + epsilon) * scale + bias over axes [axis, rank); scale, bias: the shape
/// of these axes or broadcastable to it; bias may be invalid (absent). Second and third result:
/// mean and 1/sqrt(var + epsilon), axes kept.
struct LayerNormResult {
  Tensor y, mean, inverseStd;
};
LayerNormResult layerNorm(Tensor x, Tensor scale, Tensor bias, int64_t axis, double epsilon);
/// x / sqrt(mean(x^2) + epsilon) * scale over axes [axis, rank).
Tensor rmsNorm(Tensor x, Tensor scale, int64_t axis, double epsilon);
/// x * (1 + erf(x / sqrt 2)) / 2, or the tanh form.
Tensor gelu(Tensor x, bool tanhApproximation);
/// Which keys a query may see: all; those up to its own place, both counted from the start; or
/// counted from the end, so that the last query sees all keys (the keys hold a past).
enum class Causal { No, FromStart, FromEnd };
/// Scaled dot-product attention on q [B, H, T, D], k [B, G, S, D], v [B, G, S, E], G dividing H
/// (each key head serves H / G query heads in a row): softmax(scale * q kᵀ + bias) v, [B, H, T, E].
/// `bias` may be invalid or broadcastable to [B, H, T, S]; a fully masked row (all -inf) gives 0 if
/// `zeroMaskedRows`, else NaN.
Tensor attention(Tensor q, Tensor k, Tensor v, Tensor bias, double scale, bool zeroMaskedRows,
                 Causal causal = Causal::No);
/// What an "attention" composite holds beside q, k, v of any rank from 3 on and terms that change
/// the scores in order: floats that are added, bools that are false where a score becomes `fill`;
/// each broadcastable to the scores.
struct AttentionConfig {
  double scale = 1;
  Causal causal = Causal::No;
  bool zeroMaskedRows = false, zeroNan = false; ///< rows of no key, or of NaN, give 0
  llvm::SmallVector<double> fills;              ///< by term
  /// Where the axes batch..., rows, columns are in the operand or result.
  llvm::SmallVector<int64_t> q, k, v, y;

  AttentionConfig() = default;
  explicit AttentionConfig(prim::CompositeOp op);
  double fillOf(size_t term) const { return term < fills.size() ? fills[term] : 0; }
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
};
/// (x - mean) / sqrt(var + epsilon) * scale + bias per channel (axis 1), as x * a + b with a and b
/// of the channels only, so that constant statistics fold into them (and into a convolution before
/// it).
Tensor batchNormEval(Tensor x, Tensor scale, Tensor bias, Tensor mean, Tensor var, double epsilon);

} // namespace dynac

#endif // DYNAC_COMPOSITES_COMPOSITES_H
