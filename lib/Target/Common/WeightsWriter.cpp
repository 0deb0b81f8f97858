//===- WeightsWriter.cpp - streams weights into an output file ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightsWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace dynac {

llvm::Error writeWeights(OutputFile &file, llvm::ArrayRef<PlanWeight> weights,
                         const WeightsLayout &layout, const WeightsProgress &progress) {
  uint64_t base = file.size();
  if (llvm::Error error = file.reserve(layout.bytes))
    return error;
  for (size_t i = 0; i < weights.size(); ++i) {
    const PlanWeight &weight = weights[i];
    auto bytes = static_cast<uint64_t>(weight.bytes);
    auto offset = static_cast<uint64_t>(layout.offsets[i]);
    if (progress)
      progress(offset, layout.bytes);
    if (llvm::Error error = file.fillAt(base + offset, bytes, weight.fill))
      return error;
  }
  if (progress)
    progress(layout.bytes, layout.bytes);
  return llvm::Error::success();
}

/// The format's name of a dtype and its bytes; nothing for what it cannot express.
static std::pair<const char *, int64_t> safetensorsType(dynac_dtype_t dtype) {
  switch (dtype) {
  case DYNAC_F64:
    return {"F64", 8};
  case DYNAC_F32:
    return {"F32", 4};
  case DYNAC_F16:
    return {"F16", 2};
  case DYNAC_BF16:
    return {"BF16", 2};
  case DYNAC_F8E4M3FN:
    return {"F8_E4M3", 1};
  case DYNAC_F8E5M2:
    return {"F8_E5M2", 1};
  case DYNAC_I64:
    return {"I64", 8};
  case DYNAC_I32:
    return {"I32", 4};
  case DYNAC_I16:
    return {"I16", 2};
  case DYNAC_I8:
    return {"I8", 1};
  case DYNAC_U64:
    return {"U64", 8};
  case DYNAC_U32:
    return {"U32", 4};
  case DYNAC_U16:
    return {"U16", 2};
  case DYNAC_U8:
    return {"U8", 1};
  case DYNAC_BOOL:
    return {"BOOL", 1};
  default:
    return {nullptr, 0};
  }
}

std::string safetensorsHead(llvm::ArrayRef<PlanWeight> weights, const WeightsLayout &layout,
                            uint64_t irHash) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  llvm::StringSet<> used;
  auto tensor = [&](std::string name, const char *type, llvm::ArrayRef<int64_t> shape,
                    uint64_t begin, uint64_t end) {
    std::string unique = llvm::json::fixUTF8(name);
    for (int n = 2; !used.insert(unique).second; ++n)
      unique = name + "#" + std::to_string(n);
    json.attributeObject(unique, [&] {
      json.attribute("dtype", type);
      json.attributeArray("shape", [&] {
        for (int64_t extent : shape)
          json.value(extent);
      });
      json.attributeArray("data_offsets", [&] {
        json.value(begin);
        json.value(end);
      });
    });
  };
  used.insert("__metadata__");
  json.object([&] {
    json.attributeObject("__metadata__", [&] {
      json.attribute("dynac.ir_hash", llvm::utohexstr(irHash, /*LowerCase=*/true));
    });
    uint64_t at = 0;
    for (auto [index, weight] : llvm::enumerate(weights)) {
      auto begin = static_cast<uint64_t>(layout.offsets[index]);
      auto bytes = weight.bytes;
      if (at < begin)
        tensor("dynac.padding." + std::to_string(index), "U8", {static_cast<int64_t>(begin - at)},
               at, begin);
      at = begin + static_cast<uint64_t>(bytes);
      auto [type, size] = safetensorsType(weight.dtype);
      int64_t expected = size;
      for (int64_t extent : weight.shape)
        expected *= extent;
      // A packed weight holds more than its shape says.
      if (type && expected == bytes)
        tensor(weight.name, type, weight.shape, begin, at);
      else
        tensor(weight.name, "U8", {bytes}, begin, at);
    }
  });
  os.flush();
  text.resize(llvm::alignTo(text.size() + 8, 4096) - 8, ' ');
  char length[8];
  llvm::support::endian::write64le(length, text.size());
  return std::string(length, 8) + text;
}

} // namespace dynac
