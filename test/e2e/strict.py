#!/usr/bin/env python3
# ===- strict.py - numbers that the model itself names -----------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""`--accuracy strict`: 3x3 convolutions that Winograd's way would take keep weights of nine taps and are at least as close to
float64 as by default, batch norms behind them too; products that Strassen's way would take are closer; shares of attention
that are denormal still count. Convolutions and products run for each CPU level. The exit code is 1 on a difference, 77 if a
package is missing."""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"strict.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import doubles
from drivers import Cli

LEVELS = ("x86-64-v3", "x86-64-v4")
RNG = np.random.default_rng(0)
CHANNELS, LAYERS = 64, 3


def save(path, nodes, weights, inputs, output):
    info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    weights = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "strict", [info(*x) for x in inputs], [info("y", output)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def convolutions(path):
    """3x3 layers, each with a batch norm whose scale is no power of two."""
    nodes, weights, x = [], {}, "x"
    positive = lambda: RNG.uniform(0.5, 2, CHANNELS).astype(np.float32)
    for i in range(LAYERS):
        weights[f"w{i}"] = (RNG.standard_normal((CHANNELS, CHANNELS, 3, 3)) / 24).astype(np.float32)
        norm = {f"{part}{i}": positive() for part in ("scale", "bias", "mean", "var")}
        weights.update(norm)
        nodes.append(helper.make_node("Conv", [x, f"w{i}"], [f"c{i}"], pads=[1] * 4))
        nodes.append(helper.make_node("BatchNormalization", [f"c{i}", *norm], [f"b{i}"]))
        x = f"r{i}" if i + 1 < LAYERS else "y"
        nodes.append(helper.make_node("Relu", [f"b{i}"], [x]))
    shape = [1, CHANNELS, 28, 28]
    save(path, nodes, weights, [("x", shape)], shape)
    return {"x": RNG.standard_normal(shape).astype(np.float32)}


def product(path):
    """Large enough for Strassen's method; all numbers have many bits."""
    m, n, k = 128, 192, 768
    save(path, [helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": RNG.standard_normal((k, n)).astype(np.float32)},
         [("x", (m, k))], (m, n))
    return {"x": RNG.standard_normal((m, k)).astype(np.float32)}


def attention(path):
    """One key has almost all of the attention, the value of the other one is huge."""
    nodes = [helper.make_node("MatMul", ["q", "k"], ["scores"]),
             helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
             helper.make_node("MatMul", ["shares", "v"], ["y"])]
    heads, queries, keys, depth = 2, 3, 2, 16
    save(path, nodes, {}, [("q", (1, heads, queries, depth)), ("k", (1, heads, depth, keys)), ("v", (1, heads, keys, depth))],
         (1, heads, queries, depth))
    q = np.ones((1, heads, queries, depth), np.float32)
    k = np.zeros((1, heads, depth, keys), np.float32)
    k[..., 1] = -95 / depth
    v = np.full((1, heads, keys, depth), 1e-3, np.float32)
    v[:, :, 1] = 1e38
    return {"q": q, "k": k, "v": v}


class Check:
    def __init__(self, options):
        self.work, self.verbose, self.failed = options.work, options.verbose, 0
        self.cli = Cli(options.dynac)

    def fail(self, text):
        self.failed += 1
        print(f"failed: {text}")

    def error(self, path, given, *options):
        """The relative distance to float64; None if this CPU lacks the level or something failed."""
        artifact, files = path.with_suffix(".so"), {}
        for name, array in given.items():
            files[name] = self.work / f"{name}.npy"
            np.save(files[name], array)
        result = self.cli.compile(path, artifact, *options)
        if result.ok:
            result = self.cli.run(artifact, files, {"y": onnx.load(path).graph.output[0].type}, self.work / "run")
        if result.ok:
            return doubles.relative_error([result.outputs["y"]], doubles.run(path, given))
        if "exit code 6" in result.message:
            print(f"{path.stem} {options}: skipped")
        else:
            self.fail(f"{path.stem} {options}: {result.message}")
        return None

    def convolutions(self):
        path = self.work / "convolutions.onnx"
        given = convolutions(path)
        taps = LAYERS * CHANNELS * CHANNELS * 4
        for level in LEVELS:
            errors, sizes = [], []
            for accuracy in ("strict", "default"):
                errors.append(self.error(path, given, "--march", level, "--accuracy", accuracy))
                sizes.append(path.with_suffix(".so").stat().st_size / taps)
            if None in errors:
                continue
            if self.verbose:
                print(f"convolutions {level}: errors {errors[0]:.2e} {errors[1]:.2e}, taps {sizes[0]:.1f} {sizes[1]:.1f}")
            if not (sizes[0] < 16 and sizes[1] > 36):
                self.fail(f"convolutions {level}: {sizes[0]:.1f} and {sizes[1]:.1f} numbers of a filter, expected 9 and 36")
            if not errors[0] <= errors[1]:
                self.fail(f"convolutions {level}: strict errs by {errors[0]:.2e}, default by {errors[1]:.2e}")

    def product(self):
        path = self.work / "product.onnx"
        given = product(path)
        for level in LEVELS:
            strict, default = (self.error(path, given, "--march", level, "--accuracy", accuracy)
                               for accuracy in ("strict", "default"))
            if strict is None or default is None:
                continue
            if self.verbose:
                print(f"product {level}: errors {strict:.2e} {default:.2e}")
            if not 1.3 * strict < default < 4 * strict:
                self.fail(f"product {level}: strict errs by {strict:.2e}, default by {default:.2e}")

    def attention(self):
        path = self.work / "attention.onnx"
        given = attention(path)
        strict, default = (self.error(path, given, "--accuracy", accuracy) for accuracy in ("strict", "default"))
        if strict is None or default is None:
            return
        # exp(-95) has 14 significant bits.
        if not strict < 1e-4:
            self.fail(f"attention: strict errs by {strict:.2e}")
        if not default > 0.1:
            self.fail(f"attention: default errs by {default:.2e} only: the case shows nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/strict"), help="where files are written")
    parser.add_argument("--verbose", action="store_true", help="print all errors")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    check = Check(options)
    check.convolutions()
    check.product()
    check.attention()
    print("passed" if not check.failed else f"{check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
