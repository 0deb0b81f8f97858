//===- Validate.h - checks an artifact's header and tables ------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_VALIDATE_H
#define DYNAC_LIB_RUNTIME_VALIDATE_H

#include "Status.h"

namespace dynac::rt {

/// Magic, ABI numbers and struct size; `origin` names the artifact in messages. Errors:
/// DYNAC_MISMATCH.
Status validateHeader(const dynac_artifact_t &artifact, const char *origin);

/// Whether the artifact has the table `work`, which came with ABI 2.
bool hasWork(const dynac_artifact_t &artifact);

/// The entries of the table `growths`, which came with ABI 3.
int32_t growthCount(const dynac_artifact_t &artifact);

/// Every number in every table is in range, expressions and aliases are acyclic, blocks nest
/// properly: what the rest of the runtime relies on. Errors: DYNAC_MISMATCH.
Status validateTables(const dynac_artifact_t &artifact, const char *origin);

/// The buffer whose memory `buffer` is: itself, or the end of its chain of aliases.
int32_t rootBuffer(const dynac_artifact_t &artifact, int32_t buffer);

} // namespace dynac::rt

#endif // DYNAC_LIB_RUNTIME_VALIDATE_H
