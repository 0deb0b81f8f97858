#!/usr/bin/env python3
# ===- growing.py - outputs that append to inputs where they lie --------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Decoders that append to a cache (present = Concat(past, new)), compiled with --alias past=present:capacity=N: several steps
give the numbers of ONNX's reference and of the artifact without --alias, whether the caller keeps the cache, the context
does, or both come without strides; no step of the plan moves the cache, nothing behind its end is read or written, and a
step too many is refused."""

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
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"growing.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from in_place import difference, floats, node
from runtime_api import RunError, Session, array_of, value_of

CAPACITY = 9
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.int64): TensorProto.INT64}


class Decoder:
    """`caches`: input -> (output, axis, first value). `fresh(length)`: the other inputs, given how long the caches are.
    `grows`: by how much in a step. `others`: further outputs, name -> rank. `moved`: the bytes that attention reads and
    writes, given how long the caches are."""

    def __init__(self, name, nodes, caches, fresh, others, grows=1, is_in_place=True, symbols=True, tolerance=1e-5, moved=None):
        self.moved = moved
        self.name, self.caches, self.fresh, self.grows = name, caches, fresh, grows
        self.is_in_place, self.symbols, self.tolerance = is_in_place, symbols, tolerance
        inputs = []
        for cache, (_, axis, first) in caches.items():
            dims = list(first.shape)
            if symbols:
                dims[axis] = "past"
            inputs.append(helper.make_tensor_value_info(cache, TYPES[first.dtype], dims))
        inputs += [helper.make_tensor_value_info(n, TYPES[x.dtype], x.shape) for n, x in fresh(0).items()]
        outputs = [helper.make_tensor_value_info(output, TYPES[first.dtype], [None] * first.ndim)
                   for output, _, first in caches.values()]
        kind = next(iter(caches.values()))[2].dtype
        outputs += [helper.make_tensor_value_info(other, TYPES[kind], [None] * rank) for other, rank in others.items()]
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def decoders():
    heads = [node("Concat", "k a", "k2", axis=2), node("Concat", "v b", "v2", axis=2), node("Transpose", "k2", "kt", perm=[0, 1, 3, 2]),
             node("MatMul", "q kt", "s"), node("Softmax", "s", "p", axis=-1), node("MatMul", "p v2", "y")]
    fresh = lambda n: lambda length: {"a": floats(2, 3, n, 8), "b": floats(2, 3, n, 8), "q": floats(2, 3, n, 8)}
    for length, grows in ((0, 1), (4, 1), (3, 2)):
        yield Decoder(f"attention from {length} by {grows}", heads,
                      {"k": ("k2", 2, floats(2, 3, length, 8)), "v": ("v2", 2, floats(2, 3, length, 8))}, fresh(grows), {"y": 4}, grows,
                      moved=lambda length, new=grows: 4 * 2 * 3 * 8 * (2 * new + 2 * (length + new)))
    yield Decoder("attention of fixed sizes", heads, {"k": ("k2", 2, floats(2, 3, 4, 8)), "v": ("v2", 2, floats(2, 3, 4, 8))},
                  fresh(1), {"y": 4}, symbols=False)
    # Tokens before heads, and one batch and head: then the capacity's memory has no gaps.
    tokens = [node("Concat", "k a", "k2", axis=1), node("Concat", "v b", "v2", axis=1), node("Transpose", "q", "qt", perm=[0, 2, 1, 3]),
              node("Transpose", "k2", "kt", perm=[0, 2, 3, 1]), node("Transpose", "v2", "vt", perm=[0, 2, 1, 3]),
              node("MatMul", "qt kt", "s"), node("Softmax", "s", "p", axis=-1), node("MatMul", "p vt", "y")]
    for heads_count, batch in ((3, 2), (1, 1)):
        shape = lambda n, b=batch, h=heads_count: (b, n, h, 16)
        yield Decoder(f"tokens before {heads_count} heads", tokens, {"k": ("k2", 1, floats(*shape(3))), "v": ("v2", 1, floats(*shape(3)))},
                      lambda length, of=shape: {name: floats(*of(1)) for name in "abq"}, {"y": 4})
    sums = [node("Concat", "past new", "present", axis=-1), node("ReduceSum", "present", "y", keepdims=0)]
    yield Decoder("last axis", sums, {"past": ("present", 2, floats(2, 5, 3))}, lambda length: {"new": floats(2, 5, 1)}, {"y": 0})
    first = [node("Concat", "past new", "present", axis=0), node("Mul", "present present", "y")]
    yield Decoder("first axis", first, {"past": ("present", 0, floats(3, 5))}, lambda length: {"new": floats(2, 5)}, {"y": 2}, grows=2)
    yield Decoder("integers", first, {"past": ("present", 0, np.arange(12).reshape(3, 4))},
                  lambda length: {"new": np.arange(4).reshape(1, 4) + length}, {"y": 2})
    yield Decoder("halves", first, {"past": ("present", 0, floats(3, 4).astype(np.float16))},
                  lambda length: {"new": floats(1, 4).astype(np.float16)}, {"y": 2}, tolerance=1e-2)
    parts = [node("Concat", "past a b", "present", axis=1), node("ReduceMax", "present", "y", keepdims=0)]
    yield Decoder("two new parts", parts, {"past": ("present", 1, floats(2, 2, 3))},
                  lambda length: {"a": floats(2, 1, 3), "b": floats(2, 2, 3)}, {"y": 0}, grows=3)
    old = [node("Concat", "past new", "present", axis=1), node("ReduceSum", "present", "s", keepdims=1)]
    read = lambda length: {"new": floats(2, 1, 3)}
    yield Decoder("reads the old too", [*old, node("Exp", "past", "y")], {"past": ("present", 1, floats(2, 2, 3))}, read, {"y": 3})
    yield Decoder("reads the old after the new", [*old, node("Mul", "past s", "y")], {"past": ("present", 1, floats(2, 2, 3))}, read,
                  {"y": 3}, is_in_place=False)


class Kept:
    """A cache that the caller keeps: memory of the capacity, not a number behind the end."""

    def __init__(self, axis, first):
        shape = list(first.shape)
        shape[axis] = CAPACITY
        self.memory, self.axis = np.full(shape, -7 if first.dtype == np.int64 else np.nan, first.dtype), axis
        self.part(first.shape[axis])[...] = first

    def part(self, begin, end=None):
        """Elements [0, begin), or [begin, end), along the axis."""
        at = slice(0, begin) if end is None else slice(begin, end)
        return self.memory[(slice(None),) * self.axis + (at,)]

    def value(self, length):
        value = value_of(self.part(length))
        whole = value_of(self.memory)
        value.tensor.strides = (type(whole.tensor.shape.contents) * self.memory.ndim)(*self.memory.strides)
        value.tensor.bytes = 0
        return value


def check(decoder, options, folder):
    """Messages of what is wrong."""
    path = folder / f"{decoder.name.replace(' ', '_')}.onnx"
    onnx.save(decoder.model, path)
    pairs = [f"{cache}={output}:capacity={CAPACITY}" for cache, (output, _, _) in decoder.caches.items()]
    artifacts = {}
    for kind, aliases in (("apart", []), ("alias", pairs)):
        artifacts[kind] = path.with_suffix(f".{kind}.so")
        subprocess.run([options.dynac, "compile", path, "-o", artifacts[kind], *options.option, *(f"--alias={x}" for x in aliases)],
                       check=True, stdout=subprocess.DEVNULL)
    plan = json.loads(subprocess.run([options.dynac, "inspect", artifacts["alias"], "--json"], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)
    copies = [step["name"] for step in plan["steps"] if step["kind"] == "copy"]
    if bool(copies) == decoder.is_in_place and "-O0" not in options.option:
        yield f"steps that copy: {copies or 'none'}"
    for output, (_, axis, _) in zip(plan["outputs"], decoder.caches.values()):
        if output.get("grows_along") != axis or output.get("capacity") != CAPACITY:
            yield f"inspect says {output}"

    if decoder.moved and "-O0" not in options.option:
        profile = json.loads(subprocess.run([options.dynac, "profile", artifacts["alias"], "--json", "--runs", "1", "--dim", "past=4"],
                                            check=True, text=True, stdout=subprocess.PIPE).stdout)
        moved = [step["bytes"] for step in profile["steps"] if step["kind"] == "attention"]
        if moved != [decoder.moved(4)]:
            yield f"attention is said to move {moved} bytes, not {decoder.moved(4)}"

    sessions = {kind: Session(options.runtime, artifacts["apart" if kind == "apart" else "alias"])
                for kind in ("apart", "kept", "context's", "dense", "dense out")}
    reference = onnx.reference.ReferenceEvaluator(decoder.model)
    names = list(decoder.caches)
    kept = {cache: Kept(axis, first) for cache, (_, axis, first) in decoder.caches.items()}
    truth = {cache: first for cache, (_, _, first) in decoder.caches.items()}
    length, own = truth[names[0]].shape[decoder.caches[names[0]][1]], None
    while length + decoder.grows <= CAPACITY:
        fresh = decoder.fresh(length)
        longer = length + decoder.grows
        wanted = reference.run(None, {**truth, **fresh})
        none = [None] * (len(wanted) - len(names))
        dense = [np.zeros(want.shape, want.dtype) for want in wanted[:len(names)]]
        results = {
            "apart": sessions["apart"].run([*truth.values(), *fresh.values()]),
            "kept": sessions["kept"].run([*(kept[c].value(length) for c in names), *fresh.values()],
                                         [*(kept[c].value(longer) for c in names), *none]),
            "context's": sessions["context's"].run([*(own or truth.values()), *fresh.values()], own and [*own, *none]),
            "dense": sessions["dense"].run([*truth.values(), *fresh.values()]),
            "dense out": sessions["dense out"].run([*truth.values(), *fresh.values()], [*dense, *none]),
        }
        previous, own = own, results["context's"][:len(names)]
        for kind, got in results.items():
            for name, x, want in zip(reference.output_names, got, wanted):
                if not difference(array_of(x), want) < decoder.tolerance:
                    yield f"length {length}, {kind}: {name} differs by {difference(array_of(x), want)}"
        if previous and any(x.tensor.data != y.tensor.data for x, y in zip(previous, own)):
            yield f"length {length}: the context moved its cache"
        for cache, want, out in zip(names, wanted, dense):
            if not difference(kept[cache].part(longer), want) < decoder.tolerance or not difference(out, want) < decoder.tolerance:
                yield f"length {length}: the caller's memory of {cache} is wrong"
            rest = kept[cache].part(longer, CAPACITY)
            if not np.all(np.isnan(rest) if rest.dtype != np.int64 else rest == -7):
                yield f"length {length}: the memory behind the end of {cache} was written"
        truth = dict(zip(names, (np.ascontiguousarray(want) for want in wanted)))
        length = longer
        if not decoder.symbols:
            return
    message = f'5: input "{names[0]}" axis '
    try:
        sessions["kept"].run([*(kept[c].value(length) for c in names), *decoder.fresh(length).values()])
        yield "a step beyond the capacity ran"
    except RunError as error:
        if not (str(error).startswith(message) and str(error).endswith(f"was compiled with a capacity of {CAPACITY}")):
            yield f"a step beyond the capacity was refused with {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--runtime", default=ROOT / "build/lib/libdynac_rt.so", help="the library (default: build/lib/libdynac_rt.so)")
    parser.add_argument("--work", type=Path, default=Path("build/growing"), help="folder for models (default: build/growing)")
    parser.add_argument("--option", action="append", default=[], help="passed to dynac compile (repeatable)")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for decoder in decoders():
        wrong = list(check(decoder, options, options.work))
        failed += bool(wrong)
        for message in wrong:
            print(f"{decoder.name}: {message}")
    print(f"growing.py: {failed} decoders failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
