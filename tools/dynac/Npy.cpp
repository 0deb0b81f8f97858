//===- Npy.cpp - numpy's .npy files ---------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace dynac::tool {

namespace {

/// What the header of a .npy says.
struct NpyHeader {
  std::string descr; ///< "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  size_t dataOffset = 0;
};

/// Parses the Python dictionary literal of the header, which numpy writes itself.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest(text) {}

  bool parse(NpyHeader &header) {
    if (!consume("{"))
      return false;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!consume("}")) {
      std::string key;
      if (!string(key) || !consume(":"))
        return false;
      if (key == "descr" && string(header.descr))
        hasDescr = true;
      else if (key == "fortran_order" && boolean(header.fortranOrder))
        hasOrder = true;
      else if (key == "shape" && shape(header.shape))
        hasShape = true;
      else
        return false;
      consume(",");
    }
    return hasDescr && hasOrder && hasShape && rest.trim().empty();
  }

private:
  bool consume(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool string(std::string &out) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return false;
    out = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    out = consume("True");
    return out || consume("False");
  }
  bool shape(std::vector<int64_t> &out) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      rest = rest.ltrim();
      int64_t extent;
      if (rest.consumeInteger(10, extent) || extent < 0 || out.size() >= 64)
        return false;
      rest.consume_front("L"); // Python 2 wrote long integers so
      out.push_back(extent);
      consume(",");
    }
    return true;
  }

  llvm::StringRef rest;
};

/// The data's element in the file.
struct FileElement {
  char kind = 0;    ///< f i u b c V U S
  int64_t size = 0; ///< bytes
  bool bigEndian = false;
};

llvm::Expected<NpyHeader> parseHeader(llvm::ArrayRef<char> bytes, llvm::StringRef name) {
  auto bad = [&](const char *what) { return signatureMismatch("{0}: {1}", printable(name), what); };
  llvm::StringRef text(bytes.data(), bytes.size());
  if (!text.starts_with("\x93NUMPY") || text.size() < 10)
    return bad("not a .npy file");
  unsigned version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    return bad("unknown .npy version");
  size_t start = version == 1 ? 10 : 12;
  if (text.size() < start)
    return bad("the .npy header is cut off");
  uint64_t length = version == 1 ? llvm::support::endian::read16le(text.data() + 8)
                                 : llvm::support::endian::read32le(text.data() + 8);
  if (length > text.size() - start)
    return bad("the .npy header is cut off");
  NpyHeader header;
  if (!HeaderParser(text.substr(start, length)).parse(header))
    return bad("the .npy header is not one of a plain array");
  header.dataOffset = start + length;
  return header;
}

bool parseDescr(llvm::StringRef descr, FileElement &element) {
  if (descr.size() < 3)
    return false;
  element.bigEndian = descr[0] == '>';
  if (!llvm::StringRef("<>|=").contains(descr[0]))
    return false;
  element.kind = descr[1];
  uint32_t size;
  if (descr.substr(2).getAsInteger(10, size))
    return false;
  element.size = element.kind == 'U' ? int64_t(size) * 4 : size;
  return true;
}

/// The dtype that the elements are in memory, given the one that is wanted.
int32_t dtypeOf(const FileElement &element, int32_t wanted) {
  switch (element.kind) {
  case 'f':
    return element.size == 2   ? DYNAC_F16
           : element.size == 4 ? DYNAC_F32
           : element.size == 8 ? DYNAC_F64
                               : DYNAC_DTYPE_INVALID;
  case 'c':
    return element.size == 8 ? DYNAC_C64 : element.size == 16 ? DYNAC_C128 : DYNAC_DTYPE_INVALID;
  case 'b':
    return element.size == 1 ? DYNAC_BOOL : DYNAC_DTYPE_INVALID;
  case 'U':
  case 'S':
    return DYNAC_STRING;
  case 'V':
    if (element.size == 2)
      return DYNAC_BF16;
    return element.size == 1 && dynac_dtype_bits(wanted) == 8 ? wanted : DYNAC_DTYPE_INVALID;
  case 'i':
  case 'u': {
    bool isSigned = element.kind == 'i';
    if (element.size == 1 && dynac_dtype_bits(wanted) > 0 && dynac_dtype_bits(wanted) < 8)
      return wanted;
    switch (element.size) {
    case 1:
      return isSigned ? DYNAC_I8 : DYNAC_U8;
    case 2:
      return isSigned ? DYNAC_I16 : DYNAC_U16;
    case 4:
      return isSigned ? DYNAC_I32 : DYNAC_U32;
    case 8:
      return isSigned ? DYNAC_I64 : DYNAC_U64;
    }
    return DYNAC_DTYPE_INVALID;
  }
  default:
    return DYNAC_DTYPE_INVALID;
  }
}

/// Copies `count` elements of `size` bytes from column-major to row-major order.
void copyFortran(const char *from, char *to, llvm::ArrayRef<int64_t> shape, int64_t count,
                 int64_t size) {
  std::vector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d)
    stride[d] = stride[d - 1] * shape[d - 1];
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * size, from + at * size, static_cast<size_t>(size));
    for (size_t d = shape.size(); d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape[d])
        break;
      at -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

void swapBytes(char *data, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i)
    std::reverse(data + i * size, data + (i + 1) * size);
}

/// One element of a 'U' or 'S' array as UTF-8; trailing NULs are padding.
std::string stringOf(const char *data, const FileElement &element) {
  std::string text;
  if (element.kind == 'S') {
    llvm::StringRef bytes(data, static_cast<size_t>(element.size));
    return bytes.rtrim('\0').str();
  }
  for (int64_t i = 0; i < element.size; i += 4) {
    uint32_t c = element.bigEndian ? llvm::support::endian::read32be(data + i)
                                   : llvm::support::endian::read32le(data + i);
    char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = buffer;
    if (!llvm::ConvertCodePointToUTF8(c, end)) {
      end = buffer;
      llvm::ConvertCodePointToUTF8(0xFFFD, end);
    }
    text.append(buffer, end);
  }
  return llvm::StringRef(text).rtrim('\0').str();
}

} // namespace

llvm::Expected<HostTensor> parseNpy(llvm::ArrayRef<char> bytes, llvm::StringRef name,
                                    int32_t wanted) {
  auto header = parseHeader(bytes, name);
  if (!header)
    return header.takeError();
  FileElement element;
  int32_t dtype = DYNAC_DTYPE_INVALID;
  if (parseDescr(header->descr, element))
    dtype = dtypeOf(element, wanted);
  if (dtype == DYNAC_DTYPE_INVALID)
    return signatureMismatch("{0}: arrays of numpy type '{1}' are not supported", printable(name),
                             printable(header->descr));
  int64_t count = elementCount(header->shape), size;
  bool overflow = count < 0 || llvm::MulOverflow(count, element.size, size);
  uint64_t present = bytes.size() - header->dataOffset;
  if (overflow || static_cast<uint64_t>(size) > present)
    return signatureMismatch("{0}: the array is cut off ({1} bytes of data)", printable(name),
                             present);
  if (dtype == DYNAC_STRING && element.size == 0 && count > int64_t(1) << 20)
    return signatureMismatch("{0}: too many empty strings", printable(name));

  std::vector<char> moved; // only for orders that the runtime does not take
  const char *data = bytes.data() + header->dataOffset;
  if (header->fortranOrder && header->shape.size() > 1) {
    moved.resize(static_cast<size_t>(size));
    copyFortran(data, moved.data(), header->shape, count, element.size);
    data = moved.data();
  }
  if (dtype == DYNAC_STRING) {
    std::vector<std::string> strings;
    for (int64_t i = 0; i < count; ++i)
      strings.push_back(stringOf(data + i * element.size, element));
    return HostTensor::ofStrings(std::move(strings), header->shape);
  }
  auto tensor = HostTensor::zeros(dtype, header->shape);
  if (!tensor)
    return tensor.takeError();
  char *out = tensor->bytes().data();
  if (int bits = dynac_dtype_bits(dtype); bits < 8) {
    for (int64_t i = 0; i < count; ++i) {
      unsigned value = static_cast<unsigned char>(data[i]) & ((1u << bits) - 1);
      out[i * bits / 8] |= static_cast<char>(value << (i * bits % 8));
    }
    return tensor;
  }
  if (size)
    std::memcpy(out, data, static_cast<size_t>(size));
  if (element.bigEndian) {
    int64_t parts = element.kind == 'c' ? 2 : 1;
    swapBytes(out, count * parts, element.size / parts);
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static const char *descrOf(int32_t dtype) {
  switch (dtype) {
  case DYNAC_F32:
    return "<f4";
  case DYNAC_F64:
    return "<f8";
  case DYNAC_F16:
    return "<f2";
  case DYNAC_BF16:
    return "<V2";
  case DYNAC_I8:
  case DYNAC_I4:
  case DYNAC_I2:
    return "|i1";
  case DYNAC_I16:
    return "<i2";
  case DYNAC_I32:
    return "<i4";
  case DYNAC_I64:
    return "<i8";
  case DYNAC_U8:
  case DYNAC_U4:
  case DYNAC_U2:
  case DYNAC_F4E2M1:
    return "|u1";
  case DYNAC_U16:
    return "<u2";
  case DYNAC_U32:
    return "<u4";
  case DYNAC_U64:
    return "<u8";
  case DYNAC_BOOL:
    return "|b1";
  case DYNAC_C64:
    return "<c8";
  case DYNAC_C128:
    return "<c16";
  default:
    return dynac_dtype_bits(dtype) == 8 ? "|V1" : nullptr;
  }
}

static llvm::Error writeHeader(OutputFile &file, llvm::StringRef descr,
                               llvm::ArrayRef<int64_t> shape) {
  std::string header = "{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    header += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    header.resize(header.size() - 2);
  header += "), }";
  header.resize(llvm::alignTo(header.size() + 11, 64) - 11, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  return file.write(start + header);
}

/// Strings as '<U' of the longest one.
static llvm::Error writeStrings(OutputFile &file, const dynac_strings_t &strings,
                                llvm::ArrayRef<int64_t> shape) {
  std::vector<std::vector<uint32_t>> texts;
  size_t width = 1;
  for (int64_t i = 0, n = elementCount(shape); i < n; ++i) {
    std::vector<uint32_t> points(strings.data[i].length + 1);
    auto *source = reinterpret_cast<const llvm::UTF8 *>(strings.data[i].data);
    auto *target = reinterpret_cast<llvm::UTF32 *>(points.data());
    auto *begin = target;
    llvm::ConvertUTF8toUTF32(&source, source + strings.data[i].length, &target,
                             target + points.size(), llvm::lenientConversion);
    points.resize(static_cast<size_t>(target - begin));
    width = std::max(width, points.size());
    texts.push_back(std::move(points));
  }
  if (llvm::Error error = writeHeader(file, "<U" + std::to_string(width), shape))
    return error;
  for (std::vector<uint32_t> &points : texts) {
    points.resize(width, 0);
    if (llvm::Error error = file.write(llvm::ArrayRef<char>(
            reinterpret_cast<const char *>(points.data()), width * sizeof(uint32_t))))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error writeNpy(OutputFile &file, const dynac_value_t &value) {
  if (value.kind == DYNAC_VALUE_STRINGS)
    return writeStrings(file, value.as.strings,
                        {value.as.strings.shape, static_cast<size_t>(value.as.strings.rank)});
  if (value.kind != DYNAC_VALUE_TENSOR)
    return unsupported("'{0}': only tensors can be written as .npy", printable(file.path()));
  const dynac_tensor_t &tensor = value.as.tensor;
  llvm::ArrayRef<int64_t> shape(tensor.shape, static_cast<size_t>(tensor.rank));
  const char *descr = descrOf(tensor.dtype);
  if (!descr)
    return unsupported("'{0}': .npy has no type for {1}", printable(file.path()),
                       dynac_dtype_name(tensor.dtype));
  if (llvm::Error error = writeHeader(file, descr, shape))
    return error;
  const char *data = static_cast<const char *>(tensor.data);
  int64_t count = elementCount(shape);
  int bits = dynac_dtype_bits(tensor.dtype);
  if (bits >= 8)
    return file.write(
        llvm::ArrayRef<char>(data, static_cast<size_t>(dynac_dtype_bytes(tensor.dtype, count))));
  bool isSigned = tensor.dtype == DYNAC_I4 || tensor.dtype == DYNAC_I2;
  std::string unpacked;
  for (int64_t i = 0; i < count; ++i) {
    unsigned v =
        (static_cast<unsigned char>(data[i * bits / 8]) >> (i * bits % 8)) & ((1u << bits) - 1);
    unpacked += static_cast<char>(isSigned ? llvm::SignExtend32(v, static_cast<unsigned>(bits))
                                           : static_cast<int32_t>(v));
  }
  return file.write(unpacked);
}

} // namespace dynac::tool
