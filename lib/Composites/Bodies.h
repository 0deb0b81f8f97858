//===- Bodies.h - the bodies of composites ----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_COMPOSITES_BODIES_H
#define DYNAC_LIB_COMPOSITES_BODIES_H

#include "TensorImpl.h"

#include "dynac/Composites/Composites.h"

namespace dynac {

Tensors softmaxBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors logSoftmaxBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors layerNormBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors rmsNormBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors packChannelsBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors unpackChannelsBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors convNchwcBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors depthwiseNhwcBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);
Tensors attentionBody(TensorContext &, llvm::ArrayRef<Tensor> xs, mlir::DictionaryAttr config);

/// Entries of a composite's config. One that is missing or of another type fails the context and
/// gives zero.
int64_t intOf(TensorContext &, mlir::DictionaryAttr config, llvm::StringRef name);
double floatOf(TensorContext &, mlir::DictionaryAttr config, llvm::StringRef name);
bool boolOf(TensorContext &, mlir::DictionaryAttr config, llvm::StringRef name);
llvm::StringRef stringOf(TensorContext &, mlir::DictionaryAttr config, llvm::StringRef name);

/// The operand in the type in which its statistics are formed: f32 for halves.
inline Tensor widened(Tensor x) { return x ? convert(x, accumulatorType(x.dtype())) : x; }

/// Reports operands that are no floats.
bool requireFloats(llvm::StringRef name, Tensor x);

} // namespace dynac

#endif // DYNAC_LIB_COMPOSITES_BODIES_H
