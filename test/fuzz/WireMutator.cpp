//===- WireMutator.cpp - changes protobuf messages as messages ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireMutator.h"

#include "Frontend/Onnx/WireScan.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

using dynac::onnx::readVarint;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

enum WireType : unsigned { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

struct Field {
  uint64_t number = 0;
  unsigned type = Varint;
  std::string value; ///< Without tag and length; empty for a message.
  std::vector<Field> message;
};
using Message = std::vector<Field>;

/// Whether `bytes` is a message. Any text that looks like one is taken for one.
bool parse(llvm::ArrayRef<char> bytes, Message &out, unsigned depth = 0) {
  for (uint64_t position = 0; position < bytes.size();) {
    std::optional<uint64_t> tag = readVarint(bytes, position);
    if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0)
      return false;
    Field field;
    field.number = *tag >> 3;
    field.type = *tag & 7;
    uint64_t begin = position, length = 0;
    if (field.type == Varint) {
      if (!readVarint(bytes, position))
        return false;
      length = position - begin;
    } else if (field.type == Delimited) {
      std::optional<uint64_t> read = readVarint(bytes, position);
      if (!read)
        return false;
      begin = position;
      length = *read;
    } else if (field.type == Fixed32 || field.type == Fixed64) {
      length = field.type == Fixed32 ? 4 : 8;
    } else {
      return false;
    }
    if (length > bytes.size() - begin)
      return false;
    position = begin + length;
    llvm::ArrayRef<char> content = bytes.slice(begin, length);
    if (field.type != Delimited || length < 2 || depth > 30 ||
        !parse(content, field.message, depth + 1)) {
      field.message.clear();
      field.value.assign(content.begin(), content.end());
    }
    out.push_back(std::move(field));
  }
  return true;
}

void writeVarint(uint64_t value, std::string &out) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string write(const Message &message) {
  std::string out;
  for (const Field &field : message) {
    std::string content = field.message.empty() ? field.value : write(field.message);
    writeVarint(field.number << 3 | field.type, out);
    if (field.type == Delimited)
      writeVarint(content.size(), out);
    out += content;
  }
  return out;
}

/// `message` and all within it.
void collect(Message &message, std::vector<Message *> &out) {
  out.push_back(&message);
  for (Field &field : message)
    if (!field.message.empty())
      collect(field.message, out);
}

class Mutator {
public:
  Mutator(Message &root, unsigned seed) : random(seed), root(root) {}

  void change() {
    std::vector<Message *> all;
    collect(root, all);
    Message &message = *all[pick(all.size())], &other = *all[pick(all.size())];
    if (message.empty() || other.empty())
      return;
    size_t place = pick(message.size());
    Field from = other[pick(other.size())];
    switch (pick(8)) {
    case 0:
      message.erase(message.begin() + place);
      break;
    case 1: // again, at another place
      from = message[place];
      message.insert(message.begin() + pick(message.size() + 1), from);
      break;
    case 2: // one of another message
      message.insert(message.begin() + place, from);
      break;
    case 3: // the same value: of names, a use of what the other one defines
      if (message[place].type == from.type) {
        from.number = message[place].number;
        message[place] = from;
      }
      break;
    case 4:
      std::swap(message[place], message[pick(message.size())]);
      break;
    case 5:
      message[place].number = 1 + pick(30);
      break;
    default:
      if (message[place].message.empty())
        changeValue(message[place]);
    }
  }

  /// Into a message that has such a field, if there is one.
  void insert(const Field &field) {
    std::vector<Message *> all, fitting;
    collect(root, all);
    for (Message *message : all)
      for (const Field &own : *message)
        if (own.number == field.number && own.type == field.type) {
          fitting.push_back(message);
          break;
        }
    if (fitting.empty())
      fitting = all;
    Message &message = *fitting[pick(fitting.size())];
    message.insert(message.begin() + pick(message.size() + 1), field);
  }

  size_t pick(size_t count) { return random() % count; }

private:
  void changeValue(Field &field) {
    if (field.type == Varint) {
      static const uint64_t edges[] = {0,          ~uint64_t(0), 1,
                                       0x7fffffff, 0x80000000,   uint64_t(1) << 63};
      uint64_t position = 0;
      uint64_t value =
          readVarint(llvm::ArrayRef<char>(field.value.data(), field.value.size()), position)
              .value_or(0);
      size_t kind = pick(10);
      field.value.clear();
      writeVarint(kind < 6 ? edges[kind] : kind == 6 ? pick(32) : value + pick(3) - 1, field.value);
      return;
    }
    llvm::ArrayRef<llvm::StringRef> words = fuzzWords();
    if (field.type == Delimited && !words.empty() && pick(3) == 0) {
      field.value = words[pick(words.size())].str();
      return;
    }
    size_t size = field.value.size(), room = field.type == Delimited ? size + 16 : size;
    field.value.resize(room);
    size = LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(field.value.data()), size, room);
    field.value.resize(field.type == Delimited ? size : room);
  }

  std::minstd_rand random;
  Message &root;
};

llvm::ArrayRef<char> asChars(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  Message root;
  Mutator mutator(root, seed);
  if (mutator.pick(8) == 0 || !parse(asChars(data, size), root) || root.empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t changes = 1 + mutator.pick(3); changes > 0; --changes)
    mutator.change();
  std::string result = write(root);
  if (result.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, result.data(), result.size());
  return result.size();
}

/// A field of `b` becomes part of `a`.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t aSize, const uint8_t *b,
                                            size_t bSize, uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  Message root, other;
  Mutator mutator(root, seed);
  if (!parse(asChars(a, aSize), root) || !parse(asChars(b, bSize), other) || other.empty())
    return 0;
  std::vector<Message *> all;
  collect(other, all);
  const Message &from = *all[mutator.pick(all.size())];
  mutator.insert(from[mutator.pick(from.size())]);
  std::string result = write(root);
  if (result.size() > maxSize)
    return 0;
  std::memcpy(out, result.data(), result.size());
  return result.size();
}
