#!/usr/bin/env python3
# ===- random_graphs.py - graphs that nobody wrote ---------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Random graphs of many operators, compared with onnxruntime and onnx's reference evaluator.

A case is made from its seed alone. Each node is evaluated as it is added, by onnxruntime (a model of that node only) or
else by the reference evaluator: that gives shapes for the next node and the expected numbers. Floats are also carried in
float64 beside; how far both lie apart says how much rounding the graph amplifies, and bounds the error that is allowed.
A case runs as it stands, with symbolic dimensions or with some inputs as constants, with or without claimed kernels, as code
for one of the CPU levels that this machine runs."""

import argparse
import json
import os
import re
import shutil
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator

    import random_ops
    from drivers import CRASHED, FAILED, REFUSED, Cli, Result
    from node_suite import with_symbols
    from values import difference
except ImportError as error:
    print(f"random_graphs.py: skipped: {error}")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
         "int8": TensorProto.INT8, "int16": TensorProto.INT16, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
         "uint8": TensorProto.UINT8, "uint32": TensorProto.UINT32, "uint64": TensorProto.UINT64, "bool": TensorProto.BOOL}
OPSETS = (18, 20, 21, 23)
IR_VERSION = 10
LEVELS = ("x86-64-v2", "x86-64-v3", "native", "native")
LARGEST = 4096  # elements of a value
# Operators that add terms: what cancels leaves the rounding errors of the terms.
SUMS = {"Add", "Sub", "Sum", "Mean", "ReduceSum", "ReduceMean", "CumSum", "MatMul", "Gemm", "Einsum", "Conv",
        "ConvTranspose", "AveragePool", "GlobalAveragePool", "InstanceNormalization", "BatchNormalization",
        "Gelu",  # 1 + erf(x)
        # These keep what their operands carry.
        "Identity", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Tile", "Concat", "Split", "Slice",
        "Pad", "Gather", "GatherElements", "GatherND", "ReverseSequence", "DepthToSpace", "SpaceToDepth", "Where", "Max",
        "Min", "Neg", "Abs", "Relu", "Trilu", "Compress", "ScatterElements", "ScatterND"}


@dataclass(eq=False)
class Value:
    """A tensor of the graph. `wide` is its value in float64 arithmetic, or nothing where that is not known."""

    name: str
    array: np.ndarray
    wide: np.ndarray | None
    constant: bool = False
    reusable: bool = True
    scale: float = 0.0  # the largest term that was added on the way

    @property
    def shape(self):
        return list(self.array.shape)

    @property
    def dtype(self):
        return self.array.dtype.name

    @property
    def is_float(self):
        return self.array.dtype.kind == "f"

    @property
    def largest(self):
        finite = self.array[np.isfinite(self.array)].astype(np.float64)
        return float(np.max(np.abs(finite), initial=0.0))

    @property
    def exact(self):
        return not self.is_float or (self.wide is not None and np.array_equal(self.array.astype(np.float64), self.wide))


class Graph:
    """A graph under construction, and what its generators choose from."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.opset = self.choice(OPSETS)
        self.values, self.nodes = [], []

    # What to choose.
    def flip(self, chance=0.5):
        return bool(self.rng.random() < chance)

    def choice(self, options):
        return options[int(self.rng.integers(0, len(options)))]

    def maybe(self, **attrs):
        return {name: value for name, value in attrs.items() if self.flip()}

    def dim(self, empty=False):
        return 0 if empty and self.flip(0.05) else self.choice((1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33))

    def shape(self, low=0, high=4, empty=True):
        return [self.dim(empty) for _ in range(int(self.rng.integers(low, high + 1)))]

    def like(self, shape):
        """A shape that broadcasts with `shape`."""
        kept = [n if self.flip(0.7) else 1 for n in shape]
        return kept[int(self.rng.integers(0, len(kept) + 1)) if self.flip(0.3) else 0:]

    def axis(self, rank):
        return int(self.rng.integers(-rank, rank))

    def axes(self, rank):
        chosen = self.rng.permutation(rank)[:int(self.rng.integers(1, rank + 1))]
        return [int(axis) - (rank if self.flip(0.3) else 0) for axis in chosen]

    # Values.
    def add(self, array, constant):
        value = Value(f"{'c' if constant else 'x'}{len(self.values)}", array,
                      array.astype(np.float64) if array.dtype.kind == "f" else array, constant)
        self.values.append(value)
        return value

    def const(self, array):
        return self.add(np.asarray(array), True)

    def input_of(self, array):
        return self.add(np.asarray(array), False)

    def new(self, dtype, shape, low=None, high=None, constant=None):
        """Random numbers: floats are multiples of 1/8, so that sums and products of a few are exact."""
        while np.prod(shape) > LARGEST:
            shape = [max(1, n // 2) if n == max(shape) else n for n in shape]
        dtype = np.dtype(dtype)
        if dtype == bool:
            array = self.rng.integers(0, 2, size=shape).astype(bool)
        elif dtype.kind == "f":
            low, high = (-4, 4) if low is None else (low, high)
            array = (self.rng.integers(round(low * 8), round(high * 8) + 1, size=shape) / 8).astype(dtype)
        else:
            low, high = (0 if dtype.kind == "u" else -8, 15) if low is None else (low, high)
            array = self.rng.integers(low, high + 1, size=shape).astype(dtype)
        return self.add(np.asarray(array), self.flip(0.25) if constant is None else constant)

    def reuse(self, dtypes, fits=lambda value: True, exact=False):
        found = [value for value in self.values if value.reusable and value.dtype in dtypes and fits(value) and
                 (value.exact or not exact)]
        # The younger, the likelier: chains grow long.
        return found[-1 - int(len(found) * self.rng.random() ** 2)] if found else None

    def value(self, dtypes, rank=(0, 4), full=False, exact=False):
        low, high = rank
        fits = lambda v: low <= len(v.shape) <= high and (not full or 0 not in v.shape) and v.array.size <= LARGEST
        found = self.reuse(dtypes, fits, exact) if self.flip(0.85) else None
        return found or self.new(self.choice(dtypes), self.shape(low, high, not full))

    def pair(self, dtypes, exact=False):
        a = self.value(dtypes, exact=exact)
        b = self.reuse((a.dtype,), lambda v: v is not a and v.shape == a.shape, exact) if self.flip(0.6) else None
        both = [a, b or self.new(a.dtype, self.like(a.shape))]
        return both[::-1] if self.flip(0.3) else both

    def type_number(self, dtype):
        return TYPES[dtype]

    # Growth.
    def grow(self, operators):
        """Adds one node. Returns whether it could."""
        name = self.choice(operators)
        since, generate = random_ops.REGISTRY[name]
        if since > self.opset:
            return False
        before = len(self.values)
        node = generate(self, name)
        results = self.evaluate(node) if node else None
        if results is None:
            del self.values[before:]
            return False
        names = []
        for array, wide in results:
            value = Value(f"v{len(self.values)}", array, wide)
            finite = not value.is_float or bool(np.all(np.isfinite(array)))
            if node.op in SUMS and value.is_float:
                value.scale = max(max(v.scale, v.largest) for v in node.inputs if v and v.is_float)
            value.reusable = finite and array.size <= LARGEST and value.dtype in TYPES
            self.values.append(value)
            names.append(value.name)
        self.nodes.append(helper.make_node(node.op, [v.name if v else "" for v in node.inputs], names, **node.attrs))
        return True

    def evaluate(self, node):
        arrays = [v.array if v else None for v in node.inputs]
        narrow = run_node(node, arrays, self.opset)
        if narrow is None or any(a.dtype.name not in TYPES or a.size > 16 * LARGEST for a in narrow):
            return None
        wide = [None if a.dtype.kind == "f" else a for a in narrow]
        if any(a.dtype.kind == "f" for a in narrow) and all(v is None or v.wide is not None for v in node.inputs):
            attrs = dict(node.attrs)
            if attrs.get("to") in (TensorProto.FLOAT, TensorProto.FLOAT16):
                attrs["to"] = TensorProto.DOUBLE
            again = random_ops.Node(node.op, node.inputs, attrs, node.outputs)
            got = run_node(again, [v.wide if v else None for v in node.inputs], self.opset, reference_first=True)
            if got and all(g.shape == a.shape for g, a in zip(got, narrow)):
                wide = [g.astype(np.float64) if a.dtype.kind == "f" else a for g, a in zip(got, narrow)]
        return list(zip(narrow, wide))

    def model(self):
        """Only what some output needs; every value that no node reads is an output, and some others."""
        read = {name for node in self.nodes for name in node.input}
        made = {name: node for node in self.nodes for name in node.output}
        outputs = [v for v in self.values if v.name in made and (v.name not in read or self.flip(0.15))]
        used = [v for v in self.values if v.name in read and v.name not in made]
        info = lambda v, shape: helper.make_tensor_value_info(v.name, TYPES[v.dtype], shape)
        graph = helper.make_graph(self.nodes, "random", [info(v, v.shape) for v in used if not v.constant],
                                  [info(v, v.shape) for v in outputs],
                                  [numpy_helper.from_array(v.array, v.name) for v in used if v.constant])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR_VERSION)
        return model, [v for v in used if not v.constant], outputs


def run_node(node, arrays, opset, reference_first=False):
    """The node's outputs, or nothing where neither evaluator takes it."""
    names = [f"i{i}" if a is not None else "" for i, a in enumerate(arrays)]
    present = [(name, a) for name, a in zip(names, arrays) if name]
    outputs = [f"o{i}" for i in range(node.outputs)]
    if any(a.dtype.name not in TYPES for _, a in present):
        return None
    graph = helper.make_graph(
        [helper.make_node(node.op, names, outputs, **node.attrs)], "node",
        [helper.make_tensor_value_info(name, TYPES[a.dtype.name], a.shape) for name, a in present],
        [helper.make_empty_tensor_value_info(name) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
    ways = [run_onnxruntime, run_reference]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for way in ways[::-1] if reference_first else ways:
            try:
                return [np.asarray(value) for value in way(model, dict(present))]
            except Exception:  # both have many classes of their own
                continue
    return None


def run_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_reference(model, feeds):
    return ReferenceEvaluator(model).run(None, feeds)


def allowed(value):
    """rtol and atol for a value: what its type's rounding makes of its largest number, and what the graph amplifies."""
    if not value.is_float or value.array.size == 0:
        return 0.0, 0.0
    unit = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-6}[value.dtype]
    amplified = 0.0
    if value.wide is None:
        unit *= 20
    else:
        with np.errstate(all="ignore"):
            gap = np.abs(value.array.astype(np.float64) - value.wide)
        amplified = 32 * float(np.max(gap[np.isfinite(gap)], initial=0.0))
    return unit, unit * max(value.largest, value.scale) + amplified + 1e-7


def make_case(seed, operators):
    graph = Graph(seed)
    target = int(graph.rng.integers(6, 15))
    for _ in range(6 * target):
        if len(graph.nodes) == target:
            break
        graph.grow(operators)
    return graph if graph.nodes else None


class Run:
    """One case through the compiler."""

    def __init__(self, args):
        self.args = args
        self.driver = Cli(args.dynac, timeout=args.timeout)

    def case(self, seed):
        graph = make_case(seed, self.args.operators)
        if graph is None:
            return None
        folder = Path(self.args.work) / str(seed)
        model, inputs, outputs = graph.model()
        mode = graph.choice(("static", "static", "dynamic"))
        options = ["-O0" if graph.flip(0.25) else "-O2", "--march", graph.choice(LEVELS)]
        outcome = self.compare(folder, with_symbols(model, False) if mode == "dynamic" else model, inputs, outputs, options)
        if outcome.state in (FAILED, CRASHED):
            (folder / "why.txt").write_text(f"{' '.join([mode, *options])}: {outcome.message}\n", encoding="utf-8")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        return {"seed": seed, "mode": " ".join([mode, *options]), "state": outcome.state,
                "message": outcome.message, "operators": sorted({node.op_type for node in graph.nodes}),
                "nodes": len(graph.nodes)}

    def compare(self, folder, model, inputs, outputs, options):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        files = {}
        for value in inputs:
            files[value.name] = folder / f"{value.name}.npy"
            np.save(files[value.name], value.array)
        outcome = self.driver.compile(folder / "model.onnx", folder / "model.so", *options)
        if not outcome.ok:
            return outcome
        types = {info.name: info.type for info in model.graph.output}
        outcome = self.driver.run(folder / "model.so", files, types, folder / "out")
        if not outcome.ok:
            return outcome
        for value in outputs:
            problem = difference(outcome.outputs[value.name], value.array, *allowed(value))
            if problem:
                op = next(node.op_type for node in model.graph.node if value.name in node.output)
                return Result(FAILED, f"{value.name} ({op}): {problem}")
        return outcome


WORKER = None


def start_worker(args):
    global WORKER
    onnxruntime.set_default_logger_severity(4)
    WORKER = Run(args)


def work(seed):
    try:
        return WORKER.case(seed)
    except Exception as error:  # a mistake of this program must not end the other cases
        return {"seed": seed, "mode": "", "state": CRASHED, "operators": [], "nodes": 0,
                "message": f"runner: {type(error).__name__}: {error}"}


def report(results, seconds, required):
    states = Counter(result["state"] for result in results)
    covered = Counter(op for result in results if result["state"] == "passed" for op in result["operators"])
    refused = Counter(re.sub(r".*node #\d+ \((\w+), opset \d+\)", r"\1", re.sub(r"\[[^]]*\]", "[...]", result["message"]))
                      for result in results if result["state"] == REFUSED)
    for result in results:
        if result["state"] in (FAILED, CRASHED):
            print(f"{result['state']}: seed {result['seed']} ({result['mode']}): "
                  f"{result['message']}")
    for reason, count in refused.most_common(20):
        print(f"refused {count}: {reason}")
    rare = [f"{name} {covered[name]}" for name in sorted(random_ops.REGISTRY) if covered[name] < required]
    if rare:
        print(f"operators in fewer than {required} accepted cases: {', '.join(rare)}")
    nodes = sum(result["nodes"] for result in results) / max(1, len(results))
    print(f"{len(results)} graphs of {nodes:.1f} nodes on average, {len(covered)} operators: "
          + ", ".join(f"{count} {state}" for state, count in sorted(states.items())) + f"; {seconds:.0f} s")
    return states[FAILED] + states[CRASHED]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first case")
    parser.add_argument("--only", type=int, action="append", metavar="SEED", help="this case only; may be repeated")
    parser.add_argument("--op", action="append", metavar="NAME", help="only graphs of these operators; may be repeated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one command")
    parser.add_argument("--required", type=int, default=0, metavar="N", help="name operators in fewer accepted cases")
    parser.add_argument("--json", metavar="FILE", help="write every case's outcome to this file")
    parser.add_argument("--work", default=ROOT / "build/random-graphs", help="where the files of failed cases stay")
    args = parser.parse_args()
    args.operators = sorted(args.op or random_ops.REGISTRY)
    if not Path(args.dynac).is_file():
        print(f"random_graphs.py: no {args.dynac}; build it first", file=sys.stderr)
        return 2
    seeds = args.only or range(args.first, args.first + args.cases)
    start = time.monotonic()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ProcessPoolExecutor(args.jobs, initializer=start_worker, initargs=(args,)) as pool:
        results = [result for result in pool.map(work, seeds, chunksize=4) if result]
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if report(results, time.monotonic() - start, args.required) else 0


if __name__ == "__main__":
    sys.exit(main())
