//===- ThreadPool.h - the threads that run a step's pieces ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_THREADPOOL_H
#define DYNAC_LIB_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace dynac::rt {

/// Runs the pieces of parallel loops on a fixed set of threads.
///
/// Any number of threads may call `parallelFor` at once, also from within a piece: the caller takes
/// part and waits only for pieces that somebody is running. Idle workers spin for some microseconds
/// (the next step follows soon) and then sleep.
class ThreadPool {
public:
  /// More pieces than this are refused by `parallelFor`'s contract.
  static constexpr int64_t maxPieces = 256;

  using Body = void (*)(void *arg, int64_t index);

  /// `threads` counts the caller: threads - 1 workers are started (fewer if the system refuses).
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The process's pool, with `availableThreads()` threads; exists while somebody holds it.
  static std::shared_ptr<ThreadPool> shared();

  int threads() const { return int(workers.size()) + 1; }

  /// Calls body(arg, i) once for each i in [0, count), count <= maxPieces. Worker w prefers piece
  /// w + 1 and the caller piece 0, so that the same piece of consecutive loops meets the same
  /// cache.
  void parallelFor(int64_t count, Body body, void *arg);

private:
  struct Job;

  void work(int worker);
  /// A job that has unclaimed pieces, with its worker count raised; nullptr if there is none.
  Job *join();
  static void runPieces(Job &job, int64_t preferred);

  std::vector<std::thread> workers;
  std::mutex mutex;                  // guards jobs and the two conditions
  std::condition_variable workReady; // workers sleep here
  std::condition_variable jobDone;   // callers sleep here
  Job *jobs = nullptr;               // jobs that may have unclaimed pieces
  std::atomic<uint64_t> epoch{0};    // raised with each job: what spinning workers watch
  std::atomic<int> sleepers{0};
  std::atomic<int> waiters{0};
  std::atomic<bool> stopping{false};
  bool spin;
};

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_THREADPOOL_H
