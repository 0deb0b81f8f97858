//===- UpdateInPlace.cpp - updates that write into their operand's memory -===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = scatter(x, ...) copies x and then writes a few elements of the copy. Where x has memory of
// its own, or that of an argument which a result updates (`dynac.alias`), and where nothing needs
// the old elements any more, the copy is left out and y lies where x does. Steps run in the order
// of the ops, so a reader of x that stands behind the scatter, but does not need it, is let pass
// first.
//
//===----------------------------------------------------------------------===//

#include "dynac/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_UPDATEINPLACE
#include "dynac/Transforms/Passes.h.inc"

namespace {

/// Whether the result is the operand's memory.
bool isMemoryView(Operation *op) { return isa<ReshapeOp, StopGradientOp, BarrierOp>(op); }

/// The same bytes: between others that are only equal in a run, the schedule copies where the
/// memory is a caller's.
bool hasKnownSize(Operation *view) {
  return elementCount(shapeOf(view->getOperand(0))) == elementCount(shapeOf(view->getResult(0)));
}

/// The value whose memory `value` is.
Value rootOf(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isMemoryView(op) && hasKnownSize(op);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

/// A region that is one scatter of its operands.
struct Update {
  RegionOp region;
  ScatterOp scatter;
  unsigned operand; ///< of the region: what the scatter updates

  static std::optional<Update> of(Value result) {
    auto region = result.getDefiningOp<RegionOp>();
    if (!region || region.getNumResults() != 1)
      return std::nullopt;
    Block &body = region.getBody().front();
    auto scatter = body.getTerminator()->getOperand(0).getDefiningOp<ScatterOp>();
    auto x = scatter ? dyn_cast<BlockArgument>(scatter.getX()) : BlockArgument();
    if (!x || !x.hasOneUse() || &body.front() != scatter)
      return std::nullopt;
    return Update{region, scatter, x.getArgNumber()};
  }
  OpOperand &target() const { return region->getOpOperand(operand); }
  Value root() const { return rootOf(target().get()); }
};

class InPlaceUpdates {
public:
  explicit InPlaceUpdates(Block &block) : block(block) {}

  /// Updates of what the block's own regions compute.
  void updateResults() {
    for (RegionOp region : llvm::to_vector(block.getOps<RegionOp>()))
      if (std::optional<Update> update = Update::of(region->getResult(0)))
        if (Operation *made = update->root().getDefiningOp())
          if (isa<RegionOp, CustomCallOp>(made) && made->getBlock() == &block &&
              letReadersPass(*update))
            update->scatter.setInPlace(true);
  }

  /// The updates between argument `memory` and `result`, which the caller wants in its memory.
  void updateArgument(Value memory, Value result) {
    SmallVector<Update> chain;
    for (Value value = rootOf(result); value != memory; value = chain.back().root()) {
      std::optional<Update> update = Update::of(value);
      if (!update || (!update->scatter.getInPlace() && update->root() != memory))
        return;
      chain.push_back(*update);
    }
    if (!chain.empty() && letReadersPass(chain.back()))
      chain.back().scatter.setInPlace(true);
  }

private:
  /// Whether all that reads the memory before the update can stand before it. Then it does.
  bool letReadersPass(const Update &update) {
    SetVector<Operation *> readers;
    findReaders(update.root(), update.target(), readers);
    Operation *last = update.region;
    for (Operation *reader : readers) {
      if (reader == update.region || reader->hasTrait<OpTrait::IsTerminator>())
        return false;
      if (last->isBeforeInBlock(reader))
        last = reader;
    }
    if (last == update.region)
      return true;
    // What needs the update, up to the last reader. What binds a symbol is needed by types as well.
    SetVector<Operation *> later;
    later.insert(update.region);
    for (Operation *op = update.region->getNextNode(); op != last->getNextNode();
         op = op->getNextNode()) {
      if (!needsAny(op, later) && !overwritesFor(op, later))
        continue;
      if (readers.contains(op) || !(isa<RegionOp>(op) || isMemoryView(op)))
        return false;
      later.insert(op);
    }
    for (Operation *op : llvm::reverse(later))
      op->moveAfter(last);
    return true;
  }

  /// The ops of the block that read the memory of `value`, but for `update`.
  void findReaders(Value value, OpOperand &update, SetVector<Operation *> &readers) {
    for (OpOperand &use : value.getUses()) {
      if (&use == &update)
        continue;
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      if (isMemoryView(use.getOwner())) {
        findReaders(use.getOwner()->getResult(0), update, readers);
        if (hasKnownSize(use.getOwner()))
          continue;
      }
      readers.insert(user);
    }
  }

  static bool needsAny(Operation *op, const SetVector<Operation *> &makers) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(),
                              [&](Value x) { return makers.contains(x.getDefiningOp()); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether `op` is an update in place of what any of `others` reads.
  bool overwritesFor(Operation *op, const SetVector<Operation *> &others) {
    std::optional<Update> update =
        op->getNumResults() ? Update::of(op->getResult(0)) : std::nullopt;
    if (!update || !update->scatter.getInPlace())
      return false;
    SetVector<Operation *> readers;
    findReaders(update->root(), update->target(), readers);
    return llvm::any_of(readers, [&](Operation *reader) { return others.contains(reader); });
  }

  Block &block;
};

struct UpdateInPlace : impl::UpdateInPlaceBase<UpdateInPlace> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<Block *> blocks;
    func.walk([&](Block *block) {
      if (!isa<RegionOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      InPlaceUpdates(*block).updateResults();
    Block &body = func.getBody().front();
    for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands()))
      if (auto input = func.getResultAttrOfType<IntegerAttr>(i, kAliasAttr))
        InPlaceUpdates(body).updateArgument(body.getArgument(input.getInt()), result);
  }
};

} // namespace
} // namespace dynac
