#!/usr/bin/env python3
# ===- precision.py - f32 models whose products round their operands ---------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""`--precision bf16` for each CPU level.

Numbers that bf16 holds give exactly what f32 gives. A network of convolutions and one of attention layers with other numbers
are compared with float64: the error is bf16's, neither more nor (then nothing would have been rounded) far less; and all
levels round alike, so that they are closer to each other than to the truth. The exit code is 1 on a difference, 77 if a
package is missing."""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"precision.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import doubles
from drivers import Cli
from values import Tolerances

LEVELS = ("x86-64-v3", "x86-64-v4", "x86-64-v4-bf16-vnni", "amx")
RNG = np.random.default_rng(0)


class Net:
    """Nodes and weights under construction."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def constant(self, array, dtype=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def weight(self, *shape, inputs=None):
        """Sums of products of `inputs` numbers (as many as a filter has) keep their variance."""
        return self.constant(RNG.standard_normal(shape) / np.sqrt(inputs or np.prod(shape[1:])))

    def add(self, op, *inputs, output=None, **attrs):
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attrs))
        return output

    def save(self, path, x, y):
        info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "net", [info("x", x)], [info("y", y)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def integers(*shape):
    return RNG.integers(-8, 9, shape).astype(np.float32)


def exact_product(path):
    """Panels and words that end early."""
    n = Net()
    x = n.add("MatMul", "x", n.constant(integers(70, 67)))
    n.add("Add", x, n.constant(integers(67)), output="y")
    n.save(path, ("n", 70), ("n", 67))
    return integers(19, 70)


def exact_convolution(path):
    """A first layer, and strides, dilation, groups and padding in blocks of channels."""
    n = Net()
    def sparse(*shape):  # few terms: the next layer's operands stay below 2^8
        return integers(*shape).clip(-1, 1) * (RNG.random(shape) < 2 / np.prod(shape[1:]))
    x = n.add("Conv", "x", n.constant(sparse(40, 3, 3, 3)), strides=[2, 2], pads=[1, 1, 0, 0])
    x = n.add("Clip", x, n.constant(-100), n.constant(100))
    x = n.add("Conv", x, n.constant(sparse(64, 40, 1, 1)))
    x = n.add("Clip", x, n.constant(-200), n.constant(200))
    n.add("Conv", x, n.constant(integers(64, 32, 3, 3)), group=2, dilations=[2, 2], strides=[1, 2], pads=[2, 2, 2, 2],
          output="y")
    n.save(path, ("n", 3, 17, 21), ("n", 64, "h", "w"))
    return integers(2, 3, 17, 21)


def convolutions(path):
    """Residuals between 1x1, 3x3 and depthwise layers, and squeeze-excite."""
    n = Net()
    bias = lambda c: n.constant(RNG.standard_normal(c) / 8)
    x = n.add("Relu", n.add("Conv", "x", n.weight(32, 3, 3, 3), bias(32), strides=[2, 2], pads=[1] * 4))
    x = n.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for _ in range(3):
        y = n.add("Relu", n.add("Conv", x, n.weight(64, 32, 1, 1), bias(64)))
        y = n.add("HardSwish", n.add("Conv", y, n.weight(64, 1, 3, 3), bias(64), group=64, pads=[1] * 4))
        s = n.add("GlobalAveragePool", y)
        s = n.add("Relu", n.add("Conv", s, n.weight(16, 64, 1, 1), bias(16)))
        s = n.add("Sigmoid", n.add("Conv", s, n.weight(64, 16, 1, 1), bias(64)))
        y = n.add("Relu", n.add("Conv", n.add("Mul", y, s), n.weight(40, 64, 1, 1), bias(40)))
        y = n.add("Conv", y, n.weight(32, 40, 3, 3), bias(32), pads=[1] * 4)
        x = n.add("Relu", n.add("Add", x, y))
    x = n.add("Flatten", n.add("GlobalAveragePool", x))
    n.add("Gemm", x, n.weight(50, 32), bias(50), output="y", transB=1)
    n.save(path, ("n", 3, 40, 40), ("n", 50))
    return RNG.standard_normal((2, 3, 40, 40)).astype(np.float32)


def attention(path):
    """Two layers with norms after and before the products."""
    n, width, heads = Net(), 96, 4
    linear = lambda x, k, m: n.add("Add", n.add("MatMul", x, n.weight(k, m, inputs=k)), n.constant(RNG.standard_normal(m) / 8))

    def norm(x):
        return n.add("LayerNormalization", x, n.constant(1 + RNG.standard_normal(width) / 8),
                     n.constant(RNG.standard_normal(width) / 8))

    def heads_of(x, order):
        shape = n.constant([0, 0, heads, width // heads], np.int64)
        return n.add("Transpose", n.add("Reshape", x, shape), perm=order)

    x = "x"
    for before in (False, True):
        z = norm(x) if before else x
        q, k, v = (heads_of(linear(z, width, width), order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = n.add("Mul", n.add("MatMul", q, k), n.constant((width // heads) ** -0.5))
        y = n.add("Transpose", n.add("MatMul", n.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = n.add("Add", x, linear(n.add("Reshape", y, n.constant([0, 0, width], np.int64)), width, width))
        x = y if before else norm(y)
        z = norm(x) if before else x
        h = linear(z, width, 4 * width)
        h = n.add("Mul", n.add("Mul", h, n.constant(0.5)),
                  n.add("Add", n.add("Erf", n.add("Mul", h, n.constant(0.5 ** 0.5))), n.constant(1)))
        x = n.add("Add", x, linear(h, 4 * width, width))
        if not before:
            x = norm(x)
    n.add("Identity", x, output="y")
    n.save(path, ("n", "s", width), ("n", "s", width))
    return RNG.standard_normal((2, 37, width)).astype(np.float32)


class Check:
    def __init__(self, options):
        self.options, self.failed, self.tolerances = options, 0, Tolerances()
        self.cli = Cli(options.dynac)

    def fail(self, text):
        self.failed += 1
        print(f"failed: {text}")

    def outputs(self, net):
        """Of each CPU level, and in float64."""
        path = self.options.work / f"{net.__name__}.onnx"
        x = net(path)
        np.save(self.options.work / "x.npy", x)
        results = {}
        for level in LEVELS:
            compiled = path.with_suffix(".so")
            result = self.cli.compile(path, compiled, "--precision", "bf16", "--march", level)
            if result.ok:
                kinds = {"y": onnx.load(path).graph.output[0].type}
                result = self.cli.run(compiled, {"x": self.options.work / "x.npy"}, kinds, self.options.work / "run")
            if result.ok:
                results[level] = result.outputs["y"]
            elif "exit code 6" in result.message:  # this CPU lacks the level
                print(f"{net.__name__} {level}: skipped")
            else:
                self.fail(f"{net.__name__} {level}: {result.message}")
        return results, doubles.run(path, {"x": x})[0]

    def exact(self, net):
        results, want = self.outputs(net)
        if not np.abs(want).max() > 0:
            self.fail(f"{net.__name__}: nothing but zeros")
        for level, got in results.items():
            if not np.array_equal(got, want):
                self.fail(f"{net.__name__} {level}: {np.count_nonzero(got != want)} of {want.size} values differ")

    def close(self, net):
        results, want = self.outputs(net)
        limit = self.tolerances.of(f"bf16_{net.__name__}")[0]
        first = None
        for level, got in results.items():
            error = doubles.relative_error([got], [want])
            apart = doubles.relative_error([got], [first if first is not None else got])
            first = got if first is None else first
            if self.options.verbose:
                print(f"{net.__name__} {level}: error {error:.2e}, {apart:.2e} from the first level")
            if not limit / 20 < error < limit:
                self.fail(f"{net.__name__} {level}: error {error:.2e}, expected less than {limit} and more than a twentieth")
            if not apart < error / 2:
                self.fail(f"{net.__name__} {level}: {apart:.2e} from {next(iter(results))}, with an error of {error:.2e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/precision"), help="where files are written")
    parser.add_argument("--verbose", action="store_true", help="print all errors")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    check = Check(options)
    for net in (exact_product, exact_convolution):
        check.exact(net)
    for net in (convolutions, attention):
        check.close(net)
    print("passed" if not check.failed else f"{check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
