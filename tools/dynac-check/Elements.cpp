//===- Elements.cpp - literals of a test file as bytes --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/Common/Schedule.h"

#include <cstring>

using namespace mlir;

namespace dynac::tool {

/// Row-major; bool one byte, elements of 2 and 4 bits packed from the low bits on.
static std::vector<char> bytesOf(DenseElementsAttr value) {
  int64_t count = value.getNumElements();
  std::vector<char> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool element : value.getValues<bool>())
      bytes.push_back(element);
    return bytes;
  }
  ArrayRef<char> raw = value.getRawData();
  for (int64_t i = 0; value.isSplat() && i < count; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  if (!value.isSplat())
    bytes.assign(raw.begin(), raw.end());
  if (!value.getElementType().isIntOrFloat())
    return bytes; // complex numbers
  unsigned width = value.getElementType().getIntOrFloatBitWidth();
  if (width >= 8)
    return bytes;
  unsigned perByte = 8 / width;
  std::vector<char> packed((bytes.size() + perByte - 1) / perByte);
  for (size_t i = 0; i < bytes.size(); ++i)
    packed[i / perByte] |=
        static_cast<char>((bytes[i] & ((1 << width) - 1)) << (i % perByte * width));
  return packed;
}

llvm::Expected<HostTensor> hostTensorOf(DenseElementsAttr value) {
  dynac_dtype_t dtype = dtypeOf(value.getElementType());
  if (dtype == DYNAC_DTYPE_INVALID)
    return unsupported("the runtime has no such element type");
  auto tensor = HostTensor::zeros(dtype, value.getType().getShape().vec());
  if (!tensor)
    return tensor;
  std::vector<char> bytes = bytesOf(value);
  if (bytes.size() != tensor->bytes().size())
    return unsupported("{0} bytes of elements, expected {1}", bytes.size(), tensor->bytes().size());
  std::memcpy(tensor->bytes().data(), bytes.data(), bytes.size());
  return tensor;
}

int64_t addWeight(WeightStore &weights, StringRef name, DenseElementsAttr value) {
  return weights.addOwned(name.str(), cast<RankedTensorType>(value.getType()), bytesOf(value));
}

} // namespace dynac::tool
