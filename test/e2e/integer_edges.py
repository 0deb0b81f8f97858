#!/usr/bin/env python3
# ===- integer_edges.py - arithmetic on the edges of integer types -----------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Every pair of edge values of every integer type through every operator on integers, computed while running and folded
while compiling. The wanted values are exact Python integers, wrapped: results are taken modulo 2^width, x / 0 and x mod 0
are 0, the smallest integer / -1 is itself, shifts by the width or more leave nothing but the sign."""

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"integer_edges.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli
from values import difference

ROOT = Path(__file__).resolve().parents[2]
TYPES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def divide(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def power(a, b):
    if b >= 0:
        return a ** b if b < 64 or a in (0, 1, -1) else pow(a, b, 1 << 64)
    return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)


def operators(dtype):
    """Operator, attributes, result for a pair; where the opset has it for the type."""
    bits, signed = np.dtype(dtype).itemsize * 8, dtype.startswith("int")
    yield "Add", {}, lambda a, b: a + b
    yield "Sub", {}, lambda a, b: a - b
    yield "Mul", {}, lambda a, b: a * b
    yield "Div", {}, divide
    yield "Mod", {}, lambda a, b: 0 if b == 0 else a % b
    yield "Mod", {"fmod": 1}, lambda a, b: 0 if b == 0 else a - b * divide(a, b)
    yield "Max", {}, max
    yield "Min", {}, min
    yield "BitwiseXor", {}, lambda a, b: a ^ b
    if bits >= 32 and signed:
        yield "Pow", {}, power
    if not signed:
        yield "BitShift", {"direction": "LEFT"}, lambda a, b: a << b if b < bits else 0
        yield "BitShift", {"direction": "RIGHT"}, lambda a, b: a >> b if b < bits else 0


def wrapped(value, dtype):
    bits = np.dtype(dtype).itemsize * 8
    value %= 1 << bits
    return value - (1 << bits) if dtype.startswith("int") and value >> (bits - 1) else value


def pairs(dtype):
    info = np.iinfo(dtype)
    bits = info.bits
    values = sorted({info.min, info.min + 1, 0, 1, 2, 3, 7, bits - 1, bits, info.max - 1, info.max,
                     *([-1, -2, -7] if info.min < 0 else [])})
    return list(itertools.product(values, values))


def model(dtype, constant):
    """Both operands are inputs, or initialisers beside an input that nothing depends on."""
    table = pairs(dtype)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    a, b = (np.array(column, dtype) for column in zip(*table))
    nodes, outputs, wanted = [], [], {}
    for number, (op, attributes, function) in enumerate(operators(dtype)):
        name = f"{op}_{number}"
        nodes.append(helper.make_node(op, ["a", "b"], [name], **attributes))
        outputs.append(helper.make_tensor_value_info(name, kind, None))
        wanted[name] = np.array([wrapped(function(x, y), dtype) for x, y in table], dtype)
    nodes += [helper.make_node("Neg", ["a"], ["negative"]), helper.make_node("Abs", ["a"], ["absolute"])]
    if dtype.startswith("uint"):
        del nodes[-2]
    else:
        outputs.append(helper.make_tensor_value_info("negative", kind, None))
        wanted["negative"] = np.array([wrapped(-x, dtype) for x, _ in table], dtype)
    outputs.append(helper.make_tensor_value_info("absolute", kind, None))
    wanted["absolute"] = np.array([wrapped(abs(x), dtype) for x, _ in table], dtype)
    inputs = [] if constant else [helper.make_tensor_value_info(name, kind, [len(table)]) for name in "ab"]
    weights = [numpy_helper.from_array(a, "a"), numpy_helper.from_array(b, "b")] if constant else []
    graph = helper.make_graph(nodes, "edges", inputs, outputs, weights)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return proto, {} if constant else {"a": a, "b": b}, wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, help="where files are written (default: a temporary folder)")
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as temporary, np.errstate(all="ignore"):
        folder = args.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for options, dtype, constant in itertools.product(([], ["-O0"]), TYPES, (False, True)):
            driver = Cli(args.dynac, options)
            proto, given, wanted = model(dtype, constant)
            (folder / "m.onnx").write_bytes(proto.SerializeToString())
            files = {}
            for name, value in given.items():
                files[name] = folder / f"{name}.npy"
                np.save(files[name], value)
            outcome = driver.compile(folder / "m.onnx", folder / "m.so")
            if outcome.ok:
                kinds = {value.name: value.type for value in proto.graph.output}
                outcome = driver.run(folder / "m.so", files, kinds, folder / "out")
            lines = [] if outcome.ok else [outcome.message]
            for name, want in wanted.items() if outcome.ok else ():
                problem = difference(outcome.outputs[name], want, 0, 0)
                if problem:
                    at = pairs(dtype)[int(np.argmax(outcome.outputs[name] != want))]
                    lines.append(f"{name} of {at}: {problem}")
            failures += len(lines)
            for line in lines:
                print(f"{dtype}, {options or 'claimed'}, {'constant' if constant else 'given'}: {line}")
    print(f"integer_edges.py: {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
