//===- DLPack.hpp - the structs of the DLPack exchange ABI ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts that the DLPack standard (dmlc.github.io/dlpack, version 1) fixes. Include the
// project's own dlpack.h first and its types are used; otherwise these are, in a namespace, so that
// it may still be included later: a pointer to one may be cast to a pointer to the other.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_RUNTIME_DLPACK_HPP
#define DYNAC_RUNTIME_DLPACK_HPP

#include "dynac/Runtime/abi.h"

namespace dynac::dlpack {

#ifdef DLPACK_DLPACK_H_

using ::DLDataType;
using ::DLManagedTensor;
using ::DLManagedTensorVersioned;
using ::DLTensor;

#else

struct DLPackVersion {
  uint32_t major, minor;
};

struct DLDevice {
  int32_t device_type; // 1: CPU, 2: CUDA
  int32_t device_id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null: row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

#endif

/// The major version of the ABI that is understood.
constexpr uint32_t versionMajor = 1;

/// One row per element type: DLPack's type code and bits.
struct TypeRow {
  dynac_dtype_t dtype;
  uint8_t code, bits;
};

inline constexpr TypeRow typeRows[] = {
    {DYNAC_I8, 0, 8},          {DYNAC_I16, 0, 16},        {DYNAC_I32, 0, 32},
    {DYNAC_I64, 0, 64},        {DYNAC_U8, 1, 8},          {DYNAC_U16, 1, 16},
    {DYNAC_U32, 1, 32},        {DYNAC_U64, 1, 64},        {DYNAC_F16, 2, 16},
    {DYNAC_F32, 2, 32},        {DYNAC_F64, 2, 64},        {DYNAC_BF16, 4, 16},
    {DYNAC_C64, 5, 64},        {DYNAC_C128, 5, 128},      {DYNAC_BOOL, 6, 8},
    {DYNAC_F8E4M3FN, 10, 8},   {DYNAC_F8E4M3FNUZ, 11, 8}, {DYNAC_F8E5M2, 12, 8},
    {DYNAC_F8E5M2FNUZ, 13, 8}, {DYNAC_F8E8M0, 14, 8},
};

/// DYNAC_DTYPE_INVALID for vector lanes and types that dynac does not have.
inline dynac_dtype_t fromDataType(const DLDataType &type) {
  for (const TypeRow &row : typeRows)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1)
      return row.dtype;
  return DYNAC_DTYPE_INVALID;
}

/// False for packed and string types.
inline bool toDataType(dynac_dtype_t dtype, DLDataType &type) {
  for (const TypeRow &row : typeRows)
    if (row.dtype == dtype) {
      type.code = row.code;
      type.bits = row.bits;
      type.lanes = 1;
      return true;
    }
  return false;
}

} // namespace dynac::dlpack

#endif // DYNAC_RUNTIME_DLPACK_HPP
