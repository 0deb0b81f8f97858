//===- ArtifactTables.h - a plan as constant data -------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_COMMON_ARTIFACTTABLES_H
#define DYNAC_LIB_TARGET_COMMON_ARTIFACTTABLES_H

#include "RelocatableObject.h"
#include "dynac/Target/Common/ArtifactWriter.h"

namespace dynac {

/// Where each weight lies in the weights region.
struct WeightsLayout {
  std::vector<int64_t> offsets; ///< multiples of 64, in table order
  uint64_t bytes = 0;
};
WeightsLayout layOutWeights(llvm::ArrayRef<PlanWeight> weights);

/// The structs of abi.h for a plan, in two sections: one without addresses, which all processes
/// share, and one with addresses, which is read-only after relocation.
class ArtifactTables {
public:
  /// `weightsFile` is for DYNAC_WEIGHTS_EXTERNAL.
  ArtifactTables(const Plan &plan, const WeightsLayout &layout, dynac_weights_kind_t weightsKind,
                 llvm::StringRef weightsFile);

  /// Adds both sections and the exported symbol `name`; for DYNAC_WEIGHTS_POINTER also the weights'
  /// section, as the trailing one. The object refers to the bytes in here.
  void addTo(RelocatableObject &object, llvm::StringRef name) const;

private:
  /// A place in one of the two sections, or a symbol of the kernels, or the weights.
  struct Place {
    enum Kind { Null, Shared, Linked, Symbol, Weights } kind = Null;
    uint64_t offset = 0;
    llvm::StringRef symbol = {};
  };
  struct Pointer {
    uint64_t at; ///< in the linked section
    Place to;
  };
  template <typename T> struct Row;

  Place string(llvm::StringRef text);
  template <typename T> Place shared(llvm::ArrayRef<T> values);
  template <typename T, typename Items, typename Fill> Place rows(const Items &items, Fill fill);
  Place pointers(llvm::ArrayRef<Place> places);
  Place strings(llvm::ArrayRef<std::string> texts);

  Place values(llvm::ArrayRef<PlanValue> values);
  Place kernels(const Plan &plan);
  Place steps(const Plan &plan);
  Place weights(const Plan &plan, const WeightsLayout &layout);

  std::string sharedBytes, linkedBytes;
  std::vector<Pointer> addresses;
  llvm::StringMap<uint64_t> knownStrings, knownArrays; ///< bytes → offset in the shared section
  uint64_t artifactOffset = 0;
  uint64_t weightsBytes = 0;
};

} // namespace dynac

#endif // DYNAC_LIB_TARGET_COMMON_ARTIFACTTABLES_H
