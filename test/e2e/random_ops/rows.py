# ===- rows.py - random nodes: reductions and normalisation ---------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #

import numpy as np

from .registry import Node, op


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
