//===- Context.h - what one thread needs to run a model ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_RUNTIME_CONTEXT_H
#define DYNAC_LIB_RUNTIME_CONTEXT_H

#include "Model.h"

#include <atomic>
#include <deque>

namespace dynac::rt {

/// Places in the arena: for the shapes that it was made for and for all that need no more.
struct Layout {
  std::vector<int64_t> room;    // per buffer root: its bytes in the arena, -1 if it is not there
  std::vector<int64_t> offsets; // per buffer root
  int64_t bytes = 0;
};

/// What follows from one set of input shapes.
struct Plan {
  std::vector<int64_t> key; // the extents of all inputs, one after the other
  SlotValues slots;
  std::vector<int64_t> bytes; // per buffer, of a root the most of its aliases; -1: only a run tells
  std::shared_ptr<const Layout> layout;
};

class Executor;

/// Arena, scratch, copies and the plans of the last few shapes. One thread at a time.
class Context {
public:
  explicit Context(std::shared_ptr<const Model> model);

  Status run(const dynac_value_t *inputs, size_t inputCount, dynac_value_t *outputs,
             size_t outputCount);
  Status infer(const dynac_value_t *inputs, size_t inputCount, dynac_value_t *outputs,
               size_t outputCount);

  int64_t arenaBytes() const { return current ? current->layout->bytes : 0; }
  int64_t totalBytes() const;

  dynac_step_fn stepCallback = nullptr;
  void *stepUser = nullptr;

private:
  friend class Executor;

  /// How one output gets to the caller.
  struct Output {
    void *memory = nullptr; // what its OUTPUT buffer is during the run; nullptr: see `ensure`
    int64_t capacity = 0;   // of `memory`
    bool callers = false;   // the caller gave a tensor
    bool direct = false;    // `memory` is the caller's
    std::vector<int64_t> shape;
    std::vector<int64_t> strides; // of an output that grows: in `memory`; else none
  };

  Status checkCounts(size_t inputCount, size_t outputCount) const;
  /// Finds or makes the plan for these inputs.
  Status selectPlan(const dynac_value_t *inputs);
  Status makePlan(const dynac_value_t *inputs, Plan &plan) const;
  Status checkGrowths(const Plan &plan) const;
  void makeLayout(Plan &plan);
  Status checkOutputs(const dynac_value_t *outputs);
  Status checkOutput(int32_t index, const dynac_value_t &value);
  Status placeArena();
  Status placeScratch();
  Status takeInputs(const dynac_value_t *inputs);
  Status placeOutputs(const dynac_value_t *outputs);
  Status placeInputs(const dynac_value_t *inputs, const dynac_value_t *outputs);
  Status checkUpdates() const;
  /// Whether input `i` lies as the output that updates it would.
  bool liesAsUpdated(int32_t input) const;
  /// Copies an input that is not updated where it lies to where its output will be.
  void moveToUpdater(int32_t input, void *&place);
  Status deliver(Executor &executor, int32_t index, dynac_value_t &value);
  void endDynamic();
  /// The dims of output `index` as far as known, -1 otherwise; false if one cannot be computed.
  bool outputShape(int32_t index, std::vector<int64_t> &shape) const;
  /// The shape of output `index`, and its strides if it grows. False as of `outputShape`.
  bool describeOutput(int32_t index);
  /// What output `index` takes of the caller's memory, as far as that is known.
  int64_t occupiedBytes(int32_t index, const dynac_tensor_t &tensor) const;

  std::shared_ptr<const Model> model;
  std::deque<Plan> plans; // most recent first
  Plan *current = nullptr;
  std::shared_ptr<const Layout> lastLayout; // the newest one
  std::vector<int64_t> key;
  std::vector<int64_t> inputStrides; // one for each extent of `key`; 0 where there are none
  SlotValues runSlots; // the plan's slots and what the run binds (models with such symbols only)

  std::vector<void *> memory;    // per buffer root
  std::vector<int64_t> capacity; // per buffer root, dynamic ones only
  /// Per weight: the next step that reads it goes over its work from the end. A weight that a loop
  /// reads on each trip, and that is larger than a cache, is then found there in part.
  std::vector<bool> backwards;
  Block arena;
  std::vector<Block> scratch;      // per piece
  std::vector<Block> inputCopies;  // per input
  std::vector<Block> outputBlocks; // per output: the context's own memory
  std::vector<Output> outputs;
  std::vector<dynac_tensor_t> views; // of the inputs in this run; `bytes` is what the shape needs
  SidePool side;
};

} // namespace dynac::rt

/// The C API's handle.
struct dynac_context {
  explicit dynac_context(std::shared_ptr<const dynac::rt::Model> model)
      : context(std::move(model)) {}

  dynac::rt::Context context;
  std::atomic<bool> busy{false};
};

#endif // DYNAC_LIB_RUNTIME_CONTEXT_H
