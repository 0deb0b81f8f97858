# ===- random_ops.py - random nodes for every operator -----------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""One generator per operator: given a graph under construction it picks operands among the values that exist, or makes
new ones, and attributes, and returns a Node. A generator returns nothing where the graph has no fitting value.

`exact` operands hold numbers that float32 represents exactly whatever the order of evaluation: operators that jump
(Floor, ArgMax, comparisons) take only those, else a rounding difference of 1e-7 would become a different answer."""

from dataclasses import dataclass, field

import numpy as np

FLOATS = ("float32", "float32", "float32", "float16", "float64")
INTS = ("int32", "int64", "int64", "int8", "uint8", "int16", "uint32")
SIGNED = ("int32", "int64", "int8", "int16")
NUMBERS = FLOATS + ("int32", "int64")
ANY = NUMBERS + ("bool", "uint8", "int8")

REGISTRY = {}  # operator -> (since opset, generator)


@dataclass
class Node:
    op: str
    inputs: list  # values, or None for an absent one
    attrs: dict = field(default_factory=dict)
    outputs: int = 1


def op(*names, since=1):
    def register(function):
        for name in names:
            REGISTRY[name] = (since, function)
        return function

    return register


# ===----------------------------------------------------------------------=== #
# Elementwise
# ===----------------------------------------------------------------------=== #


@op("Sigmoid", "Tanh", "Erf", "Exp", "Softplus", "Softsign", "Sin", "Cos", "Atan", "Sinh", "Cosh", "Asinh", "HardSwish",
    "Mish", "Relu")
def unary_float(g, name):
    return Node(name, [g.value(("float32", "float32", "float16") if name != "Relu" else FLOATS)])


@op("Tan", "Reciprocal", "Log", "Sqrt", "Acos", "Asin", "Atanh", "Acosh")
def unary_partial(g, name):
    """Inputs are moved into the part of the domain where the slope is moderate."""
    low, high = {"Tan": (-1.25, 1.25), "Reciprocal": (0.5, 4), "Log": (0.25, 8), "Sqrt": (0.25, 8), "Acos": (-0.875, 0.875),
                 "Asin": (-0.875, 0.875), "Atanh": (-0.875, 0.875), "Acosh": (1.25, 4)}[name]
    return Node(name, [g.new(g.choice(("float32", "float32", "float64")) if name in ("Reciprocal", "Log", "Sqrt") else
                             "float32", g.shape(), low, high)])


@op("Gelu", since=20)
def gelu(g, name):
    return Node(name, [g.value(("float32", "float16"))], g.maybe(approximate=g.choice(("none", "tanh"))))


@op("Swish", since=24)
def swish(g, name):
    return Node(name, [g.value(("float32",))], g.maybe(alpha=g.choice((0.5, 1.0, 2.0))))


@op("Elu", "LeakyRelu", "Selu", "Celu", "ThresholdedRelu", "HardSigmoid", "Shrink")
def unary_alpha(g, name):
    exact = name in ("ThresholdedRelu", "Shrink")
    attrs = {"Shrink": {"lambd": 0.75, "bias": 0.25}, "Selu": {"alpha": 1.5, "gamma": 1.25},
             "HardSigmoid": {"alpha": 0.25, "beta": 0.375}}.get(name, {"alpha": g.choice((0.25, 0.5, 1.5))})
    return Node(name, [g.value(("float32",), exact=exact)], g.maybe(**attrs))


@op("Abs", "Neg")
def unary_number(g, name):
    return Node(name, [g.value(FLOATS + SIGNED)])


@op("Floor", "Ceil", "Round", "Sign")
def unary_jump(g, name):
    return Node(name, [g.value(("float32", "float16", "float64"), exact=True)])


@op("IsNaN", "IsInf")
def unary_test(g, name):
    return Node(name, [g.value(("float32", "float16") if name == "IsNaN" else ("float32",))])


@op("Not")
def logical_not(g, name):
    return Node(name, [g.value(("bool",))])


@op("BitwiseNot", since=18)
def bitwise_not(g, name):
    return Node(name, [g.value(INTS)])


@op("Identity")
def identity(g, name):
    return Node(name, [g.value(ANY)])


@op("Add", "Sub", "Mul")
def arithmetic(g, name):
    return Node(name, g.pair(NUMBERS))


@op("Div")
def division(g, name):
    a = g.value(FLOATS + ("int32", "int64"))
    low, high = (0.5, 4) if a.is_float else (1, 9)
    return Node(name, [a, g.new(a.dtype, g.like(a.shape), low, high)])


@op("Mod")
def remainder(g, name):
    a = g.value(INTS)
    return Node(name, [a, g.new(a.dtype, g.like(a.shape), 1, 9)], g.maybe(fmod=g.choice((0, 1))))


@op("Pow")
def power(g, name):
    a = g.new("float32", g.shape(), 0.25, 3)
    return Node(name, [a, g.new("float32", g.like(a.shape), -2, 3)])


@op("PRelu")
def prelu(g, name):
    a = g.value(("float32",))
    keep = int(g.rng.integers(0, len(a.shape) + 1))
    slope = [n if g.flip() else 1 for n in a.shape[keep:]]
    return Node(name, [a, g.new("float32", slope)])


@op("Max", "Min")
def extremum(g, name):
    a, b = g.pair(("float32", "float16", "float64", "int32", "int64"))
    more = [g.new(a.dtype, g.like(a.shape))] if g.flip(0.3) else []
    return Node(name, [a, b, *more])


@op("Sum", "Mean")
def variadic(g, name):
    a, b = g.pair(("float32", "float64"))
    return Node(name, [a, b] if g.flip(0.7) else [a])


@op("Clip")
def clip(g, name):
    a = g.value(("float32", "float16", "int32", "int64"))
    low = g.const(np.array(-1, a.dtype)) if g.flip(0.8) else None
    high = g.const(np.array(2, a.dtype)) if g.flip(0.8) else None
    return Node(name, [a, low, high] if high else [a, low] if low else [a])


@op("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
def comparison(g, name):
    return Node(name, g.pair(("float32", "int32", "int64", "float64"), exact=True))


@op("And", "Or", "Xor")
def logical(g, name):
    return Node(name, g.pair(("bool",)))


@op("BitwiseAnd", "BitwiseOr", "BitwiseXor", since=18)
def bitwise(g, name):
    return Node(name, g.pair(INTS))


@op("BitShift")
def bit_shift(g, name):
    a = g.value(("uint8", "uint32", "uint64"))
    return Node(name, [a, g.new(a.dtype, g.like(a.shape), 0, 7)], {"direction": g.choice(("LEFT", "RIGHT"))})


@op("Where")
def where(g, name):
    a, b = g.pair(NUMBERS)
    return Node(name, [g.new("bool", g.like(a.shape)), a, b])


@op("Cast")
def cast(g, name):
    a = g.value(NUMBERS + ("bool", "uint8"), exact=True)
    to = g.choice(("float32", "float16", "float64", "int32", "int64", "bool"))
    return Node(name, [a], {"to": g.type_number(to)})


@op("CastLike", since=15)
def cast_like(g, name):
    return Node(name, [g.value(NUMBERS + ("bool",), exact=True), g.new(g.choice(("float32", "int32", "int64")), [1])])


# ===----------------------------------------------------------------------=== #
# Reductions and rows
# ===----------------------------------------------------------------------=== #


@op("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
    "ReduceLogSum", "ReduceLogSumExp", since=18)
def reduction(g, name):
    # Products that overflow on the way depend on the order.
    a = g.new("float32", g.shape(1, 2, empty=False), 0.5, 1.5) if name in ("ReduceLogSum", "ReduceProd") else g.value(
        ("float32", "float32", "int32"), rank=(1, 4), full=True)
    if not a.is_float and name not in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"):
        return None
    attrs = g.maybe(keepdims=g.choice((0, 1)))
    if g.flip(0.25):
        return Node(name, [a], {**attrs, **g.maybe(noop_with_empty_axes=g.choice((0, 1)))})
    return Node(name, [a, g.const(np.array(g.axes(len(a.shape)), np.int64))], attrs)


@op("ArgMax", "ArgMin")
def arg_reduction(g, name):
    a = g.value(("float32", "int32"), rank=(1, 4), full=True, exact=True)
    return Node(name, [a], g.maybe(axis=g.axis(len(a.shape)), keepdims=g.choice((0, 1)),
                                   select_last_index=g.choice((0, 1))))


@op("CumSum", since=14)
def cumulative(g, name):
    a = g.value(("float32", "int32", "int64"), rank=(1, 4))
    axis = g.const(np.array(g.axis(len(a.shape)), np.int64))
    return Node(name, [a, axis], g.maybe(exclusive=g.choice((0, 1)), reverse=g.choice((0, 1))))


@op("Softmax", "LogSoftmax")
def softmax(g, name):
    a = g.value(("float32", "float32", "float16"), rank=(1, 4))
    return Node(name, [a], g.maybe(axis=g.axis(len(a.shape))))


@op("Hardmax")
def hardmax(g, name):
    a = g.value(("float32",), rank=(1, 4), full=True, exact=True)
    return Node(name, [a], g.maybe(axis=g.axis(len(a.shape))))


@op("LayerNormalization", since=17)
def layer_norm(g, name):
    a = g.value(("float32",), rank=(1, 4), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    scale = [a, g.new("float32", a.shape[axis:])]
    bias = [g.new("float32", a.shape[axis:])] if g.flip() else []
    return Node(name, scale + bias, {"axis": axis - (len(a.shape) if g.flip() else 0), "epsilon": 0.125})


@op("RMSNormalization", since=23)
def rms_norm(g, name):
    a = g.value(("float32",), rank=(1, 4), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    return Node(name, [a, g.new("float32", a.shape[axis:])], {"axis": axis, "epsilon": 0.125})


@op("BatchNormalization", since=15)
def batch_norm(g, name):
    a = g.value(("float32",), rank=(2, 4))
    channel = [a.shape[1]]
    return Node(name, [a, *(g.new("float32", channel) for _ in range(3)), g.new("float32", channel, 0.5, 4)],
                g.maybe(epsilon=0.125))


@op("InstanceNormalization")
def instance_norm(g, name):
    a = g.value(("float32",), rank=(3, 4), full=True)
    return Node(name, [a, g.new("float32", [a.shape[1]]), g.new("float32", [a.shape[1]])], {"epsilon": 0.125})


@op("GroupNormalization", since=21)
def group_norm(g, name):
    groups = g.choice((1, 2, 3))
    a = g.new("float32", [g.dim(), groups * g.choice((1, 2, 4)), g.dim(), g.dim()])
    return Node(name, [a, g.new("float32", [a.shape[1]]), g.new("float32", [a.shape[1]])],
                {"num_groups": groups, "epsilon": 0.125})


@op("LpNormalization")
def lp_norm(g, name):
    a = g.new("float32", g.shape(1, empty=False), 0.5, 4)
    return Node(name, [a], g.maybe(axis=g.axis(len(a.shape)), p=g.choice((1, 2))))


@op("MeanVarianceNormalization")
def mean_variance(g, name):
    a = g.new("float32", [g.dim(), g.dim(), g.dim(), g.dim() + 1])
    return Node(name, [a], g.maybe(axes=[0, 2, 3]))


@op("LRN")
def local_response(g, name):
    a = g.value(("float32",), rank=(4, 4), full=True)
    return Node(name, [a], {"size": g.choice((1, 3, 5)), **g.maybe(alpha=0.25, beta=0.5, bias=2.0)})


@op("TopK")
def top_k(g, name):
    # Distinct numbers: ties may be broken either way.
    n = int(g.rng.integers(1, 33))
    a = g.input_of(g.rng.permutation(n * 3).reshape(3, n).astype("float32"))
    k = g.const(np.array([int(g.rng.integers(0, n + 1))], np.int64))
    return Node(name, [a, k], g.maybe(axis=g.choice((1, -1)), largest=g.choice((0, 1))), 2)


# ===----------------------------------------------------------------------=== #
# Contractions, windows
# ===----------------------------------------------------------------------=== #


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


# ===----------------------------------------------------------------------=== #
# Movement
# ===----------------------------------------------------------------------=== #


@op("Transpose")
def transpose(g, name):
    a = g.value(ANY, rank=(1, 4))
    return Node(name, [a], g.maybe(perm=[int(i) for i in g.rng.permutation(len(a.shape))]))


@op("Reshape")
def reshape(g, name):
    a = g.value(ANY, rank=(1, 4), full=True)
    shape = list(a.shape)
    if g.flip() and len(shape) > 1:
        at = int(g.rng.integers(0, len(shape) - 1))
        shape[at:at + 2] = [shape[at] * shape[at + 1]]
    else:
        shape.insert(int(g.rng.integers(0, len(shape) + 1)), 1)
    if g.flip():
        shape[int(g.rng.integers(0, len(shape)))] = -1
    return Node(name, [a, g.const(np.array(shape, np.int64))])


@op("Flatten")
def flatten(g, name):
    a = g.value(ANY, rank=(1, 4))
    return Node(name, [a], g.maybe(axis=int(g.rng.integers(0, len(a.shape) + 1))))


@op("Squeeze", since=13)
def squeeze(g, name):
    a = g.new(g.choice(ANY), [1 if g.flip() else g.dim() for _ in range(int(g.rng.integers(1, 4)))])
    ones = [i for i, n in enumerate(a.shape) if n == 1]
    return Node(name, [a, g.const(np.array(ones, np.int64))] if ones and g.flip(0.7) else [a])


@op("Unsqueeze", since=13)
def unsqueeze(g, name):
    a = g.value(ANY, rank=(0, 3))
    return Node(name, [a, g.const(np.array([g.axis(len(a.shape) + 1)], np.int64))])


@op("Expand")
def expand(g, name):
    a = g.new(g.choice(ANY), [1 if g.flip() else g.dim() for _ in range(int(g.rng.integers(0, 4)))])
    target = [g.dim() if n == 1 else (1 if g.flip(0.2) else n) for n in a.shape]
    target = [g.dim() for _ in range(int(g.rng.integers(0, 2)))] + target
    return Node(name, [a, g.const(np.array(target, np.int64))])


@op("Tile")
def tile(g, name):
    a = g.value(("float32", "int32", "int64", "uint8"), rank=(1, 3))
    return Node(name, [a, g.const(np.array([g.choice((0, 1, 1, 2, 3)) for _ in a.shape], np.int64))])


@op("Concat")
def concat(g, name):
    a = g.value(ANY, rank=(1, 4))
    axis = int(g.rng.integers(0, len(a.shape)))
    others = [g.new(a.dtype, [g.dim(empty=True) if i == axis else n for i, n in enumerate(a.shape)])
              for _ in range(int(g.rng.integers(0, 3)))]
    values = [a, *others]
    g.rng.shuffle(values)
    return Node(name, values, {"axis": axis - (len(a.shape) if g.flip() else 0)})


@op("Split", since=18)
def split(g, name):
    a = g.value(ANY, rank=(1, 4))
    axis = int(g.rng.integers(0, len(a.shape)))
    n = a.shape[axis]
    cut = int(g.rng.integers(0, n + 1))
    if g.flip() and n >= 2:
        return Node(name, [a], {"axis": axis, "num_outputs": 2}, 2)
    return Node(name, [a, g.const(np.array([cut, n - cut], np.int64))], {"axis": axis}, 2)


@op("Slice")
def slice_(g, name):
    a = g.value(ANY, rank=(1, 4))
    axes = g.axes(len(a.shape))
    starts = [int(g.rng.integers(-9, 9)) for _ in axes]
    steps = [g.choice((1, 1, 2, 3, -1, -2)) for _ in axes]
    # The far end is written as the greatest integer of the step's sign; the other one means different things to
    # different readers.
    ends = [g.choice((int(g.rng.integers(-9, 9)), 2**31 - 1 if step > 0 else -(2**31))) for step in steps]
    return Node(name, [a, *(g.const(np.array(v, np.int64)) for v in (starts, ends, axes, steps))])


@op("Pad", since=18)
def pad(g, name):
    a = g.value(("float32", "int32", "int64"), rank=(1, 4), full=True)
    mode = g.choice(("constant", "reflect", "edge", "wrap"))
    limit = {"constant": 3, "edge": 3, "reflect": min(a.shape), "wrap": min(a.shape)}[mode]
    amounts = [int(g.rng.integers(0, min(limit, 3))) if limit > 0 else 0 for _ in range(2 * len(a.shape))]
    if mode == "constant" and g.flip(0.3):
        amounts[0] = -1 if a.shape[0] > 1 else 0
    value = [g.const(np.array(2, a.dtype))] if mode == "constant" and g.flip() else []
    return Node(name, [a, g.const(np.array(amounts, np.int64)), *value], {"mode": mode})


@op("Gather")
def gather(g, name):
    a = g.value(ANY, rank=(1, 4), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    n = a.shape[axis]
    return Node(name, [a, g.new(g.choice(("int32", "int64")), g.shape(0, 2), -n, n - 1)], g.maybe(axis=axis) if axis == 0
                else {"axis": axis})


@op("GatherElements", since=13)
def gather_elements(g, name):
    a = g.value(ANY, rank=(1, 4), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    shape = [int(g.rng.integers(1, n + 1)) for n in a.shape]
    shape[axis] = g.dim()
    return Node(name, [a, g.new("int64", shape, -a.shape[axis], a.shape[axis] - 1)], {"axis": axis})


@op("GatherND", since=13)
def gather_nd(g, name):
    a = g.value(ANY, rank=(1, 4), full=True)
    width = int(g.rng.integers(1, len(a.shape) + 1))
    index = np.stack([g.rng.integers(-n, n, size=[3]) for n in a.shape[:width]], -1)
    return Node(name, [a, g.input_of(index.astype(np.int64))])


@op("ScatterElements", since=18)
def scatter_elements(g, name):
    a = g.value(("float32", "int32", "int64"), rank=(1, 3), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    how = g.choice(("none", "add", "mul", "max", "min"))
    shape = list(a.shape)
    count = shape[axis] if how == "none" else g.dim()
    shape[axis] = count
    # Without a reduction the order of equal indices is open: each place at most once.
    index = np.apply_along_axis(lambda _: g.rng.permutation(a.shape[axis]) if how == "none" else
                                g.rng.integers(-a.shape[axis], a.shape[axis], size=count), axis, np.zeros(shape))
    return Node(name, [a, g.input_of(index.astype(np.int64)), g.new(a.dtype, shape)], {"axis": axis, "reduction": how})


@op("ScatterND", since=18)
def scatter_nd(g, name):
    a = g.value(("float32", "int32", "int64"), rank=(1, 3), full=True)
    rows = g.rng.permutation(a.shape[0])[:g.dim()]
    return Node(name, [a, g.input_of(rows.reshape(-1, 1).astype(np.int64)), g.new(a.dtype, [len(rows), *a.shape[1:]])],
                {"reduction": g.choice(("none", "add", "mul", "max", "min"))})


@op("DepthToSpace", "SpaceToDepth", since=13)
def depth_space(g, name):
    block, c, h, w = g.choice((1, 2, 3)), g.choice((1, 2, 4)), g.dim(), g.dim()
    if name == "SpaceToDepth":
        return Node(name, [g.new("float32", [1, c, h * block, w * block])], {"blocksize": block})
    return Node(name, [g.new("float32", [2, c * block * block, h, w])],
                {"blocksize": block, **g.maybe(mode=g.choice(("DCR", "CRD")))})


@op("Trilu", since=14)
def trilu(g, name):
    a = g.value(("float32", "int64", "bool"), rank=(2, 4))
    k = [g.const(np.array(int(g.rng.integers(-4, 5)), np.int64))] if g.flip() else []
    return Node(name, [a, *k], g.maybe(upper=g.choice((0, 1))))


@op("ReverseSequence")
def reverse_sequence(g, name):
    a = g.new("float32", [g.dim(), g.dim(), *g.shape(0, 2)])
    return Node(name, [a, g.new("int64", [a.shape[1]], 1, a.shape[0])], {"time_axis": 0, "batch_axis": 1})


@op("Compress", since=11)
def compress(g, name):
    a = g.value(("float32", "int64"), rank=(1, 3), full=True)
    axis = int(g.rng.integers(0, len(a.shape)))
    return Node(name, [a, g.new("bool", [a.shape[axis]])], {"axis": axis})


@op("NonZero")
def non_zero(g, name):
    return Node(name, [g.value(("float32", "int64", "bool"), rank=(1, 3), exact=True)])


@op("Unique", since=11)
def unique(g, name):
    a = g.new(g.choice(("float32", "int64")), [g.dim() * 3])
    return Node(name, [a], g.maybe(sorted=g.choice((0, 1))), 4)


@op("Shape", since=15)
def shape_of(g, name):
    a = g.value(ANY)
    return Node(name, [a], g.maybe(start=int(g.rng.integers(-3, 3)), end=int(g.rng.integers(-3, 4))))


@op("Size")
def size_of(g, name):
    return Node(name, [g.value(ANY)])


@op("ConstantOfShape")
def constant_of_shape(g, name):
    return Node(name, [g.const(np.array(g.shape(), np.int64))])


@op("EyeLike")
def eye_like(g, name):
    return Node(name, [g.value(("float32", "int64"), rank=(2, 2))], g.maybe(k=int(g.rng.integers(-2, 3))))


@op("OneHot", since=11)
def one_hot(g, name):
    depth = int(g.rng.integers(1, 9))
    index = g.new("int64", g.shape(0, 3), -depth, depth - 1)
    values = g.const(np.array([0.5, 2.0], "float32"))
    return Node(name, [index, g.const(np.array(depth, np.int64)), values], g.maybe(axis=g.axis(len(index.shape) + 1)))


@op("Range")
def range_(g, name):
    start, step, count = int(g.rng.integers(-5, 6)), g.choice((1, 2, -1, -3)), int(g.rng.integers(0, 12))
    dtype = g.choice(("int64", "int32", "float32"))
    return Node(name, [g.const(np.array(v, dtype)) for v in (start, start + step * count, step)])


@op("CenterCropPad", since=18)
def center_crop_pad(g, name):
    a = g.value(("float32",), rank=(2, 3), full=True)
    return Node(name, [a, g.const(np.array([int(g.rng.integers(1, 9)) for _ in a.shape], np.int64))])


@op("Resize", since=19)
def resize(g, name):
    a = g.new("float32", [1, g.choice((1, 3)), g.choice((3, 4, 7)), g.choice((2, 5, 8))])
    mode = g.choice(("nearest", "linear", "cubic"))
    attrs = {"mode": mode, "coordinate_transformation_mode": g.choice(("half_pixel", "asymmetric", "align_corners",
                                                                       "pytorch_half_pixel"))}
    if mode == "nearest":
        attrs["nearest_mode"] = g.choice(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"))
        attrs["coordinate_transformation_mode"] = "asymmetric"
    if mode == "cubic":
        attrs.update(g.maybe(cubic_coeff_a=-0.5, exclude_outside=1))
    if g.flip():
        return Node(name, [a, None, g.const(np.array([1, 1, g.choice((0.5, 2.0, 1.5)), g.choice((2.0, 3.0))], "float32"))],
                    attrs)
    return Node(name, [a, None, None, g.const(np.array([*a.shape[:2], int(g.rng.integers(1, 12)),
                                                        int(g.rng.integers(1, 12))], np.int64))], attrs)


# ===----------------------------------------------------------------------=== #
# Quantisation, recurrence, the rest
# ===----------------------------------------------------------------------=== #


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
    inputs = [g.new("float32", [time, batch, width], -1, 1), g.new("float32", [d, gates * hidden, width], -1, 1),
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
