//===- Inputs.h - what --input and --expect say -----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   NAME=@FILE             .npy, .npz (its member NAME, or its only one), .pb (ONNX TensorProto)
//   @FILE.npz              every value by the name of its member
//   NAME=1x3x224x224xf32   random, the same on every machine
//   NAME=1x3xf32=0.5       one value everywhere
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_INPUTS_H
#define DYNAC_TOOLS_DYNAC_INPUTS_H

#include "HostTensor.h"
#include "Session.h"

#include <map>
#include <optional>

namespace dynac::tool {

/// A tensor for each of `values`, as far as `specs` gives one. `option` is for messages
/// ("--input"). Errors: ExitCode::Usage (form), ExitCode::SignatureMismatch (names, files).
llvm::Expected<std::vector<std::optional<HostTensor>>>
readValues(llvm::ArrayRef<dynac_value_desc_t> values, llvm::ArrayRef<std::string> specs,
           llvm::StringRef option);

/// Sizes of symbolic dimensions, by symbol.
using SymbolSizes = std::map<std::string, int64_t>;

/// Reads `NAME=SIZE` options. Errors: ExitCode::Usage (form), ExitCode::SignatureMismatch (names).
llvm::Expected<SymbolSizes> readSizes(const Session &session, llvm::ArrayRef<std::string> specs);

/// The inputs of a run: `specs`, and random values for inputs that these leave out, of the shape
/// that `sizes` give; an error says which input is missing where they do not. `option` is for
/// messages.
llvm::Expected<std::vector<HostTensor>> readInputs(const Session &session,
                                                   llvm::ArrayRef<std::string> specs,
                                                   const SymbolSizes &sizes,
                                                   llvm::StringRef option = "--input");

/// Random elements that depend on `seed` only: floats and complex numbers near-normal with mean 0
/// and deviation 1, integers 0 to 9, booleans 0 or 1.
llvm::Expected<HostTensor> randomTensor(int32_t dtype, std::vector<int64_t> shape, uint64_t seed);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_INPUTS_H
