//===- Strided.cpp - copies between strided views and row-major memory ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strided.h"

#include "DType.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dynac::rt {

/// The other extents of such a tensor may be any, and so may the strides.
static bool isEmpty(const dynac_tensor_t &tensor) {
  return tensor.shape && std::count(tensor.shape, tensor.shape + tensor.rank, 0) > 0;
}

bool isContiguous(const dynac_tensor_t &tensor) {
  if (!tensor.strides || isEmpty(tensor))
    return true;
  int64_t expected = dtypeBytes(tensor.dtype, 1);
  bool dense = true;
  for (int32_t axis = tensor.rank - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected)
      dense = false;
    expected *= tensor.shape[axis];
  }
  return dense;
}

int64_t spanBytes(const dynac_tensor_t &tensor) {
  if (!tensor.strides)
    return tensor.bytes;
  if (isEmpty(tensor))
    return 0;
  int64_t span = dtypeBytes(tensor.dtype, 1);
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    if (tensor.shape && tensor.shape[axis] > 1) // else its stride may be any number
      span += std::abs(tensor.strides[axis]) * (tensor.shape[axis] - 1);
  return span;
}

/// Walks the outer axes; the innermost run is one memcpy where it is dense. `strided` is moved over
/// by strides, `dense` forward.
template <bool In>
static void walk(const dynac_tensor_t &view, const int64_t *shape, int32_t axis, char *strided,
                 char *&dense, int64_t element) {
  if (axis == view.rank) {
    std::memcpy(In ? dense : strided, In ? strided : dense, size_t(element));
    dense += element;
    return;
  }
  if (axis == view.rank - 1 && view.strides[axis] == element) {
    const int64_t bytes = shape[axis] * element;
    std::memcpy(In ? dense : strided, In ? strided : dense, size_t(bytes));
    dense += bytes;
    return;
  }
  for (int64_t i = 0; i < shape[axis]; ++i)
    walk<In>(view, shape, axis + 1, strided + i * view.strides[axis], dense, element);
}

void copyIn(const dynac_tensor_t &from, int64_t bytes, void *to) {
  if (bytes == 0)
    return;
  if (isContiguous(from)) {
    std::memmove(to, from.data, size_t(bytes));
    return;
  }
  char *dense = static_cast<char *>(to);
  walk<true>(from, from.shape, 0, static_cast<char *>(from.data), dense, dtypeBytes(from.dtype, 1));
}

void copyOut(const void *from, int64_t bytes, const dynac_tensor_t &to) {
  if (bytes == 0)
    return;
  if (isContiguous(to)) {
    std::memmove(to.data, from, size_t(bytes));
    return;
  }
  char *dense = static_cast<char *>(const_cast<void *>(from));
  walk<false>(to, to.shape, 0, static_cast<char *>(to.data), dense, dtypeBytes(to.dtype, 1));
}

} // namespace dynac::rt
