/*===- abi.h - the struct that a dynac artifact exports --------------------===*\
|*                                                                            *|
|* Part of dynac, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* An artifact (.so, .o or .a) is compiled kernels plus constant tables: the  *|
|* signature, the symbolic dimension program, the buffers, the steps that run *|
|* kernels over buffers, and the weights. It exports one symbol, the address  *|
|* of a `dynac_artifact_t` (`dynac_artifact` in a .so, `dynac_artifact_NAME`  *|
|* in a .o or .a). The runtime reads the tables and calls the kernels.        *|
|*                                                                            *|
|* The layout is append-only: a field is never removed or given another       *|
|* meaning; new fields go at the end of a struct and raise the ABI number,    *|
|* and the runtime reads them only when `struct_size`/`abi` cover them.       *|
|* Every array is constant, and strings are NUL-terminated UTF-8.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DYNAC_RUNTIME_ABI_H
#define DYNAC_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYNAC_ABI_VERSION 3u
#define DYNAC_ABI_MAGIC 0x3143414E5944ull /* "DYNAC1" little-endian */

/* Element types. The numbers are part of the ABI.
 * Types below a byte are packed wherever a caller, a file or a weight holds them, as ONNX packs raw_data: element i is
 * in the bits i % (8 / bits) * bits of byte i / (8 / bits), and what is left of the last byte is zero. An input or
 * output of such a type is a buffer of bytes; kernels unpack and pack whole bytes, and what they pass on to each other
 * holds one element in each byte (DYNAC_U8). */
typedef enum dynac_dtype {
  DYNAC_DTYPE_INVALID = 0,
  DYNAC_F32 = 1, DYNAC_F64 = 2, DYNAC_F16 = 3, DYNAC_BF16 = 4,
  DYNAC_I8 = 5, DYNAC_I16 = 6, DYNAC_I32 = 7, DYNAC_I64 = 8,
  DYNAC_U8 = 9, DYNAC_U16 = 10, DYNAC_U32 = 11, DYNAC_U64 = 12,
  DYNAC_BOOL = 13, /* one byte, 0 or 1 */
  DYNAC_F8E4M3FN = 14, DYNAC_F8E4M3FNUZ = 15, DYNAC_F8E5M2 = 16, DYNAC_F8E5M2FNUZ = 17,
  DYNAC_F8E8M0 = 18,
  DYNAC_I4 = 19, DYNAC_U4 = 20, DYNAC_F4E2M1 = 21, DYNAC_I2 = 22, DYNAC_U2 = 23, /* packed */
  DYNAC_C64 = 24, DYNAC_C128 = 25, DYNAC_STRING = 26
} dynac_dtype_t;

/* ---- Dimension program ---------------------------------------------------
 * Slots of signed 64-bit values. Slot i is computed by exprs[i] from earlier
 * slots, so evaluating the array in order computes everything. A symbol slot
 * gets its value from an input's shape or, during a run, from a
 * DYNAC_STEP_BIND_DIM step; slots that (transitively) use a symbol that is not
 * yet bound are evaluated after that step. */
typedef enum dynac_expr_op {
  DYNAC_EXPR_CONST = 0,     /* imm */
  DYNAC_EXPR_SYMBOL = 1,    /* symbols[imm] */
  DYNAC_EXPR_ADD = 2, DYNAC_EXPR_SUB = 3, DYNAC_EXPR_MUL = 4, /* a ? b */
  DYNAC_EXPR_FLOORDIV = 5, DYNAC_EXPR_MOD = 6, /* floor semantics; b > 0 */
  DYNAC_EXPR_MIN = 7, DYNAC_EXPR_MAX = 8
} dynac_expr_op_t;

typedef struct dynac_expr {
  int32_t op;   /* dynac_expr_op_t */
  int32_t a, b; /* slot numbers */
  int32_t pad;
  int64_t imm;
} dynac_expr_t;

/* A symbolic dimension; `min`..`max` inclusive (max INT64_MAX: unbounded). */
typedef struct dynac_symbol {
  const char *name;
  int64_t min, max, multiple_of; /* multiple_of >= 1 */
  int32_t slot;                  /* its DYNAC_EXPR_SYMBOL slot */
  int32_t data_dependent;        /* 1: bound by a step, 0: bound at entry */
} dynac_symbol_t;

/* ---- Signature ---- */
typedef struct dynac_value_info {
  const char *name;
  int32_t dtype;            /* dynac_dtype_t */
  int32_t rank;
  const int32_t *dim_slots; /* rank slots; a data-dependent output's slots are valid after the run */
  int32_t buffer;           /* index into buffers */
  int32_t alias_input;      /* outputs: the input it updates in place, or -1 */
} dynac_value_info_t;

/* ABI 3: output `output`, which updates input `input`, is that input with more behind it along `axis`. Both have the
 * memory of a row-major tensor of their shape with `capacity` for the extent of `axis`, of which they are the first
 * elements along it; their buffers have its size. All other extents of the two are equal. */
typedef struct dynac_growth {
  int32_t input, output;
  int32_t axis, reserved;
  int64_t capacity;
} dynac_growth_t;

/* ---- Buffers ---- */
typedef enum dynac_buffer_kind {
  DYNAC_BUFFER_INPUT = 0,  /* the caller's memory; index = input number */
  DYNAC_BUFFER_OUTPUT = 1, /* the caller's or the context's memory; index = output number */
  DYNAC_BUFFER_WEIGHT = 2, /* index = weight number */
  DYNAC_BUFFER_ARENA = 3,  /* planned by liveness over [first_step, last_step] */
  DYNAC_BUFFER_ALIAS = 4   /* the same memory as buffer `index`, offset 0 (a reshape) */
} dynac_buffer_kind_t;

typedef struct dynac_buffer {
  int32_t kind;       /* dynac_buffer_kind_t */
  int32_t index;
  int32_t dtype;
  int32_t bytes_slot; /* slot with its size in bytes */
  int32_t first_step; /* arena buffers: first step that writes it … */
  int32_t last_step;  /* … and last step that reads it (both inclusive); an alias extends its target */
} dynac_buffer_t;

/* ---- Kernels ---- */
typedef struct dynac_kernel_args {
  void *const *buffers; /* the step's buffers, in its order */
  const int64_t *dims;  /* the step's dimension slots' values, in its order */
  void *scratch;        /* the kernel's scratch_bytes, private to the calling thread, 64-byte aligned */
} dynac_kernel_args_t;

/* Runs work units [begin, end) of the step's extent. Returns 0, or 1 + an index into the artifact's
 * `messages` (an index out of range, say); the first non-zero result stops the run. */
typedef int32_t (*dynac_kernel_fn)(const dynac_kernel_args_t *args, int64_t begin, int64_t end);

typedef struct dynac_kernel {
  const char *name;              /* unique within the artifact */
  const char *kind;              /* region kind: pointwise, reduce, gemm, conv, ... */
  const dynac_kernel_fn *bodies; /* one per artifact target; NULL entry: use the nearest lower target */
  int64_t scratch_bytes;
} dynac_kernel_t;

/* ---- Steps ---- */
typedef enum dynac_step_kind {
  DYNAC_STEP_KERNEL = 0,   /* kernels[index] over [0, slot(extent_slot)) in pieces of at least `grain` units */
  DYNAC_STEP_COPY = 1,     /* buffers[1] = buffers[0], whole */
  DYNAC_STEP_BIND_DIM = 2, /* symbols[index] = element dims[0] (a slot holding the element number) of integer
                              buffer buffers[0]; checked against the symbol's range; then dependent slots are evaluated */
  DYNAC_STEP_IF = 3,       /* boolean buffers[0]: block `index` if true, else block `index2` (-1: nothing) */
  DYNAC_STEP_WHILE = 4,    /* run block `index` while boolean buffers[0] is true (tested first) */
  DYNAC_STEP_HOST = 5,     /* host kernel named host_kernels[index] of the runtime */
  DYNAC_STEP_CHECK = 6     /* fails with messages[index] unless slot dims[0] is non-zero */
} dynac_step_kind_t;

typedef struct dynac_step {
  int32_t kind;           /* dynac_step_kind_t */
  int32_t index, index2;
  int32_t extent_slot;    /* DYNAC_STEP_KERNEL: slot with the number of work units */
  const int32_t *buffers; /* buffer numbers */
  const int32_t *dims;    /* slot numbers */
  int32_t buffer_count, dim_count;
  int64_t grain;          /* units per piece, at least 1 */
  const char *name;       /* the model's node name(s), for messages and profiles */
} dynac_step_t;

/* What one execution of a step computes and moves, for profiles. Slots are -1 where it is not known. */
typedef struct dynac_step_work {
  int32_t flops_slot;        /* operations of its kernel; a multiplication and an addition are two */
  int32_t bytes_slot;        /* read and written, without weights; what is taken of an operand, not all of it */
  int32_t weight_bytes_slot; /* read of weights */
  int32_t factor;            /* dynac_dtype_t of what its products multiply; DYNAC_DTYPE_INVALID: not known */
  int32_t first_result;      /* of the step's buffers the first that it writes, or -1 … */
  int32_t result_count;      /* … and their number; after them come temporaries */
} dynac_step_work_t;

/* Steps [begin, end). Block 0 is the entry. Step numbers in liveness ranges index the whole array, blocks laid
 * out one after the other; a buffer that a nested block uses lives over the whole step that runs the block. */
typedef struct dynac_block {
  int32_t begin, end;
} dynac_block_t;

/* ---- Weights ---- */
typedef struct dynac_weight {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *shape;
  int64_t offset, bytes; /* within the weights region; offset is a multiple of 64 */
} dynac_weight_t;

/* Where the weights region is. */
typedef enum dynac_weights_kind {
  DYNAC_WEIGHTS_TRAILER = 0,  /* at the end of the artifact's own file: see dynac_trailer_t */
  DYNAC_WEIGHTS_POINTER = 1,  /* at `weights_data` (.o, .a) */
  DYNAC_WEIGHTS_EXTERNAL = 2  /* in file `weights_file`, a .safetensors beside the artifact */
} dynac_weights_kind_t;

/* The last 64 bytes of a .so with DYNAC_WEIGHTS_TRAILER. The region is page-aligned (4096) in the file. */
typedef struct dynac_trailer {
  uint64_t magic;         /* DYNAC_ABI_MAGIC */
  uint64_t weights_offset, weights_bytes; /* from the start of the file */
  uint64_t file_bytes;    /* whole file, this trailer included: a truncated file is refused */
  uint64_t ir_hash;       /* the same as in dynac_artifact_t */
  uint64_t reserved[3];
} dynac_trailer_t;

/* ---- Targets ---- in rising order of preference; the runtime takes the last one that the CPU can run. */
typedef enum dynac_cpu_level {
  DYNAC_CPU_V2 = 2,            /* x86-64-v2: SSE4.2 */
  DYNAC_CPU_V3 = 3,            /* x86-64-v3: AVX2, FMA, F16C, BMI */
  DYNAC_CPU_V4 = 4,            /* x86-64-v4: AVX-512 F/BW/CD/DQ/VL */
  DYNAC_CPU_V4_BF16_VNNI = 5,  /* + AVX512-BF16, AVX512-VNNI */
  DYNAC_CPU_AMX = 6            /* + AMX-TILE, AMX-BF16, AMX-INT8 */
} dynac_cpu_level_t;

typedef struct dynac_target {
  const char *name;  /* "x86-64-v3", ... */
  int32_t cpu_level; /* dynac_cpu_level_t */
  int32_t reserved;
} dynac_target_t;

/* ---- The artifact ---- */
typedef struct dynac_artifact {
  uint64_t magic;           /* DYNAC_ABI_MAGIC */
  uint32_t abi;             /* DYNAC_ABI_VERSION of the compiler that wrote it */
  uint32_t min_runtime_abi; /* oldest runtime ABI that can run it */
  uint32_t struct_size;     /* sizeof(dynac_artifact_t) then */
  uint32_t weights_kind;    /* dynac_weights_kind_t */
  const char *name;         /* of the model */
  const char *compiler;     /* "dynac 0.1.0 (LLVM 19.1.7)" */
  uint64_t ir_hash;

  const dynac_value_info_t *inputs, *outputs;
  const dynac_symbol_t *symbols;
  const dynac_expr_t *exprs;
  const dynac_buffer_t *buffers;
  const dynac_weight_t *weights;
  const dynac_target_t *targets;
  const dynac_kernel_t *kernels;
  const dynac_step_t *steps;
  const dynac_block_t *blocks;
  const char *const *messages;
  const char *const *host_kernels; /* "name@version" */
  int32_t input_count, output_count, symbol_count, expr_count, buffer_count, weight_count, target_count,
      kernel_count, step_count, block_count, message_count, host_kernel_count;

  const void *weights_data;
  const char *weights_file;
  uint64_t weights_bytes;

  const dynac_step_work_t *work; /* ABI 2: one for each step */

  const dynac_growth_t *growths; /* ABI 3 */
  int32_t growth_count, reserved;
} dynac_artifact_t;

#ifdef __cplusplus
}
#endif

#endif /* DYNAC_RUNTIME_ABI_H */
