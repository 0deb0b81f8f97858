//===- RelocatableObject.cpp - an x86-64 ELF object being put together ----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelocatableObject.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace dynac {

using namespace llvm::ELF;
using ELFT = llvm::object::ELF64LE;

uint32_t RelocatableObject::addSection(Section section) {
  sections.push_back(std::move(section));
  return static_cast<uint32_t>(sections.size() - 1);
}

RelocatableObject::SymbolId RelocatableObject::addSymbol(Symbol symbol) {
  auto id = static_cast<SymbolId>(symbols.size());
  if (symbol.global && !symbol.name.empty())
    byName[symbol.name] = id;
  symbols.push_back(std::move(symbol));
  return id;
}

RelocatableObject::SymbolId RelocatableObject::reference(llvm::StringRef name) {
  if (auto it = byName.find(name); it != byName.end())
    return it->second;
  Symbol symbol;
  symbol.name = name.str();
  symbol.global = true;
  return addSymbol(std::move(symbol));
}

void RelocatableObject::setTrailing(uint32_t section, uint64_t bytes) {
  sections[section].size = bytes;
  sections[section].align = 4096;
  trailing = section;
}

std::vector<std::string> RelocatableObject::undefinedNames() const {
  std::vector<std::string> names;
  for (const Symbol &symbol : symbols)
    if (symbol.section == undefined && !symbol.name.empty())
      names.push_back(symbol.name);
  llvm::sort(names);
  return names;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Sections that describe the input file rather than the program, or that hold symbol numbers of
/// it.
static bool isDropped(const ELFT::Shdr &header, llvm::StringRef name) {
  switch (header.sh_type) {
  case SHT_NULL:
  case SHT_SYMTAB:
  case SHT_STRTAB:
  case SHT_SYMTAB_SHNDX:
  case SHT_RELA:
  case SHT_GROUP: // its members stay: as local symbols, copies do no harm
  case SHT_LLVM_ADDRSIG:
  case SHT_LLVM_CALL_GRAPH_PROFILE:
    return true;
  default:
    return name == ".note.GNU-stack" || name == ".comment";
  }
}

llvm::Error RelocatableObject::merge(llvm::MemoryBufferRef object) {
  auto bad = [&](llvm::Error error) {
    return ioError("object '{0}': {1}", object.getBufferIdentifier(),
                   llvm::toString(std::move(error)));
  };
  auto file = llvm::object::ELFFile<ELFT>::create(object.getBuffer());
  if (!file)
    return bad(file.takeError());
  if (file->getHeader().e_machine != EM_X86_64 || file->getHeader().e_type != ET_REL)
    return ioError("object '{0}': not a relocatable x86-64 object", object.getBufferIdentifier());
  auto headers = file->sections();
  if (!headers)
    return bad(headers.takeError());

  std::vector<uint32_t> sectionOf(headers->size(), undefined);
  const ELFT::Shdr *symbolTable = nullptr;
  for (auto [index, header] : llvm::enumerate(*headers)) {
    auto name = file->getSectionName(header);
    if (!name)
      return bad(name.takeError());
    if (header.sh_type == SHT_SYMTAB)
      symbolTable = &header;
    if (isDropped(header, *name))
      continue;
    Section section;
    section.name = name->str();
    section.type = header.sh_type;
    section.flags = header.sh_flags & ~uint64_t(SHF_GROUP | SHF_LINK_ORDER);
    section.align = std::max<uint64_t>(1, header.sh_addralign);
    section.entrySize = header.sh_entsize;
    section.size = header.sh_size;
    if (header.sh_type != SHT_NOBITS) {
      auto data = file->getSectionContents(header);
      if (!data)
        return bad(data.takeError());
      section.data = {reinterpret_cast<const char *>(data->data()), data->size()};
    }
    sectionOf[index] = addSection(std::move(section));
  }

  auto inputSymbols = file->symbols(symbolTable);
  if (!inputSymbols)
    return bad(inputSymbols.takeError());
  auto strings = symbolTable ? file->getStringTableForSymtab(*symbolTable)
                             : llvm::Expected<llvm::StringRef>(llvm::StringRef());
  if (!strings)
    return bad(strings.takeError());
  std::vector<SymbolId> symbolOf(inputSymbols->size(), 0);
  for (auto [index, input] : llvm::enumerate(*inputSymbols)) {
    auto name = input.getName(*strings);
    if (!name)
      return bad(name.takeError());
    if (index == 0 || input.getType() == STT_FILE)
      continue;
    if (input.st_shndx == SHN_UNDEF) {
      symbolOf[index] = reference(*name);
      continue;
    }
    Symbol symbol;
    symbol.name = name->str();
    symbol.type = input.getType();
    symbol.value = input.st_value;
    symbol.size = input.st_size;
    if (input.st_shndx == SHN_ABS)
      symbol.section = absolute;
    else if (input.st_shndx < sectionOf.size())
      symbol.section = sectionOf[input.st_shndx];
    if (symbol.section == undefined) {
      if (input.getType() == STT_SECTION || input.getBinding() == STB_LOCAL)
        continue; // of a dropped section
      return ioError("object '{0}': symbol '{1}' is in no known section",
                     object.getBufferIdentifier(), *name);
    }
    if (input.getBinding() == STB_LOCAL) {
      symbolOf[index] = addSymbol(std::move(symbol));
      continue;
    }
    // Global in its object: it meets references of other objects here and is local afterwards.
    SymbolId id = symbolOf[index] = reference(*name);
    if (symbols[id].section == undefined)
      symbols[id] = std::move(symbol);
    else if (input.getBinding() != STB_WEAK)
      return ioError("object '{0}': symbol '{1}' is defined twice", object.getBufferIdentifier(),
                     *name);
  }

  for (const ELFT::Shdr &header : *headers) {
    if (header.sh_type == SHT_REL)
      return ioError("object '{0}': relocations without addends", object.getBufferIdentifier());
    if (header.sh_type != SHT_RELA || header.sh_info >= sectionOf.size() ||
        sectionOf[header.sh_info] == undefined)
      continue;
    auto entries = file->relas(header);
    if (!entries)
      return bad(entries.takeError());
    std::vector<Relocation> &out = sections[sectionOf[header.sh_info]].relocations;
    out.reserve(out.size() + entries->size());
    for (const ELFT::Rela &entry : *entries) {
      uint32_t symbol = entry.getSymbol(/*isMips64EL=*/false);
      if (symbol >= symbolOf.size())
        return ioError("object '{0}': bad relocation", object.getBufferIdentifier());
      out.push_back({entry.r_offset, entry.getType(false), symbolOf[symbol], entry.r_addend});
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// A string table section's bytes.
struct StringTable {
  std::string bytes = std::string(1, '\0');
  llvm::StringMap<uint32_t> offsets;

  uint32_t add(llvm::StringRef text) {
    if (text.empty())
      return 0;
    auto [it, isNew] = offsets.try_emplace(text, static_cast<uint32_t>(bytes.size()));
    if (isNew)
      bytes.append(text.data(), text.size()).push_back('\0');
    return it->second;
  }
};

} // namespace

llvm::Error RelocatableObject::write(llvm::raw_ostream &os) const {
  // File order: header, sections, relocations, .symtab, .strtab, .shstrtab, section headers, and at
  // last the trailing section's bytes. Section numbers: null, sections, .rela.*, stack note,
  // tables.
  StringTable names, sectionNames;
  std::vector<Elf64_Shdr> headers(1);
  std::memset(headers.data(), 0, sizeof(Elf64_Shdr));
  uint64_t offset = sizeof(Elf64_Ehdr);
  auto place = [&](llvm::StringRef name, uint32_t type, uint64_t flags, uint64_t align,
                   uint64_t size, uint64_t entrySize) -> Elf64_Shdr & {
    Elf64_Shdr h;
    std::memset(&h, 0, sizeof(h));
    h.sh_name = sectionNames.add(name);
    h.sh_type = type;
    h.sh_flags = flags;
    h.sh_addralign = align;
    h.sh_size = size;
    h.sh_entsize = entrySize;
    h.sh_offset = offset = llvm::alignTo(offset, align);
    if (type != SHT_NOBITS)
      offset += size;
    headers.push_back(h);
    return headers.back();
  };

  // Local symbols come first: the file's symbol numbers.
  std::vector<uint32_t> numberOf(symbols.size());
  std::vector<Elf64_Sym> table(1);
  std::memset(table.data(), 0, sizeof(Elf64_Sym));
  auto isGlobal = [](const Symbol &s) { return s.global || s.section == undefined; };
  uint32_t localCount = 1;
  for (bool globals : {false, true}) {
    for (auto [index, symbol] : llvm::enumerate(symbols)) {
      if (isGlobal(symbol) != globals)
        continue;
      numberOf[index] = static_cast<uint32_t>(table.size());
      Elf64_Sym s;
      std::memset(&s, 0, sizeof(s));
      s.st_name = names.add(symbol.name);
      s.setBindingAndType(globals ? STB_GLOBAL : STB_LOCAL, symbol.type);
      s.st_shndx = symbol.section == undefined  ? uint16_t(SHN_UNDEF)
                   : symbol.section == absolute ? uint16_t(SHN_ABS)
                                                : static_cast<uint16_t>(symbol.section + 1);
      s.st_value = symbol.value;
      s.st_size = symbol.size;
      table.push_back(s);
    }
    if (!globals)
      localCount = static_cast<uint32_t>(table.size());
  }

  for (auto [index, section] : llvm::enumerate(sections)) {
    Elf64_Shdr &h = place(section.name, section.type, section.flags, section.align,
                          index == trailing ? 0 : section.size, section.entrySize);
    h.sh_size = section.size;
  }
  std::vector<std::vector<Elf64_Rela>> relocations;
  auto symtabIndex = static_cast<uint32_t>(sections.size() + 2);
  for (const Section &section : sections)
    symtabIndex += !section.relocations.empty();
  for (auto [index, section] : llvm::enumerate(sections)) {
    if (section.relocations.empty())
      continue;
    std::vector<Elf64_Rela> &out = relocations.emplace_back();
    for (const Relocation &r : section.relocations) {
      Elf64_Rela rela;
      rela.r_offset = r.offset;
      rela.setSymbolAndType(numberOf[r.symbol], r.type);
      rela.r_addend = r.addend;
      out.push_back(rela);
    }
    Elf64_Shdr &h = place(".rela" + section.name, SHT_RELA, SHF_INFO_LINK, 8,
                          out.size() * sizeof(Elf64_Rela), sizeof(Elf64_Rela));
    h.sh_info = static_cast<uint32_t>(index + 1);
    h.sh_link = symtabIndex;
  }
  place(".note.GNU-stack", SHT_PROGBITS, 0, 1, 0, 0);
  Elf64_Shdr &symtab =
      place(".symtab", SHT_SYMTAB, 0, 8, table.size() * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
  symtab.sh_link = symtabIndex + 1;
  symtab.sh_info = localCount;
  place(".strtab", SHT_STRTAB, 0, 1, names.bytes.size(), 0);
  sectionNames.add(".shstrtab");
  place(".shstrtab", SHT_STRTAB, 0, 1, sectionNames.bytes.size(), 0);
  if (headers.size() >= SHN_LORESERVE)
    return ioError("the object would have {0} sections, more than ELF's {1}", headers.size(),
                   int(SHN_LORESERVE));
  uint64_t headersOffset = llvm::alignTo(offset, 8);
  uint64_t end = headersOffset + headers.size() * sizeof(Elf64_Shdr);
  if (trailing != undefined)
    headers[trailing + 1].sh_offset = end = llvm::alignTo(end, 4096);

  Elf64_Ehdr header;
  std::memset(&header, 0, sizeof(header));
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = headersOffset;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);

  uint64_t written = 0;
  auto emit = [&](uint64_t at, const void *data, uint64_t size) {
    os.write_zeros(static_cast<unsigned>(at - written));
    os.write(static_cast<const char *>(data), size);
    written = at + size;
  };
  emit(0, &header, sizeof(header));
  for (auto [index, section] : llvm::enumerate(sections))
    if (!section.data.empty())
      emit(headers[index + 1].sh_offset, section.data.data(), section.data.size());
  for (auto [index, entries] : llvm::enumerate(relocations))
    emit(headers[sections.size() + 1 + index].sh_offset, entries.data(),
         entries.size() * sizeof(Elf64_Rela));
  emit(headers[symtabIndex].sh_offset, table.data(), table.size() * sizeof(Elf64_Sym));
  emit(headers[symtabIndex + 1].sh_offset, names.bytes.data(), names.bytes.size());
  emit(headers[symtabIndex + 2].sh_offset, sectionNames.bytes.data(), sectionNames.bytes.size());
  emit(headersOffset, headers.data(), headers.size() * sizeof(Elf64_Shdr));
  emit(end, nullptr, 0);
  return llvm::Error::success();
}

} // namespace dynac
