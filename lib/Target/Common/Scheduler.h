//===- Scheduler.h - the schedule phase's state -----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_COMMON_SCHEDULER_H
#define DYNAC_LIB_TARGET_COMMON_SCHEDULER_H

#include "dynac/Target/Common/Schedule.h"

namespace dynac {

/// Walks a fused function once and fills the plan. Steps are made block by block and laid out at
/// the end.
class Scheduler {
public:
  Scheduler(RegionPlanner &target, WeightStore &weights, Plan &plan)
      : target(target), weights(weights), plan(plan) {}

  llvm::Error run(mlir::func::FuncOp main);

private:
  void addInput(size_t index, mlir::BlockArgument argument, mlir::DictionaryAttr attributes);
  PlanValue describe(mlir::Value tensor, mlir::DictionaryAttr attributes, llvm::StringRef fallback,
                     size_t index);
  int32_t addBuffer(dynac_buffer_kind_t kind, int32_t index, mlir::Type type);
  void emit(PlanStep step) { blocks[current].steps.push_back(std::move(step)); }
  void emitCopy(int32_t from, int32_t to, llvm::StringRef name);
  int32_t weightBuffer(int64_t id);
  llvm::Error runBlock(mlir::Block &block);
  /// The buffer that holds `value`.
  int32_t read(mlir::Value value);
  int32_t rootOf(int32_t buffer) const;
  /// The same memory, or a copy where only the run knows that an input or weight is large enough.
  void runView(mlir::Value from, mlir::Value to);
  llvm::Error runRegion(prim::RegionOp region);
  /// Host kernels get operands, then results; their dimensions are config entry `dims`.
  llvm::Error runHost(prim::CustomCallOp call);
  llvm::Error expectTensors(mlir::Operation *op);
  /// The condition becomes a dimension, which a check step tests.
  llvm::Error runAssert(prim::AssertOp check);
  /// Schedules `body` as a block of its own, which a step of the current block will run; `finish`
  /// emits the block's last steps from what the body yields. Returns the block's number.
  llvm::Expected<int32_t> nestedBlock(mlir::Block &body,
                                      llvm::function_ref<void(mlir::ValueRange)> finish);
  llvm::Error runIf(prim::IfOp choice);
  /// Condition and state have one buffer each, which the body reads and, at its end, overwrites.
  llvm::Error runWhile(prim::WhileOp loop);
  /// A step that runs nested blocks.
  void emitRunner(PlanStep step);
  llvm::Error bindDim(prim::BindDimOp bind);
  /// Results are written where they are returned if they have memory of their own, else copied.
  /// `aliasInput`: the input that the output updates, or -1.
  void addOutput(size_t index, mlir::Value value, mlir::DictionaryAttr attributes,
                 int32_t aliasInput);
  /// The output shares memory with an input, so it is written when every step that may read that
  /// input has run: by a copy at the end.
  void updateInPlace(PlanValue &output, int32_t input);
  /// Blocks one after the other.
  void layOut();
  /// First and last step that touch each buffer, within the block that owns it: a use in a nested
  /// block counts as one by the step that runs that block. An alias lives as long as its target.
  void setLiveness();

  /// Steps of one block while they are made.
  struct PlanBlock {
    std::vector<PlanStep> steps;
    int32_t parent = -1; ///< the block of the step that runs this one
    int32_t runner = -1; ///< that step's place there
    int32_t begin = 0;
  };

  RegionPlanner &target;
  WeightStore &weights;
  Plan &plan;
  llvm::DenseMap<mlir::Value, int32_t> bufferOf;
  llvm::DenseMap<int64_t, int32_t> weightBuffers;
  std::map<std::string, size_t> kernelOf;
  std::vector<PlanBlock> blocks;
  std::vector<int32_t> homeOf; ///< for each buffer the block that owns it
  int32_t current = 0;         ///< the block being made
  int checkCount = 0;
  std::string unscheduled;       ///< first value that was read without having memory
  std::vector<PlanStep> updates; ///< steps that overwrite inputs: the last ones
};

} // namespace dynac

#endif // DYNAC_LIB_TARGET_COMMON_SCHEDULER_H
