#!/usr/bin/env python3
# ===- support_table.py - what `dynac ops` says holds ------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Compiles nodes of the operators' test files with each element type and in each opset that `dynac ops --json` claims.

Element types that a row does not claim are refused before it runs; that is tried too, as is a node for each limit. The
table is also held against ONNX's schemas: names of type variables, versions, and, with --missing, types that a schema has
and dynac has not."""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
    from onnx import helper
except ImportError as missing:
    print(f"support_table.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import limits
from samples import DTYPES, NAMES, Operand, Sample, make_tensor, model_of, read_samples


def more_samples():
    """Samples of what test files cannot hold: bodies alone, constants of f8e8m0."""

    def body(name, inputs, nodes, outputs):
        infos = [[helper.make_empty_tensor_value_info(value) for value in values] for values in (inputs, outputs)]
        return helper.make_graph([helper.make_node("Identity", [a], [b]) for a, b in nodes], name, *infos)

    then = helper.make_graph([helper.make_node("Constant", [], ["a"], value_float=1.0)], "then", [],
                             [helper.make_empty_tensor_value_info("a")])
    other = helper.make_graph([helper.make_node("Constant", [], ["b"], value_float=2.0)], "else", [],
                              [helper.make_empty_tensor_value_info("b")])
    yield Sample("", "If", 28, (Operand("bool", ()),), {"then_branch": then, "else_branch": other})
    loop = body("body", ["i", "c", "s"], [("c", "d"), ("s", "t"), ("s", "u")], ["d", "t", "u"])
    yield Sample("", "Loop", 28, (Operand("i64", ()), Operand("bool", ()), Operand("f32", (2,))), {"body": loop}, 2)
    yield Sample("", "DequantizeLinear", 25, (Operand("i8", (2,)), Operand("f8e8m0")), {"output_dtype": DTYPES["f32"]})
    weights = (Operand("f32", (1, 16)), Operand("u8", (2, 1, 8)), Operand("f32", (2, 1)), Operand("f32", (2, 1)))
    yield Sample("com.microsoft", "MatMulNBits", 1, weights, {"K": 16, "N": 2, "bits": 4, "block_size": 16})
    scan = body("body", ["s", "x"], [("s", "t"), ("x", "y")], ["t", "y"])
    yield Sample("", "Scan", 28, (Operand("f32", (2,)), Operand("f32", (3, 4))), {"body": scan, "num_scan_inputs": 1}, 2)


class Row:
    def __init__(self, facts):
        self.domain = "" if facts["domain"] == "ai.onnx" else facts["domain"]
        self.op, self.since, self.until = facts["operator"], facts["since"], facts["until"]
        self.limits, self.types, self.operands, self.attributes = [facts[name] for name in ("limits", "types", "operands",
                                                                                    "attributes")]
        self.name = f"{facts['domain']}::{self.op}"

    def variable(self, i):
        return self.operands[min(i, len(self.operands) - 1)] if self.operands else None

    def retyped(self, sample, variable, dtype):
        """The sample with another dtype for a type variable; nothing if it has none of it."""
        places = [i for i, operand in enumerate(sample.operands) if operand.dtype and self.variable(i) == variable]
        names = [name for name, of in self.attributes.items() if of == variable]
        if not places and not names:
            return None
        changed = {}
        for name in names:
            given = sample.attributes.get(name)
            dims = given.dims if isinstance(given, onnx.TensorProto) else [1]
            changed[name] = DTYPES[dtype] if name != "value" else make_tensor(Operand(dtype, dims, np.zeros(dims)))
        return replace(sample.typed({i: dtype for i in places}), attributes={**sample.attributes, **changed})

    def versions(self):
        """Versions of the operator's schema within the claimed range, oldest first."""
        return sorted(schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
                      if (schema.domain, schema.name) == (self.domain, self.op) and schema.since_version <= self.until
                      and not schema.deprecated)


class Check:
    def __init__(self, args, newest, samples):
        self.args, self.newest, self.samples = args, newest, samples

    def compile(self, samples, opset):
        """The exit code and message."""
        path = Path(self.args.work) / f"{samples[0].domain}.{samples[0].op}.{opset}.onnx"
        opsets = {**self.newest, samples[0].domain: opset}
        path.write_bytes(model_of(samples, opsets).SerializeToString())
        to = ["--emit", "decompose"] if self.args.quick else ["-O0", "-o", path.with_suffix(".so")]
        done = subprocess.run([self.args.dynac, "compile", path, *to], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.strip()

    def row(self, row):
        """What is wrong with the row, and the number of nodes that were compiled."""
        problems = []
        samples = [sample for sample in self.samples.get((row.domain, row.op), []) if not sample.refused
                   and row.since <= sample.opset <= row.until]
        if not samples:
            return [f"{row.name}: no sample in test/Frontend/Onnx/{row.op}.mlir"], 0
        samples.sort(key=lambda sample: (sample.opset, len(sample.operands)), reverse=True)
        count = self.claimed(row, samples, problems) + self.unclaimed(row, samples, problems)
        return problems, count + self.opsets(row, samples, problems) + self.limits(row, problems)

    def claimed(self, row, samples, problems):
        count = 0
        for variable, dtypes in row.types.items():
            left = list(dtypes)
            for sample in samples:
                made = [(dtype, row.retyped(sample, variable, dtype)) for dtype in left]
                made = [(dtype, retyped) for dtype, retyped in made if retyped]
                if not made:
                    continue
                code, message = self.compile([retyped for _, retyped in made], sample.opset)
                count += len(made)
                if code == 0:
                    left = []
                    break
                # Not every node of the operator can have every type, so that another sample may be needed.
                alone = [(dtype, self.compile([retyped], sample.opset)) for dtype, retyped in made]
                alone = [(dtype, self.compile([self.alike(row, sample, dtype)], sample.opset) if result[0] else result)
                         for dtype, result in alone]
                left = [dtype for dtype, (code, _) in alone if code != 0]
                message = next((text for _, (code, text) in alone if code != 0), "")
                if not left:
                    break
            if left:
                problems.append(f"{row.name}: {variable} is claimed to be {', '.join(left)}: "
                                f"{message if len(left) < len(dtypes) else 'no sample'}")
        return count

    @staticmethod
    def alike(row, sample, dtype):
        """The sample with all type variables that may be `dtype` being it."""
        for variable, dtypes in row.types.items():
            if dtype in dtypes:
                sample = row.retyped(sample, variable, dtype) or sample
        return sample

    def unclaimed(self, row, samples, problems):
        count = 0
        for variable, dtypes in row.types.items():
            other = next((dtype for dtype in DTYPES if dtype not in dtypes), None)
            retyped = next(filter(None, (row.retyped(sample, variable, other) for sample in samples)), None) if other else None
            if retyped is None:
                continue
            code, message = self.compile([retyped], retyped.opset)
            count += 1
            if code != 4 or f"element type {other}" not in message:
                problems.append(f"{row.name}: {variable} = {other} is not refused: {message or 'compiles'}")
        return count

    def opsets(self, row, samples, problems):
        """Each version of the schema in the claimed range compiles; a sample as it is, or one that still fits."""
        count = 0
        for version in row.versions() or [row.since]:
            if version < row.since:
                continue
            older = [sample for sample in samples if sample.opset >= version]
            younger = [sample for sample in reversed(samples) if sample.opset < version]
            message = "no sample"
            for sample in [*reversed(older), *younger]:
                code, message = self.compile([sample], version)
                count += 1
                if code == 0:
                    break
            else:
                problems.append(f"{row.name}: is claimed for opset {version}: {message}")
        code = min(self.compile([sample], row.until)[0] for sample in samples)
        if code != 0:
            problems.append(f"{row.name}: is claimed for opset {row.until}")
        return count + 1

    def limits(self, row, problems):
        """Each limit is one."""
        for limit in row.limits:
            refused = [sample for text, sample in limits.cases() if (sample.domain, sample.op) == (row.domain, row.op)
                       and limit.startswith(text) and row.since <= sample.opset <= row.until]
            if not refused:
                problems.append(f"{row.name}: limits.py has no case of '{limit}'")
            for sample in refused:
                code, message = self.compile([sample], sample.opset)
                if code != 4 or limit not in message or "does not list" in message:
                    problems.append(f"{row.name}: '{limit}': got {message or 'no error'}")
        return len(row.limits)


def against_schemas(rows, missing):
    """Type variables of the newest schema that the table names otherwise; prints types that dynac lacks."""
    for row in rows:
        if not onnx.defs.has(row.op, row.domain):
            continue
        schema = onnx.defs.get_schema(row.op, row.until, row.domain)
        allowed = {entry.type_param_str: entry.allowed_type_strs for entry in schema.type_constraints}
        for name in row.types:
            if name not in allowed and name not in {value.name for value in schema.inputs} | set(schema.attributes):
                yield f"{row.name}: the schema has no type variable, operand or attribute {name}"
        for name, types in allowed.items() if missing else ():
            numbers = {getattr(onnx.TensorProto, text[7:-1].upper(), 0) for text in types if text.startswith("tensor(")}
            lacks = [NAMES[number] for number in sorted(numbers) if number in NAMES]
            lacks = [dtype for dtype in lacks if name in row.types and dtype not in row.types[name]]
            if lacks:
                print(f"{row.name}: {name} lacks {' '.join(lacks)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--op", action="append", default=[], help="only this operator; may be repeated")
    parser.add_argument("--quick", action="store_true", help="compile to primitives only")
    parser.add_argument("--missing", action="store_true", help="print types that a schema has and dynac has not")
    parser.add_argument("--work", default=ROOT / "build/support-table", help="scratch folder")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    Path(args.work).mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([args.dynac, "ops", "--json"], check=True, capture_output=True, text=True).stdout
    table = [Row(facts) for facts in json.loads(listed)["operators"]]
    newest = {row.domain: max(other.until for other in table if other.domain == row.domain) for row in table}
    rows = [row for row in table if not args.op or row.op in args.op]
    samples = {}
    for sample in [*read_samples(), *more_samples()]:
        samples.setdefault((sample.domain, sample.op), []).append(sample)
    check = Check(args, newest, samples)
    problems, count = list(against_schemas(rows, args.missing)), 0
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        for found, nodes in pool.map(check.row, rows):
            problems += found
            count += nodes
    for problem in problems:
        print(problem)
    print(f"{len(rows)} rows, {count} nodes, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
