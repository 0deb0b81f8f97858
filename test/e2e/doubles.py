# ===- doubles.py - a float32 model in float64 -------------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""The reference for accuracy: the same graph with every float32 made float64, run by onnxruntime where it has kernels.
It tells how far two float32 results each are from the truth, which comparing them with one another does not."""

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


def run(model_path, inputs):
    """Outputs in float64, or nothing where onnxruntime cannot run the graph so."""
    import onnxruntime

    model = onnx.load(model_path)
    if model.ByteSize() > 400 << 20:
        return None
    widen_graph(model.graph)
    for function in model.functions:
        for node in function.node:
            widen_node(node)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        names = {value.name for value in session.get_inputs()}
        feeds = {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in inputs.items() if k in names}
        return session.run(None, feeds)
    except Exception:  # a missing kernel: there is no reference then
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
