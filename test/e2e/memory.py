#!/usr/bin/env python3
# ===- memory.py - compiling does not hold the weights ------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Compiles a chain of products with external weights; anonymous memory stays below that of one layer's model plus 0.3
times the weights."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"memory.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)


def write_chain(path, layers, size):
    """MatMul or transposed Gemm, and Relu, in turn. Returns the bytes of weights."""
    nodes, weights, x, offset = [], [], "x", 0
    values = np.random.default_rng(0).standard_normal(size * size, dtype=np.float32)
    with open(f"{path}.data", "wb") as data:
        for i in range(layers):
            data.write(np.roll(values, i).tobytes())
            weight = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[size, size],
                                 data_location=TensorProto.EXTERNAL)
            for key, value in (("location", f"{path.name}.data"), ("offset", offset), ("length", values.nbytes)):
                weight.external_data.add(key=key, value=str(value))
            weights.append(weight)
            offset += values.nbytes
            nodes.append(helper.make_node("Gemm", [x, f"w{i}"], [f"m{i}"], transB=1) if i % 2 else
                         helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"]))
            nodes.append(helper.make_node("Relu", [f"m{i}"], [f"r{i}"]))
            x = f"r{i}"
    infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size])] for name in ("x", x)]
    graph = helper.make_graph(nodes, "chain", *infos, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return offset


def anonymous_peak(command):
    """The greatest RssAnon of a command, in bytes."""
    process, peak = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    while process.poll() is None:
        try:
            for line in Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").splitlines():
                if line.startswith("RssAnon"):
                    peak = max(peak, int(line.split()[1]) * 1024)
        except OSError:
            pass  # it has just ended
        time.sleep(0.005)
    if process.returncode != 0:
        sys.exit(f"memory.py: {' '.join(map(str, command))}: exit code {process.returncode}")
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default=ROOT / "build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--layers", type=int, default=18, help="of 16.8 MB each")
    parser.add_argument("--work", default=ROOT / "build/memory", help="scratch folder")
    args = parser.parse_args()
    folder = Path(args.work)
    folder.mkdir(parents=True, exist_ok=True)
    path, peaks = folder / "chain.onnx", []
    for layers in (1, args.layers):
        weights = write_chain(path, layers, 2048)
        peaks.append(anonymous_peak([args.dynac, "compile", path, "-o", folder / "chain.so"]))
    for file in folder.iterdir():
        file.unlink()
    limit = peaks[0] + 0.3 * weights
    print(f"{weights / 1e6:.0f} MB of weights: {peaks[1] / 1e6:.0f} MB anonymous, one layer {peaks[0] / 1e6:.0f} MB")
    return 1 if peaks[1] > limit else 0


if __name__ == "__main__":
    sys.exit(main())
