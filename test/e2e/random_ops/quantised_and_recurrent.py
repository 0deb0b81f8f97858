# ===- quantised_and_recurrent.py - random nodes: quantisation, recurrence, sampling, attention -=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #

import numpy as np

from .registry import Node, op


@op("QuantizeLinear", since=13)
def quantize(g, name):
    a = g.value(("float32",), exact=True, rank=(1, 4))
    zero = g.choice(("uint8", "int8"))
    if g.flip() and len(a.shape) > 1:
        axis, n = 1, [a.shape[1]]
        scale = g.const(2.0 ** g.rng.integers(-4, 1, size=n).astype("float32"))
        return Node(name, [a, scale, g.const(g.rng.integers(0, 8, size=n).astype(zero))], {"axis": axis})
    return Node(name, [a, g.const(np.array(0.25, "float32")), g.const(np.array(5, zero))])


@op("DequantizeLinear", since=13)
def dequantize(g, name):
    a = g.value(("uint8", "int8", "int32"))
    zero = [] if a.dtype == "int32" else [g.const(np.array(3, a.dtype))]
    return Node(name, [a, g.const(np.array(0.25, "float32")), *zero])


@op("QLinearMatMul")
def qlinear_matmul(g, name):
    a, b = g.new("uint8", [g.dim(), 8]), g.new("uint8", [8, g.dim()])
    scale, zero = g.const(np.array(0.5, "float32")), g.const(np.array(4, "uint8"))
    return Node(name, [a, scale, zero, b, scale, zero, g.const(np.array(8.0, "float32")), zero])


@op("QLinearConv")
def qlinear_conv(g, name):
    x, w = g.new("uint8", [1, 4, 6, 6]), g.new("uint8", [8, 4, 3, 3], constant=True)
    scale, zero = g.const(np.array(0.5, "float32")), g.const(np.array(4, "uint8"))
    return Node(name, [x, scale, zero, w, scale, zero, g.const(np.array(16.0, "float32")), zero],
                g.maybe(pads=[1, 1, 1, 1]))


@op("LSTM", "GRU", "RNN", since=14)
def recurrent(g, name):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[name]
    time, batch, width, hidden = g.dim(), g.dim(), g.dim(), g.choice((1, 3, 8))
    direction = g.choice(("forward", "reverse", "bidirectional"))
    d = 2 if direction == "bidirectional" else 1
    x = g.new("float32", [time, batch, width], -1, 1)
    time, batch, width = x.shape  # large ones became smaller
    inputs = [x, g.new("float32", [d, gates * hidden, width], -1, 1),
              g.new("float32", [d, gates * hidden, hidden], -1, 1)]
    if g.flip():
        inputs.append(g.new("float32", [d, 2 * gates * hidden], -1, 1))
        if g.flip():
            inputs += [g.new("int32", [batch], 1, time), g.new("float32", [d, batch, hidden], -1, 1)]
    attrs = {"hidden_size": hidden, "direction": direction}
    if name == "GRU":
        attrs.update(g.maybe(linear_before_reset=1))
    return Node(name, inputs, attrs, 3 if name == "LSTM" else 2)


@op("GridSample", since=20)
def grid_sample(g, name):
    x = g.new("float32", [g.choice((1, 2)), g.choice((1, 3)), 4, 5])
    grid = g.new("float32", [x.shape[0], 3, 4, 2], -1.2, 1.2)
    return Node(name, [x, grid], {"mode": "linear", "padding_mode": g.choice(("zeros", "border")),
                                  "align_corners": g.choice((0, 1))})


@op("AffineGrid", since=20)
def affine_grid(g, name):
    theta = g.new("float32", [2, 2, 3], -1, 1)
    # One place only, with its ends at the corners, is where evaluators differ.
    return Node(name, [theta, g.const(np.array([2, 3, g.dim() + 1, g.dim() + 1], np.int64))], g.maybe(align_corners=1))


@op("HannWindow", "HammingWindow", "BlackmanWindow", since=17)
def window_function(g, name):
    return Node(name, [g.const(np.array(int(g.rng.integers(2, 33)), np.int64))], g.maybe(periodic=g.choice((0, 1))))


@op("Det")
def determinant(g, name):
    n = g.choice((1, 2, 3))
    return Node(name, [g.new("float32", [*g.shape(0, 2), n, n], -2, 2)])


@op("Attention", since=23)
def attention(g, name):
    batch, heads, q, k, width = g.choice((1, 2)), g.choice((1, 2, 4)), g.dim(), g.dim(), g.choice((4, 8, 16))
    inputs = [g.new("float32", [batch, heads, q, width], -1, 1), g.new("float32", [batch, heads, k, width], -1, 1),
              g.new("float32", [batch, heads, k, width], -1, 1)]
    if g.flip(0.4):
        inputs.append(g.new("float32", g.choice(([q, k], [batch, 1, q, k], [1, heads, q, k])), -1, 1))
    return Node(name, inputs, g.maybe(scale=0.25))


@op("RotaryEmbedding", since=23)
def rotary(g, name):
    batch, heads, length, width = g.choice((1, 2)), g.choice((1, 3)), g.dim(), g.choice((2, 4, 8))
    x = g.new("float32", [batch, heads, length, width], -2, 2)
    tables = [g.new("float32", [batch, length, width // 2], -1, 1) for _ in range(2)]
    return Node(name, [x, *tables], g.maybe(interleaved=g.choice((0, 1))))


@op("Dropout", since=13)
def dropout(g, name):
    return Node(name, [g.value(("float32", "float64"))])
