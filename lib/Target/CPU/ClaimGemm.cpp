//===- ClaimGemm.cpp - products with a weight -----------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "RegionEpilogue.h"
#include "dynac/Target/CPU/GemmKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

bool dynac::cpu::isGemmOf(DotOp dot, DotKind kind) {
  if (!dot.getBatchA().empty() || dot.getContractA().size() != 1)
    return false;
  auto a = cast<RankedTensorType>(dot.getA().getType());
  auto b = cast<RankedTensorType>(dot.getB().getType());
  return b.getRank() == 2 && dot.getB().getDefiningOp<WeightOp>() &&
         dot.getContractA()[0] == a.getRank() - 1 && b.getDimSize(0) > 0 && b.getDimSize(1) > 0 &&
         b.getDimSize(dot.getContractB()[0]) % groupOf(kind) == 0;
}

namespace {

/// The numbers that a product of such operands multiplies, if there is a kernel for them.
std::optional<DotKind> dotKindOf(Value a, Value b, Value sum) {
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
  if (elementOf(a).isF32() && elementOf(b).isF32() && elementOf(sum).isF32())
    return DotKind::F32;
  if (elementOf(a).isBF16() && elementOf(b).isBF16() && elementOf(sum).isF32())
    return DotKind::Bf16;
  if (elementOf(a).isUnsignedInteger(8) && elementOf(b).isSignlessInteger(8) &&
      elementOf(sum).isSignlessInteger(32))
    return DotKind::U8S8;
  return std::nullopt;
}

bool matchesGemm(Operation *op) {
  auto dot = dyn_cast<DotOp>(op);
  if (!dot)
    return false;
  auto kind = dotKindOf(dot.getA(), dot.getB(), dot.getResult());
  return kind && isGemmOf(dot, *kind);
}

/// How the weight is stored, in OpenKernel::spec.
std::string weightText(WeightFormat format) {
  switch (format.kind) {
  case WeightFormat::F32:
    return "";
  case WeightFormat::Bf16:
    return ",weight=bf16";
  case WeightFormat::Int8:
    return ",weight=int8";
  case WeightFormat::Int4:
    return ",weight=int4/" + std::to_string(format.block);
  }
  return "";
}

/// GemmChoice's members as knobs; of weights in fewer bits, the rows alone. Longer chains of sums
/// than the policy's would be less exact: so passes over k may only become more, and even.
OpenKernel openGemm(int64_t m, int64_t n, int64_t k, DotKind kind, WeightFormat format,
                    bool isStrict) {
  const GemmPlan policy = planGemm(m, n, k, kind, format, {0, 0, 0, /*strassen=*/!isStrict});
  const bool isPlain = format.kind == WeightFormat::F32;
  OpenKernel open;
  open.spec =
      llvm::formatv("gemm:m={0},n={1},k={2},dot={3}{4}{5}", specText(m < 0 ? dim(0) : Extent(m)), n,
                    k, dotName(kind), weightText(format), isStrict ? ",strict" : "")
          .str();
  SmallVector<int64_t> widths;
  if (isPlain)
    widths = {16, 32, 48, 64};
  open.add("panel", policy.panelWidth, widths);
  SmallVector<int64_t> rows, passes;
  for (int64_t count : {24, 48, 96, 120, 144, 240, 480})
    if (m < 0 || count < m)
      rows.push_back(count);
  if (m > 0 && m <= 480)
    rows.push_back(m);
  open.add("rows", policy.unitRows, rows);
  for (int64_t count = policy.passes(); isPlain && policy.k / count >= 256 && count <= 8;
       count *= 2)
    if (policy.k % (4 * count) == 0)
      passes.push_back(count);
  open.add("passes", policy.passes(), passes);
  open.add("strassen", policy.pairs != 0, {0});
  return open;
}

llvm::Expected<RegionPlan> planGemmRegion(RegionOp region, Operation *op, CpuRegionPlanner &planner,
                                          WeightStore &weights) {
  auto canonical = std::make_shared<CanonicalRegion>(canonicalRegion(region));
  auto dot = cast<DotOp>(op);
  bool transposed = dot.getContractB()[0] == 1;
  auto bType = cast<RankedTensorType>(dot.getB().getType());
  int64_t k = bType.getDimSize(transposed ? 1 : 0), n = bType.getDimSize(transposed ? 0 : 1);
  Shape aShape = shapeOf(dot.getA());
  aShape.pop_back();
  SymExpr m = elementCount(aShape);
  const DotKind kind = *dotKindOf(dot.getA(), dot.getB(), dot.getResult());
  const WeightFormat format = kind == DotKind::F32 ? planner.weightFormat : WeightFormat();
  const int64_t rows = m.constant().value_or(-1);
  const Choice choice = planner.choose(openGemm(rows, n, k, kind, format, planner.strict));
  GemmPlan gemm =
      planGemm(rows, n, k, kind, format, {choice[0], choice[1], choice[2], choice[3] != 0});

  unsigned aOperand = cast<BlockArgument>(dot.getA()).getArgNumber();
  unsigned bOperand = cast<BlockArgument>(dot.getB()).getArgNumber();
  int64_t weight = region.getXs()[bOperand].getDefiningOp<WeightOp>().getId();
  std::string packing =
      ("gemm:" + Twine(weight) + ":" + Twine(transposed) + ":" + Twine(gemm.panelWidth)).str();
  auto [it, isNew] = planner.packed.try_emplace(packing, -1);
  if (isNew && format.kind != WeightFormat::F32)
    it->second = weights.derive(
        weights.name(weight),
        RankedTensorType::get({packedBytes(gemm)}, IntegerType::get(op->getContext(), 8)), {weight},
        [=, errors = planner.weightErrors, number = static_cast<int64_t>(weights.size()),
         layer = nodeNames(op->getLoc()), name = weights.name(weight)](
            ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
          const double error = quantiseGemmB(gemm, numbersOf<const float>(inputs[0]),
                                             transposed ? 1 : n, transposed ? k : 1, out);
          (*errors)[number] = {layer, name, error};
          return llvm::Error::success();
        });
  else if (isNew)
    it->second = weights.derive(
        weights.name(weight),
        RankedTensorType::get({gemm.packedWords()}, wordType(kind, op->getContext())), {weight},
        [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
          const int64_t kStride = transposed ? 1 : n, nStride = transposed ? k : 1;
          if (kind == DotKind::U8S8)
            packGemmB<int8_t, int8_t>(gemm, numbersOf<const int8_t>(inputs[0]), kStride, nStride,
                                      numbersOf<int8_t>(out));
          else if (kind == DotKind::Bf16)
            packGemmB<uint16_t, uint16_t>(gemm, numbersOf<const uint16_t>(inputs[0]), kStride,
                                          nStride, numbersOf<uint16_t>(out));
          else
            packGemmB<float, float>(gemm, numbersOf<const float>(inputs[0]), kStride, nStride,
                                    numbersOf<float>(out));
          return llvm::Error::success();
        });

  RegionPlan result;
  result.kind = "gemm";
  result.key = "gemm:" + canonical->text;
  result.units = m.constant() ? SymExpr(gemm.units(*m.constant()))
                              : m.ceilDiv(SymExpr(gemm.unitRows)) * SymExpr(gemm.blockUnits());
  result.scratchBytes = gemm.scratchBytes;
  if (m.constant()) // else it hangs on the number of rows
    result.products = SymExpr(-gemm.sparedProducts(*m.constant()));
  result.weights[bOperand] = it->second;

  // Everything the kernel needs of the dimensions is passed as a value, so equal text means equal
  // code.
  auto dims = std::make_shared<KernelDims>();
  GemmSpec spec{gemm, m.constant() ? Extent(*m.constant()) : dim(dims->of(m)), 0, {}, {}, 0, {},
                false};
  auto epilogue = std::make_shared<RegionEpilogue>(region, op, *dims);
  result.dims = dims->exprs;
  result.operands.emplace({aOperand, bOperand});
  llvm::append_range(*result.operands, epilogue->operands);
  result.emit = [=, &planner](StringRef name) mutable -> llvm::Expected<std::vector<std::string>> {
    spec.outputType = epilogue->outputType();
    spec.extra = epilogue->buffers();
    spec.dimCount = dims->exprs.size();
    spec.epilogue = epilogue->emitter(/*firstBuffer=*/2, /*rowsAndColumns=*/true);
    return planner.emitBodies(
        name,
        [&](StringRef symbol, const Isa &isa) { emitGemm(planner.kernels, symbol, isa, spec); },
        [&](const Isa &isa) { return gemmTakesTiles(isa, gemm); },
        /*isF32=*/kind == DotKind::F32 && spec.outputType.isF32());
  };
  return result;
}

} // namespace

const ClaimedKernel dynac::cpu::gemmClaim = {"gemm", /*takesEpilogue=*/true, matchesGemm,
                                             planGemmRegion};
