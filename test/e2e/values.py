# ===- values.py - ONNX values, files and comparison ------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""A value is an ndarray, a list of values (sequence) or None (an empty optional)."""

import json
import re
from pathlib import Path

import numpy as np
from onnx import OptionalProto, SequenceProto, TensorProto, helper, numpy_helper


def to_proto(value, type_proto, name=""):
    """The protobuf message of `value` as the declared type of a graph input or output wants it."""
    if isinstance(value, (TensorProto, SequenceProto, OptionalProto)):
        return value
    kind = type_proto.WhichOneof("value")
    if kind == "optional_type":
        element = type_proto.optional_type.elem_type
        if value is None:
            empty = OptionalProto(name=name)
            empty.elem_type = OptionalProto.SEQUENCE if element.HasField("sequence_type") else OptionalProto.TENSOR
            return empty
        if element.HasField("sequence_type"):
            return OptionalProto(name=name, elem_type=OptionalProto.SEQUENCE, sequence_value=to_proto(value, element))
        return OptionalProto(name=name, elem_type=OptionalProto.TENSOR, tensor_value=to_proto(value, element))
    if kind == "sequence_type":
        element = type_proto.sequence_type.elem_type
        return SequenceProto(name=name, elem_type=SequenceProto.TENSOR,
                             tensor_values=[to_proto(item, element) for item in value])
    dtype = helper.tensor_dtype_to_np_dtype(type_proto.tensor_type.elem_type)
    array = np.asarray(value)
    if dtype != object and array.dtype != dtype:
        array = array.astype(dtype)
    return numpy_helper.from_array(array, name)


def from_proto(proto):
    if isinstance(proto, SequenceProto):
        return [numpy_helper.to_array(item) for item in proto.tensor_values]
    if isinstance(proto, OptionalProto):
        if proto.HasField("tensor_value"):
            return numpy_helper.to_array(proto.tensor_value)
        return from_proto(proto.sequence_value) if proto.HasField("sequence_value") else None
    return numpy_helper.to_array(proto)


def file_name(name):
    """What `dynac run --output-dir` makes of a value's name."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def unpack(raw, bits, count):
    """Values of `bits` bits each, the first in the low bits of a byte."""
    per_byte = 8 // bits
    raw = np.frombuffer(raw, np.uint8)
    return np.stack([(raw >> (bits * i)) & ((1 << bits) - 1) for i in range(per_byte)], -1).reshape(-1)[:count]


def read_npy(path, elem_type):
    """A .npy file as the numpy type of an ONNX element type: numpy itself knows neither bfloat16 nor what is smaller
    than a byte, so such files hold plain integers or raw bytes of the right width."""
    array = np.load(path, allow_pickle=False)
    dtype = helper.tensor_dtype_to_np_dtype(elem_type)
    if elem_type == TensorProto.STRING:
        return array.astype(object)
    if array.dtype == dtype or array.dtype.kind not in "Vui" or array.dtype.itemsize != dtype.itemsize:
        return array
    return array.view(dtype) if array.ndim else array.reshape(1).view(dtype).reshape(())


def read_output(folder, name, type_proto):
    """What the compiler's run command wrote for the output `name`: NAME.npy, or NAME.pb for what is no tensor."""
    kind = type_proto.WhichOneof("value")
    base = Path(folder) / file_name(name)
    message = {"sequence_type": SequenceProto, "optional_type": OptionalProto}.get(kind, TensorProto)
    if Path(f"{base}.pb").is_file():
        return from_proto(message.FromString(Path(f"{base}.pb").read_bytes()))
    if Path(f"{base}.npy").is_file():
        return read_npy(f"{base}.npy", type_proto.tensor_type.elem_type)
    raise FileNotFoundError(f"output {name} was not written")


def text(array):
    """Strings of an array, whatever numpy keeps them as."""
    return [item.decode() if isinstance(item, bytes) else str(item) for item in np.ravel(array)]


def difference(got, want, rtol, atol, values=True):
    """What is wrong with `got`, in one line, or nothing. values=False: shapes and types only."""
    if isinstance(want, list) or want is None:
        if type(got) is not type(want):
            return f"{type(got).__name__} instead of {type(want).__name__}"
        if want is None:
            return None
        if len(got) != len(want):
            return f"{len(got)} elements instead of {len(want)}"
        return next((f"element {i}: {problem}" for i, (g, w) in enumerate(zip(got, want))
                     if (problem := difference(g, w, rtol, atol, values))), None)
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {list(got.shape)} instead of {list(want.shape)}"
    if want.dtype.kind in "OUS":
        return None if not values or text(got) == text(want) else f"strings {text(got)[:4]} instead of {text(want)[:4]}"
    if got.dtype != want.dtype:
        return f"type {got.dtype} instead of {want.dtype}"
    if not values or want.size == 0:
        return None
    exact = want.dtype.kind in "bui" or want.dtype.name.startswith(("int", "uint"))
    if exact:
        wrong = got != want
        error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    else:
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        g, w = got.astype(wide), want.astype(wide)
        with np.errstate(all="ignore"):
            error = np.abs(g - w)
            wrong = ~((error <= atol + rtol * np.abs(w)) | (g == w) | (np.isnan(g) & np.isnan(w)))
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    at = np.unravel_index(int(np.argmax(wrong)), want.shape)
    worst = np.nanmax(np.where(wrong, error, 0)) if not np.all(np.isnan(error)) else np.nan
    return (f"{count} of {want.size} values differ, worst by {worst:.3g}; "
            f"first at {[int(i) for i in at]}: {got[at]} instead of {want[at]}")


class Tolerances:
    """tolerances.json: a default, and exceptions that each say why."""

    def __init__(self, path=Path(__file__).parent.parent / "tolerances.json"):
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        self.default, self.rules = data["default"], data["tests"]

    def of(self, test):
        """rtol, atol and whether values are compared at all."""
        for rule in self.rules:
            if re.search(rule["pattern"], test):
                merged = {**self.default, **rule}
                return merged["rtol"], merged["atol"], merged.get("compare") != "shape"
        return self.default["rtol"], self.default["atol"], True
