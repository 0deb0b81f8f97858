//===- ClaimAttention.cpp - attention in one kernel -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Claim.h"
#include "StridedView.h"
#include "dynac/Composites/Composites.h"
#include "dynac/Target/CPU/AttentionKernel.h"
#include "dynac/Target/CPU/Passes.h"
#include "dynac/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;
using namespace dynac::prim;

namespace {

/// Larger heads are no heads: their products are worth kernels of their own.
constexpr int64_t maxDepth = 512;

/// The entry of a composite's configuration that says how q, k and v lie in their operands: for
/// each its extents, its strides and the offset (see StridedView). Without it they lie there
/// plainly.
constexpr StringRef viewsEntry = "views";

/// A matrix operand with its axes in the order of the composite: batch, rows, columns.
struct View {
  Shape shape, strides;
  SymExpr offset{0};

  View(const StridedView &view, ArrayRef<int64_t> axes) : offset(view.offset) {
    for (int64_t axis : axes) {
      shape.push_back(view.shape[axis]);
      strides.push_back(view.strides[axis]);
    }
  }
  /// Operand `which` of q, k and v.
  static View operand(CompositeOp op, unsigned which, ArrayRef<int64_t> axes) {
    Value x = op.getXs()[which];
    auto views = op.getConfig().getAs<ArrayAttr>(viewsEntry);
    if (!views)
      return View(plainView(x), axes);
    Shape numbers(cast<DimsAttr>(views[which]).exprs());
    const size_t rank = numbers.size() / 2;
    return View({x, Shape(ArrayRef(numbers).take_front(rank)),
                 Shape(ArrayRef(numbers).slice(rank, rank)), numbers.back()},
                axes);
  }
  static View result(CompositeOp op, ArrayRef<int64_t> axes) {
    return View(plainView(op.getYs()[0]), axes);
  }
  /// Whether the rows' elements, or the columns', are neighbours.
  bool isMatrix() const { return isNear(shape.size() - 1) || isNear(shape.size() - 2); }
  bool isNear(size_t axis) const { return strides[axis].isOne() || shape[axis].isOne(); }

  /// Whether rows of bf16 are whole words wherever they begin.
  bool isOfWords() const {
    const SymExpr two(2);
    return strides.back().isOne() && shape.back().exactDiv(two) && offset.exactDiv(two) &&
           llvm::all_of(ArrayRef(strides).drop_back(),
                        [&](const SymExpr &stride) { return bool(stride.exactDiv(two)); });
  }

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

/// Whether q, k and v lie so that the kernel can read them as `dot` has them.
bool fits(DotKind dot, const View &q, const View &k, const View &v) {
  if (dot == DotKind::Bf16)
    return q.isOfWords() && k.isOfWords() && v.strides.back().isOne();
  return q.isMatrix() && k.isMatrix() && v.isMatrix();
}

/// Whether the kernel can take it with operands of `dot`; the element types of q, k, v and the
/// result are not looked at.
bool isAttentionOf(CompositeOp composite, DotKind dot) {
  if (composite.getName() != "attention")
    return false;
  AttentionConfig config(composite);
  if (config.causal != Causal::No)
    return false;
  OperandRange xs = composite.getXs();
  View q = View::operand(composite, 0, config.q), k = View::operand(composite, 1, config.k),
       v = View::operand(composite, 2, config.v), y = View::result(composite, config.y);
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
  return fits(dot, q, k, v) && y.isNear(rank - 1) && llvm::all_of(xs.drop_front(3), [](Value term) {
           Type type = getElementTypeOrSelf(term.getType());
           return type.isF32() || type.isInteger(1);
         });
}

DotKind dotOf(CompositeOp op) {
  return getElementTypeOrSelf(op.getXs()[0].getType()).isBF16() ? DotKind::Bf16 : DotKind::F32;
}

bool matchesAttention(Operation *op) {
  auto composite = dyn_cast<CompositeOp>(op);
  if (!composite || composite.getName() != "attention")
    return false;
  const DotKind dot = dotOf(composite);
  auto isOfKind = [&](Value x) {
    Type type = getElementTypeOrSelf(x.getType());
    return dot == DotKind::Bf16 ? type.isBF16() : type.isF32();
  };
  return llvm::all_of(composite.getXs().take_front(3), isOfKind) &&
         isOfKind(composite.getYs()[0]) && isAttentionOf(composite, dot);
}

llvm::Expected<RegionPlan> planAttention(RegionOp region, Operation *op, CpuRegionPlanner &planner,
                                         WeightStore &) {
  auto canonical = canonicalRegion(region);
  auto composite = cast<CompositeOp>(op);
  AttentionConfig config(composite);
  OperandRange xs = composite.getXs();
  View q = View::operand(composite, 0, config.q), k = View::operand(composite, 1, config.k),
       v = View::operand(composite, 2, config.v), y = View::result(composite, config.y);
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
  spec.qOffset = dims->extent(q.offset);
  spec.kOffset = dims->extent(k.offset);
  spec.vOffset = dims->extent(v.offset);
  if (q.shape[rank - 3] != k.shape[rank - 3])
    spec.headsPerKey = *q.shape[rank - 3].exactDiv(k.shape[rank - 3])->constant();
  spec.scale = static_cast<float>(config.scale);
  spec.dot = dotOf(composite);
  spec.zeroEmpty = config.zeroMaskedRows;
  spec.zeroNan = config.zeroNan;
  spec.keepTiny = planner.strict;
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

  OpenKernel open;
  open.spec =
      llvm::formatv("attention:batch={0},queries={1},keys={2},depth={3}+{4},terms={5}{6}",
                    specText(spec.batch), specText(spec.queries), specText(spec.keys), spec.depth,
                    spec.valueDepth, spec.terms.size(), spec.keepTiny ? ",strict" : "")
          .str();
  open.add("cache", spec.cachePercent, {25, 50, 100, 200});
  spec.cachePercent = planner.choose(open)[0];

  RegionPlan result;
  result.kind = "attention";
  result.key = "attention:" + canonical.text;
  result.units = batchCount * q.shape[rank - 2].ceilDiv(SymExpr(spec.unitRows()));
  result.scratchBytes = spec.scratchBytes();
  result.products =
      batchCount * q.shape[rank - 2] * k.shape[rank - 2] * SymExpr(spec.depth + spec.valueDepth);
  result.dims = dims->exprs;
  result.operands.emplace();
  for (Value x : xs)
    result.operands->push_back(cast<BlockArgument>(x).getArgNumber());
  // Of one product or cache that q, k and v lie in, only they are read.
  const std::array<const View *, 3> views{&q, &k, &v};
  for (size_t i = 0; i < views.size(); ++i) {
    SymExpr &bytes = result.bytesRead.try_emplace((*result.operands)[i], 0).first->second;
    const int64_t width = getElementTypeOrSelf(xs[i].getType()).getIntOrFloatBitWidth() / 8;
    bytes = bytes + elementCount(views[i]->shape) * SymExpr(width);
  }
  result.emit = [=, &planner](StringRef name) mutable -> llvm::Expected<std::vector<std::string>> {
    spec.dimCount = dims->exprs.size();
    return planner.emitBodies(
        name,
        [&](StringRef symbol, const Isa &isa) {
          emitAttention(planner.kernels, symbol, isa, spec);
        },
        [&](const Isa &isa) { return attentionTakesTiles(isa, spec); });
  };
  return result;
}

/// Heads are often cut out of one product: the kernel reads q, k and v where they lie in it instead
/// of copies. Comes after all passes that know of the composite's body, which takes no views.
struct AttentionViewsPass : PassWrapper<AttentionViewsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttentionViewsPass)
  StringRef getArgument() const override { return "cpu-attention-views"; }
  StringRef getDescription() const override {
    return "Lets attention kernels read slices and transposes of tensors in place";
  }
  void runOnOperation() override {
    getOperation().walk([](CompositeOp op) {
      if (op.getName() == "attention" && op->hasAttr(kClaimAttr))
        readInPlace(op);
    });
  }

  static void readInPlace(CompositeOp op) {
    Builder b(op.getContext());
    AttentionConfig config(op);
    SmallVector<Attribute> views;
    bool changed = false;
    const std::array<ArrayRef<int64_t>, 3> axesOf{config.q, config.k, config.v};
    const bool isBf16 = dotOf(op) == DotKind::Bf16;
    auto fits = [&](const View &view, size_t which) {
      if (!isBf16)
        return view.isMatrix();
      return which == 2 ? view.strides.back().isOne() : view.isOfWords();
    };
    for (auto [which, axes] : llvm::enumerate(axesOf)) {
      Value x = op.getXs()[which];
      StridedView view = viewThrough(x);
      if (view.base == x || !fits(View(view, axes), which))
        view = plainView(x);
      changed |= view.base != x;
      op->setOperand(which, view.base);
      Shape numbers(view.shape);
      llvm::append_range(numbers, view.strides);
      numbers.push_back(view.offset);
      views.push_back(DimsAttr::get(op.getContext(), numbers));
    }
    if (!changed)
      return;
    NamedAttrList entries(op.getConfig());
    entries.set(viewsEntry, b.getArrayAttr(views));
    op.setConfigAttr(entries.getDictionary(op.getContext()));
  }
};

} // namespace

std::unique_ptr<Pass> dynac::cpu::createAttentionViewsPass() {
  return std::make_unique<AttentionViewsPass>();
}

bool dynac::cpu::prefersBf16Attention(CompositeOp op) {
  // Few queries are read where they lie, by a way that has no bf16 form.
  AttentionConfig config(op);
  if (op.getName() != "attention")
    return false;
  std::optional<int64_t> queries = shapeOf(op.getXs()[0])[config.q[config.q.size() - 2]].constant();
  return (!queries || *queries > 16) && isAttentionOf(op, DotKind::Bf16);
}

const ClaimedKernel dynac::cpu::attentionClaim = {"attention", /*takesEpilogue=*/false,
                                                  matchesAttention, planAttention};
