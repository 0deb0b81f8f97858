#!/usr/bin/env python3
# ===- in_place.py - outputs that update inputs where they lie ----------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Graphs that write a few elements of a cache, compiled with --alias: several steps on one piece of memory give the numbers
of ONNX's reference and of the artifact without --alias, and no step of the plan moves the cache (unless the graph needs its
old elements later, when the numbers still have to be right)."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
    import onnx.reference
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"in_place.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from runtime_api import Session, array_of

STEPS = 4
RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


class Graph:
    """`caches`: input -> (output, first value). `fresh(step)`: the other inputs. `others`: name -> rank of further outputs.
    `is_in_place`: whether the update needs no copy."""

    def __init__(self, name, nodes, caches, fresh, others, is_in_place=True, weights=None, symbols=True):
        self.name, self.caches, self.fresh, self.is_in_place = name, caches, fresh, is_in_place
        of = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64}

        def info(value_name, value):
            dims = [f"{value_name}{i}" if symbols and i == 0 and n > 2 else n for i, n in enumerate(value.shape)]
            return helper.make_tensor_value_info(value_name, of[value.dtype], dims)

        inputs = [info(cache, first) for cache, (_, first) in caches.items()]
        inputs += [info(*item) for item in fresh(0).items()]
        outputs = [helper.make_tensor_value_info(output, of[first.dtype], None) for output, first in caches.values()]
        outputs += [helper.make_tensor_value_info(other, TensorProto.FLOAT, [None] * rank) for other, rank in others.items()]
        graph = helper.make_graph(nodes, "g", inputs, outputs,
                                  [numpy_helper.from_array(np.array(x), n) for n, x in (weights or {}).items()])
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11)


def graphs():
    cache = floats(3, 4, 16, 8)
    rows = lambda step: {"new": floats(3, 4, 2, 8), "at": np.array([step, 2 * step, 5]), "q": floats(3, 4, 5, 16)}
    write = node("TensorScatter", "past new at", "present")
    yield Graph("tensor_scatter", [write, node("MatMul", "q present", "y")], {"past": ("present", cache)}, rows, {"y": 4})
    yield Graph("reads the old first", [write, node("MatMul", "q past", "y")], {"past": ("present", cache)}, rows, {"y": 4})
    yield Graph("reads the old beside the new", [write, node("MatMul", "q present", "n"), node("Mul", "n past", "y")],
                {"past": ("present", cache)}, lambda step: {**rows(step), "q": floats(3, 4, 16, 16)}, {"y": 4}, is_in_place=False)
    yield Graph("returns the old", [write, node("Identity", "past", "y")], {"past": ("present", cache)}, rows, {"y": 4},
                is_in_place=False)
    yield Graph("permutes itself", [node("ScatterND", "past at past", "present"), node("ReduceSum", "present", "y", keepdims=0)],
                {"past": ("present", floats(6, 5))}, lambda step: {"at": RNG.permutation(6).reshape(6, 1)}, {"y": 0},
                is_in_place=False)
    circular = node("TensorScatter", "past new at", "present", mode="circular", axis=1)
    yield Graph("circular", [circular, node("ReduceSum", "present", "y", keepdims=0)], {"past": ("present", floats(2, 6, 3))},
                lambda step: {"new": floats(2, 2, 3), "at": np.array([step + 3, step])}, {"y": 0})
    # Both caches of a layer; the values' update needs the keys.
    two = [node("TensorScatter", "k a at", "k2"), node("MatMul", "q k2", "b"), node("TensorScatter", "v b at", "v2", axis=-2),
           node("ReduceSum", "v2", "y", keepdims=0)]
    yield Graph("two caches", two, {"k": ("k2", floats(2, 2, 8, 8)), "v": ("v2", floats(2, 2, 8, 8))},
                lambda step: {"a": floats(2, 2, 1, 8), "q": floats(2, 2, 1, 8), "at": np.array([step, 7 - step])}, {"y": 0})
    # Each update has to wait for a reader of its cache's old elements; then for one that waits for the other update.
    pair = {"a": ("a2", floats(8, 3)), "b": ("b2", floats(8, 3))}
    writes = [node("ScatterND", "a i x", "a2"), node("ScatterND", "b i x", "b2"), node("Add", "b a2", "y")]
    for kind, reader in (("late", "a b"), ("crossed", "a b2")):
        yield Graph(f"{kind} readers", [*writes, node("Add", reader, "z")], pair,
                    lambda step: {"i": np.array([[step], [step + 2]]), "x": floats(2, 3)}, {"y": 2, "z": 2}, kind == "late")
    nd = [node("ScatterND", "past at new", "present", reduction="add"), node("MatMul", "present w", "y")]
    yield Graph("scatter_nd with sums", nd, {"past": ("present", floats(5, 7, 6))},
                lambda step: {"at": np.array([[[0, step], [4, 1], [4, 1]]]), "new": floats(1, 3, 6), "w": floats(6, 2)}, {"y": 3})
    chain = [node("ScatterND", "past i a", "m"), node("ScatterND", "m j a", "present"), node("ReduceMax", "present", "y", keepdims=0)]
    yield Graph("chain", chain, {"past": ("present", floats(9, 4))},
                lambda step: {"i": np.array([[step]]), "j": np.array([[step + 1]]), "a": floats(1, 4)}, {"y": 0})
    yield Graph("chain whose middle is read", [*chain[:2], node("Add", "m present", "y")], {"past": ("present", floats(9, 4))},
                lambda step: {"i": np.array([[step]]), "j": np.array([[step + 1]]), "a": floats(1, 4)}, {"y": 2}, is_in_place=False)
    elements = [node("ScatterElements", "past i new", "present", axis=1), node("Add", "present present", "y")]
    yield Graph("scatter_elements", elements, {"past": ("present", floats(3, 11))},
                lambda step: {"i": RNG.permuted(np.tile(np.arange(11), (3, 1)), axis=1)[:, :2], "new": floats(3, 2)}, {"y": 2})
    reshaped = [node("Reshape", "past flat", "p"), node("ScatterND", "p at new", "s"), node("Reshape", "s full", "present"),
                node("ReduceSum", "present", "y", keepdims=0)]
    yield Graph("through reshapes", reshaped, {"past": ("present", floats(3, 4, 5))},
                lambda step: {"at": np.array([[step], [11 - step]]), "new": floats(2, 5)}, {"y": 0},
                weights={"flat": np.array([12, 5]), "full": np.array([3, 4, 5])}, symbols=False)


def difference(got, wanted):
    return float(np.max(np.abs(np.asarray(got, np.float64) - wanted), initial=0.0))


def check(graph, options, folder):
    """Messages of what is wrong."""
    path = folder / f"{graph.name.replace(' ', '_')}.onnx"
    onnx.save(graph.model, path)
    caches = list(graph.caches)
    pairs = [f"{cache}={output}" for cache, (output, _) in graph.caches.items()]
    artifacts = {}
    for kind, aliases in (("apart", []), ("alias", pairs)):
        artifacts[kind] = path.with_suffix(f".{kind}.so")
        command = [options.dynac, "compile", path, "-o", artifacts[kind], *options.option]
        subprocess.run(command + [f"--alias={pair}" for pair in aliases], check=True, stdout=subprocess.DEVNULL)
    plan = json.loads(subprocess.run([options.dynac, "inspect", artifacts["alias"], "--json"], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)
    copies = [step["name"] for step in plan["steps"] if step["kind"] == "copy"]
    if bool(copies) == graph.is_in_place and "-O0" not in options.option:
        yield f"steps that copy: {copies or 'none'}"
    apart, alias, reference = Session(options.runtime, artifacts["apart"]), Session(options.runtime, artifacts["alias"]), (
        onnx.reference.ReferenceEvaluator(graph.model))
    memory = {cache: first.copy() for cache, (_, first) in graph.caches.items()}
    fed_back, truth = Session(options.runtime, artifacts["alias"]), {cache: x.copy() for cache, x in memory.items()}
    values = None
    for step in range(STEPS):
        fresh = graph.fresh(step)
        wanted = reference.run(None, {**truth, **fresh})
        others = [None] * (len(wanted) - len(caches))
        results = {"apart": apart.run([*truth.values(), *fresh.values()]),
                   "alias": alias.run([*memory.values(), *fresh.values()], [*memory.values(), *others]),
                   "fed back": fed_back.run([*(values or truth.values()), *fresh.values()], values and [*values, *others])}
        values = results["fed back"][:len(caches)]
        for kind, got in results.items():
            for name, x, want in zip(reference.output_names, got, wanted):
                if not difference(array_of(x), want) < 1e-5:
                    yield f"step {step}, {kind}: {name} differs by {difference(array_of(x), want)}"
        for cache, want in zip(caches, wanted):
            if not difference(memory[cache], want) < 1e-5:
                yield f"step {step}: the memory of {cache} does not hold the update"
        truth = dict(zip(caches, (np.ascontiguousarray(x) for x in wanted)))
        memory_before = {cache: x.copy() for cache, x in memory.items()}
        alias.run([*memory_before.values(), *fresh.values()])  # into the context's memory: the caller's stays
        for cache, want in zip(caches, wanted):
            if not difference(memory_before[cache], want) < 1e-5:
                yield f"step {step}: {cache} was written although its output lies elsewhere"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--runtime", default=ROOT / "build/lib/libdynac_rt.so", help="the library (default: build/lib/libdynac_rt.so)")
    parser.add_argument("--work", type=Path, default=Path("build/in_place"), help="folder for models (default: build/in_place)")
    parser.add_argument("--option", action="append", default=[], help="passed to dynac compile (repeatable)")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for graph in graphs():
        wrong = list(check(graph, options, options.work))
        failed += bool(wrong)
        for message in wrong:
            print(f"{graph.name}: {message}")
    print(f"in_place.py: {failed} graphs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
