//===- EntryCheck.h - checks a caller's values against the signature --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_ENTRYCHECK_H
#define DYNAC_LIB_RUNTIME_ENTRYCHECK_H

#include "Model.h"

#include <string>

namespace dynac::rt {

/// Everything about input `index` but its extents: kind, dtype, rank, device, memory.
Status checkInput(const Model &model, int32_t index, const dynac_value_t &value);

/// Binds the symbols from the extents of (checked) inputs and compares every extent with the
/// signature; `values` then holds every slot that an entry can know. Errors: DYNAC_SIGNATURE, with
/// input, axis, what came and what is allowed.
Status bindShapes(const Model &model, const dynac_value_t *inputs, SlotValues &values);

/// Empty if `value` is in the symbol's range and a multiple as wanted, else what is allowed: `N
/// in 1..16`.
std::string allowedInstead(const dynac_symbol_t &symbol, int64_t value);

/// "[2, 3]".
std::string shapeText(const int64_t *shape, int32_t rank);

/// The extents of a tensor or string tensor.
const int64_t *shapeOf(const dynac_value_t &value);

/// The product of the extents, or -1 if one is negative or the product too large.
int64_t elementCount(const int64_t *shape, int32_t rank);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_ENTRYCHECK_H
