#!/usr/bin/env python3
# ===- nan_positions.py - NaN in every place of rows of every size ----------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""What NaN does must not depend on where it stands: vectors, their rests and scalar loops agree. Row p of a matrix has
NaN at place p and the last row has none; every operator that compares sees it, with sizes known while compiling and
only while running. The wanted values are numpy's: NaN wins in maxima and minima, is found by ArgMax and ArgMin, and
sorts above everything."""

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"nan_positions.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli
from values import difference

ROOT = Path(__file__).resolve().parents[2]
NAN = float("nan")
TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16}


def matrix(size, dtype):
    """[size + 1, size]: distinct values, with NaN at [p, p]."""
    rows = np.arange(size + 1)[:, None] * 7 + np.arange(size)[None, :] * 5
    x = ((rows % 23) - 11).astype(dtype)
    x[np.arange(size), np.arange(size)] = NAN
    return x


def top(x, largest):
    """Values and places of the whole row in order; NaN is the greatest, and the first of equals comes first."""
    key = np.where(np.isnan(x), np.inf, x.astype(np.float64))
    order = np.argsort(-key if largest else key, axis=1, kind="stable")
    return np.take_along_axis(x, order, 1), order.astype(np.int64)


def operators():
    """Node, its outputs, and what they are of x."""
    def first(function):
        return lambda x: [function(x)]

    node = helper.make_node
    clipped = lambda x: np.minimum(np.maximum(x, x.dtype.type(-3)), x.dtype.type(3))
    windows = lambda x: np.stack([x, np.concatenate([x[:, 1:], np.full_like(x[:, :1], -np.inf)], 1)])
    return [
        (node("ReduceMax", ["x"], ["a"], axes=[1], keepdims=0), first(lambda x: np.max(x, 1))),
        (node("ReduceMin", ["x"], ["b"], axes=[1], keepdims=0), first(lambda x: np.min(x, 1))),
        (node("ReduceMax", ["x"], ["c"], axes=[0], keepdims=0), first(lambda x: np.max(x, 0))),
        (node("ArgMax", ["x"], ["d"], axis=1, keepdims=0), first(lambda x: np.argmax(x, 1))),
        (node("ArgMin", ["x"], ["e"], axis=1, keepdims=0), first(lambda x: np.argmin(x, 1))),
        (node("Relu", ["x"], ["f"]), first(lambda x: np.maximum(x, x.dtype.type(0)))),
        (node("Clip", ["x", "low", "high"], ["g"]), first(clipped)),
        (node("Max", ["x", "zeros"], ["h"]), first(lambda x: np.maximum(x, x.dtype.type(0)))),
        (node("Min", ["zeros", "x"], ["i"]), first(lambda x: np.minimum(x, x.dtype.type(0)))),
        (node("TopK", ["x", "count"], ["j", "k"], axis=1, largest=1), lambda x: top(x, True)),
        (node("TopK", ["x", "count"], ["l", "m"], axis=1, largest=0), lambda x: top(x, False)),
        (node("MaxPool", ["image"], ["n"], kernel_shape=[1, 2], pads=[0, 0, 0, 1]),
         first(lambda x: np.max(windows(x), 0)[None, None])),
        (node("IsNaN", ["x"], ["o"]), first(np.isnan)),
        (node("Sign", ["x"], ["p"]), first(np.sign)),
        (node("Greater", ["x", "zeros"], ["q"]), first(lambda x: x > 0)),
        (node("ReduceMax", ["x"], ["r"], keepdims=0), first(np.max)),
    ]


def model(name, size):
    """All operators on x; `size` None: dimensions are symbols."""
    kind = TYPES[name]
    rows, columns = ("R", "C") if size is None else (size + 1, size)
    outputs, nodes = [], [
        helper.make_node("Unsqueeze", ["x", "front"], ["image"]),
        helper.make_node("Shape", ["x"], ["count"], start=1),
    ]
    for node, _ in operators():
        nodes.append(node)
        for output in node.output:
            special = {"d": TensorProto.INT64, "e": TensorProto.INT64, "k": TensorProto.INT64, "m": TensorProto.INT64,
                       "o": TensorProto.BOOL, "q": TensorProto.BOOL}
            outputs.append(helper.make_tensor_value_info(output, special.get(output, kind), None))
    constants = [helper.make_tensor("low", kind, [], [-3.0]), helper.make_tensor("high", kind, [], [3.0]),
                 helper.make_tensor("zeros", kind, [1], [0.0]),
                 helper.make_tensor("front", TensorProto.INT64, [2], [0, 1])]
    inputs = [helper.make_tensor_value_info("x", kind, [rows, columns])]
    graph = helper.make_graph(nodes, "nan", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)


def check(driver, artifact, name, size, folder, kinds):
    """Lines about what is wrong."""
    x = matrix(size, name)
    np.save(folder / "x.npy", x)
    outcome = driver.run(artifact, {"x": folder / "x.npy"}, kinds, folder / "out")
    if not outcome.ok:
        return [outcome.message]
    problems = []
    with np.errstate(invalid="ignore"):
        for node, wanted in operators():
            for output, want in zip(node.output, wanted(x)):
                problem = difference(outcome.outputs[output], np.asarray(want), 0, 0)
                if problem:
                    problems.append(f"{node.op_type} ({output}): {problem}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, help="where files are written (default: a temporary folder)")
    parser.add_argument("--sizes", type=int, default=40, help="rows of 1 to this many elements")
    parser.add_argument("--type", choices=TYPES, action="append")
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for options in ([], ["-O0"]):
            driver = Cli(args.dynac, options)
            for name in args.type or TYPES:
                full = name == "float32"
                for size in [None, *range(1, args.sizes + 1, 1 if full else 7)]:
                    file, artifact = folder / "m.onnx", folder / "m.so"
                    proto = model(name, size)
                    file.write_bytes(proto.SerializeToString())
                    kinds = {value.name: value.type for value in proto.graph.output}
                    outcome = driver.compile(file, artifact)
                    problems = {} if outcome.ok else {0: [outcome.message]}
                    if outcome.ok:
                        sizes = range(1, args.sizes + 1) if size is None else [size]
                        problems = {n: check(driver, artifact, name, n, folder, kinds) for n in sizes}
                    for n, lines in problems.items():
                        for line in lines:
                            failures += 1
                            print(f"{name}, {options or 'claimed'}, size {n}{' (symbol)' if size is None else ''}: {line}")
    print(f"nan_positions.py: {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
