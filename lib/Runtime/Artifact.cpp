//===- Artifact.cpp - opens an artifact and maps its weights ----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifact.h"

#include "Validate.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dynac::rt {

namespace {
/// Closes itself.
struct File {
  int descriptor = -1;
  int64_t bytes = 0;

  File() = default;
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }

  Status open(const char *path, const char *what) {
    descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
      return failure(DYNAC_IO, "cannot open %s \"%s\": %s", what, path, std::strerror(errno));
    if (!S_ISREG(info.st_mode))
      return failure(DYNAC_IO, "cannot open %s \"%s\": not a file", what, path);
    bytes = info.st_size;
    return {};
  }

  bool read(int64_t offset, void *to, int64_t count) const {
    return offset >= 0 && count <= bytes && offset <= bytes - count &&
           pread(descriptor, to, size_t(count), offset) == count;
  }
};
} // namespace

/// An ELF shared library for this machine whose loaded parts are all in the file.
static Status checkElf(const File &file, const char *path) {
  const char *const notOne = "\"%s\" is not a dynac artifact: %s";
  Elf64_Ehdr header;
  if (!file.read(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return failure(DYNAC_MISMATCH, notOne, path, "it is no ELF shared library");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return failure(DYNAC_MISMATCH, notOne, path, "it is no 64-bit ELF shared library");
#if defined(__x86_64__)
  const int machine = EM_X86_64;
#else
  const int machine = EM_AARCH64;
#endif
  if (header.e_machine != machine)
    return failure(DYNAC_DEVICE, "\"%s\" is for another processor (ELF machine %d, this one is %d)",
                   path, header.e_machine, machine);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > INT64_MAX / 2 ||
        !file.read(int64_t(header.e_phoff) + i * int64_t(sizeof(segment)), &segment,
                   sizeof(segment)) ||
        (segment.p_type == PT_LOAD && (segment.p_filesz > uint64_t(file.bytes) ||
                                       segment.p_offset > uint64_t(file.bytes) - segment.p_filesz)))
      return failure(DYNAC_MISMATCH, "\"%s\" is truncated: its code goes beyond its %lld bytes",
                     path, (long long)file.bytes);
  }
  return {};
}

/// Weights of up to this many bytes are copied into huge pages, not mapped: such models have most
/// of their weights in the third-level cache, and a run spends 4 to 7 % on misses of address
/// translation otherwise. Of larger models the copy (0.2 ms per MB) would delay the start, and
/// processes should share them.
static constexpr int64_t copyLimit = 64 << 20;
static constexpr int64_t hugePage = 2 << 20;

/// Whether the kernel makes huge pages where it is advised to.
static bool hasHugePages() {
  char text[64] = {};
  const int file = ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const ssize_t count = ::read(file, text, sizeof(text) - 1);
  close(file);
  return count > 0 && !std::strstr(text, "[never]");
}

Artifact::~Artifact() {
  if (mapping)
    munmap(mapping, size_t(mappingBytes));
  if (library)
    dlclose(library);
}

Status Artifact::check() {
  if (Status status = validateHeader(*artifact, origin()); status.failed())
    return status;
  return validateTables(*artifact, origin());
}

Status Artifact::open(const char *path) {
  originText = format("\"%s\"", path);
  File file;
  if (Status status = file.open(path, "artifact"); status.failed())
    return status;
  if (Status status = checkElf(file, path); status.failed())
    return status;
  char *resolved = realpath(path, nullptr); // without a slash dlopen would search elsewhere
  if (!resolved)
    return failure(DYNAC_IO, "cannot open artifact \"%s\": %s", path, std::strerror(errno));
  const std::string full = resolved;
  std::free(resolved);
  folder = full.substr(0, full.rfind('/') + 1);
  library = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    return failure(DYNAC_MISMATCH, "cannot load artifact \"%s\": %s", path, error ? error : "?");
  }
  artifact = static_cast<const dynac_artifact_t *>(dlsym(library, "dynac_artifact"));
  if (!artifact)
    return failure(DYNAC_MISMATCH,
                   "\"%s\" is not a dynac artifact: it is a shared library without the symbol "
                   "dynac_artifact",
                   path);
  if (Status status = check(); status.failed())
    return status;
  switch (artifact->weights_kind) {
  case DYNAC_WEIGHTS_TRAILER:
    return mapTrailerWeights(file.descriptor, file.bytes);
  case DYNAC_WEIGHTS_EXTERNAL:
    return mapExternalWeights();
  default:
    return attach(artifact);
  }
}

Status Artifact::attach(const dynac_artifact_t *linked) {
  artifact = linked;
  if (originText.empty()) {
    if (artifact->magic != DYNAC_ABI_MAGIC)
      return failure(DYNAC_MISMATCH, "the linked tables are not a dynac artifact");
    originText = format("linked model \"%s\"", artifact->name ? artifact->name : "?");
    if (Status status = check(); status.failed())
      return status;
  }
  if (artifact->weight_count == 0)
    return {};
  if (artifact->weights_kind == DYNAC_WEIGHTS_EXTERNAL)
    return mapExternalWeights();
  if (artifact->weights_kind != DYNAC_WEIGHTS_POINTER || !artifact->weights_data ||
      reinterpret_cast<uintptr_t>(artifact->weights_data) % 64 != 0)
    return failure(DYNAC_MISMATCH, "%s is damaged: its weights are missing or misaligned",
                   origin());
  weightsBase = static_cast<const char *>(artifact->weights_data);
  return {};
}

bool Artifact::copyRegion(int file, int64_t offset, int64_t bytes) {
  const int64_t size = (bytes + hugePage - 1) / hugePage * hugePage, all = size + hugePage;
  void *memory =
      mmap(nullptr, size_t(all), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  char *const base = static_cast<char *>(memory) + (hugePage - address % hugePage) % hugePage;
  madvise(base, size_t(size), MADV_HUGEPAGE);
  for (int64_t done = 0; done < bytes;) {
    const ssize_t count = pread(file, base + done, size_t(bytes - done), offset + done);
    if (count <= 0 && !(count < 0 && errno == EINTR)) {
      munmap(memory, size_t(all));
      return false;
    }
    done += std::max<ssize_t>(count, 0);
  }
  mprotect(base, size_t(size), PROT_READ);
  mapping = memory;
  mappingBytes = all;
  weightsBase = base;
  return true;
}

Status Artifact::mapRegion(int file, int64_t offset, int64_t bytes) {
  if (bytes == 0)
    return {};
  if (bytes >= hugePage && bytes <= copyLimit && hasHugePages() && copyRegion(file, offset, bytes))
    return {};
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t begin = offset / page * page;
  mappingBytes = offset + bytes - begin;
  void *memory = mmap(nullptr, size_t(mappingBytes), PROT_READ, MAP_PRIVATE, file, begin);
  if (memory == MAP_FAILED)
    return failure(DYNAC_IO, "cannot map the weights of %s: %s", origin(), std::strerror(errno));
  mapping = memory;
  madvise(mapping, size_t(mappingBytes), MADV_WILLNEED);
  weightsBase = static_cast<const char *>(mapping) + (offset - begin);
  return {};
}

Status Artifact::mapTrailerWeights(int file, int64_t fileBytes) {
  if (artifact->weight_count == 0 && artifact->weights_bytes == 0)
    return {};
  dynac_trailer_t trailer;
  const int64_t at = fileBytes - int64_t(sizeof(trailer));
  if (at < 0 || pread(file, &trailer, sizeof(trailer), at) != int64_t(sizeof(trailer)) ||
      trailer.magic != DYNAC_ABI_MAGIC)
    return failure(
        DYNAC_MISMATCH,
        "%s is truncated or was modified: no weights trailer at the end of its %lld bytes",
        origin(), (long long)fileBytes);
  if (trailer.file_bytes != uint64_t(fileBytes))
    return failure(DYNAC_MISMATCH,
                   "%s is truncated or was modified: it has %lld bytes, expected %llu", origin(),
                   (long long)fileBytes, (unsigned long long)trailer.file_bytes);
  if (trailer.ir_hash != artifact->ir_hash)
    return failure(DYNAC_MISMATCH,
                   "%s is damaged: its weights belong to another model (hash %016llx, "
                   "expected %016llx)",
                   origin(), (unsigned long long)trailer.ir_hash,
                   (unsigned long long)artifact->ir_hash);
  if (trailer.weights_bytes != artifact->weights_bytes || trailer.weights_offset % 4096 != 0 ||
      trailer.weights_offset > uint64_t(at) ||
      trailer.weights_bytes > uint64_t(at) - trailer.weights_offset)
    return failure(DYNAC_MISMATCH,
                   "%s is damaged: its weights (%llu bytes at %llu) are not in the file", origin(),
                   (unsigned long long)trailer.weights_bytes,
                   (unsigned long long)trailer.weights_offset);
  return mapRegion(file, int64_t(trailer.weights_offset), int64_t(trailer.weights_bytes));
}

/// .safetensors: 8 bytes with the length of the JSON header, the header, then the weights region.
Status Artifact::mapExternalWeights() {
  if (!artifact->weights_file || !*artifact->weights_file)
    return failure(DYNAC_MISMATCH, "%s is damaged: it does not name its weights file", origin());
  const bool absolute = artifact->weights_file[0] == '/';
  const std::string path = absolute ? artifact->weights_file : folder + artifact->weights_file;
  File file;
  if (Status status = file.open(path.c_str(), "weights file"); status.failed())
    return status;
  uint64_t headerBytes = 0;
  const bool readable = file.read(0, &headerBytes, sizeof(headerBytes)) &&
                        headerBytes <= uint64_t(file.bytes) - sizeof(headerBytes);
  const uint64_t offset = headerBytes + sizeof(headerBytes);
  if (!readable || offset % 64 != 0)
    return failure(DYNAC_MISMATCH, "\"%s\" is not a weights file that dynac wrote", path.c_str());
  if (uint64_t(file.bytes) - offset != artifact->weights_bytes)
    return failure(DYNAC_MISMATCH, "\"%s\" holds %llu bytes of weights, %s needs %llu",
                   path.c_str(), (unsigned long long)(uint64_t(file.bytes) - offset), origin(),
                   (unsigned long long)artifact->weights_bytes);
  return mapRegion(file.descriptor, int64_t(offset), int64_t(artifact->weights_bytes));
}

} // namespace dynac::rt
