# ===- doubles.py - a float32 model in float64 -------------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""The reference for accuracy: the same graph with every float32 made float64, run by onnxruntime where it has kernels,
else by onnx's reference evaluator with convolutions and pooling that end in time. It tells how far two float32 results
each are from the truth, which comparing them with one another does not."""

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper

FLOAT, DOUBLE = TensorProto.FLOAT, TensorProto.DOUBLE


def widen_tensor(tensor):
    if tensor.data_type == FLOAT:
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), name))


def widen_type(info):
    if info.type.HasField("tensor_type") and info.type.tensor_type.elem_type == FLOAT:
        info.type.tensor_type.elem_type = DOUBLE


def widen_node(node):
    for attribute in node.attribute:
        if attribute.type == AttributeProto.TENSOR:
            widen_tensor(attribute.t)
        elif attribute.type == AttributeProto.GRAPH:
            widen_graph(attribute.g)
        elif attribute.name in ("to", "dtype") and attribute.i == FLOAT:
            attribute.i = DOUBLE
    if node.op_type == "Constant":
        for attribute in node.attribute:
            if attribute.name in ("value_float", "value_floats"):
                values = [attribute.f] if attribute.name == "value_float" else list(attribute.floats)
                shape = () if attribute.name == "value_float" else (len(values),)
                attribute.Clear()
                attribute.name, attribute.type = "value", AttributeProto.TENSOR
                attribute.t.CopyFrom(numpy_helper.from_array(np.array(values, np.float64).reshape(shape)))
    elif node.op_type == "ConstantOfShape" and not node.attribute:
        attribute = node.attribute.add(name="value", type=AttributeProto.TENSOR)
        attribute.t.CopyFrom(numpy_helper.from_array(np.zeros(1, np.float64)))


def widen_graph(graph):
    # Scales of Resize and of quantisation are float32 by definition.
    kept = {name for node in graph.node for name in (node.input[2:3] if node.op_type == "Resize" else [])}
    for tensor in graph.initializer:
        if tensor.name not in kept:
            widen_tensor(tensor)
    for node in graph.node:
        if not (node.op_type == "Constant" and node.output[0] in kept):
            widen_node(node)
    for info in [*graph.input, *graph.output]:
        widen_type(info)
    del graph.value_info[:]


def windows(x, kernel, strides, dilations, pads, fill):
    """x [N, C, D...] as [N, C, places..., kernel...]; `pads` are all the begins, then all the ends."""
    rank = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])], constant_values=fill)
    axes = tuple(range(2, 2 + rank))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, spans, axis=axes)
    places = tuple(slice(None, None, s) for s in strides)
    return view[(slice(None), slice(None), *places, *(slice(None, None, d) for d in dilations))]


def explicit_pads(x, kernel, strides, dilations, pads, auto_pad):
    rank = len(kernel)
    if auto_pad in (None, "NOTSET", "VALID"):
        return list(pads or [0] * 2 * rank)
    begins, ends = [], []
    for size, k, s, d in zip(x.shape[2:], kernel, strides, dilations):
        total = max(0, (-(-size // s) - 1) * s + (k - 1) * d + 1 - size)
        small, large = total // 2, total - total // 2
        begins.append(small if auto_pad == "SAME_UPPER" else large)
        ends.append(large if auto_pad == "SAME_UPPER" else small)
    return begins + ends


def evaluator(model):
    """onnx's reference evaluator; its own Conv and MaxPool walk every element in Python."""
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.op_run import OpRun
    from onnx.reference.ops import op_max_pool

    class Conv(OpRun):
        def _run(self, x, w, bias=None, auto_pad=None, dilations=None, group=None, kernel_shape=None, pads=None,
                 strides=None):
            kernel, rank = w.shape[2:], w.ndim - 2
            strides, dilations, group = strides or [1] * rank, dilations or [1] * rank, group or 1
            view = windows(x, kernel, strides, dilations,
                           explicit_pads(x, kernel, strides, dilations, pads, auto_pad), 0.0)
            spatial = list(range(2, 2 + rank))
            depth, filters = w.shape[1], w.shape[0] // group
            parts = []
            for g in range(group):
                part = np.tensordot(view[:, g * depth:(g + 1) * depth], w[g * filters:(g + 1) * filters],
                                    ([1, *(axis + rank for axis in spatial)], [1, *spatial]))
                parts.append(np.moveaxis(part, -1, 1))
            y = np.concatenate(parts, axis=1)
            if bias is not None:
                y = y + bias.reshape(-1, *[1] * rank)
            return (y.astype(x.dtype),)

    class MaxPool(op_max_pool.MaxPool):
        def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None, kernel_shape=None, pads=None,
                 storage_order=None, strides=None):
            if ceil_mode or len(self.output) > 1:
                return super()._run(x, auto_pad=auto_pad, ceil_mode=ceil_mode, dilations=dilations,
                                    kernel_shape=kernel_shape, pads=pads, storage_order=storage_order, strides=strides)
            rank = len(kernel_shape)
            strides, dilations = strides or [1] * rank, dilations or [1] * rank
            view = windows(x, kernel_shape, strides, dilations,
                           explicit_pads(x, kernel_shape, strides, dilations, pads, auto_pad), -np.inf)
            return (view.max(axis=tuple(range(2 + rank, 2 + 2 * rank))),)

    class GatherElements(OpRun):  # onnx's fails where other axes than `axis` are longer in x
        def _run(self, x, index, axis=None):
            places = np.where(index < 0, index + x.shape[axis or 0], index)
            fit = tuple(slice(None) if a == (axis or 0) % x.ndim else slice(n) for a, n in enumerate(index.shape))
            return (np.take_along_axis(x[fit], places, axis or 0),)

    return ReferenceEvaluator(model, new_ops=[Conv, MaxPool, GatherElements])


def run(model_path, inputs):
    """Outputs in float64, or nothing where neither evaluator can run the graph so."""
    import onnxruntime

    model = onnx.load(model_path)
    if model.ByteSize() > 900 << 20:
        return None
    widen_graph(model.graph)
    for function in model.functions:
        for node in function.node:
            widen_node(node)
    feeds = {value.name: inputs[value.name] for value in model.graph.input if value.name in inputs}
    feeds = {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in feeds.items()}
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception:  # a missing kernel, or a model above protobuf's limit
        pass
    try:
        return evaluator(model).run(None, feeds)
    except Exception:  # there is no reference then
        return None


def relative_error(got, want):
    """The largest relative L2 distance over the floating-point outputs, or nothing."""
    worst = None
    for g, w in zip(got, want):
        if isinstance(w, np.ndarray) and w.dtype.kind == "f" and w.size and np.shape(g) == w.shape:
            g, w = g.astype(np.float64), w.astype(np.float64)
            norm = np.linalg.norm(w.ravel())
            error = np.linalg.norm((g - w).ravel()) / (norm if norm else 1.0)
            worst = error if worst is None else max(worst, error)
    return worst
