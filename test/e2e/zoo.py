#!/usr/bin/env python3
# ===- zoo.py - whole models through dynac, against onnxruntime ---------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Compiles models of a zoo once each, runs the artifact at two sizes of every dynamic dimension and compares with
onnxruntime within the manifest's tolerance.

The zoo is a folder with models.json, skeletons and hydrate.py: --zoo, else $DYNAC_ZOO, else ../shared/zoo beside the
repository. --cases runs a folder of models with weights and inputs instead: FOLDER/NAME holds model.onnx, io.json (files of
inputs by name, outputs, tolerance) and those files.

`error` is the relative L2 distance from onnxruntime in float64 where it has the kernels (then `ort` is onnxruntime's own
float32 distance), else from its float32 result. The exit code is 1 if a model failed or crashed, 77 if
there is no zoo or a Python package is missing."""

import argparse
import importlib.util
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"zoo.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import doubles
import report
from drivers import CRASHED, FAILED, Cli, OnnxRuntime, Result

# Models of every family that are small enough to be run on each change.
QUICK = ("bert_tiny.ts,bert_tiny.dynamo,squeezenet1_1.ts,shufflenet_v2_x1_0.dynamo,phlippe_resnet.ts,dlrm.ts,"
         "gpt_neox_decode_tiny.dynamo,Llama_fulldepth_tiny.dynamo,bilstm_tagger.ts,ppo_gru_actor_critic.dynamo,"
         "resnet8_qdq_int8.ts,control_flow_loop.ts,Mamba_tiny.dynamo,bert_tiny_fp16.ts")


def find_zoo(given):
    """The hydrate module and its Zoo, or nothing."""
    folder = Path(given or os.environ.get("DYNAC_ZOO") or ROOT.parent / "shared/zoo")
    if not (folder / "hydrate.py").is_file():
        return None
    sys.dont_write_bytecode = True  # the folder may be read-only
    spec = importlib.util.spec_from_file_location("hydrate", folder / "hydrate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["hydrate"] = module
    spec.loader.exec_module(module)
    return module, module.Zoo(str(folder))


def other_sizes(dims):
    """Another value of each dimension; pictures stay multiples of 32."""
    return {name: value["default"] + (32 if name in ("height", "width") else 1) for name, value in dims.items()}


def feeds_of(graph, inputs):
    """Those of `inputs` that the graph takes, in its order."""
    weights = {tensor.name for tensor in graph.initializer}
    feeds = {}
    for info in graph.input:
        if info.name in inputs and info.name not in weights:
            # onnxruntime takes any one number for a scalar.
            scalar = info.type.tensor_type.HasField("shape") and not info.type.tensor_type.shape.dim
            feeds[info.name] = inputs[info.name].reshape(()) if scalar else inputs[info.name]
    return feeds


def save_inputs(feeds, folder):
    """A .npy for each; returns name -> path."""
    files = {name: folder / f"input_{number}.npy" for number, name in enumerate(feeds)}
    for name, array in feeds.items():
        np.save(files[name], array)
    return files


def output_types(graph):
    return {info.name: info.type for info in graph.output}


class ZooRun:
    def __init__(self, args, module, zoo, driver):
        self.args, self.module, self.zoo, self.driver = args, module, zoo, driver

    def model(self, name):
        return self.attempt(self.zoo.find(name), self.steps)

    def attempt(self, entry, steps):
        folder = Path(self.args.work) / entry["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        start = time.monotonic()
        result = {"test": entry["name"], "group": entry["suite"], "state": CRASHED, "message": ""}
        try:
            outcome = steps(entry, folder, result)
        except Exception as error:  # a mistake of this runner must not end the other models
            outcome = Result(CRASHED, f"runner: {type(error).__name__}: {error}")
        if not self.args.keep:
            shutil.rmtree(folder, ignore_errors=True)
        result.update(state=outcome.state, message=outcome.message, seconds=round(time.monotonic() - start, 2))
        return result

    def steps(self, entry, folder, result):
        path = self.module.write_model(self.zoo, entry, str(folder))
        outcome = self.compiled(path, folder, result)
        if not outcome.ok:
            return outcome
        sizes = [self.module.dims_of(entry)]
        if entry["dims"] and not self.args.one_size:
            sizes.append(other_sizes(entry["dims"]))
        for dims in sizes:
            outcome = self.compared(entry, path, folder, self.module.make_inputs(entry, **dims), result)
            if not outcome.ok:
                outcome.message = f"{', '.join(f'{k}={v}' for k, v in dims.items()) or 'static'}: {outcome.message}"
                return outcome
        return outcome

    def compiled(self, path, folder, result):
        start = time.monotonic()
        outcome = self.driver.compile(path, folder / "model.so", *self.args.compile_option)
        result["compile_seconds"] = round(time.monotonic() - start, 2)
        if not outcome.ok:
            return outcome
        result["artifact_mb"] = round((folder / "model.so").stat().st_size / 1e6, 1)
        return outcome

    def compared(self, entry, path, folder, inputs, result):
        want = self.module.run_onnxruntime(str(path), inputs)
        graph = onnx.load(path, load_external_data=False).graph
        files = save_inputs(feeds_of(graph, inputs), folder)
        outcome = self.driver.run(folder / "model.so", files, output_types(graph), folder / "out")
        if not outcome.ok:
            return outcome
        got = list(outcome.outputs.values())
        exact = doubles.run(str(path), inputs) if self.args.doubles else None
        if exact is not None:
            result["ort_error"] = max(result.get("ort_error", 0.0), doubles.relative_error(want, exact) or 0.0)
        error = doubles.relative_error(got, exact if exact is not None else want)
        result["error"] = max(result.get("error", 0.0), error or 0.0)
        problems = self.module.compare(entry, got, want)
        return Result(FAILED, "; ".join(problems)[:300]) if problems else outcome


class CasesRun(ZooRun):
    """Models of a folder, each with the inputs that lie beside it."""

    def model(self, name):
        source = Path(self.args.cases) / name
        entry = json.loads((source / "io.json").read_text(encoding="utf-8"))
        return self.attempt({"name": name, "suite": "", **entry}, lambda *args: self.case(source, *args))

    def case(self, source, entry, folder, result):
        outcome = self.compiled(source / "model.onnx", folder, result)
        if not outcome.ok:
            return outcome
        inputs = {given["name"]: np.load(source / given["file"]) for given in entry["inputs"]}
        return self.compared(entry, source / "model.onnx", folder, inputs, result)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", help="the zoo's folder")
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--models", help="names, models or aliases, separated by commas (default: all but the huge)")
    parser.add_argument("--cases", metavar="FOLDER", help="run the models of this folder instead of the zoo's")
    parser.add_argument("--quick", action="store_true", help="a small model of every family")
    parser.add_argument("--suite", action="append", default=[], help="only models of this suite; may be repeated")
    parser.add_argument("--max-mb", type=float, default=1500, help="leave out models with more weights")
    parser.add_argument("--compile-option", action="append", default=[], help="passed to dynac compile")
    parser.add_argument("--generic-only", action="store_true", help="compile with -O0: no claimed kernels")
    parser.add_argument("--one-size", action="store_true", help="the default sizes only")
    parser.add_argument("--doubles", action="store_true", help="measure errors against float64")
    parser.add_argument("--driver", choices=["dynac", "onnxruntime"], default="dynac")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one command")
    parser.add_argument("--work", default=ROOT / "build/zoo", help="scratch folder")
    parser.add_argument("--keep", action="store_true", help="keep models, artifacts and outputs there")
    parser.add_argument("--json", metavar="FILE", help="results as JSON (-: standard output)")
    parser.add_argument("--refused-fails", action="store_true", help="exit code 1 also where something was refused")
    return parser.parse_args(argv)


def choose(args, zoo):
    if args.cases:
        return sorted(file.parent.name for file in Path(args.cases).glob("*/io.json") if (file.parent / "model.onnx").is_file())
    if args.models or args.quick:
        return (args.models or QUICK).split(",")
    return [entry["name"] for entry in zoo.entries.values()
            if entry.get("skeleton") and entry["weight_bytes"] <= args.max_mb * 1e6
            and (not args.suite or entry["suite"] in args.suite)]


def main(argv=None):
    args = parse(argv)
    found = find_zoo(args.zoo)
    if found is None:
        print("zoo.py: skipped: no model zoo; name its folder with --zoo or $DYNAC_ZOO")
        return 77
    module, zoo = found
    names = choose(args, zoo)
    if args.driver == "onnxruntime":
        driver = OnnxRuntime()
    elif not Path(args.dynac).is_file():
        print(f"zoo.py: no {args.dynac}; build it first", file=sys.stderr)
        return 2
    else:
        driver = Cli(args.dynac, ["-O0"] if args.generic_only else [], timeout=args.timeout)
    run, results = (CasesRun if args.cases else ZooRun)(args, module, zoo, driver), []
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        for result in pool.map(run.model, names):
            results.append(result)
            report.progress(len(results), len(names), results)
    if args.json != "-":
        shown = [[r["test"], r["state"], r.get("compile_seconds", ""), r.get("artifact_mb", ""),
                  f"{r['error']:.2g}" if "error" in r else "", f"{r['ort_error']:.2g}" if "ort_error" in r else "",
                  r["seconds"]] for r in results]
        report.table(shown, ["model", "state", "compile s", "MB", "error", "ort", "total s"])
        for result in results:
            if result["message"]:
                print(f"{result['state']}: {result['test']}: {result['message']}")
        passed = sum(result["state"] == "passed" for result in results)
        print(f"{passed} of {len(results)} models pass")
    if args.json:
        report.write_json(args.json, results)
    bad = {FAILED, CRASHED} | ({"refused"} if args.refused_fails else set())
    return 1 if any(result["state"] in bad for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
