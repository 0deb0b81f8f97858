//===- Strided.h - copies between strided views and row-major memory --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_STRIDED_H
#define DYNAC_LIB_RUNTIME_STRIDED_H

#include "dynac/Runtime/dynac.h"

#include <vector>

namespace dynac::rt {

/// Row-major without gaps; extents of 1 and empty tensors may have any strides.
bool isContiguous(const dynac_tensor_t &tensor);

/// Bytes from `data` to the end of a tensor with non-negative strides (`bytes` without strides).
int64_t spanBytes(const dynac_tensor_t &tensor);

/// A view into `bytes` bytes of row-major memory and back.
void copyIn(const dynac_tensor_t &from, int64_t bytes, void *to);
void copyOut(const void *from, int64_t bytes, const dynac_tensor_t &to);

/// The byte strides of row-major memory whose extent of `axis` is `capacity`. Those of an empty
/// tensor may be any numbers.
std::vector<int64_t> stridesWithin(int32_t dtype, const std::vector<int64_t> &shape, int32_t axis,
                                   int64_t capacity);

/// Whether the elements are that far apart; extents of 1 and empty tensors may have any strides.
bool hasStrides(const dynac_tensor_t &tensor, const std::vector<int64_t> &strides);

/// Elements of one tensor to those of another of the same shape elsewhere.
void copyElements(const dynac_tensor_t &from, const dynac_tensor_t &to);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_STRIDED_H
