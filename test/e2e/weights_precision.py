#!/usr/bin/env python3
# ===- weights_precision.py - products with weights in fewer bits ------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""`--weights-precision` for each CPU level.

Two networks, with one row and with many, give what the same networks with the rounded weights give in float64, to the
precision of f32; the errors that are printed are those of the rounded weights; the same model makes the same artifact
twice; other formats are refused. The exit code is 1 on a difference, 77 if a package is missing."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
    from onnx import numpy_helper
except ImportError as missing:
    print(f"weights_precision.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import doubles
from drivers import Cli
from precision import LEVELS, RNG, Net, attention
from values import Tolerances

FORMATS = ("bf16", "int8", "int4", "int4:block=16", "int4:block=64")
WRONG = ("int4:block=7", "int4:block=0", "int4:32", "int2", "int8:block=32", "fp8")


def products(path):
    """Columns and rows that are no multiples of anything, one weight transposed."""
    n = Net()
    x = n.add("MatMul", "x", n.weight(70, 150, inputs=70))
    x = n.add("Relu", n.add("Add", x, n.constant(RNG.standard_normal(150))))
    n.add("Gemm", x, n.weight(67, 150), n.constant(RNG.standard_normal(67)), output="y", transB=1)
    n.save(path, ("n", 70), ("n", 67))
    return [RNG.standard_normal((rows, 70)).astype(np.float32) for rows in (1, 3, 29)]


def layers(path):
    attention(path)
    return [RNG.standard_normal(shape).astype(np.float32) for shape in ((1, 1, 96), (1, 5, 96), (2, 37, 96))]


def rounded(weight, how):
    """What is stored of `weight` [k, n]."""
    if how == "bf16":
        bits = weight.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    block = weight.shape[0] if how == "int8" else int(how.partition("=")[2] or 32)
    result = np.empty_like(weight)
    for begin in range(0, weight.shape[0], block):
        part = weight[begin:begin + block]
        largest = np.take_along_axis(part, np.abs(part).argmax(axis=0)[None], 0)
        scale = np.abs(largest) / np.float32(127) if how == "int8" else largest / np.float32(-8)
        low, high = (-127, 127) if how == "int8" else (-8, 7)
        result[begin:begin + block] = np.rint(part / scale).clip(low, high) * scale
    return result


def round_weights(model, how):
    """Of all products. Returns the relative error by the weight's name."""
    transposed = {node.input[1]: any(a.name == "transB" and a.i for a in node.attribute)
                  for node in model.graph.node if node.op_type in ("MatMul", "Gemm")}
    errors = {}
    for tensor in model.graph.initializer:
        if tensor.name in transposed:
            exact = numpy_helper.to_array(tensor)
            columns = np.ascontiguousarray(exact.T if transposed[tensor.name] else exact)
            stored = rounded(columns, how)
            name = tensor.name
            errors[name] = doubles.relative_error([stored], [columns.astype(np.float64)])
            stored = np.ascontiguousarray(stored.T) if transposed[name] else stored
            tensor.CopyFrom(numpy_helper.from_array(stored, name))
    return errors


class Check:
    def __init__(self, options):
        self.options, self.failed = options, 0
        self.limit = Tolerances().of("weights_precision")[0]
        self.cli = Cli(options.dynac)

    def fail(self, text):
        self.failed += 1
        print(f"failed: {text}")

    def reported(self, path, compiled, how, level):
        """What `compile --json` says, or None if it failed."""
        command = [self.cli.program, "compile", path, "-o", compiled, "--weights-precision", how, "--march", level, "--json"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            self.fail(f"{path.stem} {how} {level}: {done.stderr.decode()}")
            return None
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("  ")]
        errors = json.loads(done.stdout)["weight_errors"]
        if [f"  {e['relative_error']:.2e}  {e['layer']}  ({e['weight']})" for e in errors] != lines:
            self.fail(f"{path.stem} {how}: printed {lines}, but as JSON {errors}")
        return errors

    def net(self, make, how):
        path = self.options.work / f"{make.__name__}.onnx"
        inputs = make(path)
        model = onnx.load(path)
        errors = round_weights(model, how)
        onnx.save(model, self.options.work / "rounded.onnx")
        kinds = {"y": model.graph.output[0].type}
        for level in LEVELS:
            compiled = path.with_suffix(".so")
            reported = self.reported(path, compiled, how, level)
            if reported is None:
                continue
            for entry in reported:  # the names of weights that were joined are others
                want = errors.get(entry["weight"])
                if want is not None and not abs(entry["relative_error"] - want) < 1e-3 * want:
                    self.fail(f"{make.__name__} {how}: error {entry}, expected {want}")
            if not any(entry["weight"] in errors for entry in reported):
                self.fail(f"{make.__name__} {how}: no error of the weights {list(errors)}")
            for x in inputs:
                self.compare(f"{make.__name__} {how} {level} {x.shape}", compiled, x, kinds)

    def compare(self, what, compiled, x, kinds):
        np.save(self.options.work / "x.npy", x)
        result = self.cli.run(compiled, {"x": self.options.work / "x.npy"}, kinds, self.options.work / "run")
        if "exit code 6" in result.message:  # this CPU lacks the level
            print(f"{what}: skipped")
            return
        if not result.ok:
            self.fail(f"{what}: {result.message}")
            return
        want = doubles.run(self.options.work / "rounded.onnx", {"x": x})[0]
        error = doubles.relative_error([result.outputs["y"]], [want])
        if self.options.verbose:
            print(f"{what}: {error:.2e}")
        if not error < self.limit:
            self.fail(f"{what}: {error:.2e} from float64 with rounded weights, expected less than {self.limit}")

    def same_twice(self):
        path = self.options.work / "products.onnx"
        made = []
        for name in ("first", "second"):
            compiled = self.options.work / name / "net.so"
            compiled.parent.mkdir(exist_ok=True)
            result = self.cli.compile(path, compiled, "--weights-precision", "int4")
            made.append(compiled.read_bytes() if result.ok else result.message)
        if made[0] != made[1]:
            self.fail("two artifacts of one model differ")

    def refused(self):
        path, compiled = self.options.work / "products.onnx", self.options.work / "refused.so"
        tries = [("--weights-precision", how) for how in WRONG]
        tries += [("--weights-precision", "int8", *more)
                  for more in (["--precision", "bf16"], ["--accuracy", "strict"], ["-O0"], ["--verify"])]
        for options in tries:
            result = self.cli.compile(path, compiled, *options)
            if "exit code 2" not in result.message or "--weights-precision" not in result.message or compiled.exists():
                self.fail(f"{options}: {result.message or 'accepted'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/weights_precision"), help="where files are written")
    parser.add_argument("--verbose", action="store_true", help="print all errors")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    check = Check(options)
    for how in FORMATS:
        for make in (products, layers):
            check.net(make, how)
    check.same_twice()
    check.refused()
    print("passed" if not check.failed else f"{check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
