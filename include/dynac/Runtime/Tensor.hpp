//===- Tensor.hpp - tensors of the C++ API, DLPack in and out ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_RUNTIME_TENSOR_HPP
#define DYNAC_RUNTIME_TENSOR_HPP

#include "dynac/Runtime/DLPack.hpp"
#include "dynac/Runtime/dynac.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace dynac {

/// What every failed call throws.
class Error : public std::runtime_error {
public:
  Error(int32_t code, const std::string &message) : std::runtime_error(message), number(code) {}
  /// A dynac_code_t.
  int32_t code() const { return number; }

private:
  int32_t number;
};

namespace detail {

inline void check(dynac_status_t *status) {
  if (!status)
    return;
  Error error(dynac_status_code(status), dynac_status_message(status));
  dynac_status_free(status);
  throw error;
}

template <typename T> constexpr dynac_dtype_t dtypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DYNAC_BOOL;
  else if constexpr (std::is_same_v<T, float>)
    return DYNAC_F32;
  else if constexpr (std::is_same_v<T, double>)
    return DYNAC_F64;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? DYNAC_I8
           : sizeof(T) == 2 ? DYNAC_I16
           : sizeof(T) == 4 ? DYNAC_I32
                            : DYNAC_I64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? DYNAC_U8
           : sizeof(T) == 2 ? DYNAC_U16
           : sizeof(T) == 4 ? DYNAC_U32
                            : DYNAC_U64;
  else
    return DYNAC_DTYPE_INVALID;
}

} // namespace detail

/// Contiguous elements that somebody else owns.
template <typename T> class Span {
public:
  Span(T *data, size_t size) : first(data), count(size) {}
  T *data() const { return first; }
  size_t size() const { return count; }
  T *begin() const { return first; }
  T *end() const { return first + count; }
  T &operator[](size_t i) const { return first[i]; }

private:
  T *first;
  size_t count;
};

/// A shape over memory that it owns (shared by copies) or only views. Strides are in bytes.
class Tensor {
public:
  /// No tensor.
  Tensor() = default;

  /// Own memory, zeroed, aligned to 64 bytes. Throws std::bad_alloc.
  Tensor(dynac_dtype_t dtype, std::vector<int64_t> shape) : type(dtype), extents(std::move(shape)) {
    const int64_t size = dynac_dtype_bytes(type, count());
    if (size < 0)
      throw Error(DYNAC_USAGE, "this shape and dtype make no tensor");
    const size_t rounded = (size_t(size) + 63) / 64 * 64 + (size == 0 ? 64 : 0);
    memory = std::aligned_alloc(64, rounded);
    if (!memory)
      throw std::bad_alloc();
    owner = std::shared_ptr<void>(memory, std::free);
    std::memset(memory, 0, rounded);
  }

  template <typename T> static Tensor zeros(std::vector<int64_t> shape) {
    return Tensor(detail::dtypeOf<T>(), std::move(shape));
  }

  /// A copy of `values`, row-major.
  template <typename T> static Tensor of(std::vector<int64_t> shape, const std::vector<T> &values) {
    Tensor tensor = zeros<T>(std::move(shape));
    if (int64_t(values.size()) != tensor.count())
      throw Error(DYNAC_USAGE, "got " + std::to_string(values.size()) + " values for " +
                                   std::to_string(tensor.count()) + " elements");
    std::copy(values.begin(), values.end(), tensor.span<T>().begin());
    return tensor;
  }

  /// The caller's memory, which has to outlive the tensor and its copies.
  template <typename T>
  static Tensor view(T *data, std::vector<int64_t> shape, std::vector<int64_t> strides = {}) {
    return wrap(const_cast<std::remove_const_t<T> *>(data),
                detail::dtypeOf<std::remove_const_t<T>>(), std::move(shape), std::move(strides),
                nullptr);
  }

  /// Memory of any type that `owner` keeps alive (nullptr: the caller does).
  static Tensor wrap(void *data, dynac_dtype_t dtype, std::vector<int64_t> shape,
                     std::vector<int64_t> strides, std::shared_ptr<void> owner) {
    if (!strides.empty() && strides.size() != shape.size())
      throw Error(DYNAC_USAGE, "a tensor needs as many strides as extents");
    Tensor tensor;
    tensor.memory = data;
    tensor.type = dtype;
    tensor.extents = std::move(shape);
    tensor.steps = std::move(strides);
    tensor.owner = std::move(owner);
    return tensor;
  }

  /// Own memory of `bytes` bytes, zeroed, of which the elements are a part. Throws as the
  /// constructor.
  static Tensor within(dynac_dtype_t dtype, std::vector<int64_t> shape,
                       std::vector<int64_t> strides, int64_t bytes) {
    Tensor all(DYNAC_U8, {bytes});
    return wrap(all.memory, dtype, std::move(shape), std::move(strides), all.owner);
  }

  /// The same memory under another shape; the strides stay.
  Tensor withShape(std::vector<int64_t> shape) const {
    return wrap(memory, type, std::move(shape), steps, owner);
  }

  /// An owning copy of a contiguous view.
  static Tensor copyOf(const dynac_tensor_t &view) {
    Tensor tensor(dynac_dtype_t(view.dtype), {view.shape, view.shape + view.rank});
    if (const int64_t size = tensor.bytes(); size > 0)
      std::memcpy(tensor.memory, view.data, size_t(size));
    return tensor;
  }

  explicit operator bool() const { return type != DYNAC_DTYPE_INVALID; }
  dynac_dtype_t dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return extents; }
  /// Empty: row-major without gaps.
  const std::vector<int64_t> &strides() const { return steps; }
  void *data() const { return memory; }

  int64_t count() const {
    int64_t result = 1;
    for (int64_t extent : extents)
      result *= extent;
    return result;
  }
  /// Of the elements, without gaps.
  int64_t bytes() const { return dynac_dtype_bytes(type, count()); }

  /// The elements of a row-major tensor; T has to be its element type.
  template <typename T> Span<T> span() const {
    if (detail::dtypeOf<std::remove_const_t<T>>() != type || !steps.empty())
      throw Error(DYNAC_USAGE, std::string("no span over this tensor of ") +
                                   dynac_dtype_name(type) + (steps.empty() ? "" : " with strides"));
    return {static_cast<T *>(memory), size_t(count())};
  }

  /// For the C API; valid while the tensor is unchanged.
  dynac_value_t value() const {
    dynac_value_t value = {};
    if (!*this)
      return value;
    value.kind = DYNAC_VALUE_TENSOR;
    value.as.tensor = {memory,
                       type,
                       int32_t(extents.size()),
                       extents.data(),
                       steps.empty() ? nullptr : steps.data(),
                       bytes(),
                       DYNAC_DEVICE_CPU,
                       0};
    return value;
  }

  /// Takes over a DLPack tensor on the CPU; its deleter runs with the last copy. If this throws,
  /// the caller still owns it.
  static Tensor fromDLPack(dlpack::DLManagedTensor *managed) { return adopt(managed); }
  static Tensor fromDLPack(dlpack::DLManagedTensorVersioned *managed) {
    if (managed && managed->version.major != dlpack::versionMajor)
      throw Error(DYNAC_USAGE, "a DLPack tensor of version " +
                                   std::to_string(managed->version.major) + " is not understood");
    return adopt(managed);
  }

  /// A DLPack tensor that shares this one's memory; the receiver calls its deleter.
  dlpack::DLManagedTensor *toDLPack() const { return lend<dlpack::DLManagedTensor>(); }
  dlpack::DLManagedTensorVersioned *toDLPackVersioned() const {
    auto *managed = lend<dlpack::DLManagedTensorVersioned>();
    managed->version.major = dlpack::versionMajor;
    managed->version.minor = 0;
    managed->flags = 0;
    return managed;
  }

private:
  template <typename Managed> static Tensor adopt(Managed *managed) {
    if (!managed)
      throw Error(DYNAC_USAGE, "the DLPack tensor is NULL");
    const dlpack::DLTensor &t = managed->dl_tensor;
    if (int32_t(t.device.device_type) != DYNAC_DEVICE_CPU)
      throw Error(DYNAC_DEVICE, "the DLPack tensor is not on the CPU");
    const dynac_dtype_t dtype = dlpack::fromDataType(t.dtype);
    if (dtype == DYNAC_DTYPE_INVALID)
      throw Error(DYNAC_USAGE, "no dtype for DLPack type code " + std::to_string(t.dtype.code) +
                                   ", " + std::to_string(t.dtype.bits) + " bits, " +
                                   std::to_string(t.dtype.lanes) + " lanes");
    std::vector<int64_t> shape(t.shape, t.shape + t.ndim), strides;
    const int64_t element = t.dtype.bits / 8;
    int64_t dense = element;
    bool contiguous = true;
    for (int32_t axis = t.ndim - 1; t.strides && axis >= 0; --axis) {
      contiguous &= shape[size_t(axis)] == 1 || t.strides[axis] * element == dense;
      dense *= shape[size_t(axis)];
    }
    if (!contiguous)
      for (int32_t axis = 0; axis < t.ndim; ++axis)
        strides.push_back(t.strides[axis] * element);
    void *data = static_cast<char *>(t.data) + t.byte_offset;
    Tensor tensor = wrap(data, dtype, std::move(shape), std::move(strides), nullptr);
    tensor.owner = std::shared_ptr<void>(managed, [](void *raw) {
      auto *done = static_cast<Managed *>(raw);
      if (done->deleter)
        done->deleter(done);
    });
    return tensor;
  }

  template <typename Managed> Managed *lend() const {
    struct Lent {
      Managed managed;
      Tensor tensor;
      std::vector<int64_t> strides; // in elements
    };
    auto lent = std::make_unique<Lent>();
    lent->tensor = *this;
    dlpack::DLTensor &t = lent->managed.dl_tensor;
    if (!dlpack::toDataType(type, t.dtype))
      throw Error(DYNAC_USAGE, std::string("DLPack has no type for ") + dynac_dtype_name(type));
    const int64_t element = t.dtype.bits / 8;
    lent->strides.resize(extents.size());
    int64_t dense = 1;
    for (size_t axis = extents.size(); axis-- > 0;) {
      lent->strides[axis] = steps.empty() ? dense : steps[axis] / element;
      dense *= extents[axis];
    }
    t.data = memory;
    t.device.device_type = static_cast<decltype(t.device.device_type)>(DYNAC_DEVICE_CPU);
    t.device.device_id = 0;
    t.ndim = int32_t(extents.size());
    t.shape = lent->tensor.extents.data();
    t.strides = lent->strides.data();
    t.byte_offset = 0;
    lent->managed.manager_ctx = lent.get();
    lent->managed.deleter = [](Managed *self) { delete static_cast<Lent *>(self->manager_ctx); };
    return &lent.release()->managed;
  }

  void *memory = nullptr;
  dynac_dtype_t type = DYNAC_DTYPE_INVALID;
  std::vector<int64_t> extents, steps;
  std::shared_ptr<void> owner;
};

} // namespace dynac

#endif // DYNAC_RUNTIME_TENSOR_HPP
