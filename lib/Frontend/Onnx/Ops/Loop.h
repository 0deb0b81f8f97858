//===- Loop.h - loops and choices as primitives ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_FRONTEND_ONNX_OPS_LOOP_H
#define DYNAC_FRONTEND_ONNX_OPS_LOOP_H

#include "Families.h"

namespace dynac::onnx {

/// What one trip computes: whether to go on (invalid: always) and the new state, of the old one's
/// types.
struct Trip {
  Tensor goesOn;
  Tensors state;
};
/// Builds a trip from its number (i64, 0-D) and the state; nothing after an error.
using TripBody = std::function<std::optional<Trip>(Tensor number, llvm::ArrayRef<Tensor> state)>;

/// state = body(trip, state) while trip < count and the last trip went on; `count` is i64 0-D
/// (invalid: without limit), `condition` i1 0-D decides the first trip (invalid: true). Returns the
/// number of trips made and the last state, or nothing after an error.
std::optional<Tensors> buildLoop(TensorContext &ctx, Tensor count, Tensor condition,
                                 llvm::ArrayRef<Tensor> initial, const TripBody &body);

/// Gives the regions of `op` as arguments, after those that they have, what they use from outside
/// (constants are copied into them), and returns these values.
llvm::SmallVector<mlir::Value> isolateRegions(mlir::Operation *op);

} // namespace dynac::onnx

#endif // DYNAC_FRONTEND_ONNX_OPS_LOOP_H
