//===- OnnxReaderElementsTest.cpp - tensor elements of ONNX files ---------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModelBuilder.h"

#include "llvm/ADT/StringExtras.h"

using namespace dynac::onnx;
using namespace dynac::onnx::testing;

namespace {

/// A tensor that was read, with its bytes in hexadecimal.
struct ReadTensor {
  std::string serialized;
  std::vector<std::shared_ptr<ByteStorage>> owned;
  TensorData tensor;
  std::string error, hex;
};

std::unique_ptr<ReadTensor> read(std::string serialized) {
  auto result = std::make_unique<ReadTensor>();
  result->serialized = std::move(serialized);
  auto tensor =
      parseTensor({result->serialized.data(), result->serialized.size()}, "t.pb", result->owned);
  if (!tensor) {
    result->error = describe(tensor.takeError());
    return result;
  }
  result->tensor = std::move(*tensor);
  result->hex =
      llvm::toHex(llvm::StringRef(result->tensor.bytes.data(), result->tensor.bytes.size()),
                  /*LowerCase=*/true);
  return result;
}

pb::TensorProto tensorOf(int type, std::initializer_list<int64_t> dims) {
  pb::TensorProto tensor;
  tensor.set_name("t");
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}

std::string hexOfInt32Data(int type, int64_t count, std::initializer_list<int32_t> values) {
  pb::TensorProto tensor = tensorOf(type, {count});
  for (int32_t value : values)
    tensor.add_int32_data(value);
  auto result = read(tensor.SerializeAsString());
  return result->error.empty() ? result->hex : result->error;
}

} // namespace

TEST(OnnxElements, RefersToRawAndPackedFloats) {
  pb::TensorProto tensor = tensorOf(pb::TensorProto::FLOAT, {2});
  tensor.add_float_data(1.0f);
  tensor.add_float_data(-2.0f);
  auto result = read(tensor.SerializeAsString());
  EXPECT_EQ(result->hex, "0000803f000000c0");
  EXPECT_TRUE(result->owned.empty());
  EXPECT_EQ(result->tensor.location, DataLocation::ModelFile);

  tensor = tensorOf(pb::TensorProto::COMPLEX128, {1});
  tensor.add_double_data(1.0);
  tensor.add_double_data(2.0);
  result = read(tensor.SerializeAsString());
  EXPECT_EQ(result->hex, "000000000000f03f0000000000000040");
  EXPECT_TRUE(result->owned.empty());
}

TEST(OnnxElements, DecodesEveryTypeOfInt32Data) {
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::INT32, 2, {-1, 2}), "ffffffff02000000");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::INT16, 2, {-1, 258}), "ffff0201");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::UINT16, 1, {65535}), "ffff");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::INT8, 2, {-1, 3}), "ff03");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::UINT8, 1, {200}), "c8");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::BOOL, 3, {1, 0, 4}), "010001");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::FLOAT16, 1, {0x3c00}), "003c");
  EXPECT_EQ(hexOfInt32Data(pb::TensorProto::BFLOAT16, 1, {0x3f80}), "803f");
  for (int type :
       {pb::TensorProto::FLOAT8E4M3FN, pb::TensorProto::FLOAT8E4M3FNUZ, pb::TensorProto::FLOAT8E5M2,
        pb::TensorProto::FLOAT8E5M2FNUZ, pb::TensorProto::FLOAT8E8M0})
    EXPECT_EQ(hexOfInt32Data(type, 2, {0x12, 0xfe}), "12fe");
  // Two elements of 4 bits or four of 2 bits in each value; one of 6 bits.
  for (int type : {pb::TensorProto::INT4, pb::TensorProto::UINT4, pb::TensorProto::FLOAT4E2M1})
    EXPECT_EQ(hexOfInt32Data(type, 3, {0x21, 0x03}), "2103");
  for (int type : {pb::TensorProto::INT2, pb::TensorProto::UINT2})
    EXPECT_EQ(hexOfInt32Data(type, 5, {0xe4, 0x01}), "e401");
  // 1, 2, 3, 63, 1: the bits 000001 000010 000011 111111 000001 from the low end.
  for (int type : {pb::TensorProto::FLOAT6E2M3, pb::TensorProto::FLOAT6E3M2})
    EXPECT_EQ(hexOfInt32Data(type, 5, {1, 2, 3, 63, 1}), "8130fc01");
}

TEST(OnnxElements, DecodesWideIntegersAndStrings) {
  pb::TensorProto tensor = tensorOf(pb::TensorProto::INT64, {2});
  tensor.add_int64_data(-2);
  tensor.add_int64_data(1);
  EXPECT_EQ(read(tensor.SerializeAsString())->hex, "feffffffffffffff0100000000000000");
  tensor = tensorOf(pb::TensorProto::UINT32, {1});
  tensor.add_uint64_data(0xfffffffeu);
  EXPECT_EQ(read(tensor.SerializeAsString())->hex, "feffffff");
  tensor = tensorOf(pb::TensorProto::UINT64, {1});
  tensor.add_uint64_data(~uint64_t(0));
  EXPECT_EQ(read(tensor.SerializeAsString())->hex, "ffffffffffffffff");
  tensor = tensorOf(pb::TensorProto::STRING, {3});
  tensor.add_string_data("a");
  tensor.add_string_data("");
  tensor.add_string_data(std::string("\0z", 2));
  auto result = read(tensor.SerializeAsString());
  EXPECT_EQ(result->tensor.strings, (std::vector<std::string>{"a", "", std::string("\0z", 2)}));
}

TEST(OnnxElements, JoinsUnpackedAndSplitFields) {
  // float_data as two separate fields with tags, then one packed field; then data_type and dims.
  std::string bytes("\x25\0\0\x80\x3f\x25\0\0\0\xc0\x22\x04\0\0\0\x40\x10\x01\x08\x03", 20);
  auto result = read(bytes);
  EXPECT_EQ(result->error, "");
  EXPECT_EQ(result->hex, "0000803f000000c000000040");
  EXPECT_EQ(result->tensor.location, DataLocation::Owned);
}

TEST(OnnxElements, TakesScalarsAndEmptyTensors) {
  pb::TensorProto tensor = tensorOf(pb::TensorProto::FLOAT, {});
  tensor.add_float_data(1.0f);
  EXPECT_EQ(read(tensor.SerializeAsString())->hex, "0000803f");
  for (bool hasRaw : {false, true}) {
    tensor = tensorOf(pb::TensorProto::FLOAT, {0, int64_t(1) << 60});
    if (hasRaw)
      tensor.set_raw_data("");
    auto result = read(tensor.SerializeAsString());
    EXPECT_EQ(result->error, "");
    EXPECT_TRUE(result->tensor.bytes.empty());
  }
}

TEST(OnnxElements, NormalizesBools) {
  pb::TensorProto tensor = tensorOf(pb::TensorProto::BOOL, {3});
  tensor.set_raw_data(std::string("\0\1\xff", 3));
  EXPECT_EQ(read(tensor.SerializeAsString())->hex, "000101");
}

TEST(OnnxElements, SaysWhatIsWrong) {
  auto errorOf = [](const pb::TensorProto &tensor) {
    return read(tensor.SerializeAsString())->error;
  };
  pb::TensorProto tensor = tensorOf(pb::TensorProto::FLOAT, {2, 3});
  EXPECT_EQ(errorOf(tensor), "3: t.pb: tensor 't': has no elements, expected FLOAT [2, 3]");
  tensor.set_raw_data("1234567");
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': raw_data holds 7 bytes, expected 24 (FLOAT [2, 3])");
  tensor = tensorOf(pb::TensorProto::INT64, {2});
  tensor.add_int64_data(1);
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': int64_data holds 1 values, expected 2 (INT64 [2])");
  tensor = tensorOf(pb::TensorProto::FLOAT16, {1});
  tensor.add_float_data(1);
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': int32_data holds 0 values, expected 1 (FLOAT16 [1])");
  tensor = tensorOf(pb::TensorProto::FLOAT, {-1});
  EXPECT_EQ(errorOf(tensor), "3: t.pb: tensor 't': shape [-1] has a negative dimension");
  tensor = tensorOf(pb::TensorProto::FLOAT, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_EQ(errorOf(tensor), "3: t.pb: tensor 't': shape [1099511627776, 1099511627776] has more "
                             "than 2^62 elements");
  tensor = tensorOf(pb::TensorProto::DOUBLE, {int64_t(1) << 61});
  tensor.set_raw_data("12345678");
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': DOUBLE [2305843009213693952] has more than 2^63 bytes");
  tensor = tensorOf(0, {1});
  EXPECT_EQ(errorOf(tensor), "3: t.pb: tensor 't': unknown element type 0");
  tensor = tensorOf(pb::TensorProto::STRING, {1});
  tensor.set_raw_data("x");
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': raw_data holds a STRING tensor, expected string_data");
  tensor = tensorOf(pb::TensorProto::STRING, {2});
  tensor.add_string_data("x");
  EXPECT_EQ(errorOf(tensor),
            "3: t.pb: tensor 't': string_data holds 1 values, expected 2 (STRING [2])");
  tensor = tensorOf(pb::TensorProto::FLOAT, {1});
  tensor.mutable_segment()->set_begin(0);
  EXPECT_EQ(errorOf(tensor), "3: t.pb: tensor 't': segmented tensors are not supported");
}

namespace {
pb::ModelProto sparseModel(std::initializer_list<int64_t> indexDims,
                           std::initializer_list<int64_t> indices) {
  pb::ModelProto model = emptyModel();
  pb::SparseTensorProto &sparse = *model.mutable_graph()->add_sparse_initializer();
  *sparse.mutable_values() = tensorOf(pb::TensorProto::UINT8, {2});
  sparse.mutable_values()->set_raw_data("\7\x9");
  *sparse.mutable_indices() = tensorOf(pb::TensorProto::INT64, indexDims);
  for (int64_t index : indices)
    sparse.mutable_indices()->add_int64_data(index);
  sparse.add_dims(2);
  sparse.add_dims(3);
  return model;
}
} // namespace

TEST(OnnxElements, DensifiesSparseInitializers) {
  for (const pb::ModelProto &model :
       {sparseModel({2}, {1, 5}), sparseModel({2, 2}, {0, 1, 1, 2})}) {
    auto loaded = parse(model);
    ASSERT_EQ(loaded->error, "");
    const TensorData &tensor = loaded->model->graph.initializers[0];
    EXPECT_EQ(tensor.name, "t");
    EXPECT_EQ(tensor.dims, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(llvm::toHex(llvm::StringRef(tensor.bytes.data(), tensor.bytes.size())),
              "000700000009");
  }
}

TEST(OnnxElements, RefusesBadSparseTensors) {
  EXPECT_EQ(parse(sparseModel({2}, {1, 6}))->error,
            "3: m.onnx: sparse initializer 't': index 1 of a sparse tensor lies outside shape "
            "[2, 3]");
  EXPECT_EQ(parse(sparseModel({2}, {-1, 5}))->error,
            "3: m.onnx: sparse initializer 't': index 0 of a sparse tensor lies outside shape "
            "[2, 3]");
  EXPECT_EQ(parse(sparseModel({2}, {4, 4}))->error,
            "3: m.onnx: sparse initializer 't': index 1 of a sparse tensor is not above the one "
            "before it");
  EXPECT_EQ(parse(sparseModel({1}, {4}))->error,
            "3: m.onnx: sparse initializer 't': the indices of a sparse tensor are INT64 [1], "
            "expected INT64 [2] or [2, 2]");
  pb::ModelProto model = sparseModel({2}, {1, 5});
  model.mutable_graph()->mutable_sparse_initializer(0)->set_dims(0, int64_t(1) << 40);
  EXPECT_EQ(parse(model)->error,
            "3: m.onnx: sparse initializer 't': the sparse tensor UINT8 [1099511627776, 3] is "
            "above the limit of 1073741824 bytes when dense");
  model.mutable_graph()->mutable_sparse_initializer(0)->clear_indices();
  EXPECT_EQ(parse(model)->error,
            "3: m.onnx: sparse initializer 't': a sparse tensor lacks its indices");
}
