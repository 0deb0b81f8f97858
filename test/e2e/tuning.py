#!/usr/bin/env python3
# ===- tuning.py - choices of kernels from a file and from measurements ------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""`--mode max-autotune` and `--tuning-cache` on a network with every kernel that leaves decisions open.

A file of choices is written and followed: equal files give equal bytes, without measuring; all choices, taken to their
ends, give the right numbers; lines that are wrong are refused or, if they name what there is not, reported and not followed.
The exit code is 1 on a difference, 77 if a package is missing."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"tuning.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import doubles
from drivers import Cli

RNG = np.random.default_rng(0)
KINDS = {"conv", "depthwise", "grouped", "gemm", "batch_gemm", "attention"}
# For each knob the values that are tried by hand; those that a kernel lacks are reported.
VALUES = {"winograd": (0, 2, 4), "cache": (50, 200), "rows": (4, 24, 48), "panel": (16, 32), "passes": (2,)}


def network(path):
    nodes, weights = [], []

    def weight(*shape):
        weights.append(numpy_helper.from_array(
            (RNG.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), f"w{len(weights)}"))
        return weights[-1].name

    def constant(values):
        weights.append(numpy_helper.from_array(np.array(values, np.int64), f"w{len(weights)}"))
        return weights[-1].name

    def add(op, *inputs, output=None, **attributes):
        output = output or f"t{len(nodes)}"
        nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    x = add("Relu", add("Conv", "x", weight(32, 3, 3, 3), strides=[2, 2], pads=[1] * 4))
    x = add("Relu", add("Conv", x, weight(64, 32, 3, 3), pads=[1] * 4))
    x = add("Relu", add("Conv", x, weight(64, 1, 3, 3), group=64, pads=[1] * 4))
    x = add("Relu", add("Conv", x, weight(64, 8, 3, 3), group=8, pads=[1] * 4))
    x = add("Conv", x, weight(64, 64, 1, 1))
    x = add("Transpose", add("Reshape", x, constant([1, 64, 600])), perm=[0, 2, 1])
    x = add("MatMul", x, weight(64, 2048))
    x = add("MatMul", add("Tanh", x), weight(2048, 64))
    heads = lambda x, order: add("Transpose", add("Reshape", x, constant([1, 600, 2, 32])), perm=order)
    q, k, v = (heads(x, order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    y = add("MatMul", add("Softmax", add("MatMul", q, k), axis=-1), v)
    x = add("Sin", x)
    z = add("MatMul", add("Tanh", add("MatMul", heads(x, [0, 2, 1, 3]), heads(x, [0, 2, 3, 1]))), v)
    add("Add", y, z, output="y")
    info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "tuning", [info("x", (1, 3, 40, 60))], [info("y", (1, 2, 600, 32))], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return {"x": RNG.standard_normal((1, 3, 40, 60)).astype(np.float32)}


class Check:
    def __init__(self, options):
        self.work, self.verbose, self.failed = options.work, options.verbose, 0
        self.cli = Cli(options.dynac)
        self.model = self.work / "tuning.onnx"
        self.given = network(self.model)
        np.save(self.work / "x.npy", self.given["x"])
        self.truth = doubles.run(self.model, self.given)

    def fail(self, text):
        self.failed += 1
        print(f"failed: {text}")

    def compile(self, name, *options):
        """The artifact's bytes and what was printed."""
        artifact = self.work / f"{name}.so"
        done = subprocess.run([self.cli.program, "compile", self.model, "-o", artifact, "--march", "native", *map(str, options)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self.fail(f"{name}: exit code {done.returncode}: {done.stderr.strip()}")
            return b"", done.stderr
        result = self.cli.run(artifact, {"x": self.work / "x.npy"}, {"y": onnx.load(self.model).graph.output[0].type},
                              self.work / "run")
        error = doubles.relative_error([result.outputs["y"]], self.truth) if result.ok else np.inf
        if self.verbose:
            print(f"{name}: error {error:.2e}")
        if not error < 2e-5:
            self.fail(f"{name}: {result.message or f'error {error:.2e}'}")
        return artifact.read_bytes(), done.stderr

    def cache(self, name, lines):
        path = self.work / f"{name}.txt"
        path.write_text("".join(line + "\n" for line in lines))
        return path

    def run(self):
        usual, _ = self.compile("usual")
        path = self.work / "measured.txt"
        path.unlink(missing_ok=True)
        tuned, _ = self.compile("measured", "--mode", "max-autotune", "--tuning-cache", path)
        if not path.exists():
            return
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        kinds = {line.split(":")[0] for line in lines}
        if lines != sorted(lines) or kinds != KINDS:
            self.fail(f"measured: {'sorted' if lines == sorted(lines) else 'unsorted'} lines of {sorted(kinds)}")
        if self.compile("again", "--tuning-cache", path)[0] != tuned:
            self.fail("again: other bytes than those that were tuned")
        before = path.read_text()
        self.compile("measured", "--mode", "max-autotune", "--tuning-cache", path)
        if path.read_text() != before:
            self.fail("measured: what was known was measured again")
        self.by_hand([line.split()[:3] for line in lines], usual)
        self.refused(lines)

    def by_hand(self, keys, usual):
        followed = set()
        for knob, values in VALUES.items():
            changed = False
            for value in values:
                name = f"{knob}{value}"
                cache = self.cache(name, [" ".join([*key, "0.5", f"{knob}={value}"]) for key in keys])
                code, messages = self.compile(name, "--tuning-cache", cache)
                lacking = set(re.findall(r"the line of (\S+) names a choice that there is not", messages))
                if code != usual and len(lacking) == len(keys):
                    self.fail(f"{name}: no kernel has this choice, but the code is another")
                changed = changed or code != usual
                followed |= {key[0] for key in keys if key[0] not in lacking}
            if not changed:
                self.fail(f"{knob}: no value changes the code")
        if followed != {key[0] for key in keys}:
            self.fail(f"no choice of {sorted({key[0] for key in keys} - followed)} was followed")

    def refused(self, lines):
        cache = self.cache("wrong", [*lines, "gemm v4 cpu 0.9 rows"])
        result = self.cli.compile(self.model, self.work / "wrong.so", "--tuning-cache", cache)
        expected = f"wrong.txt:{len(lines) + 1}: expected KERNEL LEVEL CPU SHARE NAME=NUMBER..., found 'gemm v4 cpu 0.9 rows'"
        if "exit code 2" not in result.message or expected not in result.message:
            self.fail(f"wrong: {result.message}")
        result = self.cli.compile(self.model, self.work / "wrong.so", "--tuning-cache", self.work / "missing.txt")
        if "exit code 7" not in result.message:
            self.fail(f"missing: {result.message or 'compiled'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/tuning"), help="where files are written")
    parser.add_argument("--verbose", action="store_true", help="print all errors")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    check = Check(options)
    check.run()
    print("passed" if not check.failed else f"{check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
