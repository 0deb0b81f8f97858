//===- main.cpp - classifies a picture with a compiled ResNet-50 ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// resnet50 MODEL.so [--threads N] [--runs N] [--save-picture FILE]
//
// Prints the five best classes of a picture and the latency, then asks from several threads at once
// and compares. Exit status: 1 if the answers differ or are no numbers, otherwise dynac's code.
//
//===----------------------------------------------------------------------===//

#include "Classifier.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

/// A picture of 224x224 pixels, one per batch: smooth colours with a bright disc in the middle.
static dynac::Tensor makePicture() {
  dynac::Tensor picture = dynac::Tensor::zeros<float>({1, 3, 224, 224});
  float *pixels = picture.span<float>().data();
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 224; ++y)
      for (int x = 0; x < 224; ++x)
        pixels[(c * 224 + y) * 224 + x] = std::sin(0.02f * float(x * (c + 1) + y)) +
                                          (std::hypot(x - 112, y - 112) < 50 ? 1.0f : 0.0f);
  return picture;
}

/// Bit for bit: the same input gives the same output, whichever thread runs it.
static bool same(const Classification &a, const Classification &b) {
  return a.scores.size() == b.scores.size() &&
         std::memcmp(a.scores.data(), b.scores.data(), a.scores.size() * sizeof(float)) == 0;
}

/// One request after the other: the latency of the service.
static void measure(Classifier &classifier, const dynac::Tensor &picture, int runs) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    classifier.classify(picture);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("latency: min %.2f ms, p50 %.2f ms (%d runs, %s, %d threads)\n", times.front(),
              times[times.size() / 2], runs, classifier.model().target().c_str(),
              dynac_model_threads(classifier.model().get()));
}

/// All requests at once. False if an answer differs from `expected`.
static bool flood(Classifier &classifier, const dynac::Tensor &picture, int requests,
                  const Classification &expected) {
  std::vector<std::future<Classification>> answers;
  for (int i = 0; i < requests; ++i)
    answers.push_back(classifier.submit(picture));
  std::set<int> workers;
  bool equal = true;
  for (std::future<Classification> &answer : answers) {
    const Classification result = answer.get();
    workers.insert(result.worker);
    equal &= same(result, expected);
  }
  std::printf("%d requests at once, served by %zu threads: %s\n", requests, workers.size(),
              equal ? "all answers are identical" : "THE ANSWERS DIFFER");
  return equal;
}

/// A request that does not fit is refused, and the service goes on.
static bool refuses(Classifier &classifier) {
  try {
    classifier.classify(dynac::Tensor::zeros<float>({1, 1, 224, 224}));
    std::printf("a picture of one colour was NOT refused\n");
    return false;
  } catch (const dynac::Error &error) {
    return error.code() == DYNAC_SIGNATURE;
  }
}

int main(int argc, char **argv) {
  const char *model = nullptr, *save = nullptr;
  int threads = 4, runs = 20;
  bool usage = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--threads") && i + 1 < argc)
      threads = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--runs") && i + 1 < argc)
      runs = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--save-picture") && i + 1 < argc)
      save = argv[++i];
    else if (!model && argv[i][0] != '-')
      model = argv[i];
    else
      usage = true;
  }
  if (usage || !model || threads < 1 || threads > 256 || runs < 1) {
    std::fprintf(stderr, "usage: resnet50 MODEL.so [--threads N] [--runs N] "
                         "[--save-picture FILE]\n");
    return 2;
  }

  try {
    Classifier classifier(model, threads);
    const dynac::Tensor picture = makePicture();
    if (save) {
      std::ofstream out(save, std::ios::binary);
      out.write(static_cast<const char *>(picture.data()), std::streamsize(picture.bytes()));
      if (!out.flush()) {
        std::fprintf(stderr, "resnet50: cannot write %s\n", save);
        return 7;
      }
    }

    const Classification first = classifier.classify(picture);
    for (const Classification::Class &best : first.best)
      std::printf("class %3d  %8.4f %%\n", best.index, 100 * double(best.probability));
    measure(classifier, picture, runs);
    bool good = flood(classifier, picture, 4 * threads, first);
    good &= refuses(classifier);
    for (float score : first.scores)
      good &= std::isfinite(score);
    return good ? 0 : 1;
  } catch (const dynac::Error &error) {
    std::fprintf(stderr, "resnet50: %s\n", error.what());
    return error.code();
  }
}
