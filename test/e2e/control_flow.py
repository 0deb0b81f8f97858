#!/usr/bin/env python3
# ===- control_flow.py - choices and loops in nested blocks ------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""What the operator tests of Loop and If leave out: state that changes places, loops in choices in loops, values that
bodies take from outside, checks that end a run. Expected numbers come from numpy. The exit code is 1 if a case failed, 77 if
the onnx package is missing."""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx.parser
except ImportError as missing:
    print(f"control_flow.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'
X = np.arange(1, 5, dtype=np.float32)
Y = 10 * X

SWAP = """swap (int64 n, float[2,2] x, float[2,2] y) => (float[2,2] p, float[2,2] q) {
  always = Constant <value = bool {1}> ()
  p, q = Loop <body = step (int64 i, bool go, float[2,2] a, float[2,2] b) => (bool on, float[2,2] c, float[2,2] d) {
    on = Identity (go)
    c = Identity (b)
    d = Transpose <perm = [1, 0]> (a)
  }> (n, always, x, y)
}"""


def swap(n, x, y):
    for _ in range(n):
        x, y = y, x.T
    return x, y


SERIES = """series (int64 n, float[4] x, float[4] y, float[4] z) => (float[4] p, float[4] q, float[k,4] all) {
  always = Constant <value = bool {1}> ()
  limit = Constant <value = float {500.0}> ()
  factor = Exp (z)
  p, q, all = Loop <body = step (int64 i, bool go, float[4] a, float[4] b)
      => (bool on, float[4] c, float[4] d, float[4] entry) {
    scaled = Mul (b, factor)
    d = Add (a, scaled)
    c = Identity (b)
    total = ReduceSum <keepdims = 0> (d)
    on = Less (total, limit)
    entry = Add (d, a)
  }> (n, always, x, y)
}"""


def series(n, x, y, z):
    entries = np.zeros((0, 4), np.float32)
    for _ in range(n):
        x, y, entries = y, x + y * np.exp(z), np.vstack([entries, 2 * x + y * np.exp(z)])
        if y.sum() >= 500:
            break
    return x, y, entries


NESTED = """nested (int64 n, float[4] x, float[4] y) => (float[4] p) {
  always = Constant <value = bool {1}> ()
  root = Sqrt (x)
  p = Loop <body = outer (int64 i, bool go, float[4] a) => (bool on, float[4] b) {
    on = Identity (go)
    two = Constant <value = int64 {2}> ()
    rest = Mod (i, two)
    odd = Cast <to = 9> (rest)
    r = If (odd) <then_branch = odd_trip () => (float[4] t) {
      yes = Constant <value = bool {1}> ()
      t = Loop <body = inner (int64 j, bool more, float[4] u) => (bool again, float[4] v) {
        again = Identity (more)
        s = Add (u, x)
        v = Mul (s, root)
      }> (i, yes, a)
    }, else_branch = even_trip () => (float[4] e) { e = Neg (a) }>
    b = Add (r, y)
  }> (n, always, y)
}"""


def nested(n, x, y):
    state = y
    for i in range(n):
        result = -state
        if i % 2:
            result = state
            for _ in range(i):
                result = (result + x) * np.sqrt(x)
        state = result + y
    return (state,)


CHECKED = """checked (float[N] x) => (float[2,3] y) {
  shape = Constant <value = int64[2] {2, 3}> ()
  y = Reshape (x, shape)
}"""


# torch.squeeze(dim) of an unknown size, within a choice on data.
SQUEEZED = """squeezed (float[N,4] x, bool deep) => (float[4] y) {
  y = If (deep) <then_branch = squeeze_first () => (float[4] t) {
    axes = Constant <value = int64[1] {0}> ()
    one = Constant <value = int64[1] {1}> ()
    rows = Shape <start = 0, end = 1> (x)
    single = Equal (rows, one)
    row = If (single) <then_branch = drop () => (float[A] d) { d = Squeeze (x, axes) },
                       else_branch = keep () => (float[A,B] k) { k = Identity (x) }>
    t = Exp (row)
  }, else_branch = add_up () => (float[4] e) {
    first = Constant <value = int64[1] {0}> ()
    e = ReduceSum <keepdims = 0> (x, first)
  }>
}"""


def squeezed(x, deep):
    return (x.sum(0) if not deep else np.exp(x[0]) if len(x) == 1 else None,)


def square(values):
    return values.reshape(2, 2)


REFUSALS = ("cannot reshape", "the sizes choose the else_branch")
COUNTS = [np.array(n, np.int64) for n in range(7)]
CASES = [
    (SWAP, swap, [{"n": n, "x": square(X), "y": square(Y)} for n in COUNTS]),
    (SERIES, series, [{"n": n, "x": X, "y": Y, "z": 0 * X} for n in COUNTS]),
    (NESTED, nested, [{"n": n, "x": X / 4, "y": X} for n in COUNTS]),
    (SQUEEZED, squeezed, [{"x": np.ones((n, 4), np.float32), "deep": np.array(d)} for n in (1, 3) for d in (True, False)]),
    (CHECKED, lambda x: (x.reshape(2, 3) if x.size == 6 else None,), [{"x": np.ones(n, np.float32)} for n in (6, 5)]),
]


def run_case(cli, text, reference, feeds_list, work):
    """The first difference, or an empty string."""
    model = onnx.parser.parse_model(HEADER + text)
    name = model.graph.name
    onnx.save(model, work / f"{name}.onnx")
    compiled = cli.compile(work / f"{name}.onnx", work / f"{name}.so")
    if not compiled.ok:
        return compiled.message
    for feeds in feeds_list:
        inputs, expected = {}, {}
        for key, value in feeds.items():
            inputs[key] = work / f"{name}_{key}.npy"
            np.save(inputs[key], value)
        values = reference(**feeds)
        refused = values[0] is None
        for output, value in zip(model.graph.output, values):
            expected[output.name] = work / f"{name}_{output.name}.npy"
            np.save(expected[output.name], np.zeros(1, np.float32) if refused else value.astype(np.float32))
        result = cli.expect(work / f"{name}.so", inputs, expected, rtol=1e-5, atol=1e-6)
        if refused and not any(words in result.message for words in REFUSALS) or not refused and not result.ok:
            return f"{ {key: value.tolist() for key, value in feeds.items()} }: {result.message or 'was not refused'}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/control-flow"), help="where files are written")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for level in ("-O0", "-O2"):
        cli = Cli(options.dynac, [level])
        for text, reference, feeds in CASES:
            why = run_case(cli, text, reference, feeds, options.work)
            failures += bool(why)
            print(f"{'failed' if why else 'passed'}: {text.split()[0]} {level} {why}".rstrip())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
