//===- Memory.h - aligned memory of a context -------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_MEMORY_H
#define DYNAC_LIB_RUNTIME_MEMORY_H

#include "Status.h"

#include <cstddef>
#include <vector>

namespace dynac::rt {

/// Arena, scratch and outputs start at multiples of this (a cache line, an AVX-512 vector).
constexpr int64_t memoryAlignment = 64;

inline int64_t alignUp(int64_t bytes, int64_t to = memoryAlignment) {
  return (bytes + to - 1) / to * to;
}

/// Where memory comes from: the host's callbacks or the system.
struct Allocator {
  void *user = nullptr;
  void *(*hostAllocate)(void *user, size_t bytes, size_t alignment) = nullptr;
  void (*hostDeallocate)(void *user, void *memory, size_t bytes) = nullptr;

  /// nullptr when out of memory. Large system blocks are zero pages until touched.
  void *allocate(int64_t bytes) const;
  void deallocate(void *memory, int64_t bytes) const;
};

/// One growable block.
class Block {
public:
  explicit Block(const Allocator &allocator) : allocator(&allocator) {}
  Block(Block &&other) noexcept;
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block();

  void *data() const { return memory; }
  int64_t capacity() const { return bytes; }

  /// At least `needed` bytes (never none). A larger block keeps the old one's first `keep` bytes.
  Status reserve(int64_t needed, int64_t keep = 0);

private:
  const Allocator *allocator;
  void *memory = nullptr;
  int64_t bytes = 0;
};

/// Blocks for buffers whose size is known only during a run. They stay with the context from run to
/// run, so that a steady load allocates nothing.
class SidePool {
public:
  explicit SidePool(const Allocator &allocator) : allocator(&allocator) {}

  /// The smallest free block of at least `bytes`, or a new one.
  Status take(int64_t bytes, void *&memory, int64_t &capacity);
  void give(void *memory);
  /// All blocks are free again; those that were not used for a while go back to the system.
  void endRun();
  int64_t totalBytes() const;

private:
  struct Entry {
    Block block;
    bool used = false;
    int idleRuns = 0;
  };

  const Allocator *allocator;
  std::vector<Entry> entries;
};

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_MEMORY_H
