//===- HostTensor.cpp - a tensor that the program owns --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace dynac::tool {

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return -1;
    if (extent == 0)
      return 0;
    overflow |= llvm::MulOverflow(count, extent, count) != 0;
  }
  return overflow ? -1 : count;
}

std::string describeType(int32_t dtype, llvm::ArrayRef<int64_t> shape) {
  std::string text = dynac_dtype_name(dtype);
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + "]";
}

llvm::Expected<HostTensor> HostTensor::zeros(int32_t dtype, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.type = dtype;
  tensor.extents = std::move(shape);
  tensor.elements = elementCount(tensor.extents);
  tensor.byteCount = tensor.elements < 0 ? -1 : dynac_dtype_bytes(dtype, tensor.elements);
  if (tensor.byteCount < 0 || tensor.byteCount > INT64_MAX - 128)
    return signatureMismatch("{0} is too large", describeType(dtype, tensor.extents));
  auto rounded = llvm::alignTo(static_cast<uint64_t>(tensor.byteCount) + 1, 64);
  tensor.memory.reset(static_cast<char *>(std::aligned_alloc(64, rounded)));
  if (!tensor.memory)
    return ioError("not enough memory for {0}", describeType(dtype, tensor.extents));
  std::memset(tensor.memory.get(), 0, rounded);
  return tensor;
}

static void copyAxis(const dynac_tensor_t &from, int32_t axis, const char *source, char *&target,
                     size_t element) {
  if (axis == from.rank) {
    std::memcpy(target, source, element);
    target += element;
    return;
  }
  for (int64_t i = 0; i < from.shape[axis]; ++i)
    copyAxis(from, axis + 1, source + i * from.strides[axis], target, element);
}

llvm::Expected<HostTensor> HostTensor::copyOf(const dynac_tensor_t &tensor) {
  auto copy = zeros(tensor.dtype, {tensor.shape, tensor.shape + tensor.rank});
  if (!copy || copy->byteCount == 0)
    return copy;
  char *target = copy->memory.get();
  if (tensor.strides)
    copyAxis(tensor, 0, static_cast<const char *>(tensor.data), target,
             static_cast<size_t>(dynac_dtype_bytes(tensor.dtype, 1)));
  else
    std::memcpy(target, tensor.data, static_cast<size_t>(copy->byteCount));
  return copy;
}

llvm::Error makeDense(llvm::MutableArrayRef<dynac_value_t> values,
                      std::vector<HostTensor> &owners) {
  owners.reserve(owners.size() + values.size());
  for (dynac_value_t &value : values) {
    if (value.kind != DYNAC_VALUE_TENSOR || !value.as.tensor.strides)
      continue;
    auto dense = HostTensor::copyOf(value.as.tensor);
    if (!dense)
      return dense.takeError();
    owners.push_back(std::move(*dense));
    value = owners.back().view();
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor> HostTensor::ofStrings(std::vector<std::string> strings,
                                                 std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.type = DYNAC_STRING;
  tensor.extents = std::move(shape);
  tensor.elements = static_cast<int64_t>(strings.size());
  tensor.strings = std::move(strings);
  return tensor;
}

dynac_value_t HostTensor::view() {
  dynac_value_t value;
  std::memset(&value, 0, sizeof(value));
  if (type == DYNAC_STRING) {
    stringViews.clear();
    for (const std::string &text : strings)
      stringViews.push_back({text.data(), text.size()});
    value.kind = DYNAC_VALUE_STRINGS;
    value.as.strings = {stringViews.data(), static_cast<int32_t>(extents.size()), 0,
                        extents.data()};
    return value;
  }
  value.kind = DYNAC_VALUE_TENSOR;
  value.as.tensor.data = memory.get();
  value.as.tensor.dtype = type;
  value.as.tensor.rank = static_cast<int32_t>(extents.size());
  value.as.tensor.shape = extents.data();
  value.as.tensor.bytes = byteCount;
  value.as.tensor.device = DYNAC_DEVICE_CPU;
  return value;
}

} // namespace dynac::tool
