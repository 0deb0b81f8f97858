//===- ToolValuesTest.cpp - tensors from and to files ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../tools/dynac/Inputs.h"
#include "../../tools/dynac/Npy.h"
#include "../../tools/dynac/Values.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <zlib.h>

using namespace dynac;
using namespace dynac::tool;

namespace {

/// A .npy file of version 1.
std::string npy(const std::string &descr, const std::string &shape, const std::string &data,
                const std::string &order = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string result("\x93NUMPY\x01\x00", 8);
  result += static_cast<char>(header.size() & 255);
  result += static_cast<char>(header.size() >> 8);
  return result + header + data;
}

template <typename T> std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

llvm::ArrayRef<char> bytesOf(const std::string &text) { return {text.data(), text.size()}; }

std::string messageOf(const std::string &file, int32_t wanted = DYNAC_DTYPE_INVALID) {
  auto tensor = parseNpy(bytesOf(file), "f.npy", wanted);
  return tensor ? "" : llvm::toString(tensor.takeError());
}

template <typename T> std::vector<T> elements(llvm::Expected<HostTensor> tensor) {
  if (!tensor) {
    ADD_FAILURE() << llvm::toString(tensor.takeError());
    return {};
  }
  std::vector<T> values(static_cast<size_t>(tensor->count()));
  if (!values.empty())
    std::memcpy(values.data(), tensor->bytes().data(), tensor->bytes().size());
  return values;
}

TEST(NpyTest, ReadsWhatNumpyWrites) {
  std::string file = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}));
  auto tensor = parseNpy(bytesOf(file), "f.npy", DYNAC_DTYPE_INVALID);
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->dtype(), DYNAC_F32);
  EXPECT_EQ(tensor->shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(elements<float>(std::move(tensor)), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  // Column-major, big-endian, a scalar, a one-element shape, an empty array.
  EXPECT_EQ(
      elements<float>(parseNpy(
          bytesOf(npy("<f4", "(2, 3)", raw<float>({1, 4, 2, 5, 3, 6}), "True")), "f", DYNAC_F32)),
      (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(elements<int32_t>(parseNpy(
                bytesOf(npy(">i4", "(2,)", std::string("\0\0\0\1\1\0\0\0", 8))), "f", DYNAC_I32)),
            (std::vector<int32_t>{1, 1 << 24}));
  EXPECT_EQ(
      elements<double>(parseNpy(bytesOf(npy("<f8", "()", raw<double>({2.5}))), "f", DYNAC_F64)),
      (std::vector<double>{2.5}));
  EXPECT_TRUE(elements<float>(parseNpy(bytesOf(npy("<f4", "(0, 5)", "")), "f", DYNAC_F32)).empty());
}

TEST(NpyTest, TypesThatNumpyLacks) {
  std::string two = raw<uint16_t>({0x3f80, 0xc000});
  auto bf16 = parseNpy(bytesOf(npy("|V2", "(2,)", two)), "f", DYNAC_BF16);
  ASSERT_TRUE(static_cast<bool>(bf16));
  EXPECT_EQ(bf16->dtype(), DYNAC_BF16);
  auto i4 = parseNpy(bytesOf(npy("|i1", "(3,)", raw<int8_t>({1, -1, 7}))), "f", DYNAC_I4);
  ASSERT_TRUE(static_cast<bool>(i4));
  EXPECT_EQ(i4->dtype(), DYNAC_I4);
  EXPECT_EQ(static_cast<unsigned char>(i4->bytes()[0]), 0xf1);
  EXPECT_EQ(static_cast<unsigned char>(i4->bytes()[1]), 0x07);
}

TEST(NpyTest, Strings) {
  std::string data = raw<uint32_t>({'a', 0xe9, 0, 'b', 0, 0});
  auto tensor = parseNpy(bytesOf(npy("<U3", "(2,)", data)), "f", DYNAC_STRING);
  ASSERT_TRUE(static_cast<bool>(tensor));
  dynac_value_t value = tensor->view();
  ASSERT_EQ(value.kind, DYNAC_VALUE_STRINGS);
  EXPECT_EQ(std::string(value.as.strings.data[0].data, value.as.strings.data[0].length),
            "a\xc3\xa9");
  EXPECT_EQ(std::string(value.as.strings.data[1].data, value.as.strings.data[1].length), "b");
}

TEST(NpyTest, RefusesDamagedFiles) {
  EXPECT_EQ(messageOf("hello"), "f.npy: not a .npy file");
  EXPECT_EQ(messageOf(npy("<f4", "(2, 3)", "1234")),
            "f.npy: the array is cut off (4 bytes of data)");
  EXPECT_EQ(messageOf(npy("|O", "(2,)", "12345678")),
            "f.npy: arrays of numpy type '|O' are not supported");
  EXPECT_EQ(messageOf(npy("<f4", "(9223372036854775807, 9223372036854775807)", "")),
            "f.npy: the array is cut off (0 bytes of data)");
  EXPECT_EQ(messageOf(npy("<f4", "(-1,)", "")),
            "f.npy: the .npy header is not one of a plain array");
  EXPECT_EQ(messageOf(npy("<f4", "(1,)", "1234").substr(0, 20)),
            "f.npy: the .npy header is cut off");
  EXPECT_EQ(messageOf(std::string("\x93NUMPY\x07\x00\x00\x00", 10)), "f.npy: unknown .npy version");
  // No cut and no changed byte may do worse than an error.
  std::string whole = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}));
  for (size_t i = 0; i < whole.size(); ++i) {
    messageOf(whole.substr(0, i));
    for (char c : {'\0', '\xff', '(', '9', '\''}) {
      std::string changed = whole;
      changed[i] = c;
      messageOf(changed);
    }
  }
}

TEST(NpyTest, WritesWhatItReads) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("dynac", "npy", path));
  for (const char *descr : {"<f4", "<i8", "|b1", "|u1", "<c8"}) {
    std::string data(48, '\1');
    auto tensor = parseNpy(bytesOf(npy(descr, "(2, 3)", data)), "f", DYNAC_DTYPE_INVALID);
    ASSERT_TRUE(static_cast<bool>(tensor));
    auto file = OutputFile::create(path);
    ASSERT_TRUE(static_cast<bool>(file));
    ASSERT_FALSE(static_cast<bool>(writeNpy(*file, tensor->view())));
    ASSERT_FALSE(static_cast<bool>(file->commit()));
    auto buffer = llvm::MemoryBuffer::getFile(path);
    auto again = parseNpy({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()}, "f",
                          DYNAC_DTYPE_INVALID);
    ASSERT_TRUE(static_cast<bool>(again)) << descr;
    EXPECT_EQ(again->dtype(), tensor->dtype());
    EXPECT_EQ(difference(again->view(), tensor->view(), {}), std::nullopt);
  }
  llvm::sys::fs::remove(path);
}

/// A ZIP file with one deflated or stored member.
std::string zip(const std::string &name, const std::string &content, bool deflated) {
  std::string packed = content;
  if (deflated) {
    packed.resize(content.size() + 100);
    z_stream stream = {};
    deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
  }
  auto u16 = [](unsigned v) { return raw<uint16_t>({static_cast<uint16_t>(v)}); };
  auto u32 = [](size_t v) { return raw<uint32_t>({static_cast<uint32_t>(v)}); };
  std::string common = u16(20) + u16(0) + u16(deflated ? 8 : 0) + u32(0) +
                       u32(crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                                 static_cast<uInt>(content.size()))) +
                       u32(packed.size()) + u32(content.size()) +
                       u16(static_cast<unsigned>(name.size())) + u16(0);
  std::string local = u32(0x04034b50) + common + name + packed;
  std::string central =
      u32(0x02014b50) + u16(20) + common + u16(0) + u16(0) + u16(0) + u32(0) + u32(0) + name;
  return local + central + u32(0x06054b50) + u16(0) + u16(0) + u16(1) + u16(1) +
         u32(central.size()) + u32(local.size()) + u16(0);
}

TEST(NpzTest, StoredAndDeflated) {
  std::string array = npy("<f4", "(1000,)", std::string(4000, '\0'));
  for (bool deflated : {false, true}) {
    std::string file = zip("x.npy", array, deflated);
    auto npz = NpzFile::open(bytesOf(file), "f.npz");
    ASSERT_TRUE(static_cast<bool>(npz));
    EXPECT_EQ(npz->names(), std::vector<std::string>{"x"});
    EXPECT_EQ(elements<float>(npz->read("x", DYNAC_F32)), std::vector<float>(1000, 0.f));
    auto missing = npz->read("y", DYNAC_F32);
    EXPECT_EQ(llvm::toString(missing.takeError()), "f.npz: has no member 'y'");
  }
}

TEST(NpzTest, DamagedFilesGiveErrors) {
  std::string whole = zip("x.npy", npy("<f4", "(8,)", std::string(32, '\0')), true);
  auto readAll = [](const std::string &file) {
    auto npz = NpzFile::open(bytesOf(file), "f.npz");
    if (!npz) {
      llvm::consumeError(npz.takeError());
      return;
    }
    for (const std::string &name : npz->names())
      if (auto tensor = npz->read(name, DYNAC_F32); !tensor)
        llvm::consumeError(tensor.takeError());
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    readAll(whole.substr(0, i));
    readAll(whole.substr(i));
    for (char c : {'\0', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[i] = c;
      readAll(changed);
    }
  }
}

TEST(InputsTest, RandomValuesAreTheSameEverywhere) {
  auto tensor = randomTensor(DYNAC_F32, {4}, 1);
  ASSERT_TRUE(static_cast<bool>(tensor));
  // Sums of 12 dyadic fractions: exact in double, rounded once to float.
  std::vector<float> values = elements<float>(std::move(tensor));
  EXPECT_EQ(values, elements<float>(randomTensor(DYNAC_F32, {4}, 1)));
  EXPECT_NE(values, elements<float>(randomTensor(DYNAC_F32, {4}, 2)));
  for (int8_t v : elements<int8_t>(randomTensor(DYNAC_BOOL, {100}, 3)))
    EXPECT_TRUE(v == 0 || v == 1);
  double sum = 0, squares = 0;
  for (float v : elements<float>(randomTensor(DYNAC_F32, {100000}, 5))) {
    sum += v;
    squares += double(v) * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(InputsTest, Specifications) {
  dynac_value_desc_t values[2] = {};
  values[0].name = "a=b";
  values[0].dtype = DYNAC_F32;
  values[1].name = "a";
  values[1].dtype = DYNAC_I64;
  auto read = [&](const std::string &spec) -> std::string {
    auto result = readValues(values, {spec}, "--input");
    if (!result)
      return llvm::toString(result.takeError());
    return (*result)[0] ? "a=b " + describeType((*result)[0]->dtype(), (*result)[0]->shape())
                        : "a " + describeType((*result)[1]->dtype(), (*result)[1]->shape());
  };
  EXPECT_EQ(read("a=b=2x3xf32"), "a=b f32[2x3]");
  EXPECT_EQ(read("a=2x3xi64=7"), "a i64[2x3]");
  EXPECT_EQ(read("a=f32"), "a f32[]");
  EXPECT_EQ(read("a=0xf32"), "a f32[0]");
  EXPECT_EQ(read("c=2xf32"), "--input 'c=2xf32' names none of a=b, a");
  EXPECT_EQ(read("nothing"), "--input 'nothing': expected NAME=@FILE, NAME=TYPE or @FILE.npz");
  EXPECT_EQ(read("a=2x-3xf32"),
            "--input 'a=2x-3xf32': expected @FILE or a type such as 1x3x224x224xf32");
  EXPECT_EQ(read("a=2xf32=one"), "--input 'a=2xf32=one': 'one' is not a number");
  EXPECT_EQ(read("a=@no.npy"), "cannot read 'no.npy': No such file or directory");
}

TEST(ValuesTest, Differences) {
  auto make = [](std::vector<float> values) {
    auto tensor = HostTensor::zeros(DYNAC_F32, {static_cast<int64_t>(values.size())});
    std::memcpy(tensor->bytes().data(), values.data(), values.size() * 4);
    return std::move(*tensor);
  };
  float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  auto compare = [&](std::vector<float> a, std::vector<float> b) {
    HostTensor x = make(std::move(a)), y = make(std::move(b));
    return difference(x.view(), y.view(), {}).value_or("");
  };
  EXPECT_EQ(compare({1, nan, inf, -inf}, {1.0009f, nan, inf, -inf}), "");
  EXPECT_EQ(
      compare({1, 2}, {1, 3}),
      "1 of 2 elements differ, worst at [1]: got 2, expected 3 (difference 1, allowed 0.00301)");
  EXPECT_NE(compare({nan}, {1}), "");
  EXPECT_NE(compare({1}, {nan}), "");
  EXPECT_NE(compare({inf}, {-inf}), "");
  EXPECT_NE(compare({1e30f}, {inf}), "");
  EXPECT_EQ(compare({1}, {1, 2}), "got f32[1], expected f32[2]");
  HostTensor shown = make({1, 2.5f, nan});
  EXPECT_EQ(summaryLine("y", shown.view()),
            "y: f32[3] min 1 max 2.5 mean 1.75 nan 1 first 1 2.5 nan");
}

} // namespace
