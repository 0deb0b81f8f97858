# ===- movement.py - random nodes: moving, picking and making elements ----=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #

import numpy as np

from .registry import ANY, Node, op


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
        # With corners aligned, evaluators differ on what a fraction of a pixel at the end is.
        tall = 2.0 if attrs["coordinate_transformation_mode"] == "align_corners" else g.choice((0.5, 2.0, 1.5))
        return Node(name, [a, None, g.const(np.array([1, 1, tall, g.choice((2.0, 3.0))], "float32"))],
                    attrs)
    return Node(name, [a, None, None, g.const(np.array([*a.shape[:2], int(g.rng.integers(1, 12)),
                                                        int(g.rng.integers(1, 12))], np.int64))], attrs)
