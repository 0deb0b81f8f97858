//===- Stress.cpp - one compiled model, many threads, many calls ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stress threads|pools|memory ARTIFACT
//
// threads: eight threads with a context each give the same bits. pools: so do one, two and eight
// threads that work on one run. memory: ten thousand calls of changing shapes, and the process
// stays as large as it was. The artifact is that of small_model.py.
//
//===----------------------------------------------------------------------===//

#include "dynac/Runtime/dynac.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

using dynac::Tensor;

namespace {

/// Pictures of 16 columns, `shape` numbers the batch and the height.
Tensor makeInput(int shape) {
  const int64_t n = 1 + shape % 5, h = 8 + 14 * (shape / 5 % 9);
  Tensor input = Tensor::zeros<float>({n, 3, h, 16});
  float phase = 0;
  for (float &x : input.span<float>())
    x = std::sin(phase += 0.37f);
  return input;
}
constexpr int shapes = 45;

bool same(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].shape() != b[i].shape() || std::memcmp(a[i].data(), b[i].data(), a[i].bytes()) != 0)
      return false;
  return true;
}

/// What one thread alone makes of each shape.
std::vector<std::vector<Tensor>> expectedOutputs(const char *artifact) {
  dynac::Options options;
  options.threads = 1;
  dynac::Model model(artifact, options);
  dynac::Context context = model.context();
  std::vector<std::vector<Tensor>> all;
  for (int shape = 0; shape < shapes; ++shape)
    all.push_back(context.run({makeInput(shape)}));
  return all;
}

int report(const char *what, bool good) {
  std::printf("%s: %s\n", what, good ? "the same bits" : "RESULTS DIFFER");
  return good ? 0 : 1;
}

int runThreads(const char *artifact) {
  const auto expected = expectedOutputs(artifact);
  const dynac::Model model(artifact);
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      try {
        dynac::Context context = model.context();
        for (int i = 0; i < 3 * shapes; ++i) {
          const int shape = (i * 7 + t * 11) % shapes;
          if (!same(context.run({makeInput(shape)}), expected[size_t(shape)]))
            good = false;
        }
      } catch (const dynac::Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        good = false;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return report("8 threads", good);
}

int runPools(const char *artifact) {
  const auto expected = expectedOutputs(artifact);
  int failed = 0;
  for (int threads : {1, 2, 8}) {
    dynac::Options options;
    options.threads = threads;
    options.ownPool = true;
    dynac::Model model(artifact, options);
    dynac::Context context = model.context();
    int pieces = 1;
    dynac_context_set_step_callback(
        context.get(),
        [](void *most, const dynac_step_event_t *event) {
          int &pieces = *static_cast<int *>(most);
          pieces = std::max(pieces, event->pieces);
        },
        &pieces);
    bool good = true;
    for (int shape = 0; shape < shapes; ++shape)
      good &= same(context.run({makeInput(shape)}), expected[size_t(shape)]);
    failed |= report(("a pool of " + std::to_string(threads)).c_str(), good);
    if ((threads > 1) != (pieces > 1)) {
      std::printf("steps ran in %d pieces\n", pieces);
      failed = 1;
    }
  }
  return failed;
}

/// Resident KiB of this process.
long residentSize() {
  long pages = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int runMemory(const char *artifact) {
  const dynac::Model model(artifact);
  dynac::Context context = model.context();
  std::vector<Tensor> inputs;
  for (int shape = 0; shape < shapes; ++shape)
    inputs.push_back(makeInput(shape));
  long before = 0;
  constexpr int calls = 10000, warm = 1000;
  for (int i = 0; i < calls + warm; ++i) {
    if (i == warm)
      before = residentSize();
    context.run({inputs[size_t(i * 7 % shapes)]});
  }
  const long after = residentSize(), allowed = 256;
  std::printf("%d calls: %ld KiB, before %ld KiB\n", calls, after, before);
  return before > 0 && after - before <= allowed ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  try {
    if (mode == "threads")
      return runThreads(argv[2]);
    if (mode == "pools")
      return runPools(argv[2]);
    if (mode == "memory")
      return runMemory(argv[2]);
  } catch (const dynac::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.code();
  }
  std::fprintf(stderr, "usage: Stress threads|pools|memory ARTIFACT\n");
  return 2;
}
