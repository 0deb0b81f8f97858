//===- HostTensor.h - a tensor that the program owns ------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_HOSTTENSOR_H
#define DYNAC_TOOLS_DYNAC_HOSTTENSOR_H

#include "dynac/Runtime/dynac.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace dynac::tool {

/// Element type, shape and elements: row-major, little-endian, packed as the runtime wants them.
class HostTensor {
public:
  /// Zeros. Error: ExitCode::SignatureMismatch if the size has no number, ExitCode::System if there
  /// is not enough memory.
  static llvm::Expected<HostTensor> zeros(int32_t dtype, std::vector<int64_t> shape);
  static llvm::Expected<HostTensor> ofStrings(std::vector<std::string> strings,
                                              std::vector<int64_t> shape);

  /// The elements of another tensor, which may have strides. Errors as of `zeros`.
  static llvm::Expected<HostTensor> copyOf(const dynac_tensor_t &tensor);

  int32_t dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t count() const { return elements; }
  llvm::MutableArrayRef<char> bytes() { return {memory.get(), static_cast<size_t>(byteCount)}; }
  llvm::ArrayRef<char> bytes() const { return {memory.get(), static_cast<size_t>(byteCount)}; }

  /// A view for the runtime, valid while this lives.
  dynac_value_t view();

private:
  struct Free {
    void operator()(char *p) const { std::free(p); }
  };
  int32_t type = DYNAC_DTYPE_INVALID;
  std::vector<int64_t> extents;
  int64_t elements = 0, byteCount = 0;
  std::unique_ptr<char, Free> memory; ///< 64-byte aligned, as kernels want it
  std::vector<std::string> strings;
  std::vector<dynac_string_t> stringViews;
};

/// Replaces values with strides by copies without, which `owners` takes. Errors as of
/// HostTensor::zeros.
llvm::Error makeDense(llvm::MutableArrayRef<dynac_value_t> values, std::vector<HostTensor> &owners);

/// "f32[1x3x224x224]".
std::string describeType(int32_t dtype, llvm::ArrayRef<int64_t> shape);

/// The product of `shape`; -1 if an extent is negative or the product has no 64-bit number.
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_HOSTTENSOR_H
