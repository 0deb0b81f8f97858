#!/usr/bin/env python3
# ===- quantized.py - models that onnxruntime quantised ----------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""A network of convolutions and one of matrix products, quantised by onnxruntime in each way that it has (QDQ, QOperator,
dynamic; signed and unsigned bytes; a scale for each channel or one), for each CPU level and without optimisation, against
onnxruntime without its own. Numbers differ by what rounding may do: on the average by a small part of the result's step,
and by no more than two steps. The exit code is 1 on a difference, 77 if a package is missing."""

import argparse
import logging
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
except ImportError as missing:
    print(f"quantized.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli

RNG = np.random.default_rng(0)


class Net:
    """Nodes and weights under construction."""

    def __init__(self, shape):
        self.shape, self.nodes, self.weights = shape, [], []

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, np.float32), name))
        return name

    def weight(self, *shape):
        """Sums of products of it and numbers of variance 1 have variance 1, over all axes but the first."""
        return self.constant(RNG.standard_normal(shape) / np.sqrt(np.prod(shape[1:])))

    def add(self, op, *inputs, output=None, **attrs):
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attrs))
        return output

    def save(self, path, output_shape):
        info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "net", [info("x", self.shape)], [info("y", output_shape)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def convolutions(path):
    """A first layer, a pool between convolutions, a depthwise one and one of groups, a residual."""
    n = Net(("n", 3, 32, 32))
    same = {"pads": [1, 1, 1, 1]}
    x = n.add("Relu", n.add("Conv", "x", n.weight(24, 3, 3, 3), n.weight(24), strides=[2, 2], **same))
    pooled = n.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], **same)
    x = n.add("Relu", n.add("Conv", pooled, n.weight(32, 24, 3, 3), n.weight(32), **same))
    x = n.add("Conv", x, n.weight(32, 1, 3, 3), group=32, **same)
    x = n.add("Clip", x, n.constant(0), n.constant(6))
    x = n.add("Add", n.add("Conv", x, n.weight(24, 32, 1, 1), n.weight(24)), pooled)
    x = n.add("Sigmoid", n.add("Conv", x, n.weight(32, 12, 3, 3), group=2, **same))
    x = n.add("Flatten", n.add("GlobalAveragePool", x))
    n.add("Gemm", x, n.weight(10, 32), n.weight(10), output="y", transB=1)
    n.save(path, ("n", 10))
    return (2, 3, 32, 32)


def products(path):
    """Depths that are and are not whole words of four bytes."""
    n = Net(("n", 5, 30))
    x = n.add("Relu", n.add("Add", n.add("MatMul", "x", n.weight(30, 64)), n.weight(64)))
    x = n.add("Tanh", n.add("MatMul", x, n.weight(64, 50)))
    n.add("Add", n.add("MatMul", x, n.weight(50, 30)), "x", output="y")
    n.save(path, ("n", 5, 30))
    return (2, 5, 30)


class Samples(CalibrationDataReader):
    def __init__(self, shape):
        self.left = [{"x": RNG.standard_normal(shape).astype(np.float32)} for _ in range(4)]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantized(plain, shape):
    """(name, path) of each quantised form."""
    signed, unsigned = QuantType.QInt8, QuantType.QUInt8
    for style in (QuantFormat.QDQ, QuantFormat.QOperator):
        for activation, weight in ((unsigned, signed), (signed, signed), (unsigned, unsigned)):
            for per_channel in (False, True):
                name = f"{plain.stem}_{style.name}_{activation.name}_{weight.name}{'_channels' * per_channel}"
                # Sums of 7-bit weights do not saturate where onnxruntime has no VNNI.
                quantize_static(plain, plain.with_name(name + ".onnx"), Samples(shape), quant_format=style,
                                activation_type=activation, weight_type=weight, per_channel=per_channel,
                                reduce_range=style is QuantFormat.QOperator)
                yield name
    for weight in (signed, unsigned):
        name = f"{plain.stem}_dynamic_{weight.name}"
        quantize_dynamic(plain, plain.with_name(name + ".onnx"), weight_type=weight, reduce_range=True)
        yield name


def reference(path, x):
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/quantized"), help="where files are written")
    parser.add_argument("--levels", default="x86-64-v3,native", help="CPU levels (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print all differences")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    logging.disable(logging.WARNING)
    failed = 0
    for net in (convolutions, products):
        plain = options.work / f"{net.__name__}.onnx"
        shape = net(plain)
        x = RNG.standard_normal(shape).astype(np.float32)
        np.save(options.work / "x.npy", x)
        for name in quantized(plain, shape):
            base = options.work / name
            expected = reference(f"{base}.onnx", x)
            step = (max(expected.max(), 0) - min(expected.min(), 0)) / 255
            for level in [["-O0"]] + [["--march", level] for level in options.levels.split(",")]:
                cli = Cli(options.dynac, level)
                result = cli.compile(f"{base}.onnx", f"{base}.so")
                if result.ok:
                    outputs = {"y": onnx.load(f"{base}.onnx").graph.output[0].type}
                    result = cli.run(f"{base}.so", {"x": options.work / "x.npy"}, outputs, options.work / "run")
                problem = result.message
                if result.ok:
                    off = np.abs(result.outputs["y"] - expected) / step
                    if not (off.max() <= 2.01 and off.mean() <= 0.1):
                        problem = f"off by {off.max():.2f} steps, {off.mean():.3f} on the average"
                    elif options.verbose:
                        print(f"{name} {' '.join(level)}: off by {off.max():.2f} steps, {off.mean():.4f} on the average")
                if problem:
                    failed += 1
                    print(f"failed: {name} {' '.join(level)}: {problem}")
    print("passed" if not failed else f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
