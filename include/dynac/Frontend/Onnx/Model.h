//===- Model.h - an ONNX file as plain data -------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an ONNX file says, as values that can be copied and changed freely. A
// model that loadOnnx returned is checked: names are defined once and before
// their uses, element data has the right length, and the nodes of every graph
// are in topological order. Element data is referenced, never copied, where
// the file holds it in the canonical layout.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_MODEL_H
#define DYNAC_FRONTEND_ONNX_MODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynac::onnx {

/// Element types; the numbers are TensorProto.DataType's. A file may hold other numbers: see
/// isKnown().
enum class ElementType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28,
};

/// True for the types listed in ElementType, Undefined excepted.
bool isKnown(ElementType type);
/// ONNX's spelling, as in "FLOAT16"; "data type 99" for an unknown number.
std::string elementTypeName(ElementType type);
/// Bits of one element; 0 for String and for unknown types.
unsigned elementBits(ElementType type);
/// Bytes of `count` elements in the canonical layout: ceil(count * bits / 8). Nothing if that is
/// not below 2^63 or the type has no fixed size.
std::optional<uint64_t> packedSize(ElementType type, uint64_t count);

/// Where the bytes of a tensor are.
enum class DataLocation {
  None,         ///< No elements, or strings.
  ModelFile,    ///< Within the mapped model file.
  ExternalFile, ///< Within a mapped file beside the model.
  Owned,        ///< Decoded; the model owns them.
  Skipped,      ///< External and not read (ReadOptions::skipExternalData).
};

/// A tensor's type, shape and elements. Copies are cheap: the bytes belong to the OnnxModel.
struct TensorData {
  std::string name;
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims; ///< None is negative, and the product is below 2^63.
  /// Elements in the layout of `raw_data`: little-endian, row-major, bool as bytes 0 or 1, types
  /// below 8 bits packed from the low bits up, complex as (re, im). Not aligned. Empty for String.
  llvm::ArrayRef<char> bytes;
  std::vector<std::string> strings; ///< Elements of a String tensor.
  DataLocation location = DataLocation::None;
  /// Index into OnnxModel::files, and offset of `bytes` in it, for ModelFile and ExternalFile.
  unsigned file = 0;
  uint64_t offset = 0;
  /// What external_data said, for Skipped.
  std::string externalLocation;

  uint64_t numElements() const;
};

/// One dimension of a declared shape.
struct Dim {
  enum class Kind { Unknown, Value, Symbol };
  Kind kind = Kind::Unknown;
  int64_t value = 0;  ///< Kind::Value; never negative.
  std::string symbol; ///< Kind::Symbol; never empty. One symbol per name in the whole model.
};

/// A declared type. Declarations of inner values are hints and may be wrong.
struct TypeInfo {
  enum class Kind { None, Tensor, SparseTensor, Sequence, Optional, Map, Opaque };
  Kind kind = Kind::None;
  ElementType elementType =
      ElementType::Undefined; ///< Tensor, SparseTensor; of a Map the key type.
  bool hasShape = false;      ///< Without a shape the rank is unknown.
  std::vector<Dim> dims;
  std::vector<TypeInfo> element; ///< Sequence, Optional, Map: exactly one.
};

/// A named value with its declared type.
struct ValueInfo {
  std::string name;
  TypeInfo type;
  /// A graph input for which an initializer of the same name gives the default (IR 4 and above;
  /// below, such inputs are constants and are not listed among the inputs).
  bool hasDefault = false;
};

struct Graph;

/// An attribute of a node; the numbers of Kind are AttributeProto.AttributeType's.
struct Attribute {
  enum class Kind : int32_t {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11, ///< Densified: see `tensors`.
    SparseTensors = 12,
    Type = 13,
    Types = 14,
  };
  std::string name;
  Kind kind = Kind::Undefined;
  /// In a function body: the attribute of the call that this one stands for, and nothing else set.
  std::string refAttrName;

  float f = 0;
  int64_t i = 0;
  std::string s;                    ///< Any bytes.
  std::vector<float> floats;        ///< Floats.
  std::vector<int64_t> ints;        ///< Ints.
  std::vector<std::string> strings; ///< Strings.
  std::vector<TensorData> tensors;  ///< Tensor, SparseTensor: exactly one; Tensors, SparseTensors.
  std::vector<Graph> graphs;        ///< Graph: exactly one; Graphs.
  std::vector<TypeInfo> types;      ///< Type: exactly one; Types.
};

/// One operator.
struct Node {
  std::string name;
  std::string opType;
  std::string domain; ///< "" for ai.onnx.
  std::string overload;
  std::vector<std::string> inputs;  ///< "" is an omitted input.
  std::vector<std::string> outputs; ///< "" is an unused output.
  std::vector<Attribute> attributes;
  /// Version of `domain` that the file (or the function that this node came from) imports.
  int64_t opsetVersion = 0;
  /// Position in the file's node list of its graph or function.
  unsigned index = 0;
  /// The innermost module of the exporter, as in "model.layers.0.mlp"; "" if unknown.
  std::string scope;

  const Attribute *attribute(llvm::StringRef attributeName) const;
  /// `node 'conv1' (Conv, #3)`, for messages.
  std::string describe() const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes; ///< In topological order.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> valueInfos;    ///< Hints; at most one for each name.
  std::vector<TensorData> initializers; ///< Sparse ones are densified.
  std::vector<std::pair<std::string, std::string>> metadata;

  const TensorData *initializer(llvm::StringRef valueName) const;
};

using OpsetImports = std::vector<std::pair<std::string, int64_t>>;

/// A model-local operator: `inputs` and `outputs` are names within `nodes`.
struct Function {
  std::string domain, name, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes; ///< Without a default.
  std::vector<Attribute> attributeDefaults;
  std::vector<Node> nodes; ///< In topological order.
  OpsetImports opsets;
};

/// ModelProto.training_info: a step runs `algorithm` after the model's graph, then updates.
struct TrainingInfo {
  Graph initialization, algorithm;
  std::vector<std::pair<std::string, std::string>> initializationBindings, updateBindings;
};

/// Memory that tensors of a model refer to: a mapping, or decoded bytes.
class ByteStorage {
public:
  virtual ~ByteStorage() = default;
  llvm::ArrayRef<char> bytes() const { return content; }

protected:
  llvm::ArrayRef<char> content;
};

/// A file that tensors refer to. Number 0 is the model itself.
struct SourceFile {
  std::string path;
  std::shared_ptr<ByteStorage> content;
};

/// A whole file.
struct OnnxModel {
  std::string path; ///< For messages.
  int64_t irVersion = 0;
  OpsetImports opsets;
  std::string producerName, producerVersion, domain;
  int64_t modelVersion = 0;
  Graph graph;
  std::vector<Function> functions; ///< Those that the graph reaches; empty after inlining.
  std::vector<TrainingInfo> training;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<SourceFile> files;
  std::vector<std::shared_ptr<ByteStorage>> owned;
  /// One line each: things that are wrong or new but do not change the meaning.
  std::vector<std::string> warnings;
};

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_MODEL_H
