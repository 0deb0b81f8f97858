//===- WeightStore.h - constants by reference -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants that `prim.weight` names by number. An entry is either bytes that somebody else
// keeps (a mapped file) or a derivation: a function of other entries, run when its bytes are asked
// for. So folding and packing of weights cost no memory until the artifact is written.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_WEIGHTSTORE_H
#define DYNAC_DIALECT_PRIM_WEIGHTSTORE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dynac {

/// Bytes of a weight in row-major order: bool one byte, 4-bit types packed low nibble first.
using WeightBytes = llvm::ArrayRef<char>;

class WeightStore {
public:
  using Derive = std::function<llvm::Error(llvm::ArrayRef<WeightBytes> inputs,
                                           llvm::MutableArrayRef<char> out)>;

  /// An entry whose `bytes` outlive the store. Returns its number.
  int64_t add(std::string name, mlir::RankedTensorType type, WeightBytes bytes);
  /// An entry whose bytes the store keeps.
  int64_t addOwned(std::string name, mlir::RankedTensorType type, std::vector<char> bytes);
  /// An entry of `bytes` bytes computed from `inputs` by `derive`, which must be deterministic and
  /// use no code that depends on the compiling CPU.
  int64_t derive(std::string name, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> inputs,
                 Derive derive);

  size_t size() const { return entries.size(); }
  const std::string &name(int64_t id) const { return entries[id].name; }
  mlir::RankedTensorType type(int64_t id) const { return entries[id].type; }
  /// Size of the entry's bytes.
  int64_t byteSize(int64_t id) const;
  /// The bytes if they are at hand without computing, else nothing.
  std::optional<WeightBytes> view(int64_t id) const;
  /// Writes the entry's bytes into `out` (of byteSize bytes).
  llvm::Error materialize(int64_t id, llvm::MutableArrayRef<char> out) const;

private:
  struct Entry {
    std::string name;
    mlir::RankedTensorType type;
    WeightBytes bytes;
    std::vector<char> owned;
    std::vector<int64_t> inputs;
    Derive derive;
  };
  std::vector<Entry> entries;
};

/// Bytes of one element, or of `count` elements, of `type` as weights and tensors hold them.
int64_t elementBytes(mlir::Type elementType, int64_t count = 1);

} // namespace dynac

#endif // DYNAC_DIALECT_PRIM_WEIGHTSTORE_H
