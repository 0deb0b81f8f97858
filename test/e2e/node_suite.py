#!/usr/bin/env python3
# ===- node_suite.py - the operator tests of ONNX through dynac -------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Runs ONNX's node tests, which the onnx package generates, through the compiler.

Each mode asks the same operator another question: `static` as the test has it; `dynamic` with every dimension of every
input symbolic (dimensions of equal size share a symbol); `distinct` with a symbol of its own for each; those of size 1
stay in both, as a symbol never stands for a stretched 1; `constants` with the inputs turned into initialisers.
`refused` means that the compiler said the model is unsupported (exit code 4). The exit code is 1 if a test failed or
crashed, 77 if the onnx package is missing."""

import argparse
import re
import shutil
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"node_suite.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import report
from drivers import CRASHED, FAILED, Cli, OnnxRuntime, Result, save_values
from values import Tolerances, difference, from_proto, to_proto

MODES = ("static", "dynamic", "distinct", "constants")


def collect(expanded):
    """All cases, always the same data."""
    warnings.simplefilter("ignore")
    from onnx.backend.test.case.node import collect_testcases

    np.random.seed(0)
    cases = sorted(collect_testcases(), key=lambda case: case.name)
    return [case for case in cases if expanded or "expanded" not in case.name]


def operator_of(case):
    """The operator a test is about: its only node, or what its name says if it was expanded."""
    if "expanded" not in case.name:
        return case.model.graph.node[0].op_type
    return "expanded " + re.sub(r"^test_|_.*", "", case.name)


def with_symbols(model, distinct):
    """Every dimension of the inputs a symbol; those of the outputs are left to inference."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    count = 0
    for info in copy.graph.input:
        if not info.type.HasField("tensor_type"):
            continue
        for dim in info.type.tensor_type.shape.dim:
            size = dim.dim_value
            if size != 1:
                dim.dim_param = f"d{count}" if distinct else f"n{size}"
                count += 1
    for info in copy.graph.output:
        if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
            for dim in info.type.tensor_type.shape.dim:
                dim.Clear()
    del copy.graph.value_info[:]
    return copy


def with_constants(model, values):
    """Tensor inputs become initialisers; returns the model and the values that stay inputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.input[:]
    left = []
    for info, value in zip(model.graph.input, values):
        if info.type.HasField("tensor_type"):
            copy.graph.initializer.append(to_proto(value, info.type, info.name))
            copy.graph.initializer[-1].name = info.name
        else:
            copy.graph.input.append(info)
            left.append(value)
    return copy, left


class Suite:
    def __init__(self, args, driver):
        self.args, self.driver, self.tolerances = args, driver, Tolerances()
        self.exclusions = read_exclusions(args.exclude)
        self.deadline = time.monotonic() + args.time_limit if args.time_limit else None

    def run_case(self, case, mode):
        """Compiles and runs one case; its files stay where it fails."""
        name = case.name if mode == "static" else f"{case.name}[{mode}]"
        result = {"test": name, "group": operator_of(case), "state": "excluded", "message": "", "seconds": 0.0}
        reason = next((why for pattern, why in self.exclusions if re.search(pattern, name)), None)
        if reason is not None:
            result["message"] = reason
            return result
        if self.deadline and time.monotonic() > self.deadline:
            result["message"] = "time limit reached"
            return result
        folder = Path(self.args.work) / mode / case.name
        start = time.monotonic()
        try:
            outcome = self.steps(case, mode, folder)
        except Exception as error:  # a mistake of this runner must not end the other tests
            outcome = Result(CRASHED, f"runner: {type(error).__name__}: {error}")
        if outcome.ok and not self.args.keep:
            shutil.rmtree(folder, ignore_errors=True)
        result.update(state=outcome.state, message=outcome.message, seconds=round(time.monotonic() - start, 3))
        return result

    def steps(self, case, mode, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        model, (values, expected) = case.model, case.data_sets[0]
        if mode in ("dynamic", "distinct"):
            model = with_symbols(model, mode == "distinct")
        elif mode == "constants":
            model, values = with_constants(model, values)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        inputs = save_values(folder, "input", model.graph.input, values)
        outcome = self.driver.compile(folder / "model.onnx", folder / "model.so")
        if not outcome.ok:
            return outcome
        rtol, atol, by_value = self.tolerances.of(case.name)
        types = {info.name: info.type for info in case.model.graph.output}
        if self.driver.expect and not all(kind.HasField("tensor_type") for kind in types.values()):
            files = save_values(folder, "output", case.model.graph.output, expected)
            return self.driver.expect(folder / "model.so", inputs, files, rtol, atol)
        outcome = self.driver.run(folder / "model.so", inputs, types, folder / "out")
        if not outcome.ok:
            return outcome
        for info, want in zip(case.model.graph.output, expected):
            want = from_proto(to_proto(want, info.type))
            problem = difference(outcome.outputs[info.name], want, rtol, atol, by_value)
            if problem:
                return Result(FAILED, f"{info.name}: {problem}")
        return outcome


def read_exclusions(path):
    """Pairs of a pattern and the reason."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if path else []
    pairs = [[part.strip() for part in line.partition(" # ")[::2]] for line in lines if not line.startswith("#")]
    return [pair for pair in pairs if pair[0]]


def spread(cases, per_operator):
    """At most so many cases of each operator, evenly over its tests."""
    groups = {}
    for case in cases:
        groups.setdefault(operator_of(case), []).append(case)
    for group in groups.values():
        step = max(1.0, len(group) / per_operator)
        yield from (group[int(i * step)] for i in range(min(per_operator, len(group))))


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--mode", action="append", choices=[*MODES, "all"], help="default: static; may be repeated")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose name matches")
    parser.add_argument("--op", action="append", default=[], help="only tests of this operator; may be repeated")
    parser.add_argument("--per-op", type=int, metavar="N", help="at most N tests of each operator")
    parser.add_argument("--expanded", action="store_true", help="also the 480 tests of expanded function bodies")
    parser.add_argument("--generic-only", action="store_true", help="compile with -O0: no claimed kernels")
    parser.add_argument("--compile-option", action="append", default=[], help="passed to dynac compile")
    parser.add_argument("--driver", choices=["dynac", "onnxruntime"], default="dynac")
    parser.add_argument("--exclude", default=Path(__file__).parent / "node_exclude.txt", help="file of patterns and reasons")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one command")
    parser.add_argument("--time-limit", type=float, help="seconds after which no further test is started")
    parser.add_argument("--work", default=ROOT / "build/node-suite", help="where files of failed tests stay")
    parser.add_argument("--keep", action="store_true", help="keep the files of tests that passed too")
    parser.add_argument("--json", metavar="FILE", help="results as JSON (-: standard output)")
    parser.add_argument("--list", action="store_true", help="print the tests' names and operators, run nothing")
    parser.add_argument("--refused-fails", action="store_true", help="exit code 1 also where something was refused")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    cases = [case for case in collect(args.expanded) if re.search(args.filter, case.name)]
    if args.op:
        cases = [case for case in cases if operator_of(case) in args.op]
    if args.per_op:
        cases = list(spread(cases, args.per_op))
    if args.list:
        for case in cases:
            print(case.name, operator_of(case))
        return 0
    if not cases:
        print("node_suite.py: no test matches", file=sys.stderr)
        return 2
    if args.driver == "onnxruntime":
        driver = OnnxRuntime()
    else:
        if not Path(args.dynac).is_file():
            print(f"node_suite.py: no {args.dynac}; build it first", file=sys.stderr)
            return 2
        options = (["-O0"] if args.generic_only else []) + args.compile_option
        driver = Cli(args.dynac, options, timeout=args.timeout)
    modes = args.mode or ["static"]
    modes = list(MODES) if "all" in modes else modes
    suite, results, start = Suite(args, driver), [], time.monotonic()
    jobs = [(case, mode) for mode in modes for case in cases]
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        for result in pool.map(lambda job: suite.run_case(*job), jobs):
            results.append(result)
            report.progress(len(results), len(jobs), results)
    seconds = time.monotonic() - start
    if args.json != "-":
        for result in results:
            if result["state"] not in ("passed", "excluded"):
                print(f"{result['state']}: {result['test']}: {result['message']}")
        report.per_group(results)
        print(f"{len(results)} tests in {seconds:.1f} s; files of failed tests: {args.work}")
    if args.json:
        report.write_json(args.json, results, modes=modes, generic_only=args.generic_only, seconds=round(seconds, 1))
    bad = {FAILED, CRASHED} | ({"refused"} if args.refused_fails else set())
    return 1 if any(result["state"] in bad for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
