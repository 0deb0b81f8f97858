//===- WireScan.h - takes the tensor elements out of an ONNX file ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Protobuf copies every byte of a message and refuses more than 2 GiB. The
// scanner walks the wire format along the paths on which a TensorProto can
// lie and writes the message again without the element data: each TensorProto
// gets the private field `dynac_spans` instead (CMakeLists.txt adds it to the
// schema) that says where in the file the elements are. Documentation and
// metadata that nobody reads, often most of an exporter's file, go too.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_WIRESCAN_H
#define DYNAC_LIB_FRONTEND_ONNX_WIRESCAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dynac::onnx {

/// Numbers of TensorProto's fields that hold elements.
enum TensorField : unsigned {
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  UInt64Data = 11,
};

/// A part of the file with elements of one field. In `dynac_spans` it is three numbers: field,
/// plus 256 for a run; offset; length.
struct Span {
  unsigned field;
  /// False: the content of one length-delimited field (raw_data, or packed elements). True: a run
  /// of fields, each with its tag.
  bool isRun;
  uint64_t offset, length;
};

/// Which message `bytes` holds.
enum class RootMessage { Model, Tensor };

/// Returns the serialized message without element data. The result is at most a small multiple of
/// the size of the rest. `name` stands for the file in messages.
llvm::Expected<std::string> stripElements(llvm::ArrayRef<char> bytes, RootMessage root,
                                          llvm::StringRef name);

/// Reads a varint at `position` and moves behind it; nothing if the bytes end or it is longer than
/// ten bytes.
std::optional<uint64_t> readVarint(llvm::ArrayRef<char> bytes, uint64_t &position);

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_WIRESCAN_H
