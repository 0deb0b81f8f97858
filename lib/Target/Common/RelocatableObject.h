//===- RelocatableObject.h - an x86-64 ELF object being put together ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins the objects of the code generator with dynac's own data sections into one object whose
// symbols are all local but the exported one. That needs no linker, keeps artifacts that are linked
// into one program apart, and lets a section's bytes be written after the rest of the file.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_COMMON_RELOCATABLEOBJECT_H
#define DYNAC_LIB_TARGET_COMMON_RELOCATABLEOBJECT_H

#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynac {

class RelocatableObject {
public:
  using SymbolId = uint32_t;

  struct Relocation {
    uint64_t offset;
    uint32_t type; ///< R_X86_64_*
    SymbolId symbol;
    int64_t addend;
  };
  struct Section {
    std::string name;
    uint32_t type = llvm::ELF::SHT_PROGBITS;
    uint64_t flags = llvm::ELF::SHF_ALLOC;
    uint64_t align = 1, entrySize = 0;
    uint64_t size = 0;
    llvm::StringRef data; ///< `size` bytes; empty for SHT_NOBITS and for the trailing section
    std::vector<Relocation> relocations;
  };
  struct Symbol {
    std::string name;
    uint8_t type = llvm::ELF::STT_NOTYPE;
    bool global = false;
    /// Index of the section it is defined in, or one of the two below.
    uint32_t section = undefined;
    uint64_t value = 0, size = 0;
  };
  static constexpr uint32_t undefined = UINT32_MAX, absolute = UINT32_MAX - 1;

  /// Appends a section and returns its index. Its data is referred to, not copied.
  uint32_t addSection(Section section);
  SymbolId addSymbol(Symbol symbol);
  /// The symbol `name`, whichever object defines it.
  SymbolId reference(llvm::StringRef name);
  void relocate(uint32_t section, Relocation relocation) {
    sections[section].relocations.push_back(relocation);
  }

  /// Adds the sections and symbols of an x86-64 object, whose buffer has to outlive this. Its
  /// global symbols become local here and satisfy references by name.
  llvm::Error merge(llvm::MemoryBufferRef object);

  /// Names that nothing defines, sorted.
  std::vector<std::string> undefinedNames() const;

  /// Says that `bytes` of the section follow at the end of the file, at an offset that is a
  /// multiple of 4096; the caller of `write` appends them.
  void setTrailing(uint32_t section, uint64_t bytes);

  /// Writes the object, up to (and padded for) the trailing section.
  llvm::Error write(llvm::raw_ostream &os) const;

private:
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  llvm::StringMap<SymbolId> byName; ///< global and undefined ones
  uint32_t trailing = undefined;
};

} // namespace dynac

#endif // DYNAC_LIB_TARGET_COMMON_RELOCATABLEOBJECT_H
