//===- ClaimConv.cpp - convolutions in channel blocks ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "RegionEpilogue.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/CPU/ConvKernel.h"
#include "dynac/Target/CPU/DepthwiseKernel.h"
#include "dynac/Target/CPU/GroupedKernel.h"
#include "dynac/Target/CPU/Passes.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

namespace {

int64_t intOf(CompositeOp op, StringRef name) {
  return op.getConfig().getAs<IntegerAttr>(name).getInt();
}

std::array<int64_t, 2> pairOf(CompositeOp op, StringRef name) {
  ArrayRef<int64_t> values = op.getConfig().getAs<DenseI64ArrayAttr>(name).asArrayRef();
  return {values[0], values[1]};
}

bool isConvNchwc(Operation *op) {
  auto composite = dyn_cast<CompositeOp>(op);
  return composite && composite.getName() == "conv_nchwc";
}

bool isDepthwiseNhwc(Operation *op) {
  auto composite = dyn_cast<CompositeOp>(op);
  return composite && composite.getName() == "depthwise_nhwc";
}

bool isDepthwise(CompositeOp op) {
  const int64_t groups = intOf(op, "groups");
  return groups > 1 && groups == intOf(op, "channels") && groups == intOf(op, "filters");
}

/// Whether groups are whole blocks of channels.
bool isOfBlocks(CompositeOp op) {
  const int64_t groups = intOf(op, "groups");
  return groups == 1 || (intOf(op, "channels") / groups % kChannelBlock == 0 &&
                         intOf(op, "filters") / groups % kChannelBlock == 0);
}

bool isDense(Operation *op) { return isConvNchwc(op) && isOfBlocks(cast<CompositeOp>(op)); }

/// What convolutions have in common.
void readWindow(CompositeOp op, ConvShape &shape) {
  auto w = cast<RankedTensorType>(op.getXs()[1].getType());
  shape.groups = intOf(op, "groups");
  shape.kernel = {w.getDimSize(2), w.getDimSize(3)};
  shape.stride = pairOf(op, "strides");
  shape.dilation = pairOf(op, "dilations");
  shape.padBegin = pairOf(op, "lo");
  shape.padEnd = pairOf(op, "hi");
}

/// The kernel's view of the composite; sizes that are not known become dimension arguments.
ConvShape shapeOfConv(CompositeOp op, KernelDims &dims) {
  bool plain = op.getConfig().getAs<BoolAttr>("plain_input").getValue();
  Shape x = shapeOf(op.getXs()[0]), y = shapeOf(op.getYs()[0]);
  auto w = cast<RankedTensorType>(op.getXs()[1].getType());
  ConvShape shape{dims.extent(x[0]), dims.extent(x[2]), dims.extent(x[3]), dims.extent(y[2]),
                  dims.extent(y[3])};
  shape.c = intOf(op, "channels");
  shape.k = intOf(op, "filters");
  readWindow(op, shape);
  shape.plainInput = plain;
  if (w.getElementType().isInteger(8)) {
    shape.dot = DotKind::U8S8;
    shape.padByte = intOf(op, "fill");
  } else if (w.getElementType().isBF16()) {
    shape.dot = DotKind::Bf16;
  }
  return shape;
}

/// `kind`'s convolution of `s` in OpenKernel::spec.
std::string specOf(StringRef kind, const ConvShape &s) {
  auto pair = [](const std::array<int64_t, 2> &values) {
    return specText({Extent(values[0]), Extent(values[1])});
  };
  return llvm::formatv("{0}:n={1},c={2},image={3},k={4},groups={5},kernel={6},stride={7},"
                       "dilation={8},pad={9}+{10},dot={11}{12}{13}",
                       kind, specText(s.n), s.c, specText({s.h, s.w}), s.k, s.groups,
                       pair(s.kernel), pair(s.stride), pair(s.dilation), pair(s.padBegin),
                       pair(s.padEnd), dotName(s.dot), s.plainInput ? ",plain" : "",
                       s.allowWinograd ? "" : ",strict")
      .str();
}

/// ConvChoice's members as knobs.
OpenKernel openConv(const ConvShape &shape) {
  OpenKernel open{specOf("conv", shape), {}};
  SmallVector<int64_t> sides = winogradSides(shape);
  sides.push_back(0);
  open.add("winograd", planConv(shape).winograd, sides);
  open.add("cache", 100, {50, 100, 200});
  return open;
}

/// n * ceil(rows / blockRows) * ceil(cols / blockCols) * groups * groupPanels, as in
/// ConvPlan::units.
SymExpr unitsOf(const ConvPlan &plan, llvm::ArrayRef<SymExpr> y) {
  SymExpr rows = plan.flat ? SymExpr(1) : y[2], cols = plan.flat ? y[2] * y[3] : y[3];
  return y[0] * rows.ceilDiv(SymExpr(plan.blockRows)) * cols.ceilDiv(SymExpr(plan.blockCols)) *
         SymExpr(plan.shape.groups * plan.groupPanels);
}

void packConvBytes(const ConvPlan &plan, WeightBytes weights, llvm::MutableArrayRef<char> packed) {
  if (plan.shape.dot == DotKind::U8S8)
    return packConv<int8_t, int8_t>(plan, numbersOf<const int8_t>(weights),
                                    numbersOf<int8_t>(packed));
  if (plan.shape.dot == DotKind::Bf16)
    return packConv<uint16_t, uint16_t>(plan, numbersOf<const uint16_t>(weights),
                                        numbersOf<uint16_t>(packed));
  packConv<float, float>(plan, numbersOf<const float>(weights), numbersOf<float>(packed));
}

void packDepthwiseBytes(const DepthwisePlan &plan, WeightBytes weights,
                        llvm::MutableArrayRef<char> packed) {
  packDepthwise(plan, numbersOf<const float>(weights), numbersOf<float>(packed));
}

void packGroupedBytes(const GroupedPlan &plan, WeightBytes weights,
                      llvm::MutableArrayRef<char> packed) {
  packGrouped(plan, numbersOf<const float>(weights), numbersOf<float>(packed));
}

/// Multiplications of the kernel for `pixels` of the result.
SymExpr directProducts(const ConvShape &shape, const SymExpr &pixels) {
  return pixels * SymExpr(shape.k * (shape.c / shape.groups) * shape.kernel[0] * shape.kernel[1]);
}
SymExpr productsOf(const ConvPlan &plan, llvm::ArrayRef<SymExpr> y) {
  if (!plan.winograd)
    return directProducts(plan.shape, y[0] * y[2] * y[3]);
  // A tile of m x m outputs takes (m + 2)^2 for each channel, the direct way 9 for each output.
  const SymExpr side(plan.winograd), window((plan.winograd + 2) * (plan.winograd + 2));
  return y[0] * y[2].ceilDiv(side) * y[3].ceilDiv(side) * window *
         SymExpr(plan.shape.k * (plan.shape.c / plan.shape.groups));
}
SymExpr productsOf(const DepthwisePlan &plan, llvm::ArrayRef<SymExpr> y) {
  return directProducts(plan.shape, plan.channelsLast ? y[0] * y[1] * y[2] : y[0] * y[2] * y[3]);
}
SymExpr productsOf(const GroupedPlan &plan, llvm::ArrayRef<SymExpr> y) {
  return directProducts(plan.shape, y[0] * y[2] * y[3]);
}

/// What all kinds of convolution share: the operands, the packed weight `key` made by `pack`, and
/// the emission by `emitKernel(module, symbol, isa, epilogue parts…)`.
template <typename ConvPlanT, typename Spec>
RegionPlan planWith(RegionOp region, CompositeOp conv, const ConvPlanT &plan, StringRef kind,
                    SymExpr units, int64_t scratchBytes, std::shared_ptr<KernelDims> dims,
                    std::shared_ptr<RegionEpilogue> epilogue, CpuRegionPlanner &planner,
                    WeightStore &weights,
                    void (*pack)(const ConvPlanT &, WeightBytes, llvm::MutableArrayRef<char>),
                    void (*emitKernel)(ModuleOp, StringRef, const Isa &, const Spec &),
                    bool (*takesTiles)(const Isa &, const ConvPlanT &) = nullptr) {
  unsigned xOperand = cast<BlockArgument>(conv.getXs()[0]).getArgNumber();
  unsigned wOperand = cast<BlockArgument>(conv.getXs()[1]).getArgNumber();
  int64_t weight = region.getXs()[wOperand].template getDefiningOp<WeightOp>().getId();
  // Two convolutions may share a weight and still want it packed differently (Winograd for large
  // images only); the packings differ in size.
  std::string packing = (kind + ":" + Twine(weight) + ":" + Twine(plan.shape.groups) + ":" +
                         Twine(plan.shape.plainInput) + ":" + Twine(plan.packedElements()))
                            .str();
  auto [it, isNew] = planner.packed.try_emplace(packing, -1);
  if (isNew)
    it->second = weights.derive(
        weights.name(weight),
        RankedTensorType::get({plan.packedElements()}, wordType(plan.shape.dot, conv.getContext())),
        {weight}, [=](ArrayRef<WeightBytes> inputs, llvm::MutableArrayRef<char> out) {
          pack(plan, inputs[0], out);
          return llvm::Error::success();
        });
  RegionPlan result;
  result.kind = kind.str();
  result.key = (kind + ":" + canonicalRegion(region).text).str();
  result.units = units;
  result.products = productsOf(plan, shapeOf(conv.getYs()[0]));
  result.scratchBytes = scratchBytes;
  result.weights[wOperand] = it->second;
  result.dims = dims->exprs;
  result.operands.emplace({xOperand, wOperand});
  llvm::append_range(*result.operands, epilogue->operands);
  result.emit = [=, &planner](StringRef name) -> llvm::Expected<std::vector<std::string>> {
    Spec spec{plan, epilogue->outputType(), epilogue->buffers(),
              static_cast<unsigned>(dims->exprs.size()),
              epilogue->emitter(/*firstBuffer=*/2, /*rowsAndColumns=*/false)};
    return planner.emitBodies(
        name,
        [&](StringRef symbol, const Isa &isa) { emitKernel(planner.kernels, symbol, isa, spec); },
        [&](const Isa &isa) { return takesTiles && takesTiles(isa, plan); });
  };
  return result;
}

llvm::Expected<RegionPlan> planConvRegion(RegionOp region, Operation *op, CpuRegionPlanner &planner,
                                          WeightStore &weights) {
  auto conv = cast<CompositeOp>(op);
  auto dims = std::make_shared<KernelDims>();
  ConvShape shape = shapeOfConv(conv, *dims);
  shape.allowWinograd = !planner.strict;
  const Choice choice = planner.choose(openConv(shape));
  const bool matrices =
      llvm::any_of(planner.isas, [](const Isa &isa) { return isa.matrices != MatrixUnit::None; });
  ConvPlan plan = planConv(shape, {choice[0], matrices, choice[1]});
  auto epilogue = std::make_shared<RegionEpilogue>(region, op, *dims);
  if (plan.flat && !epilogue->mayCountPixels(2, 3))
    return unsupported(
        "{0}: a convolution's epilogue reads rows and columns of its image differently",
        nodeNames(region.getLoc()));
  return planWith<ConvPlan, ConvSpec>(
      region, conv, plan, "conv", unitsOf(plan, shapeOf(conv.getYs()[0])), plan.scratchBytes, dims,
      epilogue, planner, weights, packConvBytes, emitConv, convTakesTiles);
}

bool matchesDepthwise(Operation *op) {
  return isDepthwiseNhwc(op) || (isConvNchwc(op) && isDepthwise(cast<CompositeOp>(op)));
}

DepthwisePlan planOfDepthwise(CompositeOp op, KernelDims &dims) {
  if (!isDepthwiseNhwc(op))
    return planDepthwise(shapeOfConv(op, dims));
  Shape x = shapeOf(op.getXs()[0]), y = shapeOf(op.getYs()[0]);
  ConvShape shape{dims.extent(x[0]), dims.extent(x[1]), dims.extent(x[2]), dims.extent(y[1]),
                  dims.extent(y[2])};
  shape.c = shape.k = intOf(op, "groups");
  readWindow(op, shape);
  return planDepthwise(shape, /*channelsLast=*/true);
}

llvm::Expected<RegionPlan> planDepthwiseRegion(RegionOp region, Operation *op,
                                               CpuRegionPlanner &planner, WeightStore &weights) {
  auto conv = cast<CompositeOp>(op);
  auto dims = std::make_shared<KernelDims>();
  const DepthwisePlan policy = planOfDepthwise(conv, *dims);
  OpenKernel open{specOf(policy.channelsLast ? "depthwise_nhwc" : "depthwise", policy.shape), {}};
  open.add("rows", policy.blockRows, {2, 4, 8, 16});
  const DepthwisePlan plan =
      planDepthwise(policy.shape, policy.channelsLast, planner.choose(open)[0]);
  auto epilogue = std::make_shared<RegionEpilogue>(region, op, *dims);
  Shape y = shapeOf(conv.getYs()[0]);
  SymExpr blocks = plan.channelsLast ? SymExpr(plan.shape.c / kChannelBlock) : y[1];
  SymExpr units = y[0] * blocks * y[plan.channelsLast ? 1 : 2].ceilDiv(SymExpr(plan.blockRows));
  return planWith<DepthwisePlan, DepthwiseSpec>(region, conv, plan, "depthwise", units, 0, dims,
                                                epilogue, planner, weights, packDepthwiseBytes,
                                                emitDepthwise);
}

bool matchesGrouped(Operation *op) {
  return isConvNchwc(op) && !isOfBlocks(cast<CompositeOp>(op)) &&
         !isDepthwise(cast<CompositeOp>(op));
}

llvm::Expected<RegionPlan> planGroupedRegion(RegionOp region, Operation *op,
                                             CpuRegionPlanner &planner, WeightStore &weights) {
  auto conv = cast<CompositeOp>(op);
  auto dims = std::make_shared<KernelDims>();
  const ConvShape shape = shapeOfConv(conv, *dims);
  OpenKernel open{specOf("grouped", shape), {}};
  open.add("cache", 100, {50, 100, 200});
  GroupedPlan plan = planGrouped(shape, planner.choose(open)[0]);
  auto epilogue = std::make_shared<RegionEpilogue>(region, op, *dims);
  Shape y = shapeOf(conv.getYs()[0]);
  SymExpr units =
      y[0] * y[1] * y[2].ceilDiv(SymExpr(plan.blockRows)) * y[3].ceilDiv(SymExpr(plan.blockCols));
  return planWith<GroupedPlan, GroupedSpec>(region, conv, plan, "grouped", units, plan.scratchBytes,
                                            dims, epilogue, planner, weights, packGroupedBytes,
                                            emitGrouped);
}

} // namespace

bool dynac::cpu::prefersBf16(CompositeOp conv) {
  // The kernels that spread groups and lanes have no bf16 form.
  return isDense(conv) && !isDepthwise(conv);
}

const ClaimedKernel dynac::cpu::groupedClaim = {"grouped", /*takesEpilogue=*/true, matchesGrouped,
                                                planGroupedRegion};
const ClaimedKernel dynac::cpu::convClaim = {"conv", /*takesEpilogue=*/true, isDense,
                                             planConvRegion};
const ClaimedKernel dynac::cpu::depthwiseClaim = {"depthwise", /*takesEpilogue=*/true,
                                                  matchesDepthwise, planDepthwiseRegion};
