//===- Memory.cpp - aligned memory of a context -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace dynac::rt {

/// From here on memory is mapped: fresh pages cost nothing until they are touched, and huge pages
/// save translation misses. Below, malloc reuses.
static constexpr int64_t mapThreshold = 4 << 20;
static constexpr int64_t hugePage = 2 << 20;

void *Allocator::allocate(int64_t bytes) const {
  bytes = alignUp(bytes);
  if (hostAllocate)
    return hostAllocate(user, size_t(bytes), memoryAlignment);
  if (bytes < mapThreshold)
    return std::aligned_alloc(memoryAlignment, size_t(bytes));
  void *memory =
      mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (bytes >= 4 * hugePage)
    madvise(memory, size_t(bytes), MADV_HUGEPAGE);
  return memory;
}

void Allocator::deallocate(void *memory, int64_t bytes) const {
  if (!memory)
    return;
  bytes = alignUp(bytes);
  if (hostAllocate) {
    if (hostDeallocate)
      hostDeallocate(user, memory, size_t(bytes));
  } else if (bytes < mapThreshold) {
    std::free(memory);
  } else {
    munmap(memory, size_t(bytes));
  }
}

Block::Block(Block &&other) noexcept
    : allocator(other.allocator), memory(std::exchange(other.memory, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

Block::~Block() { allocator->deallocate(memory, bytes); }

Status Block::reserve(int64_t needed, int64_t keep) {
  if (memory && needed <= bytes)
    return {};
  // Growth in larger steps keeps slowly growing shapes from reallocating at every run.
  int64_t grown = alignUp(std::max<int64_t>(needed, 1));
  if (memory)
    grown = std::max(grown, alignUp(bytes + bytes / 4));
  if (keep == 0) { // nothing to copy: never hold both
    allocator->deallocate(memory, bytes);
    memory = nullptr;
    bytes = 0;
  }
  void *fresh = allocator->allocate(grown);
  if (!fresh)
    return failure(DYNAC_IO, "out of memory: cannot allocate %lld bytes", (long long)grown);
  if (keep > 0) {
    std::memcpy(fresh, memory, size_t(std::min(keep, bytes)));
    allocator->deallocate(memory, bytes);
  }
  memory = fresh;
  bytes = grown;
  return {};
}

Status SidePool::take(int64_t bytes, void *&memory, int64_t &capacity) {
  Entry *best = nullptr;
  for (Entry &entry : entries)
    if (!entry.used && entry.block.capacity() >= bytes &&
        (!best || entry.block.capacity() < best->block.capacity()))
      best = &entry;
  // A tiny buffer must not occupy a huge block that a later one needs.
  if (best && best->block.capacity() > 4 * std::max<int64_t>(bytes, 4096))
    best = nullptr;
  if (!best) {
    Block block(*allocator);
    // Rounded up to a quarter of its power of two: similar sizes share blocks.
    int64_t step = memoryAlignment;
    while (step * 8 < bytes)
      step *= 2;
    if (Status status = block.reserve(alignUp(std::max<int64_t>(bytes, 1), step)); status.failed())
      return status;
    entries.push_back({std::move(block)});
    best = &entries.back();
  }
  best->used = true;
  best->idleRuns = 0;
  memory = best->block.data();
  capacity = best->block.capacity();
  return {};
}

void SidePool::give(void *memory) {
  for (Entry &entry : entries)
    if (entry.block.data() == memory)
      entry.used = false;
}

void SidePool::endRun() {
  constexpr int keepRuns = 16;
  bool expired = false;
  for (Entry &entry : entries) {
    entry.used = false;
    expired |= ++entry.idleRuns > keepRuns;
  }
  if (!expired)
    return;
  std::vector<Entry> kept;
  kept.reserve(entries.size());
  for (Entry &entry : entries)
    if (entry.idleRuns <= keepRuns)
      kept.push_back(std::move(entry));
  entries.swap(kept);
}

int64_t SidePool::totalBytes() const {
  int64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.block.capacity();
  return total;
}

} // namespace dynac::rt
