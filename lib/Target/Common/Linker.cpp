//===- Linker.cpp - the linker that makes a .so of an object --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/Linker.h"

#include "dynac/Support/Diagnostic.h"
#include "dynac/Support/Interrupt.h"
#include "dynac/Support/ScratchFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/InterfaceStub/ELFObjHandler.h"
#include "llvm/InterfaceStub/IFSStub.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynac {

llvm::Expected<std::string> findLinker(llvm::StringRef wanted) {
  const char *source = "--linker";
  if (wanted.empty()) {
    if (const char *fromEnvironment = std::getenv("DYNAC_LD")) {
      wanted = fromEnvironment;
      source = "DYNAC_LD";
    }
  }
  if (!wanted.empty()) {
    if (auto path = llvm::sys::findProgramByName(wanted))
      return *path;
    return ioError("linker '{0}' (from {1}) was not found", printable(wanted), source);
  }
  for (const char *name : {"ld.lld-19", "ld.lld", "ld.bfd", "ld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return ioError("no linker found (tried ld.lld-19, ld.lld, ld.bfd, ld): install one, such as the "
                 "package lld-19 or binutils, or name one with --linker or DYNAC_LD; a .o or .a "
                 "needs none");
}

/// Runs the linker with its messages in the file `log`; returns its exit code.
static llvm::Expected<int> execute(llvm::StringRef linker, char *const *argv, const char *log) {
  auto failed = [&](int error) {
    return ioError("linker '{0}' could not be run: {1}", linker, std::strerror(error));
  };
  int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int out = ::open(log, O_WRONLY | O_TRUNC | O_CLOEXEC);
  auto closing = llvm::make_scope_exit([&] {
    ::close(in);
    ::close(out);
  });
  if (in < 0 || out < 0)
    return failed(errno);
  int status;
  if (int error = runChild(argv, in, out, status))
    return failed(error);
  if (WIFSIGNALED(status))
    // A linker that writes into mapped memory learns of a full disk by SIGBUS.
    return ioError("linker '{0}' was ended: {1}{2}", linker, ::strsignal(WTERMSIG(status)),
                   WTERMSIG(status) == SIGBUS ? " (no space left on device?)" : "");
  return WEXITSTATUS(status);
}

llvm::Error runLinker(llvm::StringRef linker, llvm::ArrayRef<std::string> arguments) {
  ScratchFile log;
  if (llvm::Error error = log.create("log"))
    return error;
  std::vector<std::string> words{linker.str()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  llvm::Expected<int> code = execute(linker, argv.data(), log.path().c_str());
  if (!code)
    return code.takeError();
  if (*code == 0)
    return llvm::Error::success();
  auto output = llvm::MemoryBuffer::getFile(log.path());
  llvm::StringRef line =
      output ? (*output)->getBuffer().ltrim().split('\n').first.rtrim() : llvm::StringRef();
  return ioError("linker '{0}' failed with code {1}{2}{3}", linker, *code, line.empty() ? "" : ": ",
                 printable(line, 400));
}

//===----------------------------------------------------------------------===//
// libc and libm
//===----------------------------------------------------------------------===//

llvm::StringRef libraryOf(llvm::StringRef name) {
  if (llvm::is_contained({"memcpy", "memmove", "memset", "memcmp", "bcmp"}, name))
    return "libc.so.6";
  llvm::StringRef stem = name;
  stem.consume_back("f"); // the float version; erf itself is tried before
  static constexpr llvm::StringLiteral functions[] = {
      "acos",   "acosh",     "asin",  "asinh",     "atan", "atan2",  "atanh",     "cbrt",
      "ceil",   "cos",       "cosh",  "erf",       "erfc", "exp",    "exp2",      "exp10",
      "expm1",  "fabs",      "fdim",  "floor",     "fma",  "fmax",   "fmin",      "fmod",
      "frexp",  "hypot",     "ldexp", "lgamma",    "log",  "log10",  "log1p",     "log2",
      "modf",   "nearbyint", "pow",   "remainder", "rint", "round",  "roundeven", "sin",
      "sincos", "sinh",      "sqrt",  "tan",       "tanh", "tgamma", "trunc",     "copysign"};
  return llvm::is_contained(functions, name) || llvm::is_contained(functions, stem) ? "libm.so.6"
                                                                                    : "";
}

/// Writes a shared library that only says which names it has, for the linker to record the need.
/// The system's own would do, but may be absent, and its symbol versions would make the artifact
/// depend on the machine that compiled it.
static llvm::Error writeStub(llvm::StringRef path, llvm::StringRef library,
                             llvm::ArrayRef<std::string> names) {
  llvm::ifs::IFSStub stub;
  stub.IfsVersion = llvm::VersionTuple(3, 0);
  stub.SoName = library.str();
  stub.Target.Arch = llvm::ELF::EM_X86_64;
  stub.Target.BitWidth = llvm::ifs::IFSBitWidthType::IFS64;
  stub.Target.Endianness = llvm::ifs::IFSEndiannessType::Little;
  for (const std::string &name : names) {
    llvm::ifs::IFSSymbol symbol(name);
    symbol.Type = llvm::ifs::IFSSymbolType::Func;
    stub.Symbols.push_back(symbol);
  }
  if (llvm::Error error = llvm::ifs::writeBinaryStub(path, stub))
    return ioError("cannot write '{0}': {1}", path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error linkSharedLibrary(llvm::StringRef linker, llvm::StringRef object,
                              llvm::ArrayRef<std::string> undefined, llvm::StringRef symbol,
                              llvm::StringRef output) {
  std::vector<std::string> libc, libm;
  for (const std::string &name : undefined) {
    llvm::StringRef library = libraryOf(name);
    if (library.empty())
      return ioError("a kernel refers to '{0}', which is in neither libc nor libm", name);
    (library == "libc.so.6" ? libc : libm).push_back(name);
  }
  ScratchFile script, libcStub, libmStub;
  if (llvm::Error error = script.create("ver"))
    return error;
  {
    std::error_code error;
    llvm::raw_fd_ostream os(script.path(), error);
    os << "{ global: " << symbol << "; local: *; };\n";
    os.close();
    error = os.error();
    os.clear_error();
    if (error)
      return ioError("cannot write '{0}': {1}", script.path(), error.message());
  }
  std::vector<std::string> arguments = {"-shared",
                                        "-m",
                                        "elf_x86_64",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "max-page-size=4096",
                                        "-z",
                                        "defs",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "--eh-frame-hdr",
                                        "--version-script",
                                        script.path(),
                                        "-o",
                                        output.str(),
                                        object.str()};
  for (auto [file, library, names] :
       {std::tuple(&libcStub, "libc.so.6", &libc), std::tuple(&libmStub, "libm.so.6", &libm)}) {
    if (names->empty())
      continue;
    if (llvm::Error error = file->create("so"))
      return error;
    if (llvm::Error error = writeStub(file->path(), library, *names))
      return error;
    arguments.push_back(file->path());
  }
  return runLinker(linker, arguments);
}

} // namespace dynac
