# ===- onnx_writer.py - ONNX files without the onnx package ------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Enough of protobuf's wire format for small models: tests of the command line then need Python only. Field numbers are
those of onnx.proto. Element types: 1 float, 7 int64."""

import struct

FLOAT, INT64 = 1, 7


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        out.append((number & 127) | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(out)


def field(number, value):
    """An int as varint; text, bytes as a length-delimited field; a list repeats it."""
    if isinstance(value, list):
        return b"".join(field(number, item) for item in value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, values, kind=FLOAT):
    raw = struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'q'}", *values)
    return field(1, list(dims)) + field(2, kind) + field(8, name) + field(9, raw)


def value(name, dims, kind=FLOAT):
    """A graph input or output; a dimension is a number or a name."""
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def attribute(name, content):
    """An int or a list of ints."""
    number, kind = (8, 7) if isinstance(content, list) else (3, 2)
    return field(1, name) + field(number, content) + field(20, kind)


def node(op, inputs, outputs, name="", domain="", **attributes):
    return field(1, list(inputs)) + field(2, list(outputs)) + field(3, name) + field(4, op) + (
        field(5, [attribute(*item) for item in attributes.items()])) + (field(7, domain) if domain else b"")


def model(nodes, inputs, outputs, weights=(), opset=17):
    graph = field(1, list(nodes)) + field(2, "g") + field(5, list(weights)) + field(11, list(inputs)) + field(12, list(outputs))
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))
