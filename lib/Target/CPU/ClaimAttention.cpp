//===- ClaimAttention.cpp - attention in one kernel -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "dynac/Composites/Composites.h"
#include "dynac/Target/CPU/AttentionKernel.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

namespace {

/// Larger heads are no heads: their products are worth kernels of their own.
constexpr int64_t maxDepth = 512;

/// The extents and element strides of an operand's axes in the order of the composite: batch,
/// rows, columns.
struct View {
  Shape shape, strides;

  View(Value operand, ArrayRef<int64_t> axes) {
    Shape own = shapeOf(operand), ownStrides(own.size(), SymExpr(1));
    for (int64_t axis = static_cast<int64_t>(own.size()) - 2; axis >= 0; --axis)
      ownStrides[axis] = ownStrides[axis + 1] * own[axis + 1];
    for (int64_t axis : axes) {
      shape.push_back(own[axis]);
      strides.push_back(own[axis].isOne() ? SymExpr(0) : ownStrides[axis]);
    }
  }
  /// Whether the rows' elements, or the columns', are neighbours.
  bool isMatrix() const { return isNear(shape.size() - 1) || isNear(shape.size() - 2); }
  bool isNear(size_t axis) const { return strides[axis].isOne() || shape[axis].isOne(); }

  /// As a matrix of the last two axes; `flipped`: of the last and the one before.
  MatrixLayout layout(KernelDims &dims, bool flipped = false) const {
    const size_t rank = shape.size();
    MatrixLayout result{{}, Extent(0)};
    for (size_t axis = 0; axis + 2 < rank; ++axis)
      result.batchStrides.push_back(dims.extent(strides[axis]));
    const bool rowsAreNear = !isNear(rank - 1);
    result.transposed = rowsAreNear != flipped;
    result.rowStride = dims.extent(strides[rowsAreNear ? rank - 1 : rank - 2]);
    return result;
  }
};

bool matchesAttention(Operation *op) {
  auto composite = dyn_cast<CompositeOp>(op);
  if (!composite || composite.getName() != "attention")
    return false;
  AttentionConfig config(composite);
  if (config.causal != Causal::No)
    return false;
  OperandRange xs = composite.getXs();
  for (Value x : xs.take_front(3))
    if (!getElementTypeOrSelf(x.getType()).isF32())
      return false;
  View q(xs[0], config.q), k(xs[1], config.k), v(xs[2], config.v),
      y(composite.getYs()[0], config.y);
  const size_t rank = q.shape.size();
  std::optional<int64_t> depth = q.shape.back().constant(), valueDepth = v.shape.back().constant();
  if (!depth || *depth < 1 || *depth > maxDepth || !valueDepth || *valueDepth < 1 ||
      *valueDepth > maxDepth || k.shape[rank - 2].isZero())
    return false;
  if (q.shape[rank - 3] != k.shape[rank - 3]) {
    auto shared = q.shape[rank - 3].exactDiv(k.shape[rank - 3]);
    if (!shared || !shared->constant())
      return false;
  }
  return q.isMatrix() && k.isMatrix() && v.isMatrix() && y.isNear(rank - 1) &&
         llvm::all_of(xs.drop_front(3), [](Value term) {
           Type type = getElementTypeOrSelf(term.getType());
           return type.isF32() || type.isInteger(1);
         });
}

llvm::Expected<RegionPlan> planAttention(RegionOp region, Operation *op, CpuRegionPlanner &planner,
                                         WeightStore &) {
  auto canonical = canonicalRegion(region);
  auto composite = cast<CompositeOp>(op);
  AttentionConfig config(composite);
  OperandRange xs = composite.getXs();
  View q(xs[0], config.q), k(xs[1], config.k), v(xs[2], config.v),
      y(composite.getYs()[0], config.y);
  const size_t rank = q.shape.size();

  auto dims = std::make_shared<KernelDims>();
  AttentionSpec spec;
  SymExpr batchCount(1);
  for (const SymExpr &dim : ArrayRef(q.shape).drop_back(2)) {
    spec.batch.push_back(dims->extent(dim));
    batchCount = batchCount * dim;
  }
  spec.queries = dims->extent(q.shape[rank - 2]);
  spec.keys = dims->extent(k.shape[rank - 2]);
  spec.depth = *q.shape.back().constant();
  spec.valueDepth = *v.shape.back().constant();
  spec.q = q.layout(*dims);
  spec.k = k.layout(*dims, /*flipped=*/true);
  spec.v = v.layout(*dims);
  spec.y = y.layout(*dims);
  if (q.shape[rank - 3] != k.shape[rank - 3])
    spec.headsPerKey = *q.shape[rank - 3].exactDiv(k.shape[rank - 3])->constant();
  spec.scale = static_cast<float>(config.scale);
  spec.zeroEmpty = config.zeroMaskedRows;
  spec.zeroNan = config.zeroNan;
  for (auto [i, x] : llvm::enumerate(xs.drop_front(3))) {
    AttentionSpec::Term term;
    term.isMask = getElementTypeOrSelf(x.getType()).isInteger(1);
    term.fill = static_cast<float>(config.fillOf(i));
    term.strides.assign(rank, Extent(0));
    Shape shape = shapeOf(x);
    SymExpr stride(1);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (!shape[axis].isOne())
        term.strides[axis + rank - shape.size()] = dims->extent(stride);
      stride = stride * shape[axis];
    }
    spec.terms.push_back(std::move(term));
  }

  RegionPlan result;
  result.kind = "attention";
  result.key = "attention:" + canonical.text;
  result.units = batchCount * q.shape[rank - 2].ceilDiv(SymExpr(spec.unitRows()));
  result.scratchBytes = spec.scratchBytes();
  result.dims = dims->exprs;
  result.operands.emplace();
  for (Value x : xs)
    result.operands->push_back(cast<BlockArgument>(x).getArgNumber());
  result.emit = [=, &planner](StringRef name) mutable -> llvm::Expected<std::vector<std::string>> {
    spec.dimCount = dims->exprs.size();
    std::vector<std::string> symbols;
    for (const Isa &isa : planner.isas) {
      symbols.push_back((name + "." + isa.suffix).str());
      emitAttention(planner.kernels, symbols.back(), isa, spec);
    }
    return symbols;
  };
  return result;
}

} // namespace

const ClaimedKernel dynac::cpu::attentionClaim = {"attention", /*takesEpilogue=*/false,
                                                  matchesAttention, planAttention};
