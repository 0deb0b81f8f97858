#!/usr/bin/env python3
# ===- situations.py - small graphs with surprising right answers ------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Graphs of a few nodes at the edges of the operators' specifications: empty axes, NaN, negative steps and indices, padding
that splits unevenly, branches and loops that do nothing. Each has its numbers, or the exit code and a word of the message
that it must be refused with. Each runs with sizes known while compiling and, if it says so, with symbols."""

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"situations.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli
from values import difference

ROOT = Path(__file__).resolve().parents[2]
NAN, INF = float("nan"), float("inf")
CASES = []


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def ramp(*shape, dtype=np.float32):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def case(name, nodes, inputs, wanted, weights=None, opset=18, symbols=True, tolerance=1e-5):
    """`wanted`: output name -> array, or (exit code, word). `nodes`: (op, inputs, outputs, attributes). `symbols`: also with
    names for sizes above 1 ("only": not without), or, if it is "_", with all sizes open and called that."""
    CASES.append((name, nodes, inputs, wanted, weights or {}, opset, symbols, tolerance))


def one(name, op, inputs, wanted, weights=None, opset=18, symbols=True, tolerance=1e-5, order=None, **attributes):
    """A case of one node, whose operands are the inputs and then the weights unless `order` says otherwise."""
    operands = order or [*inputs, *(weights or {})]
    outputs = list(wanted) if isinstance(wanted, dict) else ["y"]
    case(name, [(op, operands, outputs, attributes)], inputs, wanted, weights, opset, symbols, tolerance)


def slices():
    def cut(name, x, start, end, axes, steps, want):
        weights = {"s": i64(*start), "e": i64(*end), "a": i64(*axes), "t": i64(*steps)}
        one(f"slice {name}", "Slice", {"x": x}, {"y": want}, weights, opset=13)

    x = ramp(10)
    cut("backwards to 0", x, [9], [0], [0], [-1], x[9:0:-1])
    cut("backwards by 3", x, [9], [0], [0], [-3], f32(9, 6, 3))
    cut("20 backwards by 3", ramp(20), [19], [0], [0], [-3], f32(19, 16, 13, 10, 7, 4, 1))
    cut("rows backwards", ramp(3, 4), [2], [0], [0], [-1], ramp(3, 4)[2:0:-1])
    cut("columns backwards", ramp(3, 4), [3], [0], [1], [-1], ramp(3, 4)[:, 3:0:-1])
    cut("to a great number, the end", x, [2], [10**9], [0], [1], x[2:])
    cut("of nothing", x, [0], [5], [0], [-1], f32())
    cut("all but the last", f32(1, 2, 3, 4, 5), [0], [-1], [0], [1], f32(1, 2, 3, 4))

    def cut_and_add(name, x, start, step, other, want, symbols=True, inputs=None, end=2**31 - 1):
        weights = {"s": i64(start), "e": i64(end), "a": i64(0), "t": i64(step)}
        if inputs is None:
            weights["w"] = other
        case(f"slice {name}", [("Slice", ["x", "s", "e", "a", "t"], ["c"], {}), ("Add", ["c", "w"], ["y"], {})],
             {"x": x, **(inputs or {})}, {"y": want}, weights, symbols=symbols)

    # What a size must be for shapes to agree leaves open what it may be.
    cut_and_add("of an odd size beside five weights", ramp(9), 0, 2, f32(1, 1, 1, 1, 1), f32(1, 3, 5, 7, 9))
    cut_and_add("of an even size beside five weights", ramp(10), 0, 2, f32(1, 1, 1, 1, 1), f32(1, 3, 5, 7, 9))
    cut_and_add("from before the first of three", ramp(3), -8, 2, f32(1, 2), f32(1, 4))
    cut_and_add("of the last two of three", ramp(3), -2, 1, f32(1, 2), f32(2, 4), end=4)
    cut_and_add("from the eighth of two", ramp(2), 8, 1, None, f32(), symbols="_", inputs={"w": f32()})
    one_more = {"w": f32(1, 1)}
    case("the second half of five", [("Split", ["x"], ["a", "b"], {"axis": 0, "num_outputs": 2}),
                                     ("Add", ["b", "w"], ["y"], {})], {"x": ramp(5)}, {"y": f32(4, 5)}, one_more)


def images():
    one("resize nearest at .5", "Resize", {"x": ramp(1, 1, 3, 3)},
        {"y": f32([0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 4, 5], [6, 6, 7, 8]).reshape(1, 1, 4, 4)},
        {"scales": f32(1, 1, 1.5, 1.5)}, order=["x", "", "scales"], mode="nearest", nearest_mode="round_prefer_floor",
        coordinate_transformation_mode="half_pixel", symbols=False)
    one("resize keeps axes of scale 1", "Resize", {"x": ramp(2, 1, 1, 1)},
        {"y": np.repeat(ramp(2), 9).reshape(2, 1, 3, 3)}, {"scales": f32(1, 1, 3, 3)}, order=["x", "", "scales"], opset=11,
        mode="nearest", nearest_mode="ceil", coordinate_transformation_mode="half_pixel", symbols=False)
    one("resize with empty roi and scales", "Resize", {"x": ramp(1, 1, 2, 2)},
        {"y": ramp(1, 1, 2, 2).repeat(2, 2).repeat(2, 3)},
        {"roi": f32(), "scales": f32(), "sizes": i64(1, 1, 4, 4)}, opset=11, mode="nearest", symbols=False)
    one("pad reflects again", "Pad", {"x": f32([1, 1.2], [2.3, 3.4], [4.5, 5.7])},
        {"y": f32([1, 1.2, 1, 1.2], [2.3, 3.4, 2.3, 3.4], [4.5, 5.7, 4.5, 5.7])}, {"p": i64(0, 2, 0, 0)},
        mode="reflect")
    weight = ramp(20, 20)  # more than a literal
    padded = np.full((24, 22), 3, np.float32)
    padded[1:21, 2:22] = weight
    case("pad of a weight", [("Pad", ["w", "p", "three"], ["a"], {}), ("Add", ["x", "a"], ["y"], {})], {"x": ramp(24, 22)},
         {"y": ramp(24, 22) + padded}, {"w": weight, "p": i64(1, 2, 3, 0), "three": f32(3).reshape(())}, symbols=False)
    wave = ramp(1, 1, 16) % 5
    first = np.maximum(np.maximum(np.pad(wave[0, 0], (1, 0))[0:16:2], wave[0, 0][0::2]), wave[0, 0][1::2])
    second = np.maximum(np.maximum(np.pad(first, (1, 0))[0:8:2], first[0::2]), first[1::2])
    pool = {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}
    case("a pyramid of open width", [("MaxPool", ["x"], ["a"], pool), ("MaxPool", ["a"], ["b"], pool),
                                     ("Resize", ["b", "", "s"], ["c"], {"mode": "nearest"}), ("Add", ["a", "c"], ["y"], {})],
         {"x": wave}, {"y": (first + second.repeat(2))[None, None]}, {"s": f32(1, 1, 2)})
    one("pad reflects what is cropped", "Pad", {"x": ramp(6)}, {"y": f32(2, 3, 4, 5, 4, 3, 2)}, {"p": i64(-2, 3)},
        mode="reflect")
    w = ramp(1, 1, 3, 3) + 2
    one("transposed convolution SAME_UPPER", "ConvTranspose", {"x": ramp(1, 1, 2, 2) + 2},
        {"y": f32([49, 63], [91, 105]).reshape(1, 1, 2, 2)}, {"w": w}, auto_pad="SAME_UPPER", strides=[1, 1])
    ones, x = np.ones((1, 1, 3, 3), np.float32), {"x": np.ones((1, 1, 3, 3), np.float32)}
    rows = {"SAME_UPPER": [1, 1, 2, 1, 2, 1], "SAME_LOWER": [1, 2, 1, 2, 1, 1]}
    for pad, row in rows.items():
        line = np.array(row, np.float32)
        one(f"transposed convolution {pad} of stride 2", "ConvTranspose", x,
            {"y": np.outer(line, line).reshape(1, 1, 6, 6)}, {"w": ones}, auto_pad=pad, strides=[2, 2])
    one("average pool drops windows of padding", "AveragePool", {"x": np.ones((1, 1, 17, 17), np.float32)},
        {"y": np.ones((1, 1, 9, 9), np.float32)}, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, pads=[0, 0, 1, 1],
        opset=22)
    one("average pool of one window", "AveragePool", {"x": np.ones((1, 1, 2, 2), np.float32)},
        {"y": np.ones((1, 1, 1, 1), np.float32)}, kernel_shape=[3, 3], strides=[3, 3], ceil_mode=1, pads=[1] * 4, opset=22)
    x, padded = ramp(1, 1, 3, 6, 5), np.full((6, 9, 6), -INF, np.float32)
    padded[1:4, 1:7, 1:6] = x[0, 0]
    want = np.array([[[padded[3 * a:3 * a + 3, 3 * b:3 * b + 3, 3 * c:3 * c + 3].max() for c in range(2)]
                      for b in range(3)] for a in range(2)], np.float32)
    one("pool with SAME and steps beyond the window", "MaxPool", {"x": ramp(1, 1, 5)}, {"y": f32(0, 3).reshape(1, 1, 2)},
        kernel_shape=[1], strides=[3], auto_pad="SAME_UPPER")
    one("resize with corners aligned and a fraction", "Resize", {"x": ramp(3)}, {"y": f32(0, 2 / 3.5, 4 / 3.5, 6 / 3.5)},
        {"scales": f32(1.5)}, order=["x", "", "scales"], mode="linear", coordinate_transformation_mode="align_corners",
        symbols=False)
    one("three-dimensional pool with ceil_mode", "MaxPool", {"x": x}, {"y": want[None, None]}, kernel_shape=[3] * 3,
        strides=[3] * 3, pads=[1] * 6, ceil_mode=1, opset=22)


def shapes():
    case("reshapes around zeros", [("Reshape", ["x", "s"], ["a"], {}), ("Reshape", ["a", "t"], ["y"], {"allowzero": 1})],
         {"x": ramp(0, 8, 2)}, {"y": ramp(0, 0, 4)}, {"s": i64(4, 2, -1), "t": i64(0, 0, 4)}, symbols=False)
    one("reshape -1 with allowzero", "Reshape", {"x": ramp(3, 4)}, {"y": ramp(6, 2)}, {"s": i64(-1, 2)}, allowzero=1)
    one("reshape 0 and -1 with allowzero", "Reshape", {"x": ramp(0, 4)}, (3, "Reshape"), {"s": i64(0, -1)}, allowzero=1,
        symbols=False)
    one("squeeze of an open axis", "Squeeze", {"x": ramp(1, 3)}, {"y": ramp(3)}, {"axes": i64(0)}, symbols="_")
    one("squeeze of an open axis that is 3", "Squeeze", {"x": ramp(3, 1)}, (None, "axis 0"), {"axes": i64(0)}, symbols="_")
    one("product over no elements", "MatMul", {"x": ramp(2, 0), "w": ramp(0, 3)}, {"y": np.zeros((2, 3), np.float32)},
        symbols=False)
    one("product without rows", "MatMul", {"x": ramp(1, 0, 10), "w": ramp(10, 7)}, {"y": ramp(1, 0, 7)}, symbols=False)
    one("nothing joined with something", "Concat", {"x": f32(), "w": f32(1, 2)}, {"y": f32(1, 2)}, axis=0, symbols=False)
    one("nothing times a number", "Mul", {"x": ramp(0, 3), "w": f32(2).reshape(())}, {"y": ramp(0, 3)}, symbols=False)
    case("a chain over nothing",
         [("Concat", ["x", "w"], ["a"], {"axis": 0}), ("Cast", ["a"], ["b"], {"to": TensorProto.FLOAT16}),
          ("Reshape", ["b", "s"], ["y"], {})],
         {"x": ramp(4, 0), "w": ramp(3, 0)}, {"y": np.zeros(0, np.float16)}, {"s": i64(-1)}, symbols=False)
    # One of two sizes is 1 when it runs; while compiling neither says so, and both are taken to be equal.
    case("symbols that are stretched", [("Reshape", ["x", "s"], ["a"], {}), ("Reshape", ["z", "s"], ["b"], {}),
                                        ("Add", ["a", "b"], ["y"], {})],
         {"x": ramp(4), "z": ramp(8)}, (5, 'axis 0: got 4, which makes n4_rest_4 -4'), {"s": i64(4, -1)}, symbols="only")
    case("constants without names", [("Constant", [], ["two"], {"value": numpy_helper.from_array(f32(2).reshape(()), "")}),
                                     ("Constant", [], ["three"], {"value": numpy_helper.from_array(f32(3).reshape(()), "")}),
                                     ("Mul", ["x", "two"], ["a"], {}), ("Add", ["a", "three"], ["y"], {})],
         {"x": f32(1, 2)}, {"y": f32(5, 7)})
    case("an inner value is an output", [("MatMul", ["x", "w"], ["a"], {}), ("Add", ["a", "b"], ["c"], {}),
                                         ("Relu", ["c"], ["y"], {})],
         {"x": f32([1, -1])}, {"y": f32([0, 1]), "c": f32([-1, 1]), "a": f32([-2, -1])},
         {"w": f32([1, 2], [3, 3]), "b": f32(1, 2)})
    case("a folded reshape of a weight", [("Reshape", ["w", "s"], ["a"], {}), ("Squeeze", ["a", "z"], ["b"], {}),
                                          ("Add", ["x", "b"], ["y"], {})],
         {"x": f32(1, 2, 3, 4)}, {"y": f32(2, 4, 6, 8)}, {"w": f32([1, 2], [3, 4]), "s": i64(1, 4), "z": i64(0)})
    case("names of the C library", [("Add", ["x", "malloc"], ["free"], {}), ("Exp", ["free"], ["main"], {})],
         {"x": f32(-1)}, {"main": f32(1)}, {"malloc": f32(1)})


def numbers():
    for axis, x, want in ((None, [NAN, NAN, NAN, 42], NAN), (1, [[NAN, 1], [2, NAN]], [NAN, NAN])):
        attributes = {"keepdims": 0} if axis is None else {"keepdims": 0, "axes": [axis]}
        for op in ("ReduceMax", "ReduceMin"):
            one(f"{op} of NaN, axis {axis}", op, {"x": np.array(x, np.float32)}, {"y": np.array(want, np.float32)}, opset=13,
                **attributes)
    one("relu of NaN", "Relu", {"x": f32(NAN, 1, NAN, -2)}, {"y": f32(NAN, 1, NAN, 0)})
    one("sign of NaN", "Sign", {"x": f32(NAN, -3, 0)}, {"y": f32(NAN, -1, 0)})
    one("top 3 with NaN", "TopK", {"x": f32(1, NAN, 3, NAN, 2, 3)}, {"y": f32(NAN, NAN, 3), "i": i64(1, 3, 2)}, {"k": i64(3)},
        largest=1, sorted=1, symbols=False)
    one("cast out of range", "Cast", {"x": f32(300, NAN, INF, -INF, 50, -50)},
        {"y": np.array([44, 0, 0, 0, 50, -50], np.int8)}, to=TensorProto.INT8)
    one("mod of negatives", "Mod", {"x": i64(-7, 7, -8, 8), "w": i64(3, -3, 3, -3)}, {"y": i64(2, -2, 1, -1)})
    one("fmod", "Mod", {"x": f32(-4.3, 7.2, 5), "w": f32(2.1, -3.4, 8)}, {"y": f32(-0.1, 0.4, 5)}, fmod=1)
    one("unsigned difference", "Sub", {"x": np.array([3, 250], np.uint8), "w": np.array([5, 5], np.uint8)},
        {"y": np.array([254, 245], np.uint8)})
    one("clip without a lower bound", "Clip", {"x": f32(-5, 5, NAN)}, {"y": f32(-5, 1, NAN)}, {"hi": f32(1).reshape(())},
        order=["x", "", "hi"])
    one("softplus far out", "Softplus", {"x": f32(-12.3392, -40, 100)}, {"y": f32(4.376758e-06, 4.248354e-18, 100)},
        tolerance=1e-5)
    one("softmax of a masked row", "Softmax", {"x": f32([-INF, -INF])}, {"y": f32([NAN, NAN])}, axis=-1)
    one("attention to nothing", "Attention", {"q": np.ones((1, 1, 2, 2), np.float32), "k": np.ones((1, 1, 2, 2), np.float32),
                                              "v": f32([1, 2], [3, 4]).reshape(1, 1, 2, 2),
                                              "m": np.array([[True, True], [False, False]])},
        {"y": f32([2, 3], [0, 0]).reshape(1, 1, 2, 2)}, opset=23, symbols=False)
    one("quantised half", "QuantizeLinear", {"x": np.array([0.050018310546875, -0.050018310546875], np.float16)},
        {"y": np.array([1, -1], np.int8)}, {"s": np.float16(0.0999755859375).reshape(()), "z": np.int8(0).reshape(())}, opset=19)
    for reverse, exclusive, want in ((1, 0, [10, 9, 7, 4]), (1, 1, [9, 7, 4, 0])):
        one(f"cumulated, reverse, exclusive {exclusive}", "CumSum", {"x": f32(1, 2, 3, 4)}, {"y": f32(*want)},
            {"a": np.int64(0).reshape(())}, opset=14, reverse=reverse, exclusive=exclusive)
    one("layer norm without bias", "LayerNormalization", {"x": f32([[1, 3], [2, 6]])},
        {"y": f32([[-2, 2], [-2, 2]])}, {"s": f32(2, 2)}, axis=-1, epsilon=0.0)
    one("layer norm with a short scale", "LayerNormalization", {"x": f32([[1, 3], [5, 7]])},
        {"y": f32([[-1.34164, 0.105573], [0.447214, 3.68328]])}, {"s": f32(1, 2), "b": f32(0, 1)}, axis=1, epsilon=0.0,
        tolerance=1e-4, symbols=False)
    one("einsum with a broadcast ellipsis", "Einsum", {"x": ramp(2, 2, 3), "w": ramp(3, 2)},
        {"y": ramp(2, 2, 3) @ ramp(3, 2)}, equation="...ij,...jk->...ik")
    one("einsum with an operand too few", "Einsum", {"x": ramp(2, 3)}, (3, "Einsum"), equation="ij,jk->ik", symbols=False)


def indices():
    d = ramp(3, 4)
    one("gather the last elements", "GatherElements", {"x": d, "i": np.full((3, 4), -1, np.int64)},
        {"y": np.repeat(d[:, 3:], 4, 1)}, axis=1)
    one("gather negative coordinates", "GatherND", {"x": d, "i": i64([-1, -1], [0, -2])}, {"y": f32(11, 2)}, symbols=False)
    one("scatter negative rows", "ScatterND", {"x": np.zeros((3, 2), np.float32), "i": i64([-1], [0]), "u": f32([1, 2], [3, 4])},
        {"y": f32([3, 4], [0, 0], [1, 2])}, symbols=False)
    one("one-hot of a negative index", "OneHot", {"x": i64(0, 2, 4, -1)}, {"y": np.eye(5, dtype=np.float32)[[0, 2, 4, 4]]},
        {"depth": np.int64(5).reshape(()), "v": f32(0, 1)})
    one("an index out of range", "GatherElements", {"x": d, "i": np.full((3, 4), 4, np.int64)}, ("run", "out of range"), axis=1,
        symbols=False)
    one("an index far below", "Gather", {"x": d, "i": i64(-2147483648)}, ("run", "out of range"), axis=0, symbols=False)


def recurrences():
    x, one_gate = f32(1, 2).reshape(2, 1, 1), f32(1).reshape(1, 1, 1)
    one("sequence_lens beyond the sequence", "RNN", {"x": x}, {"y": f32(1, 3).reshape(2, 1, 1, 1)},
        {"w": one_gate, "r": one_gate, "l": np.array([7], np.int32)}, order=["x", "w", "r", "", "l"], hidden_size=1,
        activations=["Relu"])


def body(nodes, inputs, outputs):
    values = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs]
    results = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs]
    return helper.make_graph([helper.make_node(op, ins, outs, **kw) for op, ins, outs, kw in nodes], "body", values, results)


def control():
    F, B, I = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
    step = body([("Identity", ["c"], ["d"], {}), ("Add", ["s", "s"], ["t"], {}), ("Identity", ["t"], ["scan"], {})],
                [("n", I, []), ("c", B, []), ("s", F, [4])], [("d", B, []), ("t", F, [4]), ("scan", F, [4])])
    for trips, go in ((0, True), (3, False)):
        case(f"a loop of {trips} trips, condition {go}", [("Loop", ["trips", "go", "x"], ["y", "z"], {"body": step})],
             {"x": f32(1, 2, 3, 4), "trips": np.array(trips, np.int64), "go": np.array(go)},
             {"y": f32(1, 2, 3, 4), "z": np.zeros((0, 4), np.float32)}, symbols=False)
    until = body([("Add", ["s", "one"], ["t"], {}), ("Add", ["k", "step"], ["l"], {}),
                  ("ReduceSum", ["t"], ["r"], {"keepdims": 0}), ("Less", ["r", "ten"], ["d"], {})],
                 [("n", I, []), ("c", B, []), ("s", F, [2]), ("k", I, [])], [("d", B, []), ("t", F, [2]), ("l", I, [])])
    case("a loop without a limit", [("Loop", ["", "go", "x", "k"], ["y", "z"], {"body": until})],
         {"x": f32(2.2, 3.3), "go": np.array(True)}, {"y": f32(5.2, 6.3), "z": np.array(3, np.int64)},
         {"one": f32(1).reshape(()), "ten": f32(10).reshape(()), "step": np.array(1, np.int64), "k": np.array(0, np.int64)},
         symbols=False)
    then = body([("Identity", ["x"], ["p"], {})], [], [("p", F, [2, 1, 3])])
    other = body([("Squeeze", ["x", "axis"], ["q"], {})], [], [("q", F, [2, 3])])
    case("branches of different rank", [("If", ["go"], ["y"], {"then_branch": then, "else_branch": other})],
         {"x": ramp(2, 1, 3), "go": np.array([False])}, (4, "[2, 1, 3]"), {"axis": i64(1)}, symbols=False)
    # A size that only the run finds chooses the branch, and none of the two shapes is the other.
    then = body([("Identity", ["none"], ["p"], {})], [], [("p", I, [0])])
    other = body([("Identity", ["flat"], ["q"], {})], [], [("q", I, ["k"])])
    case("branches of a size that the run finds",
         [("NonZero", ["x"], ["places"], {}), ("Reshape", ["places", "all"], ["flat"], {}), ("Size", ["flat"], ["n"], {}),
          ("Equal", ["n", "zero"], ["go"], {}), ("If", ["go"], ["y"], {"then_branch": then, "else_branch": other})],
         {"x": f32(0, 1, 2)}, (4, "depends on data"),
         {"all": i64(-1), "zero": np.array(0, np.int64), "none": i64()}, symbols=False)
    case("unused and absent names", [("Split", ["x"], ["", "b"], {"axis": 0, "num_outputs": 2}),
                                     ("Clip", ["b", "", "one"], ["y"], {})],
         {"x": f32(9, 9, -5, 5)}, {"y": f32(-5, 1)}, {"one": f32(1).reshape(())}, symbols=False)


def model(nodes, inputs, wanted, weights, opset, symbolic):
    kinds = {np.dtype(np.float16): TensorProto.FLOAT16}

    def info(name, array):
        kind = kinds.get(array.dtype) or helper.np_dtype_to_tensor_dtype(array.dtype)
        names = ["_" if symbolic == "_" else f"n{size}" if size > 1 else size for size in array.shape]
        shape = names if symbolic else array.shape
        return helper.make_tensor_value_info(name, kind, shape)

    outputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), None)
               for name, array in wanted.items()] if isinstance(wanted, dict) else [
                   helper.make_tensor_value_info(nodes[-1][2][0], TensorProto.FLOAT, None)]
    graph = helper.make_graph([helper.make_node(op, ins, outs, **kw) for op, ins, outs, kw in nodes], "situation",
                              [info(*entry) for entry in inputs.items()], outputs,
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def refused(outcome, code, word):
    """What is wrong with how it ended, or nothing. Code "run": any exit code of the run but a crash; None: any at all."""
    if outcome.ok or outcome.state == "crashed":
        return "not refused" if outcome.ok else outcome.message
    text = f"exit code {code}"
    if code and (not outcome.message.startswith("run") if code == "run" else text not in outcome.message):
        return f"{outcome.message!r} instead of {text}"
    return None if word.lower() in outcome.message.lower() else f"{outcome.message!r} does not say {word!r}"


def attempt(driver, entry, symbolic, folder):
    """One line about what is wrong, or nothing."""
    _, nodes, inputs, wanted, weights, opset, _, tolerance = entry
    proto = model(nodes, inputs, wanted, weights, opset, symbolic)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    files = {}
    for name, value in inputs.items():
        files[name] = folder / f"{name}.npy"
        np.save(files[name], value)
    outcome = driver.compile(folder / "m.onnx", folder / "m.so")
    if outcome.ok:
        kinds = {value.name: value.type for value in proto.graph.output}
        outcome = driver.run(folder / "m.so", files, kinds, folder / "out")
    if not isinstance(wanted, dict):
        return refused(outcome, *wanted)
    if not outcome.ok:
        return outcome.message
    for name, want in wanted.items():
        problem = difference(outcome.outputs[name], want, tolerance, 1e-12 if tolerance < 1e-4 else 1e-5)
        if problem:
            return f"{name}: {problem}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, help="where files are written (default: a temporary folder)")
    parser.add_argument("--filter", default="", help="only cases whose name holds this")
    args = parser.parse_args()
    for family in (slices, images, shapes, numbers, indices, recurrences, control):
        family()
    failures = count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for options in ([], ["-O0"]):
            driver = Cli(args.dynac, options)
            for entry in CASES:
                for symbolic in {False: (False,), "only": (True,)}.get(entry[6], (False, entry[6])):
                    if args.filter not in entry[0]:
                        continue
                    count += 1
                    problem = attempt(driver, entry, symbolic, folder)
                    if problem:
                        failures += 1
                        print(f"{entry[0]}{' (symbols)' if symbolic else ''}{' -O0' if options else ''}: {problem}")
    print(f"situations.py: {failures} of {count} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
