//===- ThreadPool.cpp - the threads that run a step's pieces ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "Concurrency.h"

#include <chrono>
#include <new>
#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dynac::rt {

/// Lives on the caller's stack. A worker touches it only between `join` (under the mutex, while it
/// is listed) and the decrement of `active`; the caller unlists it and waits for `active` to be 0.
struct ThreadPool::Job {
  Body body;
  void *arg;
  int64_t count;
  Job *next = nullptr;
  std::atomic<int64_t> unclaimed;
  std::atomic<int> active{0};
  std::atomic<uint64_t> claimed[maxPieces / 64] = {};

  Job(Body body, void *arg, int64_t count) : body(body), arg(arg), count(count), unclaimed(count) {}

  bool claim(int64_t piece) {
    const uint64_t bit = uint64_t(1) << (piece % 64);
    if (claimed[piece / 64].load(std::memory_order_relaxed) & bit)
      return false;
    if (claimed[piece / 64].fetch_or(bit, std::memory_order_relaxed) & bit)
      return false;
    unclaimed.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
};

static void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Spins until `done` or about 40 microseconds are over; true if done.
template <typename Done> static bool spinUntil(Done done) {
  constexpr auto limit = std::chrono::microseconds(40);
  std::chrono::steady_clock::time_point end{};
  while (true) {
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      pause();
    }
    const auto now = std::chrono::steady_clock::now();
    if (end == std::chrono::steady_clock::time_point{})
      end = now + limit;
    else if (now >= end)
      return false;
  }
}

ThreadPool::ThreadPool(int threads) {
  // With more threads than CPUs a spinning thread keeps a working one from its CPU.
  spin = threads <= availableThreads();
  for (int i = 0; i + 1 < threads; ++i) {
    try {
      workers.emplace_back([this, i] { work(i); });
    } catch (const std::system_error &) {
      break; // fewer threads are slower, not wrong
    } catch (const std::bad_alloc &) {
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    epoch.fetch_add(1);
  }
  workReady.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

std::shared_ptr<ThreadPool> ThreadPool::shared() {
  // Never destroyed: a model may be freed while the process exits. The threads themselves end with
  // the last model.
  struct Holder {
    std::mutex mutex;
    std::weak_ptr<ThreadPool> pool;
  };
  static Holder *holder = new Holder;
  std::lock_guard<std::mutex> lock(holder->mutex);
  std::shared_ptr<ThreadPool> pool = holder->pool.lock();
  if (!pool) {
    pool = std::make_shared<ThreadPool>(availableThreads());
    holder->pool = pool;
  }
  return pool;
}

void ThreadPool::runPieces(Job &job, int64_t preferred) {
  for (int64_t i = 0; i < job.count; ++i) {
    if (job.unclaimed.load(std::memory_order_relaxed) == 0)
      return;
    const int64_t piece = (preferred + i) % job.count;
    if (job.claim(piece))
      job.body(job.arg, piece);
  }
}

ThreadPool::Job *ThreadPool::join() {
  for (Job *job = jobs; job; job = job->next)
    if (job->unclaimed.load(std::memory_order_relaxed) > 0) {
      job->active.fetch_add(1);
      return job;
    }
  return nullptr;
}

void ThreadPool::work(int worker) {
  uint64_t seen = 0;
  while (true) {
    const bool changed =
        spin && spinUntil([&] { return epoch.load(std::memory_order_acquire) != seen; });
    Job *job;
    {
      std::unique_lock<std::mutex> lock(mutex);
      seen = epoch.load();
      job = join();
      // Who came too late for a job goes on spinning; who spun in vain sleeps.
      if (!job && !changed) {
        sleepers.fetch_add(1);
        workReady.wait(lock, [&] { return stopping || (job = join()); });
        sleepers.fetch_sub(1);
        seen = epoch.load();
      }
      if (stopping)
        return;
    }
    if (!job)
      continue;
    runPieces(*job, worker + 1);
    // The job may be gone as soon as `active` is 0, so the pool's own condition wakes the caller.
    if (job->active.fetch_sub(1) == 1 && waiters.load() > 0) {
      std::lock_guard<std::mutex> lock(mutex);
      jobDone.notify_all();
    }
  }
}

void ThreadPool::parallelFor(int64_t count, Body body, void *arg) {
  if (count <= 1 || workers.empty()) {
    for (int64_t i = 0; i < count; ++i)
      body(arg, i);
    return;
  }
  Job job(body, arg, count);
  int asleep;
  {
    std::lock_guard<std::mutex> lock(mutex);
    job.next = jobs;
    jobs = &job;
    epoch.fetch_add(1, std::memory_order_release);
    asleep = sleepers.load();
  }
  if (asleep > 0) {
    if (count > 2)
      workReady.notify_all();
    else
      workReady.notify_one();
  }
  runPieces(job, 0);
  {
    std::lock_guard<std::mutex> lock(mutex);
    Job **link = &jobs;
    while (*link != &job)
      link = &(*link)->next;
    *link = job.next;
  }
  const auto done = [&] { return job.active.load() == 0; };
  if (spin ? spinUntil(done) : done())
    return;
  std::unique_lock<std::mutex> lock(mutex);
  waiters.fetch_add(1);
  jobDone.wait(lock, done);
  waiters.fetch_sub(1);
}

} // namespace dynac::rt
