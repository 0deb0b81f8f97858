#!/usr/bin/env python3
# ===- dashboard.py - PyTorch 2's benchmark, by dynac and its peers -----------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Makes the table of PyTorch 2's benchmark: compiles the models of a zoo for one size each, compares their numbers with
onnxruntime's, and times dynac and its CPU peers side by side.

Peers are Python packages; those that are not installed are named and left out. torch.compile and AOTInductor get the model
through onnx2torch; --python runs the peers with another interpreter. A peer that does not answer within --patience is ended
and counts as one that does not run the model.

Results are kept in a folder, one JSON file a model, so that a run that was interrupted goes on (--again repeats). Writes
dashboard.md, dashboard.json and dashboard.html there.

The zoo is a folder with models.json, skeletons and hydrate.py: --zoo, else $DYNAC_ZOO, else ../shared/zoo beside the
repository. The exit code is 77 if there is none or a Python package is missing."""

import argparse
import json
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
import dashboard_tables as tables
from drivers import Cli
from zoo import feeds_of, find_zoo, output_types, save_inputs


class Dashboard:
    def __init__(self, args, module, zoo):
        self.args, self.module, self.zoo = args, module, zoo
        self.cli = Cli(args.dynac, timeout=args.patience)

    def measure(self, entry):
        folder = self.args.out / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sizes = self.module.dims_of(entry, **{name: size for name, size in self.args.dim if name in entry["dims"]})
        result = {"name": entry["name"], "suite": entry["suite"], "parameters": entry["params"], "state": "passed", "why": "",
                  "sizes": sizes, "ms": {}, "compile_s": {}, "memory_mb": {}, "missing": {}}
        processes = {}
        try:
            path = Path(self.module.write_model(self.zoo, entry, str(folder)))
            feeds = feeds_of(onnx.load(path, load_external_data=False).graph, self.module.make_inputs(entry, **sizes))
            fix_sizes(path, feeds)
            try:
                self.start_dynac(entry, path, feeds, folder, processes, result)
            except contenders.Unavailable as why:
                result.update(state="failed", why=str(why))
                result["missing"]["dynac"] = str(why)
            self.start_peers(path, feeds, folder, processes, result)
            self.time(processes, result)
        except Exception as error:  # one model must not end the others
            result.update(state="failed", why=f"runner: {type(error).__name__}: {error}"[:200])
        finally:
            for process in processes.values():
                process.close()
        shutil.rmtree(folder, ignore_errors=True)
        return result

    def start_dynac(self, entry, path, feeds, folder, processes, result):
        artifact = folder / "model.so"
        result["compile_s"]["dynac"] = contenders.compile_dynac(self.cli.program, path, feeds, artifact, self.args.compile_option,
                                                                self.args.patience)
        result["artifact_mb"] = artifact.stat().st_size / 1e6
        files = save_inputs(feeds, folder)
        outcome = self.cli.run(artifact, files, output_types(onnx.load(path, load_external_data=False).graph), folder / "out")
        if not outcome.ok:
            raise contenders.Unavailable(outcome.message)
        problems = self.module.compare(entry, list(outcome.outputs.values()), self.module.run_onnxruntime(str(path), feeds))
        if problems:
            result.update(state="differs", why="; ".join(problems)[:200])
        processes["dynac"] = contenders.start_dynac(self.cli.program, artifact, files, self.args.threads, self.args.patience)

    def start_peers(self, path, feeds, folder, processes, result):
        np.savez(folder / "inputs.npz", **feeds)
        for peer in self.args.peers:
            try:
                processes[peer] = contenders.start_peer(self.args.python, peer, path, folder / "inputs.npz", self.args.threads,
                                                        self.args.patience)
                result["compile_s"][peer] = processes[peer].ready_cpu
            except contenders.Unavailable as why:
                result["missing"][peer] = str(why)

    def time(self, processes, result):
        times, missing = contenders.best_times(processes, self.args.seconds, self.args.rounds, use_cpu=self.args.threads == 1)
        result["ms"] = {name: seconds * 1e3 for name, seconds in times.items()}
        result["memory_mb"] = {name: process.peak_memory() / 1e6 for name, process in processes.items()}
        result["missing"].update(missing)
        if "dynac" in missing:
            result.update(state="failed", why=missing["dynac"])


def fix_sizes(path, feeds):
    """Writes the inputs' sizes into the file, so that all contenders know them alike."""
    model = onnx.load(path, load_external_data=False)
    for info in model.graph.input:
        if info.name in feeds:
            for dim, size in zip(info.type.tensor_type.shape.dim, feeds[info.name].shape):
                dim.dim_value = size
    path.write_bytes(model.SerializeToString())


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
    parser.add_argument("--peers", default=",".join(contenders.PEERS), help="which, separated by commas (default: %(default)s)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers (default: this one)")
    parser.add_argument("--dim", type=size_of, action="append", default=[], metavar="NAME=SIZE",
                        help="a dimension's size (default: batch=1, others as the zoo has them)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="how long to time one model")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contender at least")
    parser.add_argument("--patience", type=int, default=600, help="seconds for one compilation, and for one answer of a contender")
    parser.add_argument("--compile-option", action="append", default=[], help="passed to dynac compile")
    parser.add_argument("--again", action="store_true", help="measure also what was measured")
    args = parser.parse_args(argv)
    args.dim = [("batch", 1), *args.dim]
    args.peers = [peer for peer in args.peers.split(",") if peer]
    if unknown := set(args.peers) - set(contenders.PEERS):
        parser.error(f"--peers: unknown {', '.join(sorted(unknown))}")
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
        unfinished = kept.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        unfinished.rename(kept)
        times = "  ".join(f"{peer} {ms:.2f}" for peer, ms in result["ms"].items())
        print(f"{number + 1}/{len(names)} {name}: {result['state']} {result['why']} {pages.shown(tables.ratio(result))}  {times}",
              flush=True)
    write_pages(args)
    return 0


def write_pages(args):
    """Of all results that are kept."""
    results = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((args.out / "models").glob("*.json"))]
    facts = {"cpu": cpu_name(), "threads": args.threads, "date": time.strftime("%Y-%m-%d"),
             "clock": "CPU" if args.threads == 1 else "wall"}
    everything = {**facts, "suites": tables.suites(results), "contenders": tables.contenders(results),
                  "models": [{**result, "speed": tables.ratio(result), "short": tables.is_short(result)} for result in results]}
    (args.out / "dashboard.json").write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    (args.out / "dashboard.md").write_text(pages.markdown(results, facts), encoding="utf-8")
    (args.out / "dashboard.html").write_text(pages.html(results, facts), encoding="utf-8")
    print(pages.markdown(results, facts, with_models=False))


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown CPU"


if __name__ == "__main__":
    sys.exit(main())
