//===- ArenaPlanner.cpp - offsets of buffers in one arena -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPlanner.h"

#include "Memory.h"
#include "Validate.h"

#include <algorithm>
#include <numeric>

namespace dynac::rt {

bool overlaps(const Lifetime &a, const Lifetime &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].second < b[j].first)
      ++i;
    else if (b[j].second < a[i].first)
      ++j;
    else
      return true;
  }
  return false;
}

bool covers(const Lifetime &lifetime, int32_t step) {
  for (const auto &[first, last] : lifetime)
    if (first <= step && step <= last)
      return true;
  return false;
}

static void normalize(Lifetime &lifetime) {
  std::sort(lifetime.begin(), lifetime.end());
  Lifetime merged;
  for (const auto &range : lifetime) {
    if (!merged.empty() && range.first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, range.second);
    else
      merged.push_back(range);
  }
  lifetime = std::move(merged);
}

/// Adds the blocks that the steps of `lifetime` run, and the blocks that those run.
static void addNestedBlocks(const dynac_artifact_t &a, const std::vector<int32_t> &runners,
                            Lifetime &lifetime) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t runner : runners) {
      if (!covers(lifetime, runner))
        continue;
      const dynac_step_t &step = a.steps[runner];
      const int32_t blocks[] = {step.index, step.kind == DYNAC_STEP_IF ? step.index2 : -1};
      for (int32_t block : blocks) {
        if (block < 0 || a.blocks[block].begin == a.blocks[block].end)
          continue;
        const Lifetime range = {{a.blocks[block].begin, a.blocks[block].end - 1}};
        const Lifetime before = lifetime;
        lifetime.push_back(range[0]);
        normalize(lifetime);
        changed |= lifetime != before;
      }
    }
  }
}

Status computeLifetimes(const dynac_artifact_t &a, const char *origin,
                        std::vector<Lifetime> &lifetimes) {
  lifetimes.assign(a.buffer_count, {});
  for (int32_t i = 0; i < a.buffer_count; ++i)
    if (a.buffers[i].kind == DYNAC_BUFFER_ARENA)
      lifetimes[i].push_back({a.buffers[i].first_step, a.buffers[i].last_step});
  // An alias extends its root where the compiler gave it a range of its own.
  for (int32_t i = 0; i < a.buffer_count; ++i) {
    const dynac_buffer_t &buffer = a.buffers[i];
    Lifetime &root = lifetimes[rootBuffer(a, i)];
    if (buffer.kind == DYNAC_BUFFER_ALIAS && !root.empty() && buffer.first_step >= 0 &&
        buffer.last_step > 0 && buffer.first_step <= buffer.last_step &&
        buffer.last_step < a.step_count)
      root.push_back(
          {std::min(root[0].first, buffer.first_step), std::max(root[0].second, buffer.last_step)});
  }
  for (int32_t i = 0; i < a.output_count; ++i)
    if (Lifetime &root = lifetimes[rootBuffer(a, a.outputs[i].buffer)]; !root.empty())
      root.push_back({root[0].first, a.step_count - 1});

  std::vector<int32_t> runners;
  for (int32_t i = 0; i < a.step_count; ++i)
    if (a.steps[i].kind == DYNAC_STEP_IF || a.steps[i].kind == DYNAC_STEP_WHILE)
      runners.push_back(i);
  for (Lifetime &lifetime : lifetimes) {
    normalize(lifetime);
    addNestedBlocks(a, runners, lifetime);
  }
  for (int32_t i = 0; i < a.step_count; ++i)
    for (int32_t j = 0; j < a.steps[i].buffer_count; ++j) {
      const int32_t buffer = a.steps[i].buffers[j];
      const Lifetime &lifetime = lifetimes[rootBuffer(a, buffer)];
      if (!lifetime.empty() && !covers(lifetime, i))
        return failure(DYNAC_MISMATCH,
                       "%s is damaged: step %d (%s) uses buffer %d outside its lifetime %d..%d",
                       origin, i, a.steps[i].name, buffer, lifetime.front().first,
                       lifetime.back().second);
    }
  return {};
}

int64_t planArena(const std::vector<ArenaRequest> &requests, std::vector<int64_t> &offsets) {
  offsets.assign(requests.size(), 0);
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return requests[x].bytes != requests[y].bytes ? requests[x].bytes > requests[y].bytes : x < y;
  });

  struct Placed {
    int64_t begin, end;
    int32_t first, last; // the hull of the lifetime: most pairs are told apart by it
    const Lifetime *lifetime;
  };
  std::vector<Placed> placed; // by rising begin
  int64_t total = 0;
  for (size_t index : order) {
    const int64_t bytes = alignUp(requests[index].bytes);
    if (bytes == 0)
      continue;
    int64_t end = 0, best = -1, bestGap = INT64_MAX;
    const Lifetime &lifetime = *requests[index].lifetime;
    const int32_t first = lifetime.front().first, last = lifetime.back().second;
    for (const Placed &other : placed) {
      if (other.last < first || last < other.first || !overlaps(*other.lifetime, lifetime))
        continue;
      const int64_t gap = other.begin - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other.end);
    }
    const int64_t begin = best >= 0 ? best : end;
    offsets[index] = begin;
    const Placed entry = {begin, begin + bytes, first, last, &lifetime};
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), entry,
                         [](const Placed &x, const Placed &y) { return x.begin < y.begin; }),
        entry);
    total = std::max(total, entry.end);
  }
  return total;
}

} // namespace dynac::rt
