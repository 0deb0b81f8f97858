//===- ClaimBatchGemm.cpp - products of two computed operands -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "RegionEpilogue.h"
#include "dynac/Target/CPU/BatchGemmKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

namespace {

/// The axes of one operand of a product: batch, the free one and the contracted one.
struct MatrixAxes {
  llvm::ArrayRef<int64_t> batch;
  int64_t free = -1, contract = -1;
};

std::optional<MatrixAxes> axesOf(Value operand, llvm::ArrayRef<int64_t> batch,
                                 llvm::ArrayRef<int64_t> contract) {
  int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
  if (contract.size() != 1 || rank != static_cast<int64_t>(batch.size()) + 2)
    return std::nullopt;
  MatrixAxes axes{batch, -1, contract[0]};
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(batch, axis) && axis != axes.contract)
      axes.free = axis;
  return axes;
}

/// Row-major element strides.
Shape stridesOf(Value operand) {
  Shape shape = shapeOf(operand), strides(shape.size(), SymExpr(1));
  for (int64_t axis = static_cast<int64_t>(shape.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

bool matchesBatchGemm(Operation *op) {
  auto dot = dyn_cast<DotOp>(op);
  if (!dot)
    return false;
  for (Value value : {dot.getA(), dot.getB(), dot.getY()})
    if (!getElementTypeOrSelf(value.getType()).isF32())
      return false;
  auto a = axesOf(dot.getA(), dot.getBatchA(), dot.getContractA());
  auto b = axesOf(dot.getB(), dot.getBatchB(), dot.getContractB());
  if (!a || !b)
    return false;
  if (shapeOf(dot.getA())[a->contract].isZero())
    return false; // a sum of nothing: the generic way writes the zeros
  // One of a matrix's two axes has to be contiguous.
  int64_t lastA = a->batch.size() + 1, lastB = b->batch.size() + 1;
  return (a->free == lastA || a->contract == lastA) && (b->free == lastB || b->contract == lastB);
}

/// Operand seen as (rows, columns); `columns` or `rows` is its last axis.
MatrixLayout layoutOf(Value operand, llvm::ArrayRef<int64_t> batch, int64_t rows, int64_t columns,
                      KernelDims &dims) {
  Shape strides = stridesOf(operand), shape = shapeOf(operand);
  MatrixLayout layout{{}, Extent(0)};
  for (int64_t axis : batch)
    layout.batchStrides.push_back(dims.extent(shape[axis].isOne() ? SymExpr(0) : strides[axis]));
  layout.transposed = columns != static_cast<int64_t>(strides.size()) - 1;
  layout.rowStride = dims.extent(strides[layout.transposed ? columns : rows]);
  return layout;
}

llvm::Expected<RegionPlan> planBatchGemm(RegionOp region, Operation *op, CpuRegionPlanner &planner,
                                         WeightStore &) {
  auto canonical = canonicalRegion(region);
  auto dot = cast<DotOp>(op);
  MatrixAxes a = *axesOf(dot.getA(), dot.getBatchA(), dot.getContractA());
  MatrixAxes b = *axesOf(dot.getB(), dot.getBatchB(), dot.getContractB());
  Shape aShape = shapeOf(dot.getA()), bShape = shapeOf(dot.getB()),
        strides = stridesOf(dot.getResult());
  SymExpr m = aShape[a.free], n = bShape[b.free], k = aShape[a.contract], batchCount(1);

  auto dims = std::make_shared<KernelDims>();
  BatchGemmSpec spec{{},
                     dims->extent(m),
                     dims->extent(n),
                     dims->extent(k),
                     layoutOf(dot.getA(), a.batch, a.free, a.contract, *dims),
                     layoutOf(dot.getB(), b.batch, b.contract, b.free, *dims),
                     MatrixLayout{{}, dims->extent(n)},
                     {},
                     {},
                     0,
                     {},
                     false,
                     240};
  for (auto [i, axis] : llvm::enumerate(a.batch)) {
    spec.batch.push_back(dims->extent(aShape[axis]));
    spec.c.batchStrides.push_back(dims->extent(strides[i]));
    batchCount = batchCount * aShape[axis];
  }
  OpenKernel open;
  open.spec =
      llvm::formatv("batch_gemm:batch={0},m={1},n={2},k={3},a={4},b={5}", specText(spec.batch),
                    specText(spec.m), specText(spec.n), specText(spec.k),
                    spec.a.transposed ? "t" : "n", spec.b.transposed ? "t" : "n")
          .str();
  open.add("rows", spec.mostRows, {48, 120, 240, 480});
  spec.mostRows = planner.choose(open)[0];
  auto epilogue = std::make_shared<RegionEpilogue>(region, op, *dims);

  RegionPlan result;
  result.kind = "batch_gemm";
  result.key = "batch_gemm:" + canonical.text;
  result.units =
      batchCount * m.ceilDiv(SymExpr(spec.unitRows())) * n.ceilDiv(SymExpr(spec.panelWidth()));
  result.scratchBytes = spec.scratchBytes();
  result.dims = dims->exprs;
  result.operands.emplace({cast<BlockArgument>(dot.getA()).getArgNumber(),
                           cast<BlockArgument>(dot.getB()).getArgNumber()});
  llvm::append_range(*result.operands, epilogue->operands);
  result.emit = [=, &planner](StringRef name) mutable -> llvm::Expected<std::vector<std::string>> {
    spec.outputType = epilogue->outputType();
    spec.extra = epilogue->buffers();
    spec.dimCount = dims->exprs.size();
    spec.epilogue = epilogue->emitter(/*firstBuffer=*/2, /*rowsAndColumns=*/false);
    return planner.emitBodies(name, [&](StringRef symbol, const Isa &isa) {
      emitBatchGemm(planner.kernels, symbol, isa, spec);
    });
  };
  return result;
}

} // namespace

const ClaimedKernel dynac::cpu::batchedGemmClaim = {"batch_gemm", /*takesEpilogue=*/true,
                                                    matchesBatchGemm, planBatchGemm};
