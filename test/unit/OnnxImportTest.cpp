//===- OnnxImportTest.cpp - the import walk -------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxImportHarness.h"

using namespace dynac;
using namespace dynac::onnx::testing;

TEST(OnnxImport, NamesEveryDimension) {
  GraphBuilder b(17);
  b.input("x", {"N", "?", "3"}).input("y", {"N", "4"});
  b.node("Relu", {"x"}, {"p"}).node("Relu", {"y"}, {"q"});
  b.output("p").output("q");
  Imported result = b.import();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.shape(0), "[N, x_1, 3]");
  EXPECT_EQ(result.shape(1), "[N, 4]");
}

TEST(OnnxImport, ReadsSumsOfDimensions) {
  GraphBuilder b(17);
  b.input("x", {"past", "2"}).input("y", {"new", "2"}).input("z", {"past + new", "2"});
  b.node("Concat", {"x", "y"}, {"xy"}).ints("axis", 0).node("Add", {"xy", "z"}, {"s"}).output("s");
  EXPECT_EQ(b.import().shape(0), "[new+past, 2]");
}

TEST(OnnxImport, RefusesSizesThatLeave64Bits) {
  GraphBuilder b(17);
  b.input("x0", {"N"});
  for (int i = 0; i < 64; ++i) {
    std::string x = "x" + std::to_string(i), twice = "x" + std::to_string(i + 1);
    b.node("Concat", {x, x}, {twice}).ints("axis", 0);
  }
  EXPECT_EQ(b.output("x64").import().error,
            "4: m.onnx: node #62 (Concat, opset 17): the size of a dimension leaves 64 bits or is "
            "too long an expression of the model's dimensions");
}

TEST(OnnxImport, RefusesMoreElementsThan64BitsCount) {
  GraphBuilder b(17);
  b.input("x", {"4", "2147483647", "2147483647"}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(b.import().error,
            "4: input 'x': shape [4, 2147483647, 2147483647] has more than 2^60 elements");
  GraphBuilder c(17);
  c.input("x", {"2147483648", "1"}).input("y", {"2147483648"}).node("Add", {"x", "y"}, {"z"});
  EXPECT_EQ(c.output("z").import().error,
            "3: m.onnx: node #0 (Add, opset 17): shape [2147483648, 2147483648] has more than "
            "2^60 elements");
}

TEST(OnnxImport, NamesThatAreNoSumsAreNames) {
  GraphBuilder b(17);
  b.input("x", {"4+5", "9223372036854775807*N*2", "floordiv(0,0)"}).input("y", {"N"});
  b.node("Relu", {"x"}, {"z"}).output("z");
  EXPECT_EQ(b.import().shape(0), "[_4_5, _9223372036854775807_N_2, floordiv_0_0_]");
}

TEST(OnnxImport, ResolvesComputedShapes) {
  // reshape(x, [shape(x)[0], -1]) and reshape(x, [N * 3, H]).
  GraphBuilder b(17);
  b.input("x", {"N", "3", "H"});
  b.constant("zero", {0}).constant("minus", {-1}).constant("three", {3}).constant("two", {2});
  b.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"n"});
  b.node("Concat", {"n", "minus"}, {"t"}).ints("axis", 0).node("Reshape", {"x", "t"}, {"a"});
  b.node("Mul", {"n", "three"}, {"m"}).node("Gather", {"s", "two"}, {"h"});
  b.node("Concat", {"m", "h"}, {"u"}).ints("axis", 0).node("Reshape", {"x", "u"}, {"b"});
  b.output("a").output("b");
  Imported result = b.import();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.shape(0), "[N, 3*H]");
  EXPECT_EQ(result.shape(1), "[3*N, H]");
  EXPECT_EQ(result.count("prim.bind_dim"), 0);
  EXPECT_EQ(result.count("prim.gather"), 0) << "what only computes shapes is gone";
}

TEST(OnnxImport, ResolvesShapesThroughFloats) {
  // range(floor(cast(H) * 0.5)).
  GraphBuilder b(17);
  b.input("x", {"H"});
  b.scalar("half", 0.5f)
      .constant("start", {0}, {})
      .constant("one", {1}, {})
      .constant("zero", {0}, {});
  b.node("Shape", {"x"}, {"s"})
      .node("Gather", {"s", "zero"}, {"h"})
      .node("Cast", {"h"}, {"f"})
      .ints("to", 1);
  b.node("Mul", {"f", "half"}, {"g"})
      .node("Floor", {"g"}, {"k"})
      .node("Cast", {"k"}, {"i"})
      .ints("to", 7);
  b.node("Range", {"start", "i", "one"}, {"r"}).output("r");
  EXPECT_EQ(b.import().shape(0), "[floordiv(H,2)]");
}

TEST(OnnxImport, ResolvesTheExpandIdiom) {
  // expand(x, where(shape == -1, 1, shape)), as the TorchScript exporter writes it.
  GraphBuilder b(17);
  b.input("x", {"1", "D"}).input("y", {"N"});
  b.constant("minus", {-1, -1}).constant("ones", {1, 1}).constant("last", {-1});
  b.node("Shape", {"y"}, {"n"}).node("Concat", {"n", "last"}, {"t"}).ints("axis", 0);
  b.node("Equal", {"t", "minus"}, {"e"})
      .node("Where", {"e", "ones", "t"}, {"w"})
      .node("Expand", {"x", "w"}, {"z"});
  b.output("z");
  EXPECT_EQ(b.import().shape(0), "[N, D]");
}

TEST(OnnxImport, BindsComputedSizes) {
  GraphBuilder b(17);
  b.input("x", {"4"});
  b.node("NonZero", {"x"}, {"i"}).output("i");
  Imported result = b.import();
  EXPECT_EQ(result.shape(0), "[1, u0]");
  EXPECT_EQ(result.count("prim.bind_dim"), 1);
}

TEST(OnnxImport, AssumesThatPositionsFit) {
  // x [S, 2] + table[0:S] with a table of 8 rows: S <= 8 at entry.
  GraphBuilder b(17);
  b.input("x", {"S", "2"}).input("table", {"8", "2"}).constant("zero", {0}).constant("two", {2});
  b.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"n"});
  b.node("Slice", {"table", "zero", "n", "zero"}, {"rows"})
      .node("Add", {"x", "rows"}, {"y"})
      .output("y");
  Imported result = b.import();
  EXPECT_EQ(result.shape(0), "[S, 2]");
  EXPECT_EQ(result.range("S"), (std::vector<int64_t>{0, 8, 1, -1}));
}

TEST(OnnxImport, AssumesThatBackwardSlicesFit) {
  // x[-4:4:-1] of S elements has min(S, ...) in every bound; 25 elements it has for S = 33 only.
  GraphBuilder b(17);
  b.input("x", {"S"}).input("y", {"25"});
  b.constant("start", {-4}).constant("end", {4}).constant("zero", {0}).constant("back", {-1});
  b.node("Slice", {"x", "start", "end", "zero", "back"}, {"part"});
  b.node("Add", {"part", "y"}, {"sum"}).node("Relu", {"x"}, {"all"}).output("sum").output("all");
  EXPECT_EQ(b.import().shape(1), "[33]");
}

TEST(OnnxImport, ClampsWhereNothingForbidsIt) {
  GraphBuilder b(17);
  b.input("x", {"S"}).constant("zero", {0}).constant("five", {5});
  b.node("Slice", {"x", "zero", "five"}, {"y"}).output("y");
  Imported result = b.import();
  EXPECT_EQ(result.shape(0), "[min(S,5)]");
  EXPECT_EQ(result.range("S"), std::vector<int64_t>());
}

TEST(OnnxImport, FixesDimensionsAndShapes) {
  GraphBuilder b(17);
  b.input("x", {"N", "C"}).input("y", {"N"});
  b.node("Relu", {"x"}, {"p"}).node("Relu", {"y"}, {"q"}).output("p").output("q");
  ImportOptions options;
  options.shapes["x"] = {5, 3};
  Imported result = b.import(options);
  EXPECT_EQ(result.shape(0), "[5, 3]");
  EXPECT_EQ(result.shape(1), "[5]") << "N is the same dimension everywhere";
  options.shapes["x"] = {5};
  EXPECT_EQ(b.import(options).error, "2: --shape x=5: the model has shape [N, C]");
  options.shapes.clear();
  options.dims["C"] = {7, 7};
  EXPECT_EQ(b.import(options).shape(0), "[N, 7]");
  options.dims["Q"] = {7, 7};
  EXPECT_EQ(b.import(options).error, "");
  options.dims["Q"] = {1, 7};
  EXPECT_EQ(b.import(options).error, "2: --dim Q: the model has no such dimension");
}

TEST(OnnxImport, ReportsEverythingUnsupportedAtOnce) {
  GraphBuilder b(17);
  b.input("x", {"2"});
  b.node("Frob", {"x"}, {"a"}, "first")
      .node("Frob", {"a"}, {"c"}, "second")
      .node("Gelu", {"c"}, {"y"}, "third");
  b.output("y");
  EXPECT_EQ(b.import().error,
            "4: m.onnx: node 'first' (Frob, opset 17): unknown operator (and 1 more node)\n"
            "4: m.onnx: node 'third' (Gelu, opset 17): needs opset >= 20");
}

TEST(OnnxImport, ReportsInvalidNodesFirst) {
  GraphBuilder b(17);
  b.input("x", {"2", "3"}).input("y", {"4"});
  b.node("Frob", {"x"}, {"a"}).node("Add", {"x", "y"}, {"c"}, "sum").output("a").output("c");
  std::string error = b.import().error;
  EXPECT_EQ(error.find("3: m.onnx: node 'sum' (Add, opset 17): "), 0u) << error;
  EXPECT_NE(error.find("\n4: m.onnx: node #0 (Frob, opset 17): unknown operator"),
            std::string::npos)
      << error;
}

TEST(OnnxImport, DimensionsThatHaveToBeEqualBecomeOne) {
  GraphBuilder b(17);
  b.input("x", {"N"}).input("y", {"M"}).node("Add", {"x", "y"}, {"z"});
  b.node("Relu", {"x"}, {"p"}).node("Relu", {"y"}, {"q"}).output("z").output("p").output("q");
  Imported result = b.import();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.shape(1), result.shape(0));
  EXPECT_EQ(result.shape(2), result.shape(0));
}

TEST(OnnxImport, AnOmittedOperandIsAbsent) {
  GraphBuilder b(17);
  b.input("x", {"3"}).scalar("one", 1).node("Clip", {"x", "", "one"}, {"y"}).output("y");
  Imported result = b.import();
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.count("prim.max"), 0);
  EXPECT_EQ(result.count("prim.min"), 1);
}

TEST(OnnxImport, KeepsNodeNames) {
  GraphBuilder b(17);
  b.input("x", {"3"}).node("Tanh", {"x"}, {"y"}, "squash").output("y");
  EXPECT_EQ(b.import().locationOf("prim.tanh"), "squash");
}
