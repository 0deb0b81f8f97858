//===- ConvertValue.h - tensors and types from protobuf messages ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only Convert.cpp and ConvertValue.cpp see protobuf's classes.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_FRONTEND_ONNX_CONVERTVALUE_H
#define DYNAC_LIB_FRONTEND_ONNX_CONVERTVALUE_H

#include "ExternalData.h"
#include "WireScan.h"

#include "onnx-ml.pb.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <google/protobuf/io/coded_stream.h>

namespace dynac::onnx {

namespace pb = ::dynac::onnxpb;

/// Says where something is, for messages; only called for an error.
using Where = llvm::function_ref<std::string()>;

/// Reads tensors whose elements lie in `file` or, with `external`, in other files.
struct TensorConverter {
  const std::string &path; ///< Of the model, for messages.
  llvm::ArrayRef<char> file;
  ExternalFiles *external; ///< May be null.
  const ReadOptions &options;
  std::vector<std::shared_ptr<ByteStorage>> &owned;

  llvm::Error convert(const pb::TensorProto &from, TensorData &to, Where where);
  llvm::Error convert(const pb::SparseTensorProto &from, TensorData &to, Where where);

private:
  llvm::Error convertDims(const google::protobuf::RepeatedField<int64_t> &from, TensorData &to,
                          Where where);
  template <typename... Args> llvm::Error invalid(Where where, const char *format, Args &&...args);
};

ValueInfo convertValueInfo(const pb::ValueInfoProto &from);
TypeInfo convertType(const pb::TypeProto &from);

/// Parses `stripped`; false if it is no such message.
template <typename Proto> bool parseStripped(Proto &proto, const std::string &stripped) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(stripped.data()),
                                                static_cast<int>(stripped.size()));
  stream.SetRecursionLimit(200); // The scanner has its own, lower, limit for graphs.
  return proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

} // namespace dynac::onnx

#endif // DYNAC_LIB_FRONTEND_ONNX_CONVERTVALUE_H
