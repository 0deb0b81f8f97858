//===- Classifier.h - a classification service over a compiled model ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_EXAMPLES_RESNET50_CLASSIFIER_H
#define DYNAC_EXAMPLES_RESNET50_CLASSIFIER_H

#include <dynac/Runtime/dynac.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// What the model says about one picture.
struct Classification {
  struct Class {
    int index;
    float probability;
  };
  std::vector<Class> best;   ///< the five most probable classes, the first one most
  std::vector<float> scores; ///< the model's output, before softmax
  int worker;                ///< number of the thread that served the request
};

/// Serves requests with several threads. The model is loaded once and shared; each thread has a
/// context, that is to say its own scratch memory, which is reused from request to request.
class Classifier {
public:
  /// Loads the artifact. Throws dynac::Error if that fails or if the model classifies no pictures.
  explicit Classifier(const std::string &artifact, int workers = 1);
  /// Finishes the requests that were submitted.
  ~Classifier();
  Classifier(const Classifier &) = delete;
  Classifier &operator=(const Classifier &) = delete;

  /// Any thread may ask. A picture of the wrong shape or type makes the future throw dynac::Error,
  /// whose message says what is wrong; the service goes on.
  std::future<Classification> submit(dynac::Tensor picture);

  /// The same, waiting for the answer.
  Classification classify(dynac::Tensor picture) { return submit(std::move(picture)).get(); }

  const dynac::Model &model() const { return loaded; }

private:
  struct Request {
    dynac::Tensor picture;
    std::promise<Classification> answer;
  };

  void serve(int worker, dynac::Context context);

  dynac::Model loaded;
  std::mutex mutex; ///< guards the two members below
  std::deque<Request> queue;
  bool closing = false;
  std::condition_variable changed;
  std::vector<std::thread> threads;
};

#endif // DYNAC_EXAMPLES_RESNET50_CLASSIFIER_H
