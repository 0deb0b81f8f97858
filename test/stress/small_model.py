#!/usr/bin/env python3
# ===- small_model.py - a small but complete network ---------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===--------------------------------------------------------------------=== #
"""small_model.py OUT.onnx: convolutions, a residual, pooling, a dense layer and softmax; batch n and height h open.
Weights are random and always the same."""

import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import onnx_writer as onnx


def main(path):
    source = random.Random(1)
    weights = []

    def weight(name, *dims):
        count = 1
        for dim in dims:
            count *= dim
        bound = (6 * dims[0] / count) ** 0.5
        weights.append(onnx.tensor(name, dims, [source.uniform(-bound, bound) for _ in range(count)]))
        return name

    def convolution(x, y, channels, filters, kernel, stride=1):
        pad = kernel // 2
        return onnx.node("Conv", [x, weight(y + ".w", filters, channels, kernel, kernel), weight(y + ".b", filters)], [y], y,
                         kernel_shape=[kernel] * 2, pads=[pad] * 4, strides=[stride] * 2)

    nodes = [
        convolution("x", "c1", 3, 16, 3),
        onnx.node("Relu", ["c1"], ["r1"]),
        onnx.node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        convolution("p1", "c2", 16, 32, 3),
        convolution("p1", "c3", 16, 32, 1),
        onnx.node("Add", ["c2", "c3"], ["a"]),
        onnx.node("Relu", ["a"], ["features"]),
        convolution("features", "c4", 32, 32, 3, 2),
        onnx.node("Sigmoid", ["c4"], ["s"]),
        onnx.node("GlobalAveragePool", ["s"], ["g"]),
        onnx.node("Flatten", ["g"], ["f"]),
        onnx.node("Gemm", ["f", weight("fc.w", 32, 10), weight("fc.b", 10)], ["scores"]),
        onnx.node("Softmax", ["scores"], ["y"], axis=1)]
    data = onnx.model(nodes, [onnx.value("x", ["n", 3, "h", 16])],
                      [onnx.value("y", ["n", 10]), onnx.value("features", ["n", 32, "h2", 8])], weights)
    with open(path, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
