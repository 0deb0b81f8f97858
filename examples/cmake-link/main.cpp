//===- main.cpp - a program with a model linked into it -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "xor_net.h"

#include <dynac/Runtime/dynac.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

/// Prints why a call failed and ends the program.
static void check(dynac_status_t *status) {
  if (!status)
    return;
  std::fprintf(stderr, "app: %s\n", dynac_status_message(status));
  int code = dynac_status_code(status);
  dynac_status_free(status);
  std::exit(code);
}

int main() {
  dynac_model_t *model = nullptr;
  dynac_context_t *context = nullptr;
  check(dynac_model_from_linked(&dynac_artifact_xor_net, nullptr, &model));
  check(dynac_context_create(model, &context));

  // The batch size was left open when the model was compiled.
  float x[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, y[4];
  int64_t shape[] = {4, 2};
  dynac_value_t input = {}, output = {};
  input.kind = output.kind = DYNAC_VALUE_TENSOR;
  input.as.tensor.data = x;
  input.as.tensor.dtype = DYNAC_F32;
  input.as.tensor.rank = 2;
  input.as.tensor.shape = shape;
  output.as.tensor.data = y;
  output.as.tensor.dtype = DYNAC_F32;
  output.as.tensor.bytes = sizeof(y);
  check(dynac_context_run(context, &input, 1, &output, 1));

  bool right = true;
  for (int i = 0; i < 4; ++i) {
    std::printf("%g xor %g = %g\n", x[i][0], x[i][1], y[i]);
    right &= std::fabs(y[i] - (x[i][0] != x[i][1])) < 1e-6f;
  }
  dynac_context_free(context);
  dynac_model_free(model);
  return right ? 0 : 1;
}
