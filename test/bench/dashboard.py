#!/usr/bin/env python3
# ===- dashboard.py - PyTorch 2's benchmark, by dynac and its peers -----------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Compiles the models of a zoo for one size each, compares their numbers with onnxruntime's and times dynac and its CPU peers
side by side: onnxruntime, OpenVINO in f32, and OpenVINO as it comes.

A ratio is the least CPU time of a peer over dynac's: above 1 dynac is faster. Geometric means are over models that take
onnxruntime a millisecond or more, against the faster of the two f32 peers; a model that dynac does not get right counts 0.5.
Results are kept in a folder, one JSON file a model, so that a run that was interrupted goes on (--again repeats). Writes
dashboard.md, dashboard.json and dashboard.html there.

The zoo is a folder with models.json, skeletons and hydrate.py: --zoo, else $DYNAC_ZOO, else ../shared/zoo beside the
repository. The exit code is 77 if there is none or a Python package is missing."""

import argparse
import json
import math
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/e2e"))

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"dashboard.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

import contenders
import dashboard_pages as pages
from drivers import Cli
from zoo import find_zoo

MISSED = 0.5  # the ratio of a model that dynac does not get right


class Dashboard:
    def __init__(self, args, module, zoo):
        self.args, self.module, self.zoo = args, module, zoo
        self.cli = Cli(args.dynac)  # a copy: a build beside a long run changes nothing

    def measure(self, entry):
        folder = self.args.out / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sizes = {name: size for name, size in self.args.dim if name in entry["dims"]}
        result = {"name": entry["name"], "suite": entry["suite"], "parameters": entry["params"], "state": "passed", "why": "",
                  "sizes": self.module.dims_of(entry, **sizes)}
        path = self.module.write_model(self.zoo, entry, str(folder))
        feeds = self.feeds(path, self.module.make_inputs(entry, **sizes))
        processes = {}
        try:
            self.run_dynac(entry, path, feeds, folder, processes, result)
            self.start_peers(path, feeds, folder, processes, result)
            times = contenders.best_times(processes, self.args.seconds, self.args.rounds)
            result["ms"] = {name: time / 1e6 for name, time in times.items()}
            result["memory_mb"] = {name: process.peak_memory() / 1e6 for name, process in processes.items()}
        except contenders.Unavailable as why:
            result.update(state="failed", why=str(why))
        finally:
            for process in processes.values():
                process.close()
        shutil.rmtree(folder, ignore_errors=True)
        return result

    @staticmethod
    def feeds(path, inputs):
        """The inputs that the graph has."""
        graph = onnx.load(path, load_external_data=False).graph
        weights = {tensor.name for tensor in graph.initializer}
        return {info.name: inputs[info.name] for info in graph.input if info.name in inputs and info.name not in weights}

    def run_dynac(self, entry, path, feeds, folder, processes, result):
        try:
            result["compile_s"] = contenders.compile_dynac(self.cli.program, path, feeds, folder / "model.so",
                                                           self.args.compile_option, self.args.patience)
            result["artifact_mb"] = (folder / "model.so").stat().st_size / 1e6
            files = {}
            for name, array in feeds.items():
                files[name] = folder / f"input_{len(files)}.npy"
                np.save(files[name], array)
            types = {info.name: info.type for info in onnx.load(path, load_external_data=False).graph.output}
            outcome = self.cli.run(folder / "model.so", files, types, folder / "out")
            if not outcome.ok:
                raise contenders.Unavailable(outcome.message)
            want = self.module.run_onnxruntime(path, feeds)
            problems = self.module.compare(entry, list(outcome.outputs.values()), want)
            if problems:
                result.update(state="differs", why="; ".join(problems)[:200])
            processes["dynac"] = contenders.start_dynac(self.cli.program, folder / "model.so", files, self.args.threads)
        except contenders.Unavailable as why:
            result.update(state="failed", why=str(why))

    def start_peers(self, path, feeds, folder, processes, result):
        np.savez(folder / "inputs.npz", **feeds)
        for peer in self.args.peers.split(","):
            try:
                processes[peer] = contenders.start_peer(peer, path, folder / "inputs.npz", self.args.threads)
            except contenders.Unavailable as why:
                result.setdefault("missing", {})[peer] = str(why)


def ratio(result):
    """The faster f32 peer's time over dynac's; nothing where no peer runs the model."""
    times = result.get("ms", {})
    peers = [times[name] for name in ("onnxruntime", "openvino") if name in times]
    if not peers:
        return None
    return min(peers) / times["dynac"] if result["state"] == "passed" and "dynac" in times else MISSED


def is_long(result):
    return result.get("ms", {}).get("onnxruntime", 0) >= 1


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def summary(results):
    """One row per suite and one for all."""
    rows = []
    for suite in [*sorted({r["suite"] for r in results}), None]:
        chosen = [r for r in results if suite in (None, r["suite"])]
        timed = [(r, ratio(r)) for r in chosen if is_long(r) and ratio(r)]
        against = lambda peer: geometric_mean([r["ms"][peer] / r["ms"]["dynac"] for r, _ in timed
                                               if peer in r["ms"] and "dynac" in r["ms"]])
        compiled = [r["compile_s"] for r in chosen if "compile_s" in r]
        memory = [r["memory_mb"]["dynac"] / r["memory_mb"]["onnxruntime"] for r in chosen
                  if {"dynac", "onnxruntime"} <= r.get("memory_mb", {}).keys()]
        rows.append({"suite": suite or "all", "models": len(chosen), "right": sum(r["state"] == "passed" for r in chosen),
                     "timed": len(timed), "best_f32": geometric_mean([value for _, value in timed]),
                     **{peer: against(peer) for peer in contenders.PEERS},
                     "below_0.9": sum(value < 0.9 for _, value in timed),
                     "compile_s": geometric_mean(compiled), "memory": geometric_mean(memory)})
    return rows


def size_of(text):
    name, _, size = text.partition("=")
    if not name or not size.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE")
    return name, int(size)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", help="the zoo's folder")
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/dashboard", help="where results are kept")
    parser.add_argument("--models", help="names, separated by commas (default: all of at most --parameters)")
    parser.add_argument("--parameters", type=float, default=600e6, help="leave out larger models")
    parser.add_argument("--peers", default=",".join(contenders.PEERS), help="which, separated by commas (default: all)")
    parser.add_argument("--dim", type=size_of, action="append", default=[], metavar="NAME=SIZE",
                        help="a dimension's size (default: batch=1, others as the zoo has them)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="how long to time one model")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contender at least")
    parser.add_argument("--patience", type=int, default=600, help="seconds for one compilation")
    parser.add_argument("--compile-option", action="append", default=[], help="passed to dynac compile")
    parser.add_argument("--again", action="store_true", help="measure also what was measured")
    args = parser.parse_args(argv)
    args.dim = [("batch", 1), *args.dim]
    return args


def main(argv=None):
    args = parse(argv)
    found = find_zoo(args.zoo)
    if found is None:
        print("dashboard.py: skipped: no model zoo; name its folder with --zoo or $DYNAC_ZOO")
        return 77
    module, zoo = found
    if not Path(args.dynac).is_file():
        print(f"dashboard.py: no {args.dynac}; build it first", file=sys.stderr)
        return 2
    names = args.models.split(",") if args.models else sorted(
        (e["name"] for e in zoo.entries.values() if e.get("skeleton") and e["params"] <= args.parameters),
        key=lambda name: zoo.entries[name]["weight_bytes"])
    (args.out / "models").mkdir(parents=True, exist_ok=True)
    board = Dashboard(args, module, zoo)
    for number, name in enumerate(names):
        kept = args.out / "models" / f"{name}.json"
        if kept.is_file() and not args.again:
            continue
        result = board.measure(zoo.find(name))
        kept.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        value = ratio(result)
        print(f"{number + 1}/{len(names)} {name}: {result['state']} {result['why']} "
              f"{f'{value:.2f}' if value else '-'}  "
              + "  ".join(f"{peer} {ms:.2f}" for peer, ms in result.get("ms", {}).items()), flush=True)
    results = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((args.out / "models").glob("*.json"))]
    for result in results:
        result["ratio"], result["long"] = ratio(result), is_long(result)
    rows = summary(results)
    facts = {"cpu": pages.cpu_name(), "threads": args.threads, "date": time.strftime("%Y-%m-%d")}
    (args.out / "dashboard.json").write_text(json.dumps({**facts, "summary": rows, "models": results}, indent=1) + "\n",
                                             encoding="utf-8")
    (args.out / "dashboard.md").write_text(pages.markdown(rows, results, facts), encoding="utf-8")
    (args.out / "dashboard.html").write_text(pages.html(rows, results, facts), encoding="utf-8")
    print(pages.markdown(rows, [], facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
