//===- ArenaPlanner.h - offsets of buffers in one arena ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_ARENAPLANNER_H
#define DYNAC_LIB_RUNTIME_ARENAPLANNER_H

#include "Status.h"

#include <vector>

namespace dynac::rt {

/// Sorted, disjoint, inclusive ranges of step numbers during which a buffer holds a value.
using Lifetime = std::vector<std::pair<int32_t, int32_t>>;

bool overlaps(const Lifetime &a, const Lifetime &b);
bool covers(const Lifetime &lifetime, int32_t step);

/// The lifetime of each arena buffer (empty for others, and for aliases, which extend their
/// root's). A buffer that is live over a step with nested blocks is live in those blocks too. An
/// output that is no OUTPUT buffer is live to the end. Fails with DYNAC_MISMATCH where a step uses
/// a buffer outside its lifetime.
Status computeLifetimes(const dynac_artifact_t &artifact, const char *origin,
                        std::vector<Lifetime> &lifetimes);

struct ArenaRequest {
  int64_t bytes;
  const Lifetime *lifetime;
};

/// Greedy by size: the largest buffer first, each at the lowest offset of the smallest gap that
/// fits between buffers alive at the same time. Offsets are multiples of 64. Returns the arena's
/// bytes.
int64_t planArena(const std::vector<ArenaRequest> &requests, std::vector<int64_t> &offsets);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_ARENAPLANNER_H
