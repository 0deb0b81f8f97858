# ===- runtime_api.py - libdynac_rt's C API from Python -----------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""As much of dynac.h as tests need that the command line cannot ask for: the caller's own memory, strides, one context over
several runs. The structs are those of the header."""

import ctypes

import numpy as np

DTYPES = {"float32": 1, "float64": 2, "float16": 3, "int8": 5, "int16": 6, "int32": 7, "int64": 8, "uint8": 9, "bool": 13}


class CTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_int64), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class CValue(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("borrowed", ctypes.c_int32), ("tensor", CTensor)]


class RunError(Exception):
    """A status: its code and message."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")


def value_of(array):
    """A view of `array`, which has to outlive it. Dense arrays go without strides."""
    value = CValue(kind=1)
    tensor = value.tensor
    tensor.data, tensor.dtype, tensor.rank = array.ctypes.data, DTYPES[array.dtype.name], array.ndim
    tensor.shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    tensor.bytes = array.nbytes
    if not array.flags.c_contiguous:
        tensor.strides = (ctypes.c_int64 * array.ndim)(*array.strides)
        tensor.bytes = 0
    return value


def array_of(value):
    """The elements of a value, where they lie."""
    tensor = value.tensor
    dtype = np.dtype(next(name for name, number in DTYPES.items() if number == tensor.dtype))
    shape = tuple(tensor.shape[:tensor.rank])
    strides = tuple(tensor.strides[:tensor.rank]) if tensor.strides else None
    if 0 in shape:
        return np.zeros(shape, dtype)
    span = dtype.itemsize * (1 + sum((n - 1) * s // dtype.itemsize for n, s in zip(shape, strides))) if strides else (
        dtype.itemsize * int(np.prod(shape)))
    memory = (ctypes.c_char * span).from_address(tensor.data)
    return np.ndarray(shape, dtype, memory, 0, strides)


class Session:
    """A model and one context."""

    def __init__(self, library, artifact):
        self.api = ctypes.CDLL(str(library))
        self.api.dynac_status_message.restype = ctypes.c_char_p
        for name in ("dynac_model_load", "dynac_context_create", "dynac_context_run", "dynac_context_infer"):
            getattr(self.api, name).restype = ctypes.c_void_p
        for name in ("dynac_model_input_count", "dynac_model_output_count", "dynac_model_find_input"):
            getattr(self.api, name).restype = ctypes.c_size_t
        self.api.dynac_context_total_bytes.restype = ctypes.c_int64
        self.model, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.api.dynac_model_load(str(artifact).encode(), None, ctypes.byref(self.model)))
        self.check(self.api.dynac_context_create(self.model, ctypes.byref(self.context)))
        self.output_count = self.api.dynac_model_output_count(self.model)

    def __del__(self):
        self.api.dynac_context_free(self.context)
        self.api.dynac_model_free(self.model)

    def check(self, status):
        if not status:
            return
        status = ctypes.c_void_p(status)
        error = RunError(self.api.dynac_status_code(status), self.api.dynac_status_message(status).decode())
        self.api.dynac_status_free(status)
        raise error

    def run(self, inputs, outputs=None):
        """Inputs and outputs are arrays or values, in the signature's order; an output None is the context's. Returns the
        values of the outputs."""
        as_value = lambda x: CValue() if x is None else x if isinstance(x, CValue) else value_of(x)
        ins = (CValue * len(inputs))(*map(as_value, inputs))
        outs = (CValue * self.output_count)(*map(as_value, outputs or [None] * self.output_count))
        self.check(self.api.dynac_context_run(self.context, ins, ctypes.c_size_t(len(ins)), outs, ctypes.c_size_t(len(outs))))
        return list(outs)

    def total_bytes(self):
        return self.api.dynac_context_total_bytes(self.context)
