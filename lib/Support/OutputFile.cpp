//===- OutputFile.cpp - a file that appears when complete, or not at all --===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/OutputFile.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/Interrupt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dynac {

static constexpr uint64_t pageSize = 4096;

llvm::Expected<OutputFile> OutputFile::create(llvm::StringRef path, bool executable) {
  std::string shown = printable(path);
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && !llvm::sys::fs::is_regular_file(status))
    return ioError("cannot write '{0}': it exists and is not a regular file", shown);

  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  llvm::StringRef name = llvm::sys::path::filename(path);
  if (name.empty() || name == "." || name == "..")
    return ioError("cannot write '{0}': not a file name", shown);
  llvm::SmallString<128> model(folder);
  // A '%' in the user's name would be taken for a random digit; long names leave no room for a
  // suffix.
  std::string stem = name.take_front(64).str();
  std::replace(stem.begin(), stem.end(), '%', '_');
  llvm::sys::path::append(model, "." + stem + ".%%%%%%%%.tmp");

  int fd = -1;
  llvm::SmallString<128> temporary;
  unsigned mode =
      executable ? llvm::sys::fs::all_all : llvm::sys::fs::all_read | llvm::sys::fs::all_write;
  {
    Uninterrupted guard;
    if (std::error_code error =
            llvm::sys::fs::createUniqueFile(model, fd, temporary, llvm::sys::fs::OF_None, mode))
      return ioError("cannot write '{0}': {1}", shown, error.message());
    llvm::sys::RemoveFileOnSignal(temporary);
  }
  OutputFile file(path.str(), std::string(temporary), fd);
  struct stat made;
  if (::fstat(fd, &made))
    return file.failed(errno);
  file.mode = made.st_mode & 07777;
  return file;
}

OutputFile::OutputFile(OutputFile &&other)
    : finalPath(std::move(other.finalPath)), tempPath(std::move(other.tempPath)), fd(other.fd),
      length(other.length), mode(other.mode) {
  other.fd = -1;
  other.tempPath.clear();
}

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
  if (!tempPath.empty()) {
    ::unlink(tempPath.c_str());
    llvm::sys::DontRemoveFileOnSignal(tempPath);
  }
}

llvm::Error OutputFile::failed(int error) const {
  return ioError("cannot write '{0}': {1}", printable(finalPath), std::strerror(error));
}

llvm::Error OutputFile::write(llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(length));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failed(errno);
    length += static_cast<uint64_t>(n);
    bytes = bytes.drop_front(static_cast<size_t>(n));
  }
  return llvm::Error::success();
}

llvm::Error OutputFile::align(uint64_t alignment) {
  static const char zeros[pageSize] = {};
  uint64_t padding = (alignment - length % alignment) % alignment;
  while (padding) {
    uint64_t piece = std::min<uint64_t>(padding, sizeof(zeros));
    if (llvm::Error error = write(llvm::ArrayRef<char>(zeros, piece)))
      return error;
    padding -= piece;
  }
  return llvm::Error::success();
}

llvm::Error OutputFile::reserve(uint64_t bytes) {
  if (!bytes)
    return llvm::Error::success();
  if (bytes > uint64_t(INT64_MAX) - length)
    return failed(EFBIG);
  // Without the blocks on the disk, a full one would be a SIGBUS in the middle of `fillAt`.
  int error;
  do
    error = ::posix_fallocate(fd, static_cast<off_t>(length), static_cast<off_t>(bytes));
  while (error == EINTR);
  if (error)
    return failed(error);
  length += bytes;
  return llvm::Error::success();
}

llvm::Error OutputFile::fillAt(uint64_t offset, uint64_t bytes,
                               llvm::function_ref<llvm::Error(llvm::MutableArrayRef<char>)> fill) {
  if (!bytes)
    return fill({});
  uint64_t begin = offset / pageSize * pageSize;
  uint64_t mapped = offset + bytes - begin;
  void *memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(begin));
  if (memory == MAP_FAILED)
    return failed(errno);
  llvm::Error error =
      fill({static_cast<char *>(memory) + (offset - begin), static_cast<size_t>(bytes)});
  ::munmap(memory, mapped);
  return error;
}

llvm::Error OutputFile::reopen() {
  int fresh = ::open(tempPath.c_str(), O_RDWR | O_CLOEXEC);
  if (fresh < 0)
    return failed(errno);
  ::close(fd);
  fd = fresh;
  struct stat status;
  if (::fstat(fd, &status))
    return failed(errno);
  length = static_cast<uint64_t>(status.st_size);
  return llvm::Error::success();
}

llvm::Error OutputFile::commit() {
  // A linker that replaced the file chose its own mode.
  if (::fchmod(fd, mode))
    return failed(errno);
  int closed = ::close(fd);
  fd = -1;
  if (closed)
    return failed(errno);
  if (::rename(tempPath.c_str(), finalPath.c_str()))
    return failed(errno);
  llvm::sys::DontRemoveFileOnSignal(tempPath);
  tempPath.clear();
  return llvm::Error::success();
}

} // namespace dynac
