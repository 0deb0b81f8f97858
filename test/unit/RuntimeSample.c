/*===- RuntimeSample.c - an artifact written by hand, as a shared library ---===*\
|*                                                                            *|
|* Part of dynac, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* y[4] = x[4] * w[4]. The test appends the weights and the trailer, or puts them beside the file. */

#include "dynac/Runtime/abi.h"

#include <stddef.h>

#ifndef SAMPLE_WEIGHTS
#define SAMPLE_WEIGHTS DYNAC_WEIGHTS_TRAILER
#endif

/* The weight lies at the end of them. */
#ifndef SAMPLE_WEIGHT_BYTES
#define SAMPLE_WEIGHT_BYTES 80
#endif

static int32_t multiply(const dynac_kernel_args_t *args, int64_t begin, int64_t end) {
  const float *x = args->buffers[0], *w = args->buffers[1];
  float *y = args->buffers[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * w[i];
  return 0;
}

static const dynac_expr_t exprs[] = {{DYNAC_EXPR_CONST, 0, 0, 0, 4}, {DYNAC_EXPR_CONST, 0, 0, 0, 16}};
static const int32_t dims[] = {0}, operands[] = {0, 1, 2};
static const dynac_value_info_t inputs[] = {{"x", DYNAC_F32, 1, dims, 0, -1}};
static const dynac_value_info_t outputs[] = {{"y", DYNAC_F32, 1, dims, 2, -1}};
static const dynac_buffer_t buffers[] = {{DYNAC_BUFFER_INPUT, 0, DYNAC_F32, 1, 0, 0},
                                         {DYNAC_BUFFER_WEIGHT, 0, DYNAC_F32, 1, 0, 0},
                                         {DYNAC_BUFFER_OUTPUT, 0, DYNAC_F32, 1, 0, 0}};
static const int64_t shape[] = {4};
static const dynac_weight_t weights[] = {{"w", DYNAC_F32, 1, shape, SAMPLE_WEIGHT_BYTES - 16, 16}};
static const dynac_target_t targets[] = {{"x86-64-v2", DYNAC_CPU_V2, 0}};
static const dynac_kernel_fn bodies[] = {multiply};
static const dynac_kernel_t kernels[] = {{"multiply", "pointwise", bodies, 0}};
static const dynac_step_t steps[] = {
    {DYNAC_STEP_KERNEL, 0, -1, 0, operands, NULL, 3, 0, 1, "Mul_0"}};
static const dynac_block_t blocks[] = {{0, 1}};

__attribute__((visibility("default"))) const dynac_artifact_t dynac_artifact = {
    .magic = DYNAC_ABI_MAGIC,
    .abi = DYNAC_ABI_VERSION,
    .min_runtime_abi = 1,
    .struct_size = sizeof(dynac_artifact_t),
    .weights_kind = SAMPLE_WEIGHTS,
    .name = "sample",
    .compiler = "by hand",
    .ir_hash = 42,
    .inputs = inputs,
    .outputs = outputs,
    .exprs = exprs,
    .buffers = buffers,
    .weights = weights,
    .targets = targets,
    .kernels = kernels,
    .steps = steps,
    .blocks = blocks,
    .input_count = 1,
    .output_count = 1,
    .expr_count = 2,
    .buffer_count = 3,
    .weight_count = 1,
    .target_count = 1,
    .kernel_count = 1,
    .step_count = 1,
    .block_count = 1,
    .weights_file = "sample.safetensors",
    .weights_bytes = SAMPLE_WEIGHT_BYTES,
};
