# ===- elementwise.py - random nodes: element by element ------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #

import numpy as np

from .registry import ANY, FLOATS, INTS, NUMBERS, SIGNED, Node, op


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
