# ===- samples.py - nodes of the operators' test files as ONNX models --------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""test/Frontend/Onnx/*.mlir holds at least one node of each operator and call form. Here they are read as samples: a node
with the shapes of its operands, of which constants have values; dtypes and opset of it can then be exchanged."""

import ast
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).resolve().parents[1] / "Frontend" / "Onnx"

# dynac's names of element types (`dynac ops`) and ONNX's numbers.
DTYPES = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
          "i8": TensorProto.INT8, "i16": TensorProto.INT16, "i32": TensorProto.INT32, "i64": TensorProto.INT64,
          "u8": TensorProto.UINT8, "u16": TensorProto.UINT16, "u32": TensorProto.UINT32, "u64": TensorProto.UINT64,
          "bool": TensorProto.BOOL, "f8e4m3fn": TensorProto.FLOAT8E4M3FN, "f8e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
          "f8e5m2": TensorProto.FLOAT8E5M2, "f8e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ, "f8e8m0": TensorProto.FLOAT8E8M0,
          "i4": TensorProto.INT4, "u4": TensorProto.UINT4, "f4e2m1": TensorProto.FLOAT4E2M1, "i2": TensorProto.INT2,
          "u2": TensorProto.UINT2}
NAMES = {number: name for name, number in DTYPES.items()}


@dataclass(frozen=True)
class Operand:
    """`values` is set for constants; an absent operand has no dtype."""

    dtype: str = ""
    dims: tuple = ()
    values: object = None


@dataclass(frozen=True)
class Sample:
    domain: str
    op: str
    opset: int
    operands: tuple
    attributes: dict = field(hash=False)
    results: int = 1
    refused: bool = False
    where: str = ""

    def typed(self, dtypes):
        """The same with other dtypes: position -> dtype."""
        changed = [replace(operand, dtype=dtypes[i]) if i in dtypes and operand.dtype else operand
                   for i, operand in enumerate(self.operands)]
        return replace(self, operands=tuple(changed))


def mlir_dtype(text):
    text = text.lower().removeprefix("!prim.")
    return "bool" if text == "i1" else "u" + text[2:] if text.startswith("ui") else text


def tensor_type(text):
    """dims and dtype of tensor<2x3xf32>."""
    *dims, dtype = re.match(r"tensor<([^>]*)>", text)[1].split("x") if "!prim" not in text else [*text[7:-1].split("x")]
    return tuple(int(dim) for dim in dims), mlir_dtype(dtype)


def literal(text):
    """A number, string or list as Python's; what is no plain number (0x7FC00000) becomes NaN."""
    text = re.sub(r"0x[0-9A-Fa-f]+", "NAN", text)
    text = re.sub(r"\s*:\s*(f32|f64|i64|i32)", "", text)
    text = text.replace("NAN", "1e999").replace("true", "True").replace("false", "False")
    return ast.literal_eval(text)


def dense(text):
    """dense<...> : tensor<...>"""
    match = re.match(r"dense<(.*)>\s*:\s*(tensor<.*>)$", text.strip(), re.S)
    dims, dtype = tensor_type(match[2])
    values = np.array(literal(match[1]) if match[1].strip() else [])
    return Operand(dtype, dims, np.broadcast_to(values, dims) if values.size == 1 else values.reshape(dims))


def make_tensor(operand, name=""):
    number = DTYPES[operand.dtype]
    kind = helper.tensor_dtype_to_np_dtype(number)
    return numpy_helper.from_array(np.asarray(operand.values).astype(kind), name)


def attributes(text):
    """{a = 1, b = "x", c = [1, 2], d = dense<1> : tensor<i64>}"""
    found = {}
    for match in re.finditer(r"(\w+)\s*=\s*(dense<.*?>\s*:\s*tensor<[^>]*>|\[[^\]]*\]|\"[^\"]*\"|[^,}]+)", text, re.S):
        name, value = match[1], match[2].strip()
        found[name] = make_tensor(dense(value)) if value.startswith("dense") else literal(value)
    return found


def read_function(text, where):
    values, refused = {}, "check.refused" in text or "check.invalid" in text
    for match in re.finditer(r"%(\w+) = check\.(input|constant) (dense<.*?>\s*:\s*tensor<[^\n]*>)\n", text, re.S):
        operand = dense(match[3])
        values[match[1]] = replace(operand, values=None) if match[2] == "input" else operand
    for name in re.findall(r"%(\w+) = model\.absent", text):
        values[name] = Operand()
    for match in re.finditer(r"((?:%\w+(?:, )?)+) = model\.node\s+\"([\w.]+)\.(\w+)\" opset (\d+)\s+\(([^)]*)\)\s+(\{.*?\})\s+:",
                             text, re.S):
        names = re.findall(r"%(\w+)", match[5])
        if any(name not in values for name in names):
            continue  # it follows another node
        operands = tuple(values[name] for name in names)
        domain = "" if match[2] == "onnx" else match[2]
        yield Sample(domain, match[3], int(match[4]), operands, attributes(match[6][1:-1]), match[1].count("%"), refused, where)


def read_samples():
    """Samples of nodes whose operands are inputs and constants: neither nodes in bodies nor those that follow others."""
    for path in sorted(FOLDER.glob("*.mlir")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for function in text.split("func.func")[1:]:
            if "graphs [" not in function:
                yield from read_function(function, f"{path.name}:{function.split('(')[0].strip()}")


def node_of(sample, prefix):
    """The node, its graph inputs and its initialisers."""
    inputs, weights, names = [], [], []
    for i, operand in enumerate(sample.operands):
        name = f"{prefix}_{i}" if operand.dtype else ""
        names.append(name)
        if operand.values is not None:
            weights.append(make_tensor(operand, name))
        elif operand.dtype:
            inputs.append(helper.make_tensor_value_info(name, DTYPES[operand.dtype], operand.dims))
    outputs = [f"{prefix}_y{i}" for i in range(sample.results)]
    node = helper.make_node(sample.op, names, outputs, name=prefix, domain=sample.domain, **sample.attributes)
    return node, inputs, weights


def model_of(samples, opsets):
    """One model of all nodes; `opsets`: domain -> version."""
    nodes, inputs, weights, outputs = [], [], [], []
    for i, sample in enumerate(samples):
        node, more_inputs, more_weights = node_of(sample, f"n{i}")
        nodes.append(node)
        inputs += more_inputs
        weights += more_weights
        outputs += [helper.make_empty_tensor_value_info(name) for name in node.output]
    graph = helper.make_graph(nodes, "samples", inputs, outputs, weights)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=13)
