//===- Concurrency.h - how many CPUs the process may use --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_CONCURRENCY_H
#define DYNAC_LIB_RUNTIME_CONCURRENCY_H

#include <string>

namespace dynac::rt {

/// The CPU quota of the process's cgroup and of those around it, in CPUs (0.5 is half of one), or 0
/// for none. Reads ROOT/proc/self/{cgroup,mountinfo} and the files of cgroup v1 (cpu.cfs_quota_us
/// over cpu.cfs_period_us) and v2 (cpu.max); ROOT is empty except in tests.
double cgroupCpuQuota(const std::string &root = "");

/// CPUs in the affinity mask, but not more than the quota rounded up; at least 1.
int availableThreads();

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_CONCURRENCY_H
