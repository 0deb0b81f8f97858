#!/usr/bin/env python3
# ===- shared_weight.py - one weight, packed in two ways ---------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Two convolutions share a weight, as heads over an image pyramid do; the large image takes Winograd's packing, the small
one the direct one. Expected numbers come from numpy. The exit code is 1 on a difference, 77 if the onnx package is missing."""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import helper
except ImportError as missing:
    print(f"shared_weight.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli

SIZES = {"large": 24, "small": 4}


def convolution(x, w):
    """3x3, padding 1, in float64."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,kcij->nkhw", windows, w.astype(np.float64)).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/shared-weight"), help="where files are written")
    options = parser.parse_args()
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    w = (rng.standard_normal((32, 32, 3, 3)) / 17).astype(np.float32)
    nodes, inputs, outputs, given, expected = [], [], [], {}, {}
    for name, size in SIZES.items():
        shape = [1, 32, size, size]
        nodes.append(helper.make_node("Conv", [name, "w"], [f"{name}_y"], pads=[1] * 4))
        inputs.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
        outputs.append(helper.make_tensor_value_info(f"{name}_y", onnx.TensorProto.FLOAT, shape))
        x = rng.standard_normal(shape).astype(np.float32)
        given[name], expected[f"{name}_y"] = work / f"{name}.npy", work / f"{name}_y.npy"
        np.save(given[name], x)
        np.save(expected[f"{name}_y"], convolution(x, w))
    graph = helper.make_graph(nodes, "shared", inputs, outputs, [onnx.numpy_helper.from_array(w, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, work / "shared.onnx")
    cli = Cli(options.dynac, [])
    result = cli.compile(work / "shared.onnx", work / "shared.so")
    if result.ok:
        # Winograd's sums carry about 1e-5 of the largest value.
        result = cli.expect(work / "shared.so", given, expected, rtol=1e-4, atol=1e-4)
    print("passed" if result.ok else f"failed: {result.message}")
    return 0 if result.ok else 1


if __name__ == "__main__":
    sys.exit(main())
