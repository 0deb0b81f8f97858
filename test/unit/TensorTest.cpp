//===- TensorTest.cpp - shapes and short cuts of formulas -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include "mlir/IR/Matchers.h"

using namespace dynac;

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, BroadcastsAsNumpyDoes) {
  EXPECT_EQ(text(input({"2", "N", "1"}) + input({"N", "4"})), "f32 [2, N, 4]");
  EXPECT_EQ(text(input({}) * input({"N"})), "f32 [N]");
  EXPECT_EQ(text(input({"1", "S"}) - input({"N", "1"})), "f32 [N, S]");
  EXPECT_EQ(text(compare(CompareDirection::lt, input({"N"}), input({"1"}))), "i1 [N]");
  EXPECT_EQ(text(select(input({"N", "1"}, i1), input({"S"}), input({}))), "f32 [N, S]");
}

TEST_F(TensorTest, EqualExpressionsBroadcastHoweverTheyWereWritten) {
  SymExpr n = SymExpr::symbol("N");
  Tensor a = broadcastTo(input({}), {n + n});
  Tensor b = broadcastTo(input({}), {n * SymExpr(2)});
  EXPECT_EQ(text(a + b), "f32 [2*N]");
}

TEST_F(TensorTest, RefusesSymbolsThatMayDiffer) {
  EXPECT_EQ(text(input({"2", "N"}) + input({"2", "M"})), "invalid");
  EXPECT_EQ(takeError(), "add: shapes [2, N] and [2, M] do not broadcast: dimensions N and M are "
                         "not provably equal");
  EXPECT_EQ(text(input({"3"}) * input({"4"})), "invalid");
  EXPECT_EQ(takeError(), "mul: shapes [3] and [4] do not broadcast: dimensions 3 and 4 differ");
}

TEST_F(TensorTest, PromotesNothing) {
  EXPECT_EQ(text(input({"3"}) + input({"3"}, f16)), "invalid");
  EXPECT_EQ(takeError(), "add: element types f32 and f16 differ");
  EXPECT_EQ(text(exp(input({"3"}, i64))), "invalid");
  EXPECT_EQ(takeError(), "exp: got element type i64, expected floats");
}

TEST_F(TensorTest, TheFirstErrorStaysAndTheRestIsSilent) {
  Tensor bad = transpose(input({"2", "3"}), {0, 0});
  Tensor worse = reshape(bad + 1.0, shape({"7"}));
  EXPECT_EQ(text(matmul(worse, bad)), "invalid");
  EXPECT_EQ(takeError(), "transpose: axis 0 occurs twice");
}

//===----------------------------------------------------------------------===//
// Short cuts
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, WhatChangesNothingIsTheOperand) {
  Tensor x = input({"2", "N"});
  EXPECT_EQ(convert(x, f32).value(), x.value());
  EXPECT_EQ(reshape(x, x.shape()).value(), x.value());
  EXPECT_EQ(broadcastTo(x, x.shape()).value(), x.value());
  EXPECT_EQ(transpose(x, {0, 1}).value(), x.value());
  EXPECT_EQ(swapAxes(x, 1, -1).value(), x.value());
  EXPECT_EQ(sliceAxis(x, 1, 0, SymExpr::symbol("N")).value(), x.value());
  EXPECT_EQ(concat(x, 0).value(), x.value());
  EXPECT_EQ(concat({x, input({"0", "N"})}, 0).value(), x.value());
  EXPECT_EQ(sum(x, {}).value(), x.value());
  EXPECT_EQ(floor(input({"3"}, i64)).dtype(), i64);
}

TEST_F(TensorTest, ScalarsTakeTheElementType) {
  Tensor x = input({"2", "3"}, builder.getIntegerType(8, false));
  Tensor y = full(context, x.shape(), 300, x.dtype());
  mlir::DenseIntElementsAttr value;
  ASSERT_TRUE(mlir::matchPattern(y.value(), mlir::m_Constant(&value)));
  EXPECT_EQ(value.getSplatValue<llvm::APInt>().getZExtValue(), 255u) << "the type's extreme";
  Tensor z = fullInt(context, {}, -1, i64);
  ASSERT_TRUE(mlir::matchPattern(z.value(), mlir::m_Constant(&value)));
  EXPECT_EQ(value.getSplatValue<llvm::APInt>().getSExtValue(), -1);
  EXPECT_EQ(text(x + 1.0), "ui8 [2, 3]");
}

TEST_F(TensorTest, ExtremesOfTypes) {
  auto intOf = [&](Tensor x) {
    mlir::DenseIntElementsAttr value;
    EXPECT_TRUE(mlir::matchPattern(x.value(), mlir::m_Constant(&value)));
    return value.getSplatValue<llvm::APInt>();
  };
  auto floatOf = [&](Tensor x) {
    mlir::DenseFPElementsAttr value;
    EXPECT_TRUE(mlir::matchPattern(x.value(), mlir::m_Constant(&value)));
    return value.getSplatValue<llvm::APFloat>();
  };
  EXPECT_EQ(intOf(highest(context, builder.getI8Type())).getSExtValue(), 127);
  EXPECT_EQ(intOf(lowest(context, builder.getI8Type())).getSExtValue(), -128);
  EXPECT_EQ(intOf(lowest(context, builder.getIntegerType(8, false))).getZExtValue(), 0u);
  EXPECT_TRUE(floatOf(lowest(context, f16)).isInfinity());
  EXPECT_TRUE(floatOf(lowest(context, f16)).isNegative());
  EXPECT_EQ(floatOf(highest(context, mlir::Float8E4M3FNType::get(&mlir))).convertToFloat(), 448.0f);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, ReshapesKeepTheNumberOfElements) {
  EXPECT_EQ(text(reshape(input({"N", "4"}), shape({"2", "2*N"}))), "f32 [2, 2*N]");
  EXPECT_EQ(text(unsqueeze(input({"N"}), {0, -1})), "f32 [1, N, 1]");
  EXPECT_EQ(text(squeeze(input({"1", "N", "1"}), {0, -1})), "f32 [N]");
  EXPECT_EQ(text(reshape(input({"N", "4"}), shape({"N", "5"}))), "f32 [N, 5]")
      << "N may be 0: left to run time";
  EXPECT_EQ(text(reshape(input({"6"}), shape({"5"}))), "invalid");
  EXPECT_EQ(takeError(), "reshape: [6] and [5] differ in number of elements");
  EXPECT_EQ(text(squeeze(input({"N"}), 0)), "invalid");
  EXPECT_EQ(takeError(), "squeeze: axis 0 of [N] is not 1");
}

TEST_F(TensorTest, SlicesOfSymbolicSize) {
  SymExpr n = SymExpr::symbol("N");
  EXPECT_EQ(text(sliceAxis(input({"N+2", "3"}), 0, 2, n + 2)), "f32 [N, 3]");
  EXPECT_EQ(text(sliceAxis(input({"N"}), -1, n - 1, n)), "f32 [1]");
  EXPECT_EQ(text(slice(input({"N"}), {0}, {n}, {2})), "f32 [floordiv(N+1,2)]");
  EXPECT_EQ(text(sliceAxis(input({"5"}), 0, 4, 2)), "f32 [0]");
  EXPECT_EQ(text(sliceAxis(input({"5"}), 0, 1, 6)), "invalid");
  EXPECT_EQ(takeError(), "slice: elements [1, 6) of axis 0 are not within its size 5");
}

TEST_F(TensorTest, JoinsAndPads) {
  EXPECT_EQ(text(concat({input({"N", "3"}), input({"S", "3"})}, 0)), "f32 [N+S, 3]");
  EXPECT_EQ(text(stack({input({"N"}), input({"N"})}, -1)), "f32 [N, 2]");
  Tensor zero = full(context, {}, 0, f32);
  EXPECT_EQ(text(pad(input({"N", "3"}), zero, {1, 0}, {2, -1})), "f32 [N+3, 2]");
  EXPECT_EQ(text(pad(input({"4"}), zero, {0}, {0}, {2})), "f32 [10]");
  EXPECT_EQ(text(concat({input({"2", "3"}), input({"2", "4"})}, 0)), "invalid");
  EXPECT_EQ(takeError(), "concat: axis 1 of operand shapes [2, 3] and [2, 4]: dimensions 3 and 4 "
                         "differ");
}

TEST_F(TensorTest, IndexesAsNumpyDoes) {
  EXPECT_EQ(text(take(input({"N", "5", "7"}), input({"2", "S"}, i64), 1)), "f32 [N, 2, S, 7]");
  EXPECT_EQ(text(take(input({"N", "5"}), input({}, i64), -1)), "f32 [N]");
  EXPECT_EQ(text(takeAlongAxis(input({"N", "5"}), input({"N", "2"}, i64), 1)), "f32 [N, 2]");
  EXPECT_EQ(text(takeAlongAxis(input({"5", "N"}), input({"2", "N"}, i64), 0)), "f32 [2, N]");
  EXPECT_EQ(text(takeAlongAxis(input({"5", "6"}), input({"2", "3"}, i64), 0)), "f32 [2, 3]");
  EXPECT_EQ(text(gather(input({"5", "6"}), input({"4", "2"}, i64), {1, 0})), "f32 [4]");
  EXPECT_EQ(text(take(input({"5"}), input({"2"}), 0)), "invalid");
  EXPECT_EQ(takeError(), "gather: got indices of element type f32, expected integers");
}

TEST_F(TensorTest, IndicesFromTheEnd) {
  Tensor known = constantI64(context, {0, 2});
  EXPECT_EQ(wrapIndex(known, 5).value(), known.value()) << "none is negative";
  EXPECT_EQ(text(wrapIndex(input({"2"}, i64), SymExpr::symbol("N"))), "i64 [2]");
  EXPECT_EQ(countOps("prim.select"), 1);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, BindsDimensionsOfUnknownValuesOnly) {
  SymExpr n = SymExpr::symbol("N");
  Tensor dims = dimsTensor(context, {n, 4}, i64);
  EXPECT_EQ(bindDim(dims, 0), n);
  EXPECT_EQ(bindDim(constantI64(context, {7}), 0), SymExpr(7));
  EXPECT_EQ(bindDim(input({"2"}, i64), 1).str(), "u0");
  EXPECT_EQ(bindDim(input({}, i64), 0, n).str(), "u1");
  EXPECT_EQ(countOps("prim.bind_dim"), 2);
}

TEST_F(TensorTest, FreshSymbolsKeepClearOfTheModules) {
  bindDim(input({}, i64), 0);
  TensorContext later(builder, builder.getUnknownLoc());
  EXPECT_EQ(later.freshSymbol().str(), "u1");
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, Reductions) {
  EXPECT_EQ(text(sum(input({"N", "3", "4"}), {-1, 0})), "f32 [3]");
  EXPECT_EQ(text(mean(input({"N", "3"}), 0, true)), "f32 [1, 3]");
  EXPECT_EQ(text(argReduce(Combiner::max, input({"N", "3"}), -1, false, true)), "i64 [N, 1]");
  EXPECT_EQ(text(topK(input({"N", "8"}), 3, 1, false).second), "i64 [N, 3]");
  EXPECT_EQ(text(nonzero(input({"N", "2"})).first), "i64 [2, 2*N]");
  EXPECT_EQ(text(sum(input({"3"}), {0, 0})), "invalid");
  EXPECT_EQ(takeError(), "reduce: axis 0 occurs twice");
  EXPECT_EQ(text(sum(input({"3"}), 1)), "invalid");
  EXPECT_EQ(takeError(), "reduce: axis 1 is out of range for rank 1");
}

TEST_F(TensorTest, SumsOfHalvesAreRoundedOnce) {
  EXPECT_EQ(text(sum(input({"N", "3"}, f16), 0)), "f16 [3]");
  module->walk(
      [&](prim::ReduceOp op) { EXPECT_TRUE(op.getY().getType().getElementType() == f32); });
  EXPECT_EQ(text(matmul(input({"2", "3"}, f16), input({"3", "4"}, f16))), "f16 [2, 4]");
  module->walk([&](prim::DotOp op) { EXPECT_TRUE(op.getY().getType().getElementType() == f32); });
}

TEST_F(TensorTest, Windows) {
  EXPECT_EQ(
      text(reduceWindow(Combiner::max, input({"1", "N"}), {1, 3}, {1, 2}, {1, 1}, {0, 1}, {0, 1})),
      "f32 [1, floordiv(N+1,2)]");
  EXPECT_EQ(text(reduceWindow(Combiner::add, input({"4"}), 5, 1, 1, {0}, {0})), "f32 [0]");
}

TEST_F(TensorTest, MatmulAsNumpyDoes) {
  EXPECT_EQ(text(matmul(input({"3"}), input({"3"}))), "f32 []");
  EXPECT_EQ(text(matmul(input({"N", "3"}), input({"3"}))), "f32 [N]");
  EXPECT_EQ(text(matmul(input({"3"}), input({"3", "4"}))), "f32 [4]");
  EXPECT_EQ(text(matmul(input({"3"}), input({"N", "3", "4"}))), "f32 [N, 4]");
  EXPECT_EQ(text(matmul(input({"B", "N", "3"}), input({"3", "4"}))), "f32 [B, N, 4]");
  EXPECT_EQ(text(matmul(input({"2", "1", "N", "3"}), input({"H", "3", "M"}))), "f32 [2, H, N, M]");
  EXPECT_EQ(text(matmul(input({"2", "3"}), input({"4", "5"}))), "invalid");
  EXPECT_EQ(takeError(), "dot: axis 1 of [2, 3] and axis 0 of [4, 5]: dimensions 3 and 4 differ");
}

TEST_F(TensorTest, Convolutions) {
  EXPECT_EQ(text(conv(input({"B", "4", "H", "9"}), input({"6", "2", "3", "3"}), {1, 2}, {1, 1},
                      {1, 1}, {1, 1}, {1, 1}, 2)),
            "f32 [B, 6, H, 5]");
  EXPECT_EQ(text(conv(input({"1", "4", "W"}), input({"4", "2", "3"}), 1, {0}, {0}, 2, 1, 2)),
            "f32 [1, 4, 2*W-3]");
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, BodiesGiveTheTypesOfTheirOps) {
  for (mlir::Type type : {f32, f16}) {
    Tensor x = input({"B", "T", "8"}, type);
    EXPECT_EQ(softmax(x, -1).dtype(), type);
    EXPECT_EQ(logSoftmax(x, 1).dtype(), type);
    LayerNormResult norm = layerNorm(x, input({"8"}, type), input({"8"}, type), -1, 1e-5);
    EXPECT_EQ(text(norm.mean), "f32 [B, T, 1]");
    EXPECT_EQ(layerNorm(x, input({"T", "8"}, type), {}, 1, 1e-5).y.dtype(), type);
    EXPECT_EQ(rmsNorm(x, input({"8"}, type), -1, 1e-6).dtype(), type);
    for (Causal causal : {Causal::No, Causal::FromStart, Causal::FromEnd}) {
      Tensor y = attention(input({"B", "8", "T", "16"}, type), input({"B", "2", "S", "16"}, type),
                           input({"B", "2", "S", "12"}, type), input({"T", "S"}, type), 0.25, true,
                           causal);
      EXPECT_EQ(y.shape(), shape({"B", "8", "T", "12"}));
    }
  }
  llvm::SmallVector<prim::CompositeOp> ops;
  module->walk([&](prim::CompositeOp op) { ops.push_back(op); });
  EXPECT_EQ(ops.size(), 16u);
  for (prim::CompositeOp op : ops)
    EXPECT_TRUE(mlir::succeeded(inlineComposite(op)));
  EXPECT_EQ(countOps("prim.composite"), 0);
}

TEST_F(TensorTest, CompositesCheckTheirOperands) {
  EXPECT_EQ(text(softmax(input({"3"}), 1)), "invalid");
  EXPECT_EQ(takeError(), "softmax: axis 1 is out of range for rank 1");
  EXPECT_EQ(text(layerNorm(input({"2", "3"}), input({"4"}), {}, 1, 0).y), "invalid");
  EXPECT_EQ(takeError(),
            "layer_norm: shapes [2, 3] and [4] do not broadcast: dimensions 3 and 4 differ");
  Tensor q = input({"1", "3", "T", "8"}), k = input({"1", "2", "S", "8"});
  EXPECT_EQ(text(attention(q, k, k, {}, 1, false)), "invalid");
  EXPECT_EQ(takeError(), "attention: q [1, 3, T, 8], k [1, 2, S, 8] and v [1, 2, S, 8]: the heads "
                         "of k do not divide those of q");
}
