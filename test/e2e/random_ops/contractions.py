# ===- contractions.py - random nodes: products, convolutions and pools ---=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #

import numpy as np

from .registry import Node, op


@op("MatMul")
def matmul(g, name):
    dtype = g.choice(("float32", "float32", "float64", "int32"))
    m, k, n = g.dim(empty=True), g.dim(), g.dim()
    a = g.reuse((dtype,), lambda v: 2 <= len(v.shape) <= 3 and v.shape[-1]) or g.new(dtype, [m, k])
    k, kind = a.shape[-1], g.choice(("matrix", "stack", "vector"))
    b = {"matrix": [k, n], "vector": [k], "stack": [*(a.shape[:-2] if len(a.shape) > 2 else [g.dim()]), k, n]}[kind]
    return Node(name, [a, g.new(dtype, b)])


@op("Gemm")
def gemm(g, name):
    a = g.value(("float32", "float64"), rank=(2, 2))
    ta, tb, n = int(g.flip()), int(g.flip()), g.dim()
    m, k = a.shape[::-1] if ta else a.shape
    b = g.new(a.dtype, [n, k] if tb else [k, n])
    c = [g.new(a.dtype, g.choice(([m, n], [n], [1, n], [m, 1], [1], [])))] if g.flip(0.7) else []
    return Node(name, [a, b, *c], {"transA": ta, "transB": tb, **g.maybe(alpha=0.5, beta=2.0)})


@op("MatMulInteger")
def matmul_integer(g, name):
    m, k, n = g.dim(), g.dim(), g.dim()
    a, b = g.new(g.choice(("uint8", "int8")), [m, k]), g.new("uint8", [k, n])
    zero = [g.const(np.array(3, a.dtype)), g.const(np.array(2, "uint8"))] if g.flip() else []
    return Node(name, [a, b, *zero])


@op("Einsum")
def einsum(g, name):
    equation = g.choice(("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "ij->", "bhid,bhjd->bhij", "i,j->ij", "...i->..."))
    sizes = {letter: g.dim() for letter in "bhijkd"}
    shapes = [[sizes[c] for c in part if c.isalpha()] for part in equation.split("->")[0].split(",")]
    if "..." in equation:
        shapes = [[g.dim(), g.dim(), sizes["i"]]]
    return Node(name, [g.new("float32", shape) for shape in shapes], {"equation": equation})


def window(g, spatial, sizes):
    """kernel_shape, strides, dilations and pads under which at least one window fits."""
    kernel = [int(g.rng.integers(1, min(4, n) + 1)) for n in sizes]
    attrs = {"kernel_shape": kernel}
    if g.flip():
        attrs["strides"] = [g.choice((1, 2, 3)) for _ in range(spatial)]
    if g.flip(0.3):
        attrs["dilations"] = [2 if (k - 1) * 2 + 1 <= n else 1 for k, n in zip(kernel, sizes)]
    if g.flip():
        attrs["pads"] = [int(g.rng.integers(0, k)) for k in kernel + kernel]
    elif g.flip(0.3) and "dilations" not in attrs:
        attrs["auto_pad"] = g.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
        # Steps beyond the window make SAME's sum of padding negative: onnxruntime refuses that, dynac pads nothing.
        if "strides" in attrs:
            attrs["strides"] = [min(step, k) for step, k in zip(attrs["strides"], kernel)]
    return attrs


@op("Conv")
def conv(g, name):
    spatial, group = g.choice((1, 2, 2, 2)), g.choice((1, 1, 2, 4))
    channels = group * g.choice((1, 2, 4, 8))
    x = g.reuse(("float32",), lambda v: len(v.shape) == spatial + 2 and 0 not in v.shape and v.shape[1] == channels)
    x = x or g.new("float32", [g.choice((1, 2)), channels, *(g.choice((3, 5, 7, 8, 14)) for _ in range(spatial))])
    attrs = window(g, spatial, x.shape[2:])
    filters = group * g.choice((1, 2, 4, 8))
    w = g.new("float32", [filters, channels // group, *attrs["kernel_shape"]], constant=g.flip(0.7))
    bias = [g.new("float32", [filters], constant=g.flip(0.7))] if g.flip() else []
    return Node(name, [x, w, *bias], {**attrs, "group": group})


@op("ConvTranspose")
def conv_transpose(g, name):
    spatial, group = g.choice((1, 2)), g.choice((1, 1, 2))
    channels, filters = group * g.choice((1, 3, 8)), g.choice((1, 2, 8))
    x = g.new("float32", [g.choice((1, 2)), channels, *(g.choice((2, 3, 5)) for _ in range(spatial))])
    kernel = [g.choice((1, 2, 3)) for _ in range(spatial)]
    strides = [g.choice((1, 2)) for _ in range(spatial)]
    attrs = {"kernel_shape": kernel, "strides": strides, "group": group}
    if g.flip(0.4):
        attrs["pads"] = [int(g.rng.integers(0, (k + 1) // 2)) for k in kernel + kernel]
    if g.flip(0.3):
        attrs["output_padding"] = [s - 1 for s in strides]
    return Node(name, [x, g.new("float32", [channels, filters, *kernel], constant=g.flip())], attrs)


@op("ConvInteger")
def conv_integer(g, name):
    x = g.new("uint8", [1, 3, 5, 7])
    w = g.new(g.choice(("uint8", "int8")), [g.choice((2, 16)), 3, g.choice((1, 3)), g.choice((1, 3))])
    zero = [g.const(np.array(3, "uint8"))] if g.flip() else []
    return Node(name, [x, w, *zero], g.maybe(pads=[1, 1, 1, 1]))


@op("MaxPool", "AveragePool", "LpPool")
def pool(g, name):
    spatial = g.choice((1, 2, 2))
    x = g.reuse(("float32",), lambda v: len(v.shape) == spatial + 2 and 0 not in v.shape)
    x = x or g.new("float32", [g.choice((1, 2)), g.choice((1, 3, 16)), *(g.choice((4, 7, 8)) for _ in range(spatial))])
    attrs = window(g, spatial, x.shape[2:])
    if name != "MaxPool":
        attrs.pop("dilations", None)
    if name == "AveragePool":
        attrs.update(g.maybe(count_include_pad=g.choice((0, 1))))
    if name == "LpPool":
        attrs.pop("auto_pad", None)
        attrs["p"] = g.choice((1, 2))
    return Node(name, [x], attrs)


@op("GlobalAveragePool", "GlobalMaxPool")
def global_pool(g, name):
    return Node(name, [g.value(("float32",), rank=(3, 4), full=True)])
