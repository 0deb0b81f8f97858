//===- RuntimePoolTest.cpp - the thread pool and the process's CPU limits ---===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPlanner.h"
#include "Concurrency.h"
#include "ThreadPool.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

using namespace dynac::rt;

namespace {

/// parallelFor with a lambda.
template <typename Fn> void parallel(ThreadPool &pool, int64_t count, Fn fn) {
  pool.parallelFor(count, [](void *arg, int64_t i) { (*static_cast<Fn *>(arg))(i); }, &fn);
}

/// Fake /proc and /sys.
class Cgroups : public testing::Test {
protected:
  Cgroups()
      : root(std::filesystem::temp_directory_path() /
             ("dynac-cgroup-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root);
  }
  ~Cgroups() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    const std::filesystem::path file = root.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  double quota() { return cgroupCpuQuota(root.string()); }

  std::filesystem::path root;
};

} // namespace

TEST(RuntimePool, EachPieceOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t count : {0, 1, 2, 3, 64, 256}) {
      std::vector<int> seen(size_t(count), 0);
      parallel(pool, count, [&](int64_t i) { ++seen[size_t(i)]; });
      EXPECT_EQ(seen, std::vector<int>(size_t(count), 1));
    }
  }
}

TEST(RuntimePool, ManyShortLoops) {
  ThreadPool pool(4);
  std::vector<int64_t> sums(8);
  for (int round = 0; round < 3000; ++round)
    parallel(pool, 8, [&](int64_t i) { sums[size_t(i)] += i; });
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(sums[size_t(i)], 3000 * i);
}

TEST(RuntimePool, LoopsAfterSleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int> ran{0};
    parallel(pool, 3, [&](int64_t) { ++ran; });
    EXPECT_EQ(ran, 3);
  }
}

TEST(RuntimePool, NestedAndConcurrentCallers) {
  ThreadPool pool(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        parallel(pool, 4, [&](int64_t) {
          parallel(pool, 5, [&](int64_t) { parallel(pool, 2, [&](int64_t) { ++total; }); });
        });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 6 * 50 * 4 * 5 * 2);
}

TEST(RuntimePool, SharedWhileSomebodyHoldsIt) {
  std::shared_ptr<ThreadPool> first = ThreadPool::shared(), second = ThreadPool::shared();
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->threads(), availableThreads());
  std::weak_ptr<ThreadPool> watch = first;
  first.reset();
  second.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(RuntimePool, HonoursAffinity) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(availableThreads(), 1);
  sched_setaffinity(0, sizeof(before), &before);
  EXPECT_GE(availableThreads(), 1);
}

TEST_F(Cgroups, None) { EXPECT_EQ(quota(), 0); }

TEST_F(Cgroups, V2) {
  write("/proc/self/cgroup", "0::/kubepods/pod1/app\n");
  write("/proc/self/mountinfo",
        "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  write("/sys/fs/cgroup/kubepods/pod1/app/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0);
  write("/sys/fs/cgroup/kubepods/pod1/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("/sys/fs/cgroup/kubepods/cpu.max", "100000 100000\n"); // a group around it is tighter
  EXPECT_EQ(quota(), 1);
}

TEST_F(Cgroups, V2InANamespace) {
  write("/proc/self/cgroup", "0::/\n");
  write("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  write("/sys/fs/cgroup/cpu.max", "200000 50000\n");
  EXPECT_EQ(quota(), 4);
}

TEST_F(Cgroups, V1) {
  write("/proc/self/cgroup", "12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n");
  write("/proc/self/mountinfo",
        "33 25 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "34 25 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota(), 0);
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST(RuntimeArena, GapsAndBounds) {
  // Lifetimes with holes: 0 and 1 meet, 2 fits where 0 was.
  const Lifetime a = {{0, 2}}, b = {{1, 5}}, c = {{3, 5}}, holes = {{0, 0}, {5, 7}};
  std::vector<int64_t> offsets;
  EXPECT_EQ(planArena({{100, &a}, {1000, &b}, {64, &c}, {1000, &holes}}, offsets),
            1024 + 1024 + 128);
  EXPECT_EQ(planArena({{100, &a}, {1000, &b}, {64, &c}}, offsets), 1024 + 128);
  EXPECT_EQ(offsets, (std::vector<int64_t>{1024, 0, 1024}));
  EXPECT_EQ(planArena({}, offsets), 0);
}

TEST(RuntimeArena, NeverOverlaps) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 60; ++i) {
      const int32_t first = int32_t(random() % 50);
      lifetimes.push_back({{first, first + int32_t(random() % 10)}});
    }
    std::vector<ArenaRequest> requests;
    for (const Lifetime &lifetime : lifetimes)
      requests.push_back({int64_t(random() % 5000), &lifetime});
    std::vector<int64_t> offsets;
    const int64_t total = planArena(requests, offsets);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(offsets[i] % 64, 0);
      EXPECT_LE(offsets[i] + requests[i].bytes, total);
      for (size_t j = 0; j < i; ++j)
        if (overlaps(lifetimes[i], lifetimes[j])) {
          EXPECT_TRUE(offsets[i] + requests[i].bytes <= offsets[j] ||
                      offsets[j] + requests[j].bytes <= offsets[i]);
        }
    }
  }
}
