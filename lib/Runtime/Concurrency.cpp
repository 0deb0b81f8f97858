//===- Concurrency.cpp - how many CPUs the process may use ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Concurrency.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>
#include <vector>

namespace dynac::rt {

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

static bool contains(const std::vector<std::string> &list, const char *word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

namespace {
/// Where a cgroup hierarchy with the cpu controller is mounted and which part of it is seen there.
struct Mount {
  std::string point, root;
};
} // namespace

/// mountinfo: id parent dev ROOT POINT options [tags] - TYPE source SUPER_OPTIONS
static std::vector<Mount> findMounts(const std::string &root, const char *type,
                                     const char *option) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos)
      continue;
    const std::vector<std::string> left = split(line.substr(0, dash), ' ');
    const std::vector<std::string> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3 || right[0] != type)
      continue;
    if (!option || contains(split(right[2], ','), option))
      mounts.push_back({left[4], left[3]});
  }
  return mounts;
}

/// v2 "MAX PERIOD" or "max PERIOD"; v1 quota -1 means none. 0: no limit here.
static double readQuota(const std::string &folder, bool v2) {
  double quota = 0, period = 0;
  if (v2) {
    std::ifstream file(folder + "/cpu.max");
    std::string first;
    if (!(file >> first >> period) || first == "max")
      return 0;
    std::stringstream(first) >> quota;
  } else {
    std::ifstream quotaFile(folder + "/cpu.cfs_quota_us"),
        periodFile(folder + "/cpu.cfs_period_us");
    if (!(quotaFile >> quota) || !(periodFile >> period))
      return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

/// The smallest quota of `path` and the groups around it, as far as `mount` shows them.
static double smallestQuota(const std::string &root, const Mount &mount, std::string path,
                            bool v2) {
  // In a container the mount often shows the group itself as its root: its path is then cut off.
  if (mount.root != "/" && path.compare(0, mount.root.size(), mount.root) == 0)
    path.erase(0, mount.root.size());
  else if (mount.root != "/")
    path.clear();
  if (path.find("/..") != std::string::npos) // the group lies outside the cgroup namespace
    path.clear();
  double smallest = 0;
  while (true) {
    if (!path.empty() && path.back() == '/')
      path.pop_back();
    const double quota = readQuota(root + mount.point + path, v2);
    if (quota > 0 && (smallest == 0 || quota < smallest))
      smallest = quota;
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return smallest;
    path.resize(slash);
  }
}

double cgroupCpuQuota(const std::string &root) {
  double smallest = 0;
  std::ifstream file(root + "/proc/self/cgroup");
  // Each line: HIERARCHY:CONTROLLERS:PATH; v2 has "0::PATH".
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && !contains(split(controllers, ','), "cpu"))
      continue;
    for (const Mount &mount : findMounts(root, v2 ? "cgroup2" : "cgroup", v2 ? nullptr : "cpu")) {
      const double quota = smallestQuota(root, mount, line.substr(second + 1), v2);
      if (quota > 0 && (smallest == 0 || quota < smallest))
        smallest = quota;
    }
  }
  return smallest;
}

/// The affinity mask may be larger than cpu_set_t on big machines.
static int affinityCount() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set)
      break;
    const size_t size = CPU_ALLOC_SIZE(cpus);
    const int failed = sched_getaffinity(0, size, set);
    const int count = failed ? 0 : CPU_COUNT_S(size, set);
    CPU_FREE(set);
    if (!failed)
      return count;
  }
  return int(std::thread::hardware_concurrency());
}

int availableThreads() {
  int count = affinityCount();
  const double quota = cgroupCpuQuota();
  if (quota > 0)
    count = std::min(count, int(std::ceil(quota)));
  return std::max(count, 1);
}

} // namespace dynac::rt
