//===- WireMutator.h - changes protobuf messages as messages ----*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WireMutator.cpp replaces libFuzzer's way to change and to cross inputs.
// Random bytes seldom pass the wire format: one byte more in a node makes the
// lengths of its graph and of its model wrong. So whole fields are changed,
// dropped, copied and moved, and lengths written anew; what is no message is
// changed as bytes, and one time in eight what is one.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TEST_FUZZ_WIREMUTATOR_H
#define DYNAC_TEST_FUZZ_WIREMUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// What texts may become; each fuzzer defines it.
llvm::ArrayRef<llvm::StringRef> fuzzWords();

#endif // DYNAC_TEST_FUZZ_WIREMUTATOR_H
