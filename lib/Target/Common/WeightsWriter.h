//===- WeightsWriter.h - streams weights into an output file --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_COMMON_WEIGHTSWRITER_H
#define DYNAC_LIB_TARGET_COMMON_WEIGHTSWRITER_H

#include "ArtifactTables.h"
#include "dynac/Support/OutputFile.h"

namespace dynac {

/// Called with bytes done and bytes in all.
using WeightsProgress = std::function<void(uint64_t done, uint64_t total)>;

/// Appends the weights region to `file`, each weight made right in the mapped file: what is in
/// anonymous memory at a time is what one `PlanWeight::fill` itself holds.
llvm::Error writeWeights(OutputFile &file, llvm::ArrayRef<PlanWeight> weights,
                         const WeightsLayout &layout, const WeightsProgress &progress);

/// The head of a .safetensors file with these weights: the length and the JSON, padded to a
/// multiple of 4096. The format allows no holes, so the gaps between weights are tensors of their
/// own.
std::string safetensorsHead(llvm::ArrayRef<PlanWeight> weights, const WeightsLayout &layout,
                            uint64_t irHash);

} // namespace dynac

#endif // DYNAC_LIB_TARGET_COMMON_WEIGHTSWRITER_H
