# ===- registry.py - the operators and what they share --------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""`REGISTRY` and the decorator that fills it."""

from dataclasses import dataclass, field

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
