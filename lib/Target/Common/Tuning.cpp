//===- Tuning.cpp - choices of kernels that were measured -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Tuning.h"

#include "dynac/Support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace dynac {

/// Shares are written with three digits: what is kept must not differ from what is read.
static double rounded(double ratio) {
  return std::clamp(std::round(ratio * 1000) / 1000, 0.001, 1.0);
}

void OpenKernel::add(llvm::StringRef name, int64_t preferred, llvm::ArrayRef<int64_t> legal) {
  Knob knob{name.str(), preferred, llvm::to_vector(legal)};
  if (!llvm::is_contained(legal, preferred))
    knob.legal.push_back(preferred);
  knobs.push_back(std::move(knob));
}

Choice OpenKernel::preferred() const {
  Choice choice;
  for (const Knob &knob : knobs)
    choice.push_back(knob.preferred);
  return choice;
}

/// The entry of the words after the third, or nothing.
static std::optional<TuningEntry> parseEntry(llvm::ArrayRef<llvm::StringRef> words) {
  TuningEntry entry;
  if (words.front().size() > 8 || words.front().getAsDouble(entry.ratio) ||
      !(entry.ratio > 0 && entry.ratio <= 1))
    return std::nullopt;
  entry.ratio = rounded(entry.ratio);
  for (llvm::StringRef word : words.drop_front()) {
    auto [name, number] = word.split('=');
    int64_t value = 0;
    if (name.empty() || !llvm::all_of(name, llvm::isLower) || number.getAsInteger(10, value) ||
        value < 0 || !entry.values.try_emplace(name.str(), value).second)
      return std::nullopt;
  }
  return entry;
}

llvm::Expected<TuningCache> TuningCache::parse(llvm::StringRef text, llvm::StringRef file) {
  TuningCache cache;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (auto [i, whole] : llvm::enumerate(lines)) {
    llvm::StringRef line = whole.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    std::optional<TuningEntry> entry;
    if (words.size() >= 4)
      entry = parseEntry(llvm::ArrayRef(words).drop_front(3));
    if (!entry)
      return usageError("{0}:{1}: expected KERNEL LEVEL CPU SHARE NAME=NUMBER..., found '{2}'",
                        printable(file), i + 1, printable(line));
    cache.add(words[0], words[1], words[2], std::move(*entry));
  }
  return cache;
}

std::string TuningCache::text() const {
  std::string text = "# What dynac compile --mode max-autotune measured: kernel, CPU level, CPU, "
                     "share of the usual time, choices.\n";
  llvm::raw_string_ostream os(text);
  for (const auto &[key, entry] : entries) {
    os << key[0] << ' ' << key[1] << ' ' << key[2] << llvm::format(" %.3f", entry.ratio);
    for (const auto &[name, value] : entry.values)
      os << ' ' << name << '=' << value;
    os << '\n';
  }
  return text;
}

void TuningCache::add(llvm::StringRef spec, llvm::StringRef level, llvm::StringRef cpu,
                      TuningEntry entry) {
  entry.ratio = rounded(entry.ratio);
  auto [it, isNew] = entries.try_emplace({spec.str(), level.str(), cpu.str()}, entry);
  // Of equal shares the smaller values count, whatever the order of the lines.
  if (!isNew && std::tie(entry.ratio, entry.values) < std::tie(it->second.ratio, it->second.values))
    it->second = std::move(entry);
}

void TuningCache::replace(llvm::StringRef spec, llvm::StringRef level, llvm::StringRef cpu,
                          TuningEntry entry) {
  entry.ratio = rounded(entry.ratio);
  entries[{spec.str(), level.str(), cpu.str()}] = std::move(entry);
}

void TuningCache::merge(const TuningCache &other) {
  for (const auto &[key, entry] : other.entries)
    add(key[0], key[1], key[2], entry);
}

const TuningEntry *TuningCache::find(llvm::StringRef spec, llvm::ArrayRef<std::string> levels,
                                     llvm::StringRef cpu) const {
  for (const std::string &level : llvm::reverse(levels)) {
    if (const TuningEntry *entry = findExact(spec, level, cpu))
      return entry;
    const TuningEntry *best = nullptr;
    for (auto it = entries.lower_bound({spec.str(), level, ""});
         it != entries.end() && it->first[0] == spec && it->first[1] == level; ++it)
      if (!best || it->second.ratio < best->ratio)
        best = &it->second;
    if (best)
      return best;
  }
  return nullptr;
}

const TuningEntry *TuningCache::findExact(llvm::StringRef spec, llvm::StringRef level,
                                          llvm::StringRef cpu) const {
  auto it = entries.find({spec.str(), level.str(), cpu.str()});
  return it == entries.end() ? nullptr : &it->second;
}

std::optional<Choice> choiceOf(const OpenKernel &kernel, const TuningEntry &entry) {
  Choice choice = kernel.preferred();
  for (const auto &[name, value] : entry.values) {
    const auto *knob = llvm::find_if(kernel.knobs, [&](const Knob &k) { return k.name == name; });
    if (knob == kernel.knobs.end() || !llvm::is_contained(knob->legal, value))
      return std::nullopt;
    choice[knob - kernel.knobs.begin()] = value;
  }
  return choice;
}

} // namespace dynac
