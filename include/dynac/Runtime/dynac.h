/*===- dynac.h - the C API of the dynac runtime -----------------------------===*\
|*                                                                            *|
|* Part of dynac, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads artifacts that the dynac compiler wrote and runs them:               *|
|*                                                                            *|
|*   dynac_model_t *model; dynac_context_t *context;                          *|
|*   dynac_status_t *s = dynac_model_load("resnet50.so", NULL, &model);       *|
|*   if (!s) s = dynac_context_create(model, &context);                       *|
|*   if (!s) s = dynac_context_run(context, &input, 1, &output, 1);           *|
|*   if (s) { puts(dynac_status_message(s)); dynac_status_free(s); }          *|
|*                                                                            *|
|* A function that can fail returns a status: NULL on success, otherwise an   *|
|* object that the caller frees. Handles are opaque. One model may be used by *|
|* any number of threads at once; a context by one thread at a time.          *|
|* Structs with a `struct_size` and arrays of records are append-only.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DYNAC_RUNTIME_DYNAC_H
#define DYNAC_RUNTIME_DYNAC_H

#include "dynac/Runtime/abi.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DYNAC_API __attribute__((visibility("default")))
#else
#define DYNAC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dynac_status dynac_status_t;
typedef struct dynac_model dynac_model_t;
typedef struct dynac_context dynac_context_t;

/* ---- Status ---- */

/* The same numbers as the exit codes of the `dynac` program. */
typedef enum dynac_code {
  DYNAC_OK = 0,
  DYNAC_USAGE = 2,     /* a wrong argument: NULL handle, context in use, unknown option */
  DYNAC_SIGNATURE = 5, /* shapes, dtypes or values do not fit the model's signature */
  DYNAC_DEVICE = 6,    /* no such device, or no code in the artifact for it */
  DYNAC_IO = 7,        /* reading a file or allocating memory failed */
  DYNAC_MISMATCH = 8   /* artifact and runtime do not match, or the artifact is damaged */
} dynac_code_t;

/* Never NULL: "" for a NULL status. Valid until the status is freed. */
DYNAC_API const char *dynac_status_message(const dynac_status_t *status);
/* A dynac_code_t; DYNAC_OK for a NULL status. */
DYNAC_API int32_t dynac_status_code(const dynac_status_t *status);
/* NULL is fine. */
DYNAC_API void dynac_status_free(dynac_status_t *status);

/* ---- Versions ---- */

DYNAC_API const char *dynac_version(void);      /* "0.1.0" */
DYNAC_API uint32_t dynac_abi_version(void);     /* newest artifact ABI that this library runs */
/* The best target name that this CPU (and $DYNAC_ISA) allows, "x86-64-v4" say; "none" below x86-64-v2. */
DYNAC_API const char *dynac_cpu_level_name(void);
/* The CPUs that this process may use: affinity mask and cgroup quota; at least 1. */
DYNAC_API int32_t dynac_available_threads(void);

/* ---- Element types ---- */

DYNAC_API const char *dynac_dtype_name(int32_t dtype);  /* "f32", "bool", ...; "invalid" */
DYNAC_API int32_t dynac_dtype_parse(const char *name);  /* DYNAC_DTYPE_INVALID if there is none */
DYNAC_API int32_t dynac_dtype_bits(int32_t dtype);      /* 32, 4, ...; 0 if invalid; a string counts 128 */
/* Bytes of `count` contiguous elements; -1 if dtype is invalid, count negative or the result too large. */
DYNAC_API int64_t dynac_dtype_bytes(int32_t dtype, int64_t count);
/* Elements of a real, floating or integer type as doubles and back (round to nearest even, integers saturate);
 * 0 on success, 1 for complex and string types. Elements [first, first + count) of a contiguous array. */
DYNAC_API int32_t dynac_dtype_to_f64(int32_t dtype, const void *src, int64_t first, int64_t count, double *dst);
DYNAC_API int32_t dynac_dtype_from_f64(int32_t dtype, const double *src, int64_t count, void *dst);

/* ---- Values ---- */

typedef enum dynac_value_kind {
  DYNAC_VALUE_NONE = 0, /* of an output: the context provides the memory */
  DYNAC_VALUE_TENSOR = 1,
  DYNAC_VALUE_STRINGS = 2,
  DYNAC_VALUE_SEQUENCE = 3,
  DYNAC_VALUE_OPTIONAL = 4,
  DYNAC_VALUE_MAP = 5
} dynac_value_kind_t;

/* The numbers are those of DLPack. */
typedef enum dynac_device_kind { DYNAC_DEVICE_CPU = 1, DYNAC_DEVICE_CUDA = 2 } dynac_device_kind_t;

/* A view of a tensor; whoever made it owns the memory.
 *
 * Input: `data`, `dtype`, `rank`, `shape`; `strides` NULL means row-major. A non-contiguous or misaligned input is
 * copied. `bytes` 0 means "as large as shape and dtype say"; otherwise it is checked.
 * Caller's output: `data`, `dtype`, `bytes` (size of the memory) and optionally `shape`, which then has to be the
 * output's shape. After the run `rank` and `shape` tell the real shape (`shape` then points to the context's memory
 * unless the caller gave one).
 * Context's output: kind DYNAC_VALUE_NONE; the run fills in everything (`strides` is NULL unless the output grows, see
 * dynac_model_output_capacity); valid until the context's next run, to which the same value may be passed again. */
typedef struct dynac_tensor {
  void *data;
  int32_t dtype;          /* dynac_dtype_t */
  int32_t rank;
  const int64_t *shape;   /* rank extents */
  const int64_t *strides; /* rank byte strides, or NULL: row-major contiguous (always for packed types) */
  int64_t bytes;
  int32_t device;         /* dynac_device_kind_t; 0 means CPU */
  int32_t device_id;
} dynac_tensor_t;

/* One string of a string tensor; not NUL-terminated. */
typedef struct dynac_string {
  const char *data;
  size_t length;
} dynac_string_t;

typedef struct dynac_strings {
  const dynac_string_t *data;
  int32_t rank;
  int32_t reserved;
  const int64_t *shape;
} dynac_strings_t;

struct dynac_value;
typedef struct dynac_sequence {
  const struct dynac_value *items;
  size_t count;
} dynac_sequence_t;
typedef struct dynac_optional {
  const struct dynac_value *value; /* NULL: empty */
} dynac_optional_t;
typedef struct dynac_map {
  const struct dynac_value *keys, *values; /* `count` of each */
  size_t count;
} dynac_map_t;

/* Zero-initialise: `dynac_value_t v = {0};`. */
typedef struct dynac_value {
  int32_t kind;     /* dynac_value_kind_t */
  int32_t borrowed; /* 1: set by a context whose memory this is; as an output it then counts as DYNAC_VALUE_NONE */
  union {
    dynac_tensor_t tensor;
    dynac_strings_t strings;
    dynac_sequence_t sequence;
    dynac_optional_t optional;
    dynac_map_t map;
  } as;
} dynac_value_t;

/* ---- Options ---- */

typedef enum dynac_pool {
  DYNAC_POOL_SHARED = 0, /* the process's pool, one for all models */
  DYNAC_POOL_OWN = 1     /* threads of this model's own */
} dynac_pool_t;

typedef enum dynac_log_level { DYNAC_LOG_INFO = 1, DYNAC_LOG_WARNING = 2 } dynac_log_level_t;

/* The host's services; a NULL function means dynac's own. They must not throw and may be called by any thread. */
typedef struct dynac_callbacks {
  uint32_t struct_size; /* sizeof(dynac_callbacks_t) */
  uint32_t reserved;
  void *user;           /* passed to each */
  /* Calls body(arg, i) for every i in [0, count), each once, on any threads, and returns after the last. */
  void (*parallel_for)(void *user, int64_t count, void (*body)(void *arg, int64_t index), void *arg);
  void *(*allocate)(void *user, size_t bytes, size_t alignment); /* NULL when out of memory */
  void (*deallocate)(void *user, void *memory, size_t bytes);
  void (*log)(void *user, int32_t level, const char *message);
} dynac_callbacks_t;

typedef struct dynac_load_options {
  uint32_t struct_size; /* sizeof(dynac_load_options_t) */
  int32_t threads;      /* that work on one run; 0: as many as dynac_available_threads() */
  int32_t pool;         /* dynac_pool_t */
  int32_t device;       /* dynac_device_kind_t; 0: CPU */
  int32_t device_id;
  int32_t reserved;
  void *stream;         /* CUstream, or NULL */
  const dynac_callbacks_t *callbacks; /* or NULL; read during the load only */
  const char *isa;      /* "x86-64-v3", ...: run at most this level, as $DYNAC_ISA does; or NULL */
} dynac_load_options_t;

#define DYNAC_LOAD_OPTIONS_INIT {sizeof(dynac_load_options_t), 0, DYNAC_POOL_SHARED, 0, 0, 0, NULL, NULL, NULL}

/* ---- Models ---- */

/* Loads an artifact (.so). `options` may be NULL. Errors: DYNAC_IO (no such file), DYNAC_MISMATCH (not an artifact,
 * damaged, or newer than this library), DYNAC_DEVICE (no code for this CPU). */
DYNAC_API dynac_status_t *dynac_model_load(const char *path, const dynac_load_options_t *options,
                                           dynac_model_t **out_model);
/* The same for an artifact that is linked into the program (`dynac_artifact_NAME`). */
DYNAC_API dynac_status_t *dynac_model_from_linked(const dynac_artifact_t *artifact,
                                                  const dynac_load_options_t *options,
                                                  dynac_model_t **out_model);
/* Contexts keep their model alive; NULL is fine. */
DYNAC_API void dynac_model_free(dynac_model_t *model);

/* ---- Signature ---- Everything returned is valid while the model (or one of its contexts) lives. */

typedef struct dynac_value_desc {
  const char *name;
  int32_t kind;             /* dynac_value_kind_t */
  int32_t dtype;            /* dynac_dtype_t */
  int32_t rank;
  int32_t alias_input;      /* outputs: number of the input that it updates in place, or -1 */
  const char *const *dims;  /* each extent as text: "3", "batch", "seq*2" */
  const int64_t *extents;   /* each extent, -1 where it depends on the inputs */
} dynac_value_desc_t;

typedef struct dynac_symbol_desc {
  const char *name;
  int64_t min, max; /* inclusive; max INT64_MAX: unbounded */
  int64_t multiple_of;
  int32_t data_dependent; /* 1: known only after a run */
  int32_t reserved;
} dynac_symbol_desc_t;

DYNAC_API size_t dynac_model_input_count(const dynac_model_t *model);
DYNAC_API size_t dynac_model_output_count(const dynac_model_t *model);
DYNAC_API size_t dynac_model_symbol_count(const dynac_model_t *model);
/* DYNAC_USAGE if there is no such number. */
DYNAC_API dynac_status_t *dynac_model_input(const dynac_model_t *model, size_t index, dynac_value_desc_t *out);
DYNAC_API dynac_status_t *dynac_model_output(const dynac_model_t *model, size_t index, dynac_value_desc_t *out);
DYNAC_API dynac_status_t *dynac_model_symbol(const dynac_model_t *model, size_t index, dynac_symbol_desc_t *out);
/* Of an output that appends to the input it updates (compiled with --alias IN=OUT:capacity=N), as KV caches do: the
 * axis along which it grows and the capacity N; *axis is -1 for other outputs. DYNAC_USAGE if there is no such number.
 *
 * Such a pair has its full speed in memory of the shape with N for the extent of that axis, row-major. The caller
 * states the true shapes and the strides of that memory (dynac_context_infer gives an output's strides, and in `bytes`
 * how much memory they need), the same `data` for both, and a run writes only what is new:
 *
 *   past:    data, shape {1, 12, P, 64},     strides {12 * N * 64 * 4, N * 64 * 4, 64 * 4, 4}
 *   present: data, shape {1, 12, P + 1, 64}, the same strides
 *
 * All of that memory has to be there. Or let the context own it: its output has these strides, and passed as the next
 * run's input it is not copied. An input with other strides (NULL: row-major without gaps) or in other memory is copied
 * before the run, an output with other strides after it. A run that would exceed N is refused (DYNAC_SIGNATURE). */
DYNAC_API dynac_status_t *dynac_model_output_capacity(const dynac_model_t *model, size_t index, int32_t *axis,
                                                      int64_t *capacity);
/* The number of the input or output with this name, or SIZE_MAX. */
DYNAC_API size_t dynac_model_find_input(const dynac_model_t *model, const char *name);
DYNAC_API size_t dynac_model_find_output(const dynac_model_t *model, const char *name);
/* The checked tables: kernels, steps, weights, versions. Fields that came with a later ABI than its `abi` are not there. */
DYNAC_API const dynac_artifact_t *dynac_model_artifact(const dynac_model_t *model);
/* The name of the artifact's target that was chosen for this CPU. */
DYNAC_API const char *dynac_model_target(const dynac_model_t *model);
/* The threads that work on one run at most. */
DYNAC_API int32_t dynac_model_threads(const dynac_model_t *model);
/* Start of the weights region (NULL if there is none); weight i is at weights[i].offset. */
DYNAC_API const void *dynac_model_weights(const dynac_model_t *model);

/* ---- Contexts ---- */

/* What one thread needs to run the model: arena, scratch, shape plans. */
DYNAC_API dynac_status_t *dynac_context_create(dynac_model_t *model, dynac_context_t **out_context);
DYNAC_API void dynac_context_free(dynac_context_t *context);

/* Runs the model. Inputs and outputs in the signature's order; the counts have to be the signature's. When the
 * inputs or outputs are refused (DYNAC_SIGNATURE), no output has been touched. A failure in the middle of a run (an
 * index out of range in the data, say) leaves outputs undefined. */
DYNAC_API dynac_status_t *dynac_context_run(dynac_context_t *context, const dynac_value_t *inputs, size_t input_count,
                                            dynac_value_t *outputs, size_t output_count);
/* Checks the inputs as a run does and gives every output's dtype, rank, shape and bytes, without running; -1 for
 * what only the run can tell. An output that grows has strides, and its bytes are those of its capacity. `shape` and
 * `strides` point to the context's memory until its next call. */
DYNAC_API dynac_status_t *dynac_context_infer(dynac_context_t *context, const dynac_value_t *inputs,
                                              size_t input_count, dynac_value_t *outputs, size_t output_count);

/* Bytes of the arena that the last run used, and that the context holds in all (arena, scratch, copies, outputs). */
DYNAC_API int64_t dynac_context_arena_bytes(const dynac_context_t *context);
DYNAC_API int64_t dynac_context_total_bytes(const dynac_context_t *context);

/* Called after each step of a run, on the running thread. Times in nanoseconds of CLOCK_MONOTONIC. `dims` are the
 * values of the step's dimension slots and `extent` its work units (0: skipped). */
typedef struct dynac_step_event {
  int32_t step; /* number in the artifact's steps */
  int32_t pieces; /* parallel pieces that it ran in */
  int64_t begin_ns, end_ns;
  int64_t extent;
  const int64_t *dims;
  const int64_t *buffer_bytes; /* of the step's buffers, in its order */
  void *const *buffers;        /* their memory, which the next step may change */
  int64_t flops, bytes, weight_bytes; /* as of dynac_step_work_t; -1: not known */
} dynac_step_event_t;
typedef void (*dynac_step_fn)(void *user, const dynac_step_event_t *event);
/* NULL switches it off. Without it a run reads no clock. */
DYNAC_API void dynac_context_set_step_callback(dynac_context_t *context, dynac_step_fn callback, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DYNAC_RUNTIME_DYNAC_H */
