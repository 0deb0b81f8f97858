//===- Control.cpp - choices, loops, scans --------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit otherBranches{
    "branches of different shapes on a condition that depends on data"};
static constexpr Limit changingState{
    "carried values that change their shapes, where only the run knows the number of trips"};
static constexpr Limit openStack{"scan outputs of a loop without a trip count"};

/// A condition, which may have any shape of one element, as i1 of rank 0.
static Tensor conditionOf(Tensor value) { return value ? reshape(value, {}) : value; }

/// The value of a bool operand known while importing.
static std::optional<bool> knownCondition(Node &n, int64_t operand) {
  auto value = n.dimsOf(operand);
  if (value && value->size() == 1 && value->front().constant())
    return !value->front().isZero();
  return std::nullopt;
}

/// Imports a branch. Nothing if that failed, as `status` says.
static std::optional<Tensors> importBranch(Node &n, llvm::StringRef branch, RowStatus &status) {
  status = RowStatus::Done;
  auto results = n.importGraph(branch, {});
  if (!results || int64_t(results->size()) == n.outputCount())
    return results;
  status = n.invalid(branch + " has " + llvm::Twine(results->size()) + " outputs, the node " +
                     llvm::Twine(n.outputCount()));
  return std::nullopt;
}

static RowStatus takeBranch(Node &n, llvm::StringRef branch) {
  RowStatus status;
  if (auto results = importBranch(n, branch, status))
    for (auto [i, result] : llvm::enumerate(*results))
      n.outAs(i, result, result.dtype());
  return status;
}

/// Whether a value is computed from the entry's sizes and constants alone.
static bool comesFromSizes(const TensorContext &ctx, mlir::Value value) {
  llvm::SetVector<mlir::Value> sources;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    mlir::Operation *op = sources[i].getDefiningOp();
    if (!op || !mlir::isPure(op))
      return false;
    if (auto sizes = mlir::dyn_cast<prim::DimsToTensorOp>(op))
      for (const SymExpr &dim : sizes.getDims().exprs())
        if (ctx.isFound(dim))
          return false;
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

// then_branch or else_branch; a condition known while importing leaves only one, and so does one on
// sizes where the branches have different shapes (torch.squeeze(dim) of an unknown size): the
// then_branch, with a check
static RowStatus ifRow(Node &n) {
  TensorContext &ctx = n.ctx();
  if (auto known = knownCondition(n, 0))
    return takeBranch(n, *known ? "then_branch" : "else_branch");
  Tensor condition = conditionOf(n.in(0));
  if (!condition)
    return RowStatus::Done;
  mlir::OpBuilder &builder = ctx.builder;
  // The result types are known after the bodies: these are built in a scratch op first.
  auto scratch =
      builder.create<prim::IfOp>(ctx.loc, mlir::TypeRange(), condition.value(), mlir::ValueRange());
  std::optional<Tensors> results[2];
  for (int branch = 0; branch < 2; ++branch) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&scratch->getRegion(branch));
    RowStatus status;
    results[branch] = importBranch(n, branch == 0 ? "then_branch" : "else_branch", status);
    if (!results[branch])
      return status;
    llvm::SmallVector<mlir::Value> values;
    for (Tensor value : *results[branch])
      values.push_back(value.value());
    builder.create<prim::YieldOp>(ctx.loc, values);
  }
  llvm::SmallVector<mlir::Type> types;
  for (auto [a, b] : llvm::zip(*results[0], *results[1])) {
    if (a.value().getType() == b.value().getType()) {
      types.push_back(a.value().getType());
      continue;
    }
    std::string shapes = prim::shapeText(a.shape()) + " and " + prim::shapeText(b.shape());
    if (!comesFromSizes(ctx, condition.value()))
      return n.unsupported(otherBranches, shapes);
    scratch.erase();
    require(n, condition,
            "the sizes choose the else_branch; results have shapes " + shapes +
                ", and without known sizes the then_branch is compiled: fix them with --dim");
    return takeBranch(n, "then_branch");
  }
  auto choice = builder.create<prim::IfOp>(ctx.loc, types, condition.value(), mlir::ValueRange());
  for (int branch = 0; branch < 2; ++branch)
    choice->getRegion(branch).takeBody(scratch->getRegion(branch));
  scratch.erase();
  choice.getCapturedMutable().append(isolateRegions(choice));
  for (auto [i, value] : llvm::enumerate(choice.getResults())) {
    Tensor result(ctx, value);
    n.outAs(i, result, result.dtype());
  }
  return RowStatus::Done;
}

/// x as one entry [1, ...] of a stack.
static Tensor asEntry(Tensor x) { return unsqueeze(x, 0); }

/// `stack` with `entry` at position `at` (i64 0-D).
static Tensor storeEntry(Tensor stack, Tensor entry, Tensor at) {
  Tensors starts = {reshape(at, {SymExpr(1)})};
  if (stack.rank() > 1)
    starts.push_back(constantI64(stack.ctx(), llvm::SmallVector<int64_t>(stack.rank() - 1, 0)));
  return dynamicUpdateSlice(stack, asEntry(entry),
                            starts.size() == 1 ? starts[0] : concat(starts, 0));
}

/// Loops of known length up to this are written out where their state changes shape.
static constexpr int64_t unrollLimit = 64;

/// Writes the trips of a loop out one by one.
static RowStatus unrolledLoop(Node &n, int64_t trips, Tensors state) {
  TensorContext &ctx = n.ctx();
  int64_t carried = state.size();
  std::vector<Tensors> stacks;
  for (int64_t trip = 0; trip < trips; ++trip) {
    Tensors arguments = {fullInt(ctx, {}, trip, ctx.builder.getI64Type()),
                         full(ctx, {}, 1, ctx.builder.getI1Type())};
    arguments.append(state.begin(), state.end());
    auto results = n.importGraph("body", arguments);
    if (!results)
      return RowStatus::Done;
    stacks.resize(results->size() - 1 - carried);
    for (int64_t i = 0; i < carried; ++i)
      state[i] = (*results)[1 + i];
    for (size_t i = 0; i < stacks.size(); ++i)
      stacks[i].push_back((*results)[1 + carried + i]);
  }
  for (int64_t i = 0; i < carried; ++i)
    n.outAs(i, state[i], state[i].dtype());
  for (size_t i = 0; i < stacks.size(); ++i) {
    Tensor stacked = stack(stacks[i], 0);
    n.outAs(carried + i, stacked, stacked ? stacked.dtype() : mlir::Type());
  }
  return RowStatus::Done;
}

// while trip < M and condition: condition, state, entries = body(trip, condition, state); entries
// are stacked
static RowStatus loopRow(Node &n) {
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type(), i1 = ctx.builder.getI1Type();
  Tensor count = n.hasInput(0) ? reshape(n.in(0), {}) : Tensor();
  Tensor condition = n.hasInput(1) ? conditionOf(n.in(1)) : Tensor();
  auto known = n.hasInput(1) ? knownCondition(n, 1) : std::optional(true);
  Tensors initial;
  int64_t carried = n.graphInputCount("body") - 2;
  if (carried < 0)
    return n.invalid("the body needs two inputs at least");
  for (int64_t i = 0; i < carried; ++i)
    initial.push_back(n.in(2 + i));
  if (ctx.failed())
    return RowStatus::Done;
  Tensors arguments = {fullInt(ctx, {}, 0, i64), full(ctx, {}, 1, i1)};
  arguments.append(initial.begin(), initial.end());
  auto shapes = n.probeGraph("body", arguments);
  if (!shapes)
    return RowStatus::Done;
  int64_t stacks = shapes->size() - 1 - carried;
  if (stacks < 0)
    return n.invalid("the body has too few outputs");
  auto trips = n.hasInput(0) ? n.dimsOf(0) : std::nullopt;
  auto endsEarly = !(known && *known) || !n.graphGivesTrue("body", 0);
  bool changes = false;
  for (int64_t i = 0; i < carried; ++i)
    changes |= (*shapes)[1 + i].value().getType() != initial[i].value().getType();
  if (changes && trips && trips->front().constant() && !endsEarly &&
      *trips->front().constant() <= unrollLimit)
    return unrolledLoop(n, std::max<int64_t>(*trips->front().constant(), 0), initial);
  if (changes)
    return n.unsupported(changingState);
  // Entries are stored into stacks of the greatest number of trips.
  SymExpr limit(0);
  if (stacks > 0) {
    if (!count)
      return n.unsupported(openStack);
    limit = trips ? trips->front() : bindDim(maximum(count, 0), 0);
    if (auto number = limit.constant(); number && *number < 0)
      limit = SymExpr(0);
  }
  Tensors state = initial;
  for (int64_t i = 0; i < stacks; ++i) {
    Tensor entry = (*shapes)[1 + carried + i];
    Shape shape = entry.shape();
    shape.insert(shape.begin(), limit);
    state.push_back(full(ctx, shape, 0, entry.dtype()));
  }
  auto results = buildLoop(
      ctx, count, condition, state,
      [&](Tensor trip, llvm::ArrayRef<Tensor> now) -> std::optional<Trip> {
        Tensors arguments = {trip, full(ctx, {}, 1, i1)};
        arguments.append(now.begin(), now.begin() + carried);
        auto outputs = n.importGraph("body", arguments);
        if (!outputs)
          return std::nullopt;
        Trip result{conditionOf((*outputs)[0]), {}};
        result.state.append(outputs->begin() + 1, outputs->begin() + 1 + carried);
        for (int64_t i = 0; i < stacks; ++i)
          result.state.push_back(storeEntry(now[carried + i], (*outputs)[1 + carried + i], trip));
        return result;
      });
  if (!results)
    return RowStatus::Done;
  for (int64_t i = 0; i < carried; ++i)
    n.outAs(i, (*results)[1 + i], (*results)[1 + i].dtype());
  for (int64_t i = 0; i < stacks; ++i) {
    Tensor stacked = (*results)[1 + carried + i];
    if (endsEarly)
      stacked = sliceAxis(stacked, 0, SymExpr(0), bindDim((*results)[0], 0, limit));
    n.outAs(carried + i, stacked, stacked ? stacked.dtype() : mlir::Type());
  }
  return RowStatus::Done;
}

/// ints attribute with a default for every entry.
static llvm::SmallVector<int64_t> entries(Node &n, llvm::StringRef name, int64_t count) {
  auto values = n.ints(name);
  values.resize(count, 0);
  return values;
}

// for each position along the scan axes: state, entries = body(state, slices); entries are stacked
// along output axes
static RowStatus scanRow(Node &n) {
  TensorContext &ctx = n.ctx();
  int64_t scanned = n.i("num_scan_inputs", 0), carried = n.inputCount() - scanned;
  if (scanned < 1 || carried < 0)
    return n.invalid("attribute 'num_scan_inputs': " + llvm::Twine(scanned));
  auto axes = entries(n, "scan_input_axes", scanned),
       directions = entries(n, "scan_input_directions", scanned);
  Tensors initial, sources;
  for (int64_t i = 0; i < carried; ++i)
    initial.push_back(n.in(i));
  for (int64_t i = 0; i < scanned; ++i) {
    sources.push_back(n.in(carried + i));
    if (!sources.back())
      return RowStatus::Done;
    axes[i] = sources.back().axis(axes[i]);
  }
  if (ctx.failed())
    return RowStatus::Done;
  SymExpr length = sources[0].dim(axes[0]);
  mlir::Type i64 = ctx.builder.getI64Type();
  Tensor count = dimScalar(ctx, length, i64);
  auto arguments = [&](Tensor trip, llvm::ArrayRef<Tensor> state) {
    Tensors result(state.begin(), state.end());
    for (int64_t i = 0; i < scanned; ++i)
      result.push_back(take(sources[i], directions[i] ? count - 1 - trip : trip, axes[i]));
    return result;
  };
  auto shapes = n.probeGraph("body", arguments(fullInt(ctx, {}, 0, i64), initial));
  if (!shapes)
    return RowStatus::Done;
  int64_t stacks = shapes->size() - carried;
  auto outAxes = entries(n, "scan_output_axes", stacks),
       outDirections = entries(n, "scan_output_directions", stacks);
  Tensors state = initial;
  for (int64_t i = 0; i < stacks; ++i) {
    Shape shape = (*shapes)[carried + i].shape();
    shape.insert(shape.begin(), length);
    state.push_back(full(ctx, shape, 0, (*shapes)[carried + i].dtype()));
  }
  auto results = buildLoop(
      ctx, count, {}, state, [&](Tensor trip, llvm::ArrayRef<Tensor> now) -> std::optional<Trip> {
        auto outputs = n.importGraph("body", arguments(trip, now.take_front(carried)));
        if (!outputs)
          return std::nullopt;
        Trip result{{}, Tensors(outputs->begin(), outputs->begin() + carried)};
        for (int64_t i = 0; i < stacks; ++i)
          result.state.push_back(storeEntry(now[carried + i], (*outputs)[carried + i],
                                            outDirections[i] ? count - 1 - trip : trip));
        return result;
      });
  if (!results)
    return RowStatus::Done;
  for (int64_t i = 0; i < carried; ++i)
    n.outAs(i, (*results)[1 + i], (*results)[1 + i].dtype());
  for (int64_t i = 0; i < stacks; ++i) {
    Tensor stacked = (*results)[1 + carried + i];
    int64_t axis = stacked.axis(outAxes[i]);
    llvm::SmallVector<int64_t> permutation;
    for (int64_t from = 1; from < stacked.rank(); ++from)
      permutation.push_back(from);
    permutation.insert(permutation.begin() + axis, 0);
    n.outAs(carried + i, axis == 0 ? stacked : transpose(stacked, permutation), stacked.dtype());
  }
  return RowStatus::Done;
}

void onnx::addControlRows(OpTable &t) {
  t.add("If", 1, ifRow, "B=bool").limits({&otherBranches});
  t.add("Loop", 1, loopRow, "I=i64 B=bool V=any").limits({&openStack, &changingState});
  t.add("Scan", 9, scanRow, "V=any");
}
