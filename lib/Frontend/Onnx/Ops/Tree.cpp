//===- Tree.cpp - ai.onnx.ml: ensembles of decision trees -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trees are tables: a row of the input stands at one node of each tree and goes on to one of two
// others, as often as the deepest tree is deep. Leaves go on to themselves. What the leaves vote
// is a matrix with a row for each leaf and a column for each target.
//
//===----------------------------------------------------------------------===//

#include "Loop.h"
#include "PostTransform.h"

#include "dynac/Dialect/Prim/WeightStore.h"
#include "mlir/IR/Matchers.h"

#include <limits>
#include <map>

using namespace dynac;
using namespace dynac::onnx;

static constexpr Limit manyVotes{"more than 16 million leaves times targets"};
static constexpr Limit oneClass{
    "one class, or votes for one of two classes with base values, or for the "
    "first with a transform other than LOGISTIC"};

namespace {

enum class Mode : uint8_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class Aggregate : uint8_t { Average, Sum, Min, Max };

/// Nodes and leaves in one numbering.
struct Ensemble {
  std::vector<Mode> modes;
  std::vector<int64_t> features, onTrue, onFalse, missing;
  std::vector<double> splits;
  std::vector<std::vector<double>> members; ///< by node; of Mode::Member
  std::vector<int64_t> leafRow;             ///< by node; row of `votes`, or -1
  std::vector<int64_t> roots;
  int64_t leaves = 0, targets = 1;
  struct Vote {
    int64_t row, target;
    double weight;
  };
  std::vector<Vote> votes;
  std::vector<double> base; ///< added to each target, or empty

  size_t size() const { return modes.size(); }
  void resize(size_t count) {
    modes.resize(count, Mode::LessEqual);
    for (auto *table : {&features, &missing})
      table->resize(count, 0);
    splits.resize(count, 0);
    members.resize(count);
    leafRow.resize(count, -1);
    for (size_t i = onTrue.size(); i < count; ++i) {
      onTrue.push_back(int64_t(i));
      onFalse.push_back(int64_t(i));
    }
  }
  /// Steps from the farthest root to its deepest leaf; nothing if there is a cycle or a place that
  /// does not exist.
  std::optional<int64_t> depth() const;
};

std::optional<int64_t> Ensemble::depth() const {
  const int64_t count = int64_t(size());
  std::vector<int64_t> depths(count, -1);
  std::vector<uint8_t> isOpen(count, 0);
  int64_t deepest = 0;
  for (int64_t root : roots) {
    std::vector<int64_t> stack = {root};
    while (!stack.empty()) {
      int64_t node = stack.back();
      if (node < 0 || node >= count)
        return std::nullopt;
      if (depths[node] >= 0) {
        stack.pop_back();
        continue;
      }
      if (leafRow[node] >= 0) {
        depths[node] = 0;
        continue;
      }
      int64_t a = onTrue[node], b = onFalse[node];
      if (a < 0 || a >= count || b < 0 || b >= count)
        return std::nullopt;
      if (depths[a] >= 0 && depths[b] >= 0) {
        depths[node] = 1 + std::max(depths[a], depths[b]);
        continue;
      }
      if (isOpen[node])
        return std::nullopt;
      isOpen[node] = 1;
      if (depths[a] < 0)
        stack.push_back(a);
      if (depths[b] < 0)
        stack.push_back(b);
    }
    deepest = std::max(deepest, depths[root]);
  }
  return deepest;
}

/// A tensor attribute's numbers; nothing where there is none or it is no constant at hand.
std::optional<std::vector<double>> numbersOf(Node &n, llvm::StringRef name) {
  Tensor tensor = n.tensor(name);
  if (!tensor)
    return std::nullopt;
  mlir::DenseElementsAttr literal;
  if (auto weight = tensor.value().getDefiningOp<prim::WeightOp>()) {
    auto *dialect = n.ctx().builder.getContext()->getLoadedDialect<prim::PrimDialect>();
    auto bytes = dialect->weights ? dialect->weights->view(weight.getId()) : std::nullopt;
    if (!bytes)
      return std::nullopt;
    literal = mlir::DenseElementsAttr::getFromRawBuffer(
        llvm::cast<mlir::RankedTensorType>(weight.getType()), *bytes);
  } else if (!mlir::matchPattern(tensor.value(), mlir::m_Constant(&literal))) {
    return std::nullopt;
  }
  std::vector<double> result;
  if (auto ints = llvm::dyn_cast<mlir::DenseIntElementsAttr>(literal)) {
    for (const llvm::APInt &value : ints.getValues<llvm::APInt>())
      result.push_back(tensor.isUnsigned() ? double(value.getZExtValue())
                                           : double(value.getSExtValue()));
    return result;
  }
  for (llvm::APFloat value : literal.getValues<llvm::APFloat>()) {
    bool lossy;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    result.push_back(value.convertToDouble());
  }
  return result;
}

/// `name`, or as doubles `name`_as_tensor.
std::vector<double> floatsOrTensor(Node &n, const std::string &name) {
  if (auto numbers = numbersOf(n, name + "_as_tensor"))
    return *numbers;
  auto values = n.floats(name);
  return std::vector<double>(values.begin(), values.end());
}

//===----------------------------------------------------------------------===//
// The formula
//===----------------------------------------------------------------------===//

Tensor numbers(TensorContext &ctx, llvm::ArrayRef<double> values, mlir::Type dtype) {
  if (!dtype.isF64())
    return constantF32(ctx, llvm::SmallVector<float>(values.begin(), values.end()));
  llvm::SmallVector<int64_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(double));
  return bitcast(constantI64(ctx, bits), dtype);
}

Tensor holds(Mode mode, Tensor x, Tensor split) {
  switch (mode) {
  case Mode::LessEqual:
    return x <= split;
  case Mode::Less:
    return x < split;
  case Mode::GreaterEqual:
    return x >= split;
  case Mode::Greater:
    return x > split;
  case Mode::Equal:
    return equal(x, split);
  default:
    return notEqual(x, split);
  }
}

/// Whether x [N, T] is a member of the set of its node.
Tensor isMember(const Ensemble &e, Tensor node, Tensor x) {
  TensorContext &ctx = x.ctx();
  size_t longest = 1;
  for (const auto &set : e.members)
    longest = std::max(longest, set.size());
  // Sets are filled up with NaN, which equals nothing.
  std::vector<double> table;
  for (const auto &set : e.members) {
    table.insert(table.end(), set.begin(), set.end());
    table.insert(table.end(), longest - set.size(), std::numeric_limits<double>::quiet_NaN());
  }
  Tensor sets = reshape(numbers(ctx, table, x.dtype()),
                        {SymExpr(int64_t(e.size())), SymExpr(int64_t(longest))});
  return reduce(Combiner::or_, equal(take(sets, node, 0), unsqueeze(x, 2)), 2);
}

/// The leaf [N, T] that each row of x [N, F] reaches in each tree.
Tensor reachedLeaves(Node &n, const Ensemble &e, Tensor x, int64_t depth) {
  TensorContext &ctx = n.ctx();
  mlir::Type i1 = ctx.builder.getI1Type();
  Shape places = {x.dim(0), SymExpr(int64_t(e.roots.size()))};
  Tensor start = broadcastTo(constantI64(ctx, e.roots), places);
  if (depth == 0)
    return start;
  std::set<Mode> modes;
  for (size_t i = 0; i < e.size(); ++i)
    if (e.leafRow[i] < 0)
      modes.insert(e.modes[i]);
  std::vector<int64_t> modeNumbers;
  for (Mode mode : e.modes)
    modeNumbers.push_back(int64_t(mode));
  bool tracksMissing = llvm::any_of(e.missing, [](int64_t value) { return value != 0; });
  auto body = [&](Tensor, llvm::ArrayRef<Tensor> state) -> std::optional<Trip> {
    Tensor node = state.front();
    auto ofNode = [&](llvm::ArrayRef<int64_t> table) {
      return take(constantI64(ctx, table), node, 0);
    };
    Tensor value = takeAlongAxis(x, ofNode(e.features), 1);
    Tensor split = take(numbers(ctx, e.splits, x.dtype()), node, 0), goes;
    for (Mode mode : modes) {
      Tensor test = mode == Mode::Member ? isMember(e, node, value) : holds(mode, value, split);
      Tensor isMode =
          goes ? equal(ofNode(modeNumbers), fullInt(ctx, {}, int64_t(mode), node.dtype()))
               : Tensor();
      goes = goes ? select(isMode, test, goes) : test;
    }
    if (tracksMissing)
      goes = goes | (convert(ofNode(e.missing), i1) & isNan(value));
    return Trip{{}, {select(goes, ofNode(e.onTrue), ofNode(e.onFalse))}};
  };
  Tensor count = fullInt(ctx, {}, depth, ctx.builder.getI64Type());
  auto results = buildLoop(ctx, count, {}, {start}, body);
  return results ? results->back() : Tensor();
}

/// Votes of the leaves that each row reaches, aggregated per target: [N, targets].
Tensor predicted(Node &n, const Ensemble &e, Tensor x, int64_t depth, Aggregate aggregate) {
  TensorContext &ctx = n.ctx();
  const double infinity = std::numeric_limits<double>::infinity();
  const double absent = aggregate == Aggregate::Min   ? infinity
                        : aggregate == Aggregate::Max ? -infinity
                                                      : 0;
  std::vector<double> table(e.leaves * e.targets, absent);
  for (const Ensemble::Vote &vote : e.votes) {
    double &cell = table[vote.row * e.targets + vote.target];
    cell = aggregate == Aggregate::Min   ? std::min(cell, vote.weight)
           : aggregate == Aggregate::Max ? std::max(cell, vote.weight)
                                         : cell + vote.weight;
  }
  Tensor leaf = reachedLeaves(n, e, x, depth);
  if (!leaf)
    return leaf;
  Tensor votes = reshape(numbers(ctx, table, x.dtype()), {SymExpr(e.leaves), SymExpr(e.targets)});
  Tensor row = take(constantI64(ctx, e.leafRow), leaf, 0);
  Tensor picked = take(votes, row, 0); // [N, T, targets]
  Tensor y;
  switch (aggregate) {
  case Aggregate::Min:
    y = reduceMin(picked, 1);
    y = select(equal(y, fullLike(y, infinity)), 0.0, y);
    break;
  case Aggregate::Max:
    y = reduceMax(picked, 1);
    y = select(equal(y, fullLike(y, -infinity)), 0.0, y);
    break;
  case Aggregate::Average:
    y = sum(picked, 1) / double(e.roots.size());
    break;
  case Aggregate::Sum:
    y = sum(picked, 1);
  }
  return e.base.empty() ? y : y + numbers(ctx, e.base, x.dtype());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Why an ensemble cannot be: "" if it can.
std::string problemOf(const Ensemble &e, std::optional<int64_t> depth) {
  if (e.roots.empty() || !depth)
    return "the trees have a cycle, a place that does not exist, or there is none";
  if (e.targets < 1 || (!e.base.empty() && int64_t(e.base.size()) != e.targets))
    return "base values and targets differ in number";
  for (const Ensemble::Vote &vote : e.votes)
    if (vote.row < 0 || vote.target < 0 || vote.target >= e.targets)
      return "a vote is of no leaf, or for no target";
  for (int64_t feature : e.features)
    if (feature < 0)
      return "a feature is negative";
  return "";
}

/// Rows of x as the trees compare them, after a look at the number of features.
Tensor featuresOf(Node &n, const Ensemble &e, Tensor x) {
  if (x.rank() == 1)
    x = unsqueeze(x, 0);
  if (x.rank() != 2) {
    n.ctx().fail("expected rows of features, got " + prim::shapeText(x.shape()));
    return {};
  }
  int64_t needed = 1 + *llvm::max_element(e.features);
  if (SymExpr(needed).provablyGt(x.dim(1))) {
    n.ctx().fail("feature " + llvm::Twine(needed - 1) + " of " + x.dim(1).str());
    return {};
  }
  if (!x.dim(1).provablyGe(SymExpr(needed)))
    n.assumeLe(SymExpr(needed), x.dim(1));
  return x.dtype().isF64() ? x : convert(x, n.ctx().builder.getF32Type());
}

/// Version 5: nodes, then leaves.
std::string readTrees(Node &n, Ensemble &e) {
  auto features = n.ints("nodes_featureids"), onTrue = n.ints("nodes_truenodeids"),
       onFalse = n.ints("nodes_falsenodeids"), trueLeafs = n.ints("nodes_trueleafs"),
       falseLeafs = n.ints("nodes_falseleafs"), targetIds = n.ints("leaf_targetids"),
       missing = n.ints("nodes_missing_value_tracks_true");
  auto modes = numbersOf(n, "nodes_modes"), splits = numbersOf(n, "nodes_splits"),
       weights = numbersOf(n, "leaf_weights"), members = numbersOf(n, "membership_values");
  const size_t count = features.size(), leaves = targetIds.size();
  if (!modes || !splits || !weights || modes->size() != count || splits->size() != count ||
      onTrue.size() != count || onFalse.size() != count || trueLeafs.size() != count ||
      falseLeafs.size() != count || weights->size() != leaves ||
      (!missing.empty() && missing.size() != count))
    return "attributes nodes_* or leaf_* differ in length";
  e.resize(count + leaves);
  auto roots = n.ints("tree_roots");
  e.roots.assign(roots.begin(), roots.end());
  e.targets = n.i("n_targets", 1);
  e.leaves = int64_t(leaves);
  size_t nextMember = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!((*modes)[i] >= 0 && (*modes)[i] <= 6))
      return "an entry of nodes_modes is unknown";
    e.modes[i] = Mode(int((*modes)[i]));
    e.features[i] = features[i];
    e.splits[i] = (*splits)[i];
    e.missing[i] = missing.empty() ? 0 : missing[i];
    e.onTrue[i] = onTrue[i] + (trueLeafs[i] ? int64_t(count) : 0);
    e.onFalse[i] = onFalse[i] + (falseLeafs[i] ? int64_t(count) : 0);
    if (e.modes[i] != Mode::Member)
      continue;
    while (members && nextMember < members->size() &&
           (*members)[nextMember] == (*members)[nextMember])
      e.members[i].push_back((*members)[nextMember++]);
    if (!members || nextMember++ == members->size())
      return "membership_values has too few sets";
  }
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    e.leafRow[count + leaf] = int64_t(leaf);
    e.votes.push_back({int64_t(leaf), targetIds[leaf], (*weights)[leaf]});
  }
  return "";
}

/// Versions 1 and 3: nodes named by tree and number; `votes` is "target" or "class".
std::string readOldTrees(Node &n, Ensemble &e, const std::string &votes) {
  auto trees = n.ints("nodes_treeids"), ids = n.ints("nodes_nodeids"),
       features = n.ints("nodes_featureids"), onTrue = n.ints("nodes_truenodeids"),
       onFalse = n.ints("nodes_falsenodeids"), missing = n.ints("nodes_missing_value_tracks_true"),
       voteTrees = n.ints(votes + "_treeids"), voteNodes = n.ints(votes + "_nodeids"),
       voteIds = n.ints(votes + "_ids");
  auto modes = n.strings("nodes_modes");
  std::vector<double> splits = floatsOrTensor(n, "nodes_values"),
                      weights = floatsOrTensor(n, votes + "_weights");
  const size_t count = trees.size();
  if (ids.size() != count || features.size() != count || onTrue.size() != count ||
      onFalse.size() != count || modes.size() != count || splits.size() != count ||
      (!missing.empty() && missing.size() != count))
    return "attributes nodes_* differ in length";
  if (voteTrees.size() != weights.size() || voteNodes.size() != weights.size() ||
      voteIds.size() != weights.size())
    return "attributes " + votes + "_* differ in length";
  static constexpr llvm::StringLiteral names[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                  "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  std::map<std::pair<int64_t, int64_t>, int64_t> places;
  for (size_t i = 0; i < count; ++i)
    if (!places.try_emplace({trees[i], ids[i]}, int64_t(i)).second)
      return "a node id occurs twice in a tree";
  e.resize(count);
  auto placeOf = [&](int64_t tree, int64_t id) {
    auto found = places.find({tree, id});
    return found == places.end() ? -1 : found->second;
  };
  std::set<int64_t> seen;
  for (size_t i = 0; i < count; ++i) {
    if (seen.insert(trees[i]).second) // The first node of a tree is its root.
      e.roots.push_back(int64_t(i));
    if (modes[i] == "LEAF") {
      e.leafRow[i] = e.leaves++;
      continue;
    }
    const auto *mode = llvm::find(names, llvm::StringRef(modes[i]));
    if (mode == std::end(names))
      return "attribute 'nodes_modes': got '" + modes[i] + "'";
    e.modes[i] = Mode(mode - names);
    e.features[i] = features[i];
    e.splits[i] = splits[i];
    e.missing[i] = missing.empty() ? 0 : missing[i];
    e.onTrue[i] = placeOf(trees[i], onTrue[i]);
    e.onFalse[i] = placeOf(trees[i], onFalse[i]);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    int64_t node = placeOf(voteTrees[i], voteNodes[i]);
    e.votes.push_back({node < 0 ? -1 : e.leafRow[node], voteIds[i], weights[i]});
  }
  e.base = floatsOrTensor(n, "base_values");
  return "";
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Cells of the matrix of votes, which is dense.
constexpr int64_t maxVotes = int64_t(1) << 24;

/// Scores before the transform; an invalid tensor after `status` or an error of the formula.
Tensor scoresOf(Node &n, Ensemble &e, std::string problem, Aggregate aggregate, RowStatus &status) {
  Tensor x = n.in(0);
  if (!x)
    return x;
  std::optional<int64_t> depth;
  if (problem.empty())
    problem = problemOf(e, depth = e.depth());
  if (!problem.empty()) {
    status = n.invalid(problem);
    return {};
  }
  if (e.leaves * e.targets > maxVotes) {
    status = n.unsupported(manyVotes);
    return {};
  }
  x = featuresOf(n, e, x);
  return x ? predicted(n, e, x, *depth, aggregate) : x;
}

// Votes of the leaves that x reaches, aggregated per target and transformed
RowStatus treeEnsemble(Node &n) {
  Ensemble e;
  int64_t aggregate = n.i("aggregate_function", 1), transform = n.i("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return n.invalid("attribute 'aggregate_function' or 'post_transform' is unknown");
  RowStatus status = RowStatus::Done;
  Tensor y = scoresOf(n, e, readTrees(n, e), Aggregate(aggregate), status);
  if (y)
    n.outAs(0, transformed(y, PostTransform(transform)), n.inputType(0));
  return status;
}

RowStatus treeRegressor(Node &n) {
  Ensemble e;
  e.targets = n.i("n_targets", 1);
  std::string name = n.s("aggregate_function", "SUM");
  static constexpr llvm::StringLiteral names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const auto *aggregate = llvm::find(names, llvm::StringRef(name));
  auto transform = postTransformOf(n.s("post_transform", "NONE"));
  if (aggregate == std::end(names) || !transform)
    return n.invalid("attribute 'aggregate_function' or 'post_transform' is unknown");
  RowStatus status = RowStatus::Done;
  std::string problem = readOldTrees(n, e, "target");
  Tensor y = scoresOf(n, e, std::move(problem), Aggregate(aggregate - names), status);
  if (y)
    n.outAs(0, transformed(y, *transform), n.ctx().builder.getF32Type());
  return status;
}

// The class with the greatest score, and the scores. If only one of two classes gets votes, its
// score s decides: at 0.5 where all votes are positive, else at 0. If that is the first one, s
// counts for the second, and the first gets the complement 1 - s or -s.
RowStatus treeClassifier(Node &n) {
  Ensemble e;
  auto labels = n.ints("classlabels_int64s");
  if (labels.empty())
    return n.unsupported(noStrings, "class labels");
  auto transform = postTransformOf(n.s("post_transform", "NONE"));
  if (!transform)
    return n.invalid("attribute 'post_transform' is unknown");
  e.targets = int64_t(labels.size());
  std::string problem = readOldTrees(n, e, "class");
  std::set<int64_t> voted;
  bool allPositive = true;
  for (Ensemble::Vote &vote : e.votes) {
    voted.insert(vote.target);
    allPositive &= vote.weight >= 0;
  }
  bool isDecided = e.targets == 2 && voted.size() == 1, isBinary = isDecided && voted.count(0);
  bool isPlain = e.base.empty() &&
                 (*transform == PostTransform::None || *transform == PostTransform::Logistic);
  if (e.targets == 1 || (isBinary && !isPlain) || (isDecided && !e.base.empty()))
    return n.unsupported(oneClass);
  if (isBinary)
    for (Ensemble::Vote &vote : e.votes)
      vote.target = 1;
  RowStatus status = RowStatus::Done;
  Tensor scores = scoresOf(n, e, std::move(problem), Aggregate::Sum, status);
  if (!scores)
    return status;
  Tensor best = argReduce(Combiner::max, scores, 1, /*last=*/false, /*keep=*/false);
  if (isDecided) {
    Tensor s = sliceAxis(scores, 1, 1, 2);
    best = convert(squeeze(s > (allPositive ? 0.5 : 0.0), 1), best.dtype());
    bool isShare = allPositive && *transform == PostTransform::None;
    if (isBinary)
      scores = concat({isShare ? 1.0 - s : -s, s}, 1);
  }
  n.out(0, take(constantI64(n.ctx(), labels), best, 0));
  n.outAs(1, transformed(scores, *transform), n.ctx().builder.getF32Type());
  return RowStatus::Done;
}

} // namespace

void onnx::addTreeRows(OpTable &t) {
  llvm::StringRef domain = "ai.onnx.ml";
  t.add("TreeEnsemble", 5, treeEnsemble, "T=float", domain).limits({&manyVotes});
  t.add("TreeEnsembleRegressor", 1, treeRegressor, "T=number", domain).limits({&manyVotes});
  t.add("TreeEnsembleClassifier", 1, treeClassifier, "T1=number", domain)
      .limits({&noStrings, &oneClass, &manyVotes});
}
