//===- Options.cpp - what a compilation is asked for ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/Options.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/CPU/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace dynac {

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

llvm::StringRef phaseName(Phase phase) {
  switch (phase) {
#define DYNAC_PHASE(ID, NAME, SUMMARY)                                                             \
  case Phase::ID:                                                                                  \
    return NAME;
#include "dynac/Driver/Phases.def"
  }
  return "";
}

llvm::StringRef phaseSummary(Phase phase) {
  switch (phase) {
#define DYNAC_PHASE(ID, NAME, SUMMARY)                                                             \
  case Phase::ID:                                                                                  \
    return SUMMARY;
#include "dynac/Driver/Phases.def"
  }
  return "";
}

std::vector<Phase> allPhases() {
  return {
#define DYNAC_PHASE(ID, NAME, SUMMARY) Phase::ID,
#include "dynac/Driver/Phases.def"
  };
}

llvm::Expected<Phase> parsePhase(llvm::StringRef name) {
  std::string names;
  for (Phase phase : allPhases()) {
    if (phaseName(phase) == name)
      return phase;
    names += (names.empty() ? "" : ", ") + phaseName(phase).str();
  }
  return usageError("'{0}' is no phase: expected one of {1}", printable(name), names);
}

//===----------------------------------------------------------------------===//
// Options with a grammar
//===----------------------------------------------------------------------===//

/// Takes a number of digits only from the front of `text`.
static std::optional<int64_t> takeNumber(llvm::StringRef &text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  int64_t value;
  if (digits.empty() || digits.getAsInteger(10, value))
    return std::nullopt;
  text = text.drop_front(digits.size());
  return value;
}

llvm::Expected<ShapeOption> parseShapeOption(llvm::StringRef text) {
  // The last '=': names may hold any character, sizes none.
  auto [name, sizes] = text.rsplit('=');
  auto bad = [&] {
    return usageError(
        "--shape '{0}': expected NAME=SIZExSIZEx..., such as input=1x3x224x224, with ? for "
        "a size to be left as it is",
        printable(text));
  };
  if (name.empty() || !text.contains('='))
    return bad();
  ShapeOption option;
  option.input = name.str();
  llvm::SmallVector<llvm::StringRef, 8> parts;
  if (!sizes.empty())
    sizes.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    std::optional<int64_t> extent;
    if (part != "?") {
      extent = takeNumber(part);
      if (!extent || !part.empty())
        return bad();
    }
    option.extents.push_back(extent);
  }
  return option;
}

llvm::Expected<DimOption> parseDimOption(llvm::StringRef text) {
  auto [name, rest] = text.rsplit('=');
  auto bad = [&](const char *what) {
    return usageError("--dim '{0}': {1}", printable(text), what);
  };
  const char *form =
      "expected NAME=8, NAME=1..64, NAME=1.., with *16 for multiples and :32 for the usual "
      "size";
  if (name.empty() || rest.empty())
    return bad(form);
  DimOption option;
  option.name = name.str();
  if (std::optional<int64_t> low = takeNumber(rest)) {
    option.min = option.max = *low;
    if (rest.consume_front("..")) {
      option.max = INT64_MAX;
      if (std::optional<int64_t> high = takeNumber(rest))
        option.max = *high;
    }
  }
  if (rest.consume_front("*")) {
    std::optional<int64_t> multiple = takeNumber(rest);
    if (!multiple || *multiple < 1)
      return bad(form);
    option.multipleOf = *multiple;
  }
  if (rest.consume_front(":")) {
    option.hint = takeNumber(rest);
    if (!option.hint)
      return bad(form);
  }
  if (!rest.empty())
    return bad(form);
  if (option.min > option.max)
    return bad("the range is empty");
  int64_t first = option.min % option.multipleOf;
  first = first ? option.min + (option.multipleOf - first) : option.min;
  if (first < option.min || first > option.max)
    return bad("no multiple lies in the range");
  if (option.hint &&
      (*option.hint < option.min || *option.hint > option.max || *option.hint % option.multipleOf))
    return bad("the usual size is not one of the allowed ones");
  return option;
}

llvm::Expected<AliasOption> parseAliasOption(llvm::StringRef text) {
  auto [input, output] = text.split('=');
  AliasOption option;
  // A name may contain ':' itself.
  if (size_t at = output.rfind(":capacity="); at != llvm::StringRef::npos) {
    llvm::StringRef rest = output.substr(at + llvm::StringRef(":capacity=").size());
    option.capacity = takeNumber(rest);
    if (!option.capacity || *option.capacity < 1 || !rest.empty())
      return usageError("--alias '{0}': expected a capacity of at least 1", printable(text));
    output = output.take_front(at);
  }
  if (input.empty() || output.empty())
    return usageError("--alias '{0}': expected INPUT=OUTPUT or INPUT=OUTPUT:capacity=N",
                      printable(text));
  option.input = input.str();
  option.output = output.str();
  return option;
}

llvm::Expected<WeightsPrecision> parseWeightsPrecision(llvm::StringRef text) {
  WeightsPrecision result;
  if (text == "f32")
    return result;
  if (text == "bf16") {
    result.kind = WeightsPrecision::Bf16;
    return result;
  }
  if (text == "int8") {
    result.kind = WeightsPrecision::Int8;
    return result;
  }
  result.kind = WeightsPrecision::Int4;
  result.block = 32;
  llvm::StringRef rest = text;
  if (rest.consume_front("int4")) {
    if (rest.empty())
      return result;
    if (rest.consume_front(":block="))
      if (std::optional<int64_t> block = takeNumber(rest))
        if (rest.empty() && llvm::is_contained({16, 32, 64, 128, 256}, *block)) {
          result.block = *block;
          return result;
        }
  }
  return usageError("--weights-precision '{0}': expected f32, bf16, int8 or int4:block=N with N of "
                    "16, 32, 64, 128 or 256",
                    printable(text));
}

llvm::Expected<std::vector<dynac_cpu_level_t>> parseMarchOption(llvm::StringRef text) {
  std::vector<dynac_cpu_level_t> levels;
  if (text.empty()) {
    // Below AVX2 and FMA an artifact is made on request only.
    for (const cpu::Isa &isa : cpu::allIsas())
      if (isa.level >= DYNAC_CPU_V3)
        levels.push_back(isa.level);
    return levels;
  }
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    if (part == "native") {
      levels.push_back(cpu::isaFor(cpu::hostCpuLevel()).level);
      continue;
    }
    if (auto isa = cpu::isaNamed(part)) {
      levels.push_back(isa->level);
      continue;
    }
    std::string names = "native";
    for (const cpu::Isa &isa : cpu::allIsas())
      names += ", " + isa.name.str();
    return usageError("--march '{0}': expected some of {1}", printable(part), names);
  }
  llvm::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

llvm::Expected<std::string> externalWeightsName(const CompileOptions &options) {
  if (options.weights == "embed")
    return "";
  if (options.weights == "external")
    return (llvm::sys::path::stem(options.output) + ".safetensors").str();
  llvm::StringRef file = options.weights;
  if (llvm::sys::path::extension(file) != ".safetensors")
    return usageError("--weights '{0}': expected embed, external or FILE.safetensors",
                      printable(file));
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(file)),
      outputFolder(llvm::sys::path::parent_path(options.output));
  llvm::sys::path::remove_dots(folder);
  llvm::sys::path::remove_dots(outputFolder);
  if (!folder.empty() && folder != outputFolder)
    return usageError("--weights '{0}': the file has to be in the folder of the output, where the "
                      "artifact will look for it",
                      printable(file));
  return llvm::sys::path::filename(file).str();
}

} // namespace dynac
