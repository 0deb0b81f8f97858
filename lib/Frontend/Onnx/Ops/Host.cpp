//===- Host.cpp - operators that kernels of the runtime compute -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace dynac;
using namespace dynac::onnx;

/// Calls the host kernel `target`; its dimensions are config entry `dims`.
static Tensors hostCall(TensorContext &ctx, llvm::StringRef target, llvm::ArrayRef<Tensor> xs,
                        llvm::ArrayRef<SymExpr> dims, llvm::ArrayRef<mlir::Type> types) {
  llvm::SmallVector<mlir::Value> operands;
  for (Tensor x : xs) {
    if (!x)
      return Tensors(types.size());
    operands.push_back(x.value());
  }
  mlir::NamedAttrList config;
  config.append("dims", prim::DimsAttr::get(ctx.builder.getContext(), dims));
  auto op =
      ctx.builder.create<prim::CustomCallOp>(ctx.loc, mlir::TypeRange(types), target, operands,
                                             config.getDictionary(ctx.builder.getContext()));
  Tensors results;
  for (mlir::Value value : op.getResults())
    results.push_back(Tensor(ctx, value));
  return results;
}

/// A scalar operand, or `value` where it is absent.
static Tensor scalarOperand(Node &n, int64_t i, double value, mlir::Type dtype) {
  Tensor given = n.hasInput(i) ? n.in(i) : Tensor();
  return given ? convert(reshape(given, {}), dtype) : full(n.ctx(), {}, value, dtype);
}

// Boxes in the order of their scores, without those that overlap a better one: rows (batch, class,
// box)
static RowStatus nonMaxSuppression(Node &n) {
  Tensor boxes = n.in(0), scores = n.in(1);
  if (!boxes || !scores)
    return RowStatus::Done;
  TensorContext &ctx = n.ctx();
  mlir::Type i64 = ctx.builder.getI64Type(), f32 = ctx.builder.getF32Type();
  SymExpr batch = boxes.dim(0), count = boxes.dim(1), classes = scores.dim(1);
  SymExpr capacity = batch * classes * count;
  Tensor most = scalarOperand(n, 2, 0, i64), overlap = scalarOperand(n, 3, 0, f32);
  // No threshold: every score passes.
  Tensor threshold = n.hasInput(4) ? scalarOperand(n, 4, 0, f32) : lowest(ctx, f32);
  Tensors results =
      hostCall(ctx, "nms@1", {boxes, scores, most, overlap, threshold},
               {batch, count, classes, SymExpr(n.i("center_point_box", 0))},
               {prim::tensorType({capacity, SymExpr(3)}, i64), prim::tensorType({}, i64)});
  if (results[0])
    n.out(0, sliceAxis(results[0], 0, SymExpr(0), bindDim(results[1], 0, capacity)));
  return RowStatus::Done;
}

// The distinct elements, or slices along `axis`, in order or by first position; where they first
// occur, which one each element is, and how often they occur
static RowStatus unique(Node &n) {
  Tensor x = n.in(0);
  if (!x)
    return RowStatus::Done;
  TensorContext &ctx = n.ctx();
  bool isFlat = !n.has("axis");
  int64_t axis = isFlat ? 0 : x.axis(n.i("axis", 0));
  if (isFlat)
    x = reshape(x, {x.size()});
  if (!x || ctx.failed())
    return RowStatus::Done;
  Shape shape = x.shape();
  SymExpr outer = prim::elementCount(llvm::ArrayRef(shape).take_front(axis));
  SymExpr inner = prim::elementCount(llvm::ArrayRef(shape).drop_front(axis + 1)),
          count = shape[axis];
  mlir::Type i64 = ctx.builder.getI64Type(), indices = prim::tensorType({count}, i64);
  Tensors results = hostCall(ctx, "unique@1", {reshape(x, {outer, count, inner})},
                             {outer, count, inner, SymExpr(n.i("sorted", 1))},
                             {prim::tensorType({outer * count * inner}, x.dtype()), indices,
                              indices, indices, prim::tensorType({}, i64)});
  if (!results[0])
    return RowStatus::Done;
  SymExpr distinct = bindDim(results[4], 0, count);
  shape[axis] = distinct;
  n.out(0, reshape(sliceAxis(results[0], 0, SymExpr(0), outer * distinct * inner), shape));
  n.out(1, sliceAxis(results[1], 0, SymExpr(0), distinct));
  n.out(2, results[2]);
  n.out(3, sliceAxis(results[3], 0, SymExpr(0), distinct));
  return RowStatus::Done;
}

void onnx::addHostRows(OpTable &t) {
  t.add("NonMaxSuppression", 10, nonMaxSuppression,
        "boxes=f32 scores=f32 max_output_boxes_per_class=index iou_threshold=f32 "
        "score_threshold=f32");
  t.add("Unique", 11, unique, "T=number|bool");
}
