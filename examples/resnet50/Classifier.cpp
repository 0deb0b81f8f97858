//===- Classifier.cpp - a classification service over a compiled model ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Classifier.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

/// Softmax and the five best of one row of scores.
static std::vector<Classification::Class> fiveBest(const std::vector<float> &scores) {
  if (scores.empty())
    return {};
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t count = std::min<size_t>(5, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(count), order.end(),
                    [&](int a, int b) {
                      const float x = scores[size_t(a)], y = scores[size_t(b)];
                      return x > y || (x == y && a < b);
                    });
  const float top = scores[size_t(order[0])];
  double sum = 0;
  for (float score : scores)
    sum += std::exp(double(score - top));
  std::vector<Classification::Class> best;
  for (size_t i = 0; i < count; ++i)
    best.push_back({order[i], float(std::exp(double(scores[size_t(order[i])] - top)) / sum)});
  return best;
}

Classifier::Classifier(const std::string &artifact, int workers) : loaded(artifact) {
  const std::vector<dynac::ValueInfo> inputs = loaded.inputs(), outputs = loaded.outputs();
  if (inputs.size() != 1 || inputs[0].dims.size() != 4 || inputs[0].dtype != DYNAC_F32 ||
      outputs.size() != 1 || outputs[0].dims.size() != 2 || outputs[0].dtype != DYNAC_F32)
    throw dynac::Error(DYNAC_SIGNATURE, artifact + " is not a model that classifies pictures");

  // All contexts first: if there is no memory for one, no thread has to be stopped again.
  std::vector<dynac::Context> contexts;
  for (int worker = 0; worker < workers; ++worker)
    contexts.push_back(loaded.context());
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([this, worker, context = std::move(contexts[size_t(worker)])]() mutable {
      serve(worker, std::move(context));
    });
}

Classifier::~Classifier() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    closing = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

std::future<Classification> Classifier::submit(dynac::Tensor picture) {
  std::future<Classification> answer;
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back({std::move(picture), {}});
    answer = queue.back().answer.get_future();
  }
  changed.notify_one();
  return answer;
}

void Classifier::serve(int worker, dynac::Context context) {
  // The output tensor is allocated by the first run and written again by each later one.
  std::vector<dynac::Tensor> outputs;
  while (true) {
    Request request;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return closing || !queue.empty(); });
      if (queue.empty())
        return;
      request = std::move(queue.front());
      queue.pop_front();
    }
    try {
      context.run({request.picture}, outputs);
      const dynac::Span<float> row = outputs[0].span<float>();
      Classification result{{}, {row.begin(), row.end()}, worker};
      result.best = fiveBest(result.scores);
      request.answer.set_value(std::move(result));
    } catch (...) {
      request.answer.set_exception(std::current_exception());
    }
  }
}
