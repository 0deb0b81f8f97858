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

/// Unsigned, as the product of an empty tensor's extents may leave 64 bits.
static std::vector<int64_t> stridesOf(int32_t dtype, const int64_t *shape, int32_t rank,
                                      int32_t axisWithin = -1, int64_t capacity = 0) {
  std::vector<int64_t> strides(size_t(rank), 0);
  auto stride = uint64_t(dtypeBytes(dtype, 1));
  for (int32_t axis = rank - 1; axis >= 0; --axis) {
    strides[axis] = int64_t(stride);
    stride *= uint64_t(axis == axisWithin ? capacity : shape[axis]);
  }
  return strides;
}

std::vector<int64_t> stridesWithin(int32_t dtype, const std::vector<int64_t> &shape, int32_t axis,
                                   int64_t capacity) {
  return stridesOf(dtype, shape.data(), int32_t(shape.size()), axis, capacity);
}

bool hasStrides(const dynac_tensor_t &tensor, const std::vector<int64_t> &strides) {
  if (isEmpty(tensor))
    return true;
  const std::vector<int64_t> dense = stridesOf(tensor.dtype, tensor.shape, tensor.rank);
  const int64_t *own = tensor.strides ? tensor.strides : dense.data();
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    if (tensor.shape[axis] != 1 && own[axis] != strides[axis])
      return false;
  return true;
}

bool isContiguous(const dynac_tensor_t &tensor) {
  return !tensor.strides || isEmpty(tensor) ||
         hasStrides(tensor, stridesOf(tensor.dtype, tensor.shape, tensor.rank));
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

void copyElements(const dynac_tensor_t &from, const dynac_tensor_t &to) {
  if (isEmpty(from))
    return;
  const std::vector<int64_t> dense = stridesOf(from.dtype, from.shape, from.rank);
  const int64_t *in = from.strides ? from.strides : dense.data();
  const int64_t *out = to.strides ? to.strides : dense.data();
  // The last axes that both have without gaps are one piece.
  int64_t bytes = dtypeBytes(from.dtype, 1);
  int32_t inner = from.rank;
  while (inner > 0 &&
         (from.shape[inner - 1] == 1 || (in[inner - 1] == bytes && out[inner - 1] == bytes)))
    bytes *= from.shape[--inner];
  std::vector<int64_t> place(size_t(inner), 0);
  for (bool more = true; more;) {
    int64_t source = 0, target = 0;
    for (int32_t axis = 0; axis < inner; ++axis) {
      source += place[axis] * in[axis];
      target += place[axis] * out[axis];
    }
    std::memmove(static_cast<char *>(to.data) + target,
                 static_cast<const char *>(from.data) + source, size_t(bytes));
    more = false;
    for (int32_t axis = inner - 1; axis >= 0 && !more; --axis) {
      more = ++place[axis] < from.shape[axis];
      if (!more)
        place[axis] = 0;
    }
  }
}

} // namespace dynac::rt
