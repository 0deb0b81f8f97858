//===- Prim.td - the prim dialect, all of it ------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "dynac/Dialect/Prim/PrimBase.td"
include "dynac/Dialect/Prim/PrimElementwise.td"
include "dynac/Dialect/Prim/PrimShape.td"
include "dynac/Dialect/Prim/PrimReduce.td"
include "dynac/Dialect/Prim/PrimControl.td"
