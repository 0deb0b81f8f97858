//===- Npy.h - numpy's .npy and .npz files ----------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats: numpy.lib.format versions 1 to 3; .npz is a ZIP file of them, stored or deflated, with
// or without the 64-bit extensions. Every size in a file is checked against the file before memory
// is allocated for it.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_NPY_H
#define DYNAC_TOOLS_DYNAC_NPY_H

#include "HostTensor.h"
#include "dynac/Support/OutputFile.h"

namespace dynac::tool {

/// Reads an array. `wanted` is the dtype it is for (DYNAC_DTYPE_INVALID: any): numpy has no names
/// for bf16, the 8-bit floats and types below a byte, so 'V2' and 'V1' stand for the former and
/// bytes are packed for the latter. `name` is the file, for messages. Errors:
/// ExitCode::SignatureMismatch.
llvm::Expected<HostTensor> parseNpy(llvm::ArrayRef<char> bytes, llvm::StringRef name,
                                    int32_t wanted);

/// The members of a .npz by their names without ".npy"; reads only their list.
class NpzFile {
public:
  /// `bytes` has to outlive this.
  static llvm::Expected<NpzFile> open(llvm::ArrayRef<char> bytes, llvm::StringRef name);

  std::vector<std::string> names() const;
  /// The array `member`, as parseNpy reads it.
  llvm::Expected<HostTensor> read(llvm::StringRef member, int32_t wanted) const;

private:
  struct Member {
    std::string name;
    uint64_t offset = 0, packed = 0, unpacked = 0;
    uint32_t crc = 0;
    uint16_t method = 0;
  };
  llvm::ArrayRef<char> bytes;
  std::string fileName;
  std::vector<Member> members;
};

/// Writes a dense tensor or a string tensor (as fixed-width unicode) as .npy. Types that numpy
/// lacks: as parseNpy reads them.
llvm::Error writeNpy(OutputFile &file, const dynac_value_t &value);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_NPY_H
