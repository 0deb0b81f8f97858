//===- ConvertValue.cpp - tensors and types from protobuf messages --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertValue.h"
#include "Elements.h"
#include "dynac/Support/Diagnostic.h"

namespace dynac::onnx {

template <typename... Args>
llvm::Error TensorConverter::invalid(Where where, const char *format, Args &&...args) {
  return invalidModel("{0}: {1}: {2}", path, where(),
                      llvm::formatv(format, std::forward<Args>(args)...).str());
}

llvm::Error TensorConverter::convertDims(const google::protobuf::RepeatedField<int64_t> &from,
                                         TensorData &to, Where where) {
  to.dims.assign(from.begin(), from.end());
  if (llvm::any_of(to.dims, [](int64_t dim) { return dim < 0; }))
    return invalid(where, "shape {0} has a negative dimension", shapeString(to.dims));
  uint64_t count = 1;
  for (int64_t dim : to.dims) {
    // With a zero among them the others are checked too: their strides are computed later.
    if (dim == 0)
      continue;
    if (count > (uint64_t(1) << 62) / static_cast<uint64_t>(dim))
      return invalid(where, "shape {0} has more than 2^62 elements", shapeString(to.dims));
    count *= static_cast<uint64_t>(dim);
  }
  return llvm::Error::success();
}

llvm::Error TensorConverter::convert(const pb::TensorProto &from, TensorData &to, Where where) {
  to.name = from.name();
  to.type = static_cast<ElementType>(from.data_type());
  if (llvm::Error error = convertDims(from.dims(), to, where))
    return error;
  if (!isKnown(to.type))
    return invalid(where, "unknown element type {0}", from.data_type());
  if (from.has_segment())
    return invalid(where, "segmented tensors are not supported");
  if (from.data_location() == pb::TensorProto::EXTERNAL) {
    ExternalEntry entry;
    for (const pb::StringStringEntryProto &pair : from.external_data()) {
      if (pair.key() == "location")
        entry.location = pair.value();
      else if (pair.key() == "offset")
        entry.offset = pair.value();
      else if (pair.key() == "length")
        entry.length = pair.value();
    }
    if (options.skipExternalData) {
      to.location = DataLocation::Skipped;
      to.externalLocation = entry.location;
      return llvm::Error::success();
    }
    if (!external)
      return invalid(where, "external data is not possible here");
    if (llvm::Error error = external->read(to, entry, path + ": " + where()))
      return error;
    normalizeBools(to, owned);
    return llvm::Error::success();
  }
  llvm::SmallVector<Span, 2> spans;
  for (int i = 0; i + 2 < from.dynac_spans_size(); i += 3)
    spans.push_back({static_cast<unsigned>(from.dynac_spans(i) & 255),
                     (from.dynac_spans(i) & 256) != 0, from.dynac_spans(i + 1),
                     from.dynac_spans(i + 2)});
  if (std::string problem = readElements(to, file, spans, owned); !problem.empty())
    return invalid(where, "{0}", problem);
  return llvm::Error::success();
}

llvm::Error TensorConverter::convert(const pb::SparseTensorProto &from, TensorData &to,
                                     Where where) {
  if (!from.has_values() || !from.has_indices())
    return invalid(where, "a sparse tensor lacks its {0}",
                   from.has_values() ? "indices" : "values");
  TensorData values, indices;
  if (llvm::Error error = convert(from.values(), values, where))
    return error;
  if (llvm::Error error = convert(from.indices(), indices, where))
    return error;
  to.name = values.name;
  to.type = values.type;
  if (llvm::Error error = convertDims(from.dims(), to, where))
    return error;
  if (values.location == DataLocation::Skipped || indices.location == DataLocation::Skipped) {
    to.location = DataLocation::Skipped;
    to.externalLocation = values.externalLocation;
    return llvm::Error::success();
  }
  if (std::string problem = densify(to, values, indices, options.maxDenseBytes, owned);
      !problem.empty())
    return invalid(where, "{0}", problem);
  return llvm::Error::success();
}

/// The depth is bounded by protobuf's limit on nested messages.
TypeInfo convertType(const pb::TypeProto &from) {
  TypeInfo to;
  auto shaped = [&to](TypeInfo::Kind kind, const auto &tensor) {
    to.kind = kind;
    to.elementType = static_cast<ElementType>(tensor.elem_type());
    to.hasShape = tensor.has_shape();
    for (const pb::TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
      Dim &out = to.dims.emplace_back();
      if (dim.has_dim_value() && dim.dim_value() >= 0) { // -1 is a habit for "unknown".
        out.kind = Dim::Kind::Value;
        out.value = dim.dim_value();
      } else if (!dim.dim_param().empty()) {
        out.kind = Dim::Kind::Symbol;
        out.symbol = dim.dim_param();
      }
    }
  };
  switch (from.value_case()) {
  case pb::TypeProto::kTensorType:
    shaped(TypeInfo::Kind::Tensor, from.tensor_type());
    break;
  case pb::TypeProto::kSparseTensorType:
    shaped(TypeInfo::Kind::SparseTensor, from.sparse_tensor_type());
    break;
  case pb::TypeProto::kSequenceType:
    to.kind = TypeInfo::Kind::Sequence;
    to.element.push_back(convertType(from.sequence_type().elem_type()));
    break;
  case pb::TypeProto::kOptionalType:
    to.kind = TypeInfo::Kind::Optional;
    to.element.push_back(convertType(from.optional_type().elem_type()));
    break;
  case pb::TypeProto::kMapType:
    to.kind = TypeInfo::Kind::Map;
    to.elementType = static_cast<ElementType>(from.map_type().key_type());
    to.element.push_back(convertType(from.map_type().value_type()));
    break;
  case pb::TypeProto::kOpaqueType:
    to.kind = TypeInfo::Kind::Opaque;
    break;
  case pb::TypeProto::VALUE_NOT_SET:
    break;
  }
  return to;
}

ValueInfo convertValueInfo(const pb::ValueInfoProto &from) {
  ValueInfo to;
  to.name = from.name();
  to.type = convertType(from.type());
  return to;
}

llvm::Expected<TensorData> parseTensor(llvm::ArrayRef<char> bytes, llvm::StringRef name,
                                       std::vector<std::shared_ptr<ByteStorage>> &owned) {
  llvm::Expected<std::string> stripped = stripElements(bytes, RootMessage::Tensor, name);
  if (!stripped)
    return stripped.takeError();
  pb::TensorProto proto;
  if (!parseStripped(proto, *stripped))
    return invalidModel("{0}: not a valid TensorProto: protobuf cannot parse it", name);
  std::string path = name.str();
  ReadOptions options;
  TensorData tensor;
  TensorConverter converter{path, bytes, nullptr, options, owned};
  auto where = [&] { return "tensor '" + printable(proto.name()) + "'"; };
  if (llvm::Error error = converter.convert(proto, tensor, where))
    return std::move(error);
  return tensor;
}

} // namespace dynac::onnx
