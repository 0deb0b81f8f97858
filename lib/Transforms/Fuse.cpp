//===- Fuse.cpp - primitives to kernel regions ----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups grow from their roots towards the operands: ops are visited last to first, and an op joins
// the group of its users when they all stand in one group and can evaluate it in place. What a
// kernel computes is then "pulled": the root's elements ask for their operands' elements. Hence two
// rules. An op that computes something must not be asked for the same element many times (through a
// broadcast of outer axes, a window, a contraction), and an op with users in several groups is
// stored. Views and constants cost nothing to ask for and are cloned into every group that uses
// them.
//
// A reduction of whole rows joins the group that broadcasts its result back over the row: softmax
// and norms are one kernel that goes over a row a few times while it is in the cache.
//
//===----------------------------------------------------------------------===//

#include "dynac/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dynac::prim;

namespace dynac {
#define GEN_PASS_DEF_FUSE
#include "dynac/Transforms/Passes.h.inc"

namespace {

/// How an op takes part in grouping.
enum class Role {
  Boundary, ///< never in a region: weights, reshapes that keep the memory, control flow
  Source,   ///< constants and index ramps: cloned into each user's group
  View,     ///< index arithmetic only: cloned into each user's group
  Pointwise,
  Reduction,
  Heavy
};

Shape nonUnitDims(Value value) {
  Shape dims;
  for (const SymExpr &dim : shapeOf(value))
    if (!dim.isOne())
      dims.push_back(dim);
  return dims;
}

/// Whether a reshape only adds or removes axes of size 1; as a view it costs no division.
bool isUnitReshape(ReshapeOp op) { return nonUnitDims(op.getX()) == nonUnitDims(op.getY()); }

Role roleOf(Operation *op) {
  return TypeSwitch<Operation *, Role>(op)
      .Case<WeightOp, RegionOp, StopGradientOp, BarrierOp>(
          [](Operation *) { return Role::Boundary; })
      .Case<ConstantOp, IotaOp, DimsToTensorOp>([](Operation *) { return Role::Source; })
      .Case<ReshapeOp>([](ReshapeOp op) { return isUnitReshape(op) ? Role::View : Role::Boundary; })
      .Default([](Operation *op) {
        if (op->hasAttr(kClaimAttr))
          return Role::Heavy;
        switch (costOf(op)) {
        case Cost::View:
          return Role::View;
        case Cost::Fusible:
          return Role::Pointwise;
        case Cost::Reduction:
          return Role::Reduction;
        case Cost::Heavy:
          return Role::Heavy;
        case Cost::Structural:
          return Role::Boundary;
        }
        return Role::Boundary;
      });
}

/// Whether result elements that share an operand element are neighbours in the innermost loop, so
/// that the operand is computed once before that loop.
bool stretchesInnermostOnly(BroadcastOp op) {
  Shape from = shapeOf(op.getX()), to = shapeOf(op.getY());
  llvm::SmallBitVector kept(to.size());
  for (auto [i, axis] : llvm::enumerate(op.getAxes()))
    if (from[i] == to[axis] && !to[axis].isOne())
      kept.set(axis);
  bool stretched = false;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis].isOne())
      continue;
    if (!kept[axis])
      stretched = true;
    else if (stretched)
      return false;
  }
  return true;
}

bool isTrailing(ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallBitVector reduced(rank);
  for (int64_t axis : axes)
    reduced.set(axis);
  for (size_t i = 0; i < axes.size(); ++i)
    if (!reduced[rank - 1 - i])
      return false;
  return true;
}

bool reducesRows(ReduceOp op) { return isTrailing(op.getAxes(), shapeOf(op.getX()).size()); }

/// Whether rows are too few to be divided among threads and so long that they should be.
bool areFewLongRows(ReduceOp op) {
  SymExpr rows = elementCount(shapeOf(op.getResult()));
  std::optional<int64_t> count = rows.constant(), all = elementCount(shapeOf(op.getX())).constant();
  return count && *count < 4 && (!all || *all >= 1 << 16);
}

/// Whether neighbours in the innermost loop are no neighbours in the operand.
bool movesInnermost(TransposeOp op) {
  Shape shape = shapeOf(op.getResult());
  ArrayRef<int64_t> sources = op.getPermutation();
  int64_t last = shape.size() - 1;
  while (last > 0 && shape[last].isOne())
    --last;
  for (int64_t axis = 0; axis < last; ++axis)
    if (!shape[axis].isOne() && sources[axis] > sources[last])
      return true;
  return false;
}

struct Group {
  Operation *root;
  llvm::SetVector<Operation *> ops;
  Operation *claimed = nullptr; ///< the claimed op in it, the root or the start of an epilogue
  std::optional<Shape> rows =
      {};               ///< the axes whose rows are reduced before the results are computed
  bool reduces = false; ///< some op is a reduction
};

class Fuser {
public:
  explicit Fuser(Block &block) : block(block) {}

  void run() {
    eraseDead(); // from here on every user counts
    markEpilogues();
    for (Operation &op : llvm::reverse(block))
      place(&op);
    // Materialise in program order, so that a region's operands exist.
    SmallVector<Operation *> roots;
    for (Operation &op : block)
      if (auto it = groupOf.find(&op); it != groupOf.end() && groups[it->second].root == &op)
        roots.push_back(&op);
    for (Operation *root : roots)
      outline(groups[groupOf.lookup(root)]);
    eraseDead();
  }

private:
  void place(Operation *op) {
    Role role = roleOf(op);
    if (role == Role::Boundary)
      return;
    if (std::optional<int> group = groupToJoin(op, role))
      return join(op, *group, role);
    if ((role == Role::View || role == Role::Source) && !needsMemory(op)) {
      floating.insert(op);
      return;
    }
    if (isa<ReshapeOp>(op))
      return; // the operand's memory under another shape
    groups.push_back({op, {}, op->hasAttr(kClaimAttr) ? op : nullptr});
    groupOf[op] = groups.size() - 1;
    groups.back().ops.insert(op);
    groups.back().reduces = role == Role::Reduction;
    onePerElement.insert(op);
    onePerRow.insert(op);
  }

  void join(Operation *op, int index, Role role) {
    Group &group = groups[index];
    group.ops.insert(op);
    groupOf[op] = index;
    if (role == Role::Reduction) {
      group.reduces = true;
      if (!askedOncePerElement(op))
        group.rows = nonUnitDims(op->getResult(0));
    }
    if (askedOncePerElement(op))
      onePerElement.insert(op);
    if (askedOncePerRow(op))
      onePerRow.insert(op);
    if (role == Role::View &&
        llvm::any_of(op->getUsers(), [&](Operation *user) { return asksManyTimes(user); }))
      manyTimes.insert(op);
    if (op->hasAttr(kClaimAttr))
      group.claimed = op;
  }

  /// Finds the elementwise ops that a claimed contraction could take as its epilogue.
  void markEpilogues() {
    auto isOnWay = [&](Value value) {
      Operation *def = value.getDefiningOp();
      return def && (def->hasAttr(kEpilogueAttr) || inEpilogue.contains(def)) &&
             llvm::all_of(def->getUsers(), [](Operation *user) { return isElementwise(user); });
    };
    for (Operation &op : block)
      if (isElementwise(&op) && llvm::any_of(op.getOperands(), isOnWay))
        inEpilogue.insert(&op);
  }

  bool askedOncePerElement(Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return isElementwise(user) && onePerElement.contains(user);
    });
  }

  /// Whether all users ask at their own place, a prefix of the place of the group's root or of what
  /// is reduced: the op is evaluated once for each row, or for each element of one.
  bool askedOncePerRow(Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (!onePerRow.contains(user))
        return false;
      if (auto broadcast = dyn_cast<BroadcastOp>(user))
        return stretchesInnermostOnly(broadcast);
      if (auto reshape = dyn_cast<ReshapeOp>(user))
        return isUnitReshape(reshape);
      if (auto reduce = dyn_cast<ReduceOp>(user))
        return reducesRows(reduce);
      return isElementwise(user);
    });
  }

  /// Whether what the group would compute `value` from is read across its rows: then a row is no
  /// piece of memory, and a reduction is better done for many rows side by side.
  bool readsAcrossRows(Value value, int index) {
    SmallVector<Value> left{value};
    DenseSet<Operation *> seen;
    while (!left.empty()) {
      Operation *op = left.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second || inEpilogue.contains(op) ||
          llvm::any_of(op->getUsers(), [&](Operation *user) {
            auto it = groupOf.find(user);
            return it != groupOf.end() && it->second != index;
          }))
        continue; // has memory
      if (auto transpose = dyn_cast<TransposeOp>(op); transpose && movesInnermost(transpose))
        return true;
      Role role = roleOf(op);
      if (role == Role::Pointwise || role == Role::View)
        left.append(op->operand_begin(), op->operand_end());
    }
    return false;
  }

  /// Whether the rows of `op` can be reduced in the group before what needs the result.
  bool canReduceRows(ReduceOp op, int index) {
    const Group &group = groups[index];
    if (!askedOncePerRow(op) || areFewLongRows(op) || readsAcrossRows(op.getX(), index))
      return false;
    // All reductions of a row go over the same elements.
    const Shape rows = nonUnitDims(op.getResult());
    if (group.rows && *group.rows != rows)
      return false;
    if (llvm::any_of(group.ops, [&](Operation *other) {
          auto reduce = dyn_cast<ReduceOp>(other);
          return reduce && nonUnitDims(reduce.getResult()) != rows;
        }))
      return false;
    // A contraction loses nothing by its epilogue, but would by computing no epilogue.
    return llvm::none_of(group.ops, [&](Operation *other) { return inEpilogue.contains(other); });
  }

  /// The one group that all users stand in and that can evaluate `op` in place.
  std::optional<int> groupToJoin(Operation *op, Role role) {
    std::optional<int> found;
    for (OpOperand &use : op->getUses()) {
      std::optional<int> index = groupTaking(use, role);
      if (!index || (found && *found != *index))
        return std::nullopt;
      found = index;
    }
    if (!found)
      return std::nullopt;
    Group &group = groups[*found];
    if (role == Role::Heavy) // A claimed contraction takes the group as its epilogue.
      return op->hasAttr(kEpilogueAttr) && !group.claimed && askedOncePerElement(op) &&
                     isEpilogue(group)
                 ? found
                 : std::nullopt;
    if (role == Role::Reduction) {
      auto reduce = dyn_cast<ReduceOp>(op);
      return reduce && !group.claimed && reducesRows(reduce) &&
                     (askedOncePerElement(op) || canReduceRows(reduce, *found))
                 ? found
                 : std::nullopt;
    }
    if (role == Role::Pointwise && group.reduces && inEpilogue.contains(op))
      return std::nullopt; // it costs the contraction less than it costs the reduction
    if (role == Role::Pointwise && group.claimed && !(isElementwise(op) && askedOncePerElement(op)))
      return std::nullopt;
    return found;
  }

  /// Whether every op of the group can be evaluated on the register tile of a contraction.
  bool isEpilogue(Group &group) {
    return llvm::all_of(group.ops, [&](Operation *op) {
      if (!isEpilogueView(op) && !(isElementwise(op) && onePerElement.contains(op)))
        return false;
      return llvm::all_of(op->getOperands(), [&](Value x) { return floatsForEpilogue(x); });
    });
  }
  /// Whether an epilogue can read `value` through the floating views that give it.
  bool floatsForEpilogue(Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !floating.contains(def))
      return true;
    return isEpilogueView(def) &&
           llvm::all_of(def->getOperands(), [&](Value x) { return floatsForEpilogue(x); });
  }
  static bool isEpilogueView(Operation *op) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return cast<DenseElementsAttr>(constant.getValue()).isSplat();
    return isa<BroadcastOp, ReshapeOp>(op);
  }

  /// The group in which `use`'s owner stands if it can evaluate the operand in place.
  std::optional<int> groupTaking(OpOperand &use, Role role) {
    Operation *user = use.getOwner();
    auto it = groupOf.find(user);
    if (it == groupOf.end())
      return std::nullopt;
    bool free = role == Role::View || role == Role::Source;
    Role userRole = roleOf(user);
    if (userRole == Role::Heavy || isa<ReduceWindowOp>(user))
      return std::nullopt; // reads elements many times, or in a layout of its own
    if (groups[it->second].claimed && free && !isEpilogueView(use.get().getDefiningOp()))
      return std::nullopt;
    if (free)
      return it->second;
    if (userRole == Role::Reduction && !isa<ReduceOp, ArgReduceOp>(user))
      return std::nullopt;
    return asksManyTimes(user) ? std::nullopt : std::optional(it->second);
  }

  /// Whether an op of a group asks, itself or as the view that another one asks through, for the
  /// same element of its operand many times.
  bool asksManyTimes(Operation *op) {
    if (isa<GatherOp, DynamicSliceOp, DynamicUpdateSliceOp>(op))
      return true; // any element, any number of times
    if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && !stretchesInnermostOnly(broadcast))
      return true;
    return manyTimes.contains(op);
  }

  /// Whether some user of a view or source reads it from memory.
  bool needsMemory(Operation *op) {
    return llvm::any_of(op->getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (groupOf.count(user))
        return !groupTaking(use, roleOf(op)).has_value();
      return !floating.contains(user) || (!isEpilogueView(op) && floatsIntoClaimed(user));
    });
  }
  /// Whether a floating op is cloned into the group of a claimed op.
  bool floatsIntoClaimed(Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto it = groupOf.find(user);
      return it != groupOf.end() ? groups[it->second].claimed != nullptr
                                 : floating.contains(user) && floatsIntoClaimed(user);
    });
  }

  /// Adds `op` and what it evaluates in place, operands first.
  void collect(Operation *op, const Group &group, llvm::SetVector<Operation *> &ops) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (!ops.contains(def) && (group.ops.contains(def) || floating.contains(def)))
          collect(def, group, ops);
    ops.insert(op);
  }

  void outline(Group &group) {
    llvm::SetVector<Operation *> ops;
    collect(group.root, group, ops);
    llvm::SetVector<Value> inputs;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() || !ops.contains(operand.getDefiningOp()))
          inputs.insert(operand);

    OpBuilder b(group.root);
    SmallVector<Location> locs;
    for (Operation *op : group.ops)
      if (!isa<BroadcastOp>(op))
        locs.push_back(op->getLoc());
    Location loc = b.getFusedLoc(llvm::to_vector(llvm::reverse(locs)));
    StringAttr claim =
        group.claimed ? group.claimed->getAttrOfType<StringAttr>(kClaimAttr) : StringAttr();
    auto region = b.create<RegionOp>(loc, group.root->getResultTypes(), kindOf(group),
                                     inputs.getArrayRef(), claim, DictionaryAttr());
    Block *body = b.createBlock(&region.getBody());
    IRMapping map;
    for (Value input : inputs)
      map.map(input, body->addArgument(input.getType(), loc));
    for (Operation *op : ops)
      b.clone(*op, map);
    SmallVector<Value> yields;
    for (Value result : group.root->getResults())
      yields.push_back(map.lookup(result));
    b.create<YieldOp>(loc, yields);
    group.root->replaceAllUsesWith(region.getResults());
  }

  StringRef kindOf(const Group &group) {
    if (group.claimed)
      return isa<ConvOp>(group.claimed) || isa<DotOp>(group.claimed) ? "contraction" : "composite";
    return TypeSwitch<Operation *, StringRef>(group.root)
        .Case<ReduceOp, ArgReduceOp, CumulativeOp>([](Operation *) { return "reduce"; })
        .Case<ReduceWindowOp>([](Operation *) { return "window"; })
        .Case<DotOp, ConvOp>([](Operation *) { return "contraction"; })
        .Case<GatherOp>([](Operation *) { return "gather"; })
        .Case<ScatterOp>([](Operation *) { return "scatter"; })
        .Case<SortOp, TopKOp, NonzeroOp>([](Operation *) { return "sort"; })
        .Case<FftOp, RngBitsOp>([](Operation *op) { return op->getName().stripDialect(); })
        .Case<CompositeOp>([](CompositeOp) { return "composite"; })
        .Default([](Operation *) { return "pointwise"; });
  }

  /// Ops that were cloned into regions and have no other user.
  void eraseDead() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  Block &block;
  std::vector<Group> groups;
  DenseMap<Operation *, int> groupOf;
  /// Ops asked for exactly once per element of their group's root, at that element's own place.
  DenseSet<Operation *> onePerElement;
  /// Ops asked for once per row, or once per element of a row by each pass over it.
  DenseSet<Operation *> onePerRow;
  /// Views whose users ask for the same element many times.
  DenseSet<Operation *> manyTimes;
  /// Elementwise ops that a claimed contraction could evaluate on its result.
  DenseSet<Operation *> inEpilogue;
  /// Views and sources without memory of their own: cloned into each group that uses them.
  DenseSet<Operation *> floating;
};

struct Fuse : impl::FuseBase<Fuse> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      if (isa<RegionOp>(op))
        return;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
    });
    for (Block *block : blocks)
      Fuser(*block).run();
  }
};

} // namespace
} // namespace dynac
