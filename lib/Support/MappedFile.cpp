//===- MappedFile.cpp - a file as read-only memory ------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/MappedFile.h"
#include "dynac/Support/Diagnostic.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dynac {

static llvm::Error systemError(llvm::StringRef path, int code) {
  return ioError("{0}: {1}", path, std::strerror(code));
}

llvm::Expected<std::unique_ptr<MappedFile>> MappedFile::open(llvm::StringRef path) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait forever.
  int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemError(path, errno);
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    int code = errno;
    ::close(fd);
    return systemError(path, code);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return ioError("{0}: {1}, expected a regular file", path,
                   S_ISDIR(info.st_mode) ? "is a directory" : "is a pipe, socket or device");
  }
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) { // mmap refuses empty ranges.
    ::close(fd);
    return std::unique_ptr<MappedFile>(new MappedFile({}));
  }
  void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  int code = errno;
  ::close(fd);
  if (address == MAP_FAILED)
    return systemError(path, code);
  return std::unique_ptr<MappedFile>(
      new MappedFile(llvm::ArrayRef<char>(static_cast<const char *>(address), size)));
}

MappedFile::~MappedFile() {
  if (!content.empty())
    ::munmap(const_cast<char *>(content.data()), content.size());
}

} // namespace dynac
