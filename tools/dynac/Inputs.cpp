//===- Inputs.cpp - what --input and --expect say -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Npy.h"
#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/SymExpr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

namespace dynac::tool {

//===----------------------------------------------------------------------===//
// Made-up values
//===----------------------------------------------------------------------===//

/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
static uint64_t splitMix(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// The sum of 12 uniform numbers minus 6: mean 0, variance 1, and no function of libm in it, so the
/// same bits everywhere.
static double nearNormal(uint64_t &state) {
  uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    uint64_t bits = splitMix(state);
    sum += (bits & 0x1FFFFF) + ((bits >> 21) & 0x1FFFFF) + ((bits >> 42) & 0x1FFFFF);
  }
  return static_cast<double>(sum) / 0x200000 - 6;
}

static bool isFloat(int32_t dtype) {
  switch (dtype) {
  case DYNAC_F32:
  case DYNAC_F64:
  case DYNAC_F16:
  case DYNAC_BF16:
  case DYNAC_F8E4M3FN:
  case DYNAC_F8E4M3FNUZ:
  case DYNAC_F8E5M2:
  case DYNAC_F8E5M2FNUZ:
  case DYNAC_F8E8M0:
  case DYNAC_F4E2M1:
    return true;
  default:
    return false;
  }
}

/// Sets all elements to what `next` returns.
template <typename Next> static llvm::Error setElements(HostTensor &tensor, Next next) {
  constexpr int64_t piece = 4096; // even, so that pieces of packed types begin at a byte
  double values[piece];
  bool isComplex = tensor.dtype() == DYNAC_C64 || tensor.dtype() == DYNAC_C128;
  int32_t dtype = tensor.dtype() == DYNAC_C64    ? DYNAC_F32
                  : tensor.dtype() == DYNAC_C128 ? DYNAC_F64
                                                 : tensor.dtype();
  int64_t count = tensor.count() * (isComplex ? 2 : 1);
  for (int64_t begin = 0; begin < count; begin += piece) {
    int64_t n = std::min(piece, count - begin);
    for (int64_t i = 0; i < n; ++i)
      values[i] = next();
    char *out = tensor.bytes().data() + dynac_dtype_bytes(dtype, begin);
    if (dynac_dtype_from_f64(dtype, values, n, out))
      return usageError("values of type {0} cannot be made up", dynac_dtype_name(tensor.dtype()));
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor> randomTensor(int32_t dtype, std::vector<int64_t> shape, uint64_t seed) {
  if (dtype == DYNAC_STRING)
    return usageError("values of type string cannot be made up: give a file");
  auto tensor = HostTensor::zeros(dtype, std::move(shape));
  if (!tensor)
    return tensor;
  uint64_t state = seed;
  bool floating = isFloat(dtype) || dtype == DYNAC_C64 || dtype == DYNAC_C128;
  int bits = dynac_dtype_bits(dtype);
  uint64_t range = dtype == DYNAC_BOOL || bits < 4 ? 2 : bits < 8 ? 8 : 10;
  llvm::Error error = setElements(*tensor, [&]() -> double {
    return floating ? nearNormal(state) : static_cast<double>(splitMix(state) % range);
  });
  if (error)
    return error;
  return tensor;
}

/// Parses "1x3x224x224xf32" or "f32"; false if it is of another form.
static bool parseType(llvm::StringRef text, int32_t &dtype, std::vector<int64_t> &shape) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, 'x');
  dtype = dynac_dtype_parse(parts.pop_back_val().str().c_str());
  if (dtype == DYNAC_DTYPE_INVALID)
    return false;
  for (llvm::StringRef part : parts) {
    int64_t extent;
    if (part.empty() || !llvm::all_of(part, llvm::isDigit) || part.getAsInteger(10, extent))
      return false;
    shape.push_back(extent);
  }
  return true;
}

/// The tensor that "SHAPExTYPE" or "SHAPExTYPE=VALUE" describes.
static llvm::Expected<HostTensor> madeUp(llvm::StringRef text, uint64_t seed, llvm::StringRef whole,
                                         llvm::StringRef option) {
  auto [typeText, fillText] = text.split('=');
  int32_t dtype;
  std::vector<int64_t> shape;
  if (!parseType(typeText, dtype, shape))
    return usageError("{0} '{1}': expected @FILE or a type such as 1x3x224x224xf32", option,
                      printable(whole));
  if (!text.contains('='))
    return randomTensor(dtype, std::move(shape), seed);
  double fill;
  if (fillText.getAsDouble(fill, /*AllowInexact=*/true))
    return usageError("{0} '{1}': '{2}' is not a number", option, printable(whole),
                      printable(fillText));
  auto tensor = HostTensor::zeros(dtype, std::move(shape));
  if (!tensor)
    return tensor;
  bool real = true;
  llvm::Error error = setElements(*tensor, [&] {
    // Of a complex tensor the imaginary parts are 0.
    bool isComplex = dtype == DYNAC_C64 || dtype == DYNAC_C128;
    double value = real ? fill : 0;
    real = !isComplex || !real;
    return value;
  });
  if (error)
    return error;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return ioError("cannot read '{0}': {1}", printable(path), buffer.getError().message());
  return std::move(*buffer);
}

/// ONNX's element type as the runtime's.
static int32_t dtypeOf(onnx::ElementType type) {
  using T = onnx::ElementType;
  switch (type) {
  case T::Float:
    return DYNAC_F32;
  case T::UInt8:
    return DYNAC_U8;
  case T::Int8:
    return DYNAC_I8;
  case T::UInt16:
    return DYNAC_U16;
  case T::Int16:
    return DYNAC_I16;
  case T::Int32:
    return DYNAC_I32;
  case T::Int64:
    return DYNAC_I64;
  case T::String:
    return DYNAC_STRING;
  case T::Bool:
    return DYNAC_BOOL;
  case T::Float16:
    return DYNAC_F16;
  case T::Double:
    return DYNAC_F64;
  case T::UInt32:
    return DYNAC_U32;
  case T::UInt64:
    return DYNAC_U64;
  case T::Complex64:
    return DYNAC_C64;
  case T::Complex128:
    return DYNAC_C128;
  case T::BFloat16:
    return DYNAC_BF16;
  case T::Float8E4M3FN:
    return DYNAC_F8E4M3FN;
  case T::Float8E4M3FNUZ:
    return DYNAC_F8E4M3FNUZ;
  case T::Float8E5M2:
    return DYNAC_F8E5M2;
  case T::Float8E5M2FNUZ:
    return DYNAC_F8E5M2FNUZ;
  case T::UInt4:
    return DYNAC_U4;
  case T::Int4:
    return DYNAC_I4;
  case T::Float4E2M1:
    return DYNAC_F4E2M1;
  case T::Float8E8M0:
    return DYNAC_F8E8M0;
  case T::UInt2:
    return DYNAC_U2;
  case T::Int2:
    return DYNAC_I2;
  default:
    return DYNAC_DTYPE_INVALID;
  }
}

static llvm::Expected<HostTensor> parsePb(llvm::ArrayRef<char> bytes, llvm::StringRef path) {
  std::vector<std::shared_ptr<onnx::ByteStorage>> owned;
  auto data = onnx::parseTensor(bytes, path, owned);
  if (!data) { // here the model is fine, the file for it is not
    std::vector<Diagnostic> all = takeDiagnostics(data.takeError());
    return signatureMismatch("{0}", all.front().message);
  }
  int32_t dtype = dtypeOf(data->type);
  if (dtype == DYNAC_STRING)
    return HostTensor::ofStrings(data->strings, data->dims);
  auto tensor = HostTensor::zeros(dtype, data->dims);
  if (!tensor)
    return tensor;
  if (tensor->bytes().size() != data->bytes.size())
    return signatureMismatch("{0}: element type {1} is not supported", printable(path),
                             onnx::elementTypeName(data->type));
  if (!data->bytes.empty())
    std::memcpy(tensor->bytes().data(), data->bytes.data(), data->bytes.size());
  return tensor;
}

static llvm::Expected<HostTensor> readTensorFile(llvm::StringRef path,
                                                 const dynac_value_desc_t &value) {
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::ArrayRef<char> bytes((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".pb")
    return parsePb(bytes, path);
  if (extension == ".npz") {
    auto file = NpzFile::open(bytes, path);
    if (!file)
      return file.takeError();
    std::vector<std::string> names = file->names();
    return file->read(names.size() == 1 ? names.front() : value.name, value.dtype);
  }
  if (extension == ".npy")
    return parseNpy(bytes, path, value.dtype);
  return usageError("'{0}': expected a .npy, .npz or .pb file", printable(path));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static std::string namesOf(llvm::ArrayRef<dynac_value_desc_t> values) {
  std::string text;
  for (const dynac_value_desc_t &value : values)
    text += (text.empty() ? "" : ", ") + printable(value.name);
  return text.empty() ? "none" : text;
}

llvm::Expected<std::vector<std::optional<HostTensor>>>
readValues(llvm::ArrayRef<dynac_value_desc_t> values, llvm::ArrayRef<std::string> specs,
           llvm::StringRef option) {
  std::vector<std::optional<HostTensor>> result(values.size());
  for (llvm::StringRef spec : specs) {
    if (llvm::StringRef path = spec; path.consume_front("@")) {
      auto buffer = openFile(path);
      if (!buffer)
        return buffer.takeError();
      auto file = NpzFile::open({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()}, path);
      if (!file)
        return file.takeError();
      for (const std::string &name : file->names()) {
        auto *it = llvm::find_if(values, [&](const auto &value) { return name == value.name; });
        if (it == values.end())
          return signatureMismatch("{0}: member '{1}' names none of {2}", printable(path),
                                   printable(name), namesOf(values));
        auto tensor = file->read(name, it->dtype);
        if (!tensor)
          return tensor.takeError();
        result[static_cast<size_t>(it - values.begin())] = std::move(*tensor);
      }
      continue;
    }
    // The longest name that fits, as names may hold any character.
    size_t index = values.size(), length = 0;
    for (auto [i, value] : llvm::enumerate(values)) {
      llvm::StringRef rest = spec, name = value.name;
      if (rest.consume_front(name) && rest.starts_with("=") &&
          (index == values.size() || name.size() > length)) {
        index = i;
        length = name.size();
      }
    }
    if (index == values.size()) {
      if (!spec.contains('='))
        return usageError("{0} '{1}': expected NAME=@FILE, NAME=TYPE or @FILE.npz", option,
                          printable(spec));
      return signatureMismatch("{0} '{1}' names none of {2}", option, printable(spec),
                               namesOf(values));
    }
    llvm::StringRef text = spec.drop_front(length + 1);
    auto tensor = text.consume_front("@")
                      ? readTensorFile(text, values[index])
                      : madeUp(text, llvm::xxh3_64bits(values[index].name), spec, option);
    if (!tensor)
      return tensor.takeError();
    result[index] = std::move(*tensor);
  }
  return result;
}

llvm::Expected<SymbolSizes> readSizes(const Session &session, llvm::ArrayRef<std::string> specs) {
  SymbolSizes sizes;
  for (llvm::StringRef spec : specs) {
    auto [name, text] = spec.rsplit('=');
    int64_t size;
    if (name.empty() || text.getAsInteger(10, size) || size < 0)
      return usageError("--dim '{0}': expected NAME=SIZE", printable(spec));
    std::string names;
    bool known = false;
    for (const dynac_symbol_desc_t &symbol : session.symbols()) {
      known |= name == symbol.name;
      names += (names.empty() ? "" : ", ") + printable(symbol.name);
    }
    if (!known)
      return signatureMismatch("--dim '{0}' names none of {1}", printable(spec),
                               names.empty() ? "none" : names);
    sizes[name.str()] = size;
  }
  return sizes;
}

/// The extents of an input under `sizes`; -1 where they say nothing.
static std::vector<int64_t> extentsOf(const dynac_value_desc_t &desc, const SymbolSizes &sizes) {
  std::vector<int64_t> extents(desc.extents, desc.extents + desc.rank);
  for (int32_t i = 0; i < desc.rank; ++i) {
    if (extents[i] >= 0)
      continue;
    std::optional<SymExpr> expr = SymExpr::parse(desc.dims[i]);
    if (!expr)
      continue;
    std::optional<int64_t> value =
        expr->evaluate([&](std::string_view name) -> std::optional<int64_t> {
          auto it = sizes.find(std::string(name));
          return it == sizes.end() ? std::nullopt : std::optional(it->second);
        });
    extents[i] = value.value_or(-1);
  }
  return extents;
}

llvm::Expected<std::vector<HostTensor>> readInputs(const Session &session,
                                                   llvm::ArrayRef<std::string> specs,
                                                   const SymbolSizes &sizes,
                                                   llvm::StringRef option) {
  auto given = readValues(session.inputs(), specs, option);
  if (!given)
    return given.takeError();
  std::vector<HostTensor> result;
  for (auto [index, desc] : llvm::enumerate(session.inputs())) {
    std::optional<HostTensor> &tensor = (*given)[index];
    if (!tensor) {
      std::vector<int64_t> extents = extentsOf(desc, sizes);
      if (llvm::any_of(extents, [](int64_t extent) { return extent < 0; }))
        return signatureMismatch(
            "input '{0}' ({1}) has sizes that you choose: give {2} {0}=... or --dim NAME=SIZE",
            printable(desc.name), describe(desc), option);
      auto made = randomTensor(desc.dtype, std::move(extents), llvm::xxh3_64bits(desc.name));
      if (!made)
        return made.takeError();
      tensor = std::move(*made);
    }
    result.push_back(std::move(*tensor));
  }
  return result;
}

} // namespace dynac::tool
