//===- Elements.h - tensor elements in the canonical layout ---------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_ELEMENTS_H
#define DYNAC_LIB_FRONTEND_ONNX_ELEMENTS_H

#include "WireScan.h"
#include "dynac/Frontend/Onnx/Model.h"

#include <vector>

namespace dynac::onnx {

/// Zeroed bytes on the heap; only touched pages take memory.
class OwnedBytes : public ByteStorage {
public:
  static std::shared_ptr<OwnedBytes> create(uint64_t size);
  ~OwnedBytes() override;
  char *data() { return const_cast<char *>(content.data()); }
};

/// Sets `tensor.bytes` or `tensor.strings` from the parts of `file` that hold its elements, by
/// reference where the layout allows. `tensor` has its type (known) and dims. Returns what is
/// wrong, without a context, or "".
std::string readElements(TensorData &tensor, llvm::ArrayRef<char> file, llvm::ArrayRef<Span> spans,
                         std::vector<std::shared_ptr<ByteStorage>> &owned);

/// Replaces bytes other than 0 and 1 of a Bool tensor by 1.
void normalizeBools(TensorData &tensor, std::vector<std::shared_ptr<ByteStorage>> &owned);

/// Fills `dense` (name, type and dims are set) from the parts of a sparse tensor. Returns what is
/// wrong, or "".
std::string densify(TensorData &dense, const TensorData &values, const TensorData &indices,
                    uint64_t maxBytes, std::vector<std::shared_ptr<ByteStorage>> &owned);

/// `[2, 3]`, for messages.
std::string shapeString(llvm::ArrayRef<int64_t> dims);

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_ELEMENTS_H
