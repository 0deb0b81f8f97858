#!/usr/bin/env python3
# ===- seeds.py - what the fuzzers begin with -----------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===---------------------------------------------------------------------=== #
"""seeds.py FOLDER: small ONNX files, one for each thing that a file may hold. Whole models and single tensors."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import onnx_writer as onnx
from onnx_writer import field

X, Y = [onnx.value("x", ["n", 3])], [onnx.value("y", ["n", 3])]
RELU = onnx.node("Relu", ["x"], ["y"], "relu")


def tensor_of(kind, dims, body):
    """A tensor named t with the fields of `body`."""
    return field(1, dims) + field(2, kind) + field(8, "t") + body


def with_attribute(body):
    """A model of one node that has an attribute with the fields of `body`."""
    return onnx.model([RELU + field(5, field(1, "a") + body)], X, Y)


def graph_of(nodes):
    return field(1, nodes) + field(2, "inner") + field(12, Y)


def with_function(body, calls):
    function = field(1, "F") + field(4, ["a"]) + field(5, ["b"]) + field(7, body) + field(9, field(2, 17)) + field(10, "own")
    opsets = field(8, field(1, "own") + field(2, 1))
    return onnx.model(calls, X, Y) + opsets + field(25, function)


def tensors():
    one = [1.0, 2.0, 3.0]
    yield "raw_f32", onnx.tensor("t", [3], one)
    yield "raw_i64", onnx.tensor("t", [3], [1, -1, 1 << 40], onnx.INT64)
    yield "raw_i4", tensor_of(22, [3], field(9, b"\x21\x03"))
    yield "float_data", tensor_of(1, [3], field(4, b"\0\0\x80\x3f" * 3))
    yield "int32_data", tensor_of(6, [3], field(5, b"\x01\x02\x7f"))
    yield "f16_data", tensor_of(10, [2], field(5, b"\x80\x78\x80\x7c"))
    yield "int64_data", tensor_of(7, [3], field(7, b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x05"))
    yield "uint64_data", tensor_of(13, [2], field(11, b"\x01\x80\x01"))
    yield "double_data", tensor_of(11, [1], field(10, b"\0" * 8))
    yield "string_data", tensor_of(8, [2], field(6, ["a", "bc"]))
    yield "empty", tensor_of(1, [0, 4], b"")
    yield "external", tensor_of(1, [3], field(13, [field(1, "location") + field(2, "w.bin"), field(1, "offset") + field(2, "64"),
                                                  field(1, "length") + field(2, "12")]) + field(14, 1))
    yield "negative", field(1, onnx.varint(-1)) + onnx.tensor("t", [3], one)


def models():
    yield "relu", onnx.model([RELU], X, Y)
    for name, content in tensors():
        yield "weight_" + name, onnx.model([onnx.node("Add", ["x", "t"], ["y"])], X, Y, [content])
        yield "constant_" + name, with_attribute(field(5, content) + field(20, 4))
    yield "window", onnx.model([onnx.node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], ceil_mode=1)], X, Y)
    yield "float", with_attribute(b"\x15\0\0\x80\x3f" + field(20, 1))
    yield "text", with_attribute(field(4, "linear") + field(20, 3))
    yield "texts", with_attribute(field(9, ["a", "b"]) + field(20, 8))
    yield "sparse", with_attribute(field(22, field(1, onnx.tensor("v", [1], [2.0])) + field(
        2, onnx.tensor("i", [1], [1], onnx.INT64)) + field(3, [3])) + field(20, 11))
    branch = graph_of([onnx.node("Identity", ["x"], ["y"])])
    yield "if", onnx.model([onnx.node("If", ["c"], ["y"]) + field(5, [
        field(1, name) + field(6, branch) + field(20, 5) for name in ("then_branch", "else_branch")])],
                           X + [onnx.value("c", [], 9)], Y)
    call = onnx.node("F", ["x"], ["y"], "call", "own")
    yield "function", with_function([onnx.node("Relu", ["a"], ["b"])], [call])
    yield "function_attribute", with_function([onnx.node("Elu", ["a"], ["b"]) + field(5, field(1, "alpha") + field(
        21, "alpha") + field(20, 1))], [call])
    yield "recursion", with_function([onnx.node("F", ["a"], ["b"], "", "own")], [call])
    yield "names", onnx.model([RELU, RELU], X, Y) + field(14, field(1, "key") + field(2, "value"))


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, content in [*tensors(), *models()]:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main(sys.argv[1])
