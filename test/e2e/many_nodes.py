#!/usr/bin/env python3
# ===- many_nodes.py - time and memory grow with the nodes, not faster --------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Compiles one graph of many nodes (products, softmax, views, joins and residuals, with a symbolic batch) within the given
time and memory, and compares its numbers with onnxruntime."""

import argparse
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"many_nodes.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli
from values import Tolerances

SIZE = 16
BLOCK = 10


def make_model(count):
    """A chain of blocks over [batch, 4, SIZE]; one in eight reads what an earlier one wrote. No block widens differences."""
    rng = np.random.default_rng(0)
    nodes, weights, history = [], [], ["x"]

    def add(op, *inputs, **attributes):
        nodes.append(helper.make_node(op, inputs, [f"n{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def constant(name, values):
        weights.append(numpy_helper.from_array(values, name))
        return name

    zero, half, end, axis = (constant(name, np.array([value], np.int64))
                             for name, value in (("zero", 0), ("half", SIZE // 2), ("end", SIZE), ("axis", 2)))
    scale = constant("scale", np.array(0.5, np.float32))
    for block in range(1, count // BLOCK + 1):
        x = history[-1]
        y = add("MatMul", x, constant(f"w{block}", rng.standard_normal((SIZE, SIZE), np.float32) / np.float32(SIZE)))
        y = add("Transpose", add("Tanh", y), perm=[0, 2, 1])
        y = add("Softmax", y, axis=1) if block % 3 == 0 else add("Sigmoid", y)
        y = add("Transpose", y, perm=[0, 2, 1])
        y = add("Concat", add("Slice", y, half, end, axis), add("Slice", y, zero, half, axis), axis=2)
        y = add("Add", y, history[-5] if block % 8 == 0 else x)
        history.append(add("Mul", y, scale))
    infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4, SIZE])] for name in ("x", history[-1])]
    graph = helper.make_graph(nodes, "chain", *infos, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--nodes", type=int, default=50000)
    parser.add_argument("--seconds", type=int, default=600, help="allowed for the compilation")
    parser.add_argument("--megabytes", type=int, default=4096, help="allowed for the compilation")
    parser.add_argument("--work", type=Path, default=ROOT / "build/many_nodes", help="scratch folder")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    model, path, artifact = make_model(args.nodes), args.work / "chain.onnx", args.work / "chain.so"
    onnx.save(model, path)
    output = model.graph.output[0].name
    given, expected = args.work / "x.npy", args.work / f"{output}.npy"
    x = np.random.default_rng(1).standard_normal((2, 4, SIZE), np.float32)
    np.save(given, x)
    np.save(expected, onnxruntime.InferenceSession(path).run(None, {"x": x})[0])

    cli, start = Cli(args.dynac, timeout=args.seconds), time.monotonic()
    result = cli.compile(path, artifact)
    seconds, peak = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if result.ok:
        rtol, atol, _ = Tolerances().of("many_nodes")
        result = cli.expect(artifact, {"x": given}, {output: expected}, rtol, atol)
    print(f"{len(model.graph.node)} nodes: compiled in {seconds:.1f} s, peak {peak:.0f} MB: "
          f"{'passed' if result.ok else result.message}")
    return 0 if result.ok and peak <= args.megabytes else 1


if __name__ == "__main__":
    sys.exit(main())
