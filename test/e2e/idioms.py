#!/usr/bin/env python3
# ===- idioms.py - what exporters write in pieces ----------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Idioms that the raise phase rewrites mean the same afterwards: each graph, with that phase and without (-O0), against the
formula in float64. The exit code is 1 on a difference, 77 if the onnx package is missing."""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import helper
except ImportError as missing:
    print(f"idioms.py: skipped: {missing} (tools/install-deps.sh installs it)")
    sys.exit(77)

from drivers import Cli

RNG = np.random.default_rng(0)


def random(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def number(value):
    return np.array(value, np.float32)


def shape(*dims):
    return np.array(dims, np.int64)


def node(op, inputs, output, **attrs):
    return helper.make_node(op, inputs.split(), [output], **attrs)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm():
    """The classic exporter's, up to version 16."""
    x, scale, bias = random(3, 5, 48) + 3, random(48), random(48)
    nodes = [node("ReduceMean", "x", "m", axes=[-1]), node("Sub", "x m", "d"), node("Pow", "d two", "s"),
             node("ReduceMean", "s", "v", axes=[-1]), node("Add", "v e", "a"), node("Sqrt", "a", "r"),
             node("Div", "d r", "n"), node("Mul", "n w", "p"), node("Add", "p b", "y")]
    d = x.astype(np.float64) - x.mean(-1, keepdims=True, dtype=np.float64)
    y = d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale + bias
    return nodes, {"x": x}, {"two": number(2), "e": number(1e-5), "w": scale, "b": bias}, y


def normalize():
    """x / max(|x|, e), with a row of zeros."""
    x = random(6, 40)
    x[2] = 0
    nodes = [node("ReduceL2", "x", "n", axes=[1], keepdims=1), node("Clip", "n e", "c"), node("Div", "x c", "y")]
    wide = x.astype(np.float64)
    return nodes, {"x": x}, {"e": number(1e-12)}, wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)


def softmax_in_pieces():
    x = random(4, 33) * 4
    nodes = [node("ReduceMax", "x", "m", axes=[-1]), node("Sub", "x m", "d"), node("Exp", "d", "e"),
             node("ReduceSum", "e last", "s"), node("Div", "e s", "y")]
    return nodes, {"x": x}, {"last": shape(-1)}, softmax(x.astype(np.float64))


def scaled_attention():
    """q and k are scaled by the root of the usual factor each."""
    q, k, v = random(2, 9, 4, 16), random(2, 11, 4, 16), random(2, 11, 4, 16)
    nodes = [node("Transpose", "q", "qt", perm=[0, 2, 1, 3]), node("Transpose", "k", "kt", perm=[0, 2, 3, 1]),
             node("Transpose", "v", "vt", perm=[0, 2, 1, 3]), node("Mul", "qt c", "qs"), node("Mul", "kt c", "ks"),
             node("MatMul", "qs ks", "s"), node("Softmax", "s", "p", axis=-1), node("MatMul", "p vt", "o"),
             node("Transpose", "o", "y", perm=[0, 2, 1, 3])]
    wide = [t.astype(np.float64).transpose(0, 2, 1, 3) for t in (q, k, v)]
    scores = np.einsum("bhid,bhjd->bhij", wide[0], wide[1]) / 4
    y = np.einsum("bhij,bhjd->bhid", softmax(scores), wide[2]).transpose(0, 2, 1, 3)
    return nodes, {"q": q, "k": k, "v": v}, {"c": number(0.5)}, y


def heads_of_one_product():
    """q, k and v cut out of one product, as GPT-2's, some of them with steps between or from the middle of the sequence."""
    x, w = random(2, 9, 48), random(48, 3 * 64) / 8
    nodes = [node("MatMul", "x w", "qkv"), helper.make_node("Split", ["qkv"], ["qs", "ks", "vs"], axis=2)]
    for name in "qkv":
        nodes += [node("Reshape", f"{name}s heads", f"{name}h"),
                  node("Transpose", f"{name}h", name, perm=[0, 2, 1, 3])]
    nodes += [node("Slice", "q two nine axis", "qc"), node("Slice", "k zero nine axis two", "kc"),
              node("Slice", "v zero nine axis two", "vc"), node("Transpose", "kc", "kt", perm=[0, 1, 3, 2]),
              node("MatMul", "qc kt", "a"), node("Mul", "a c", "s"), node("Softmax", "s", "p", axis=-1),
              node("MatMul", "p vc", "y")]
    qkv = (x.astype(np.float64) @ w).reshape(2, 9, 3, 4, 16).transpose(2, 0, 3, 1, 4)
    y = softmax(qkv[0][:, :, 2:] @ qkv[1][:, :, ::2].swapaxes(2, 3) * 0.25) @ qkv[2][:, :, ::2]
    return nodes, {"x": x}, {"w": w, "heads": shape(2, 9, 4, 16), "c": number(0.25), "zero": shape(0), "two": shape(2),
                             "nine": shape(9), "axis": shape(2)}, y


def heads_of_one_product_first():
    """The same of PyTorch's MultiheadAttention: q, k and v are the first axis, the sequence is before the batch."""
    x, w = random(7, 1, 48), random(48, 3 * 32) / 8
    nodes = [node("MatMul", "x w", "qkv"), node("Reshape", "qkv apart", "five"),
             node("Transpose", "five", "first", perm=[2, 0, 1, 3])]
    for i, name in enumerate("qkv"):
        nodes += [node("Gather", f"first {i}", f"{name}g", axis=0), node("Reshape", f"{name}g heads", f"{name}h"),
                  node("Transpose", f"{name}h", f"{name}m", perm=[1, 0, 2]), node("Reshape", f"{name}m all", name)]
    nodes += [node("Transpose", "k", "kt", perm=[0, 1, 3, 2]), node("MatMul", "q kt", "a"),
              node("Softmax", "a", "p", axis=-1), node("MatMul", "p v", "y")]
    qkv = (x.astype(np.float64) @ w).reshape(7, 1, 3, 4, 8).transpose(2, 1, 3, 0, 4)
    y = softmax(qkv[0] @ qkv[1].swapaxes(2, 3)) @ qkv[2]
    return nodes, {"x": x}, {"w": w, "apart": shape(7, 1, 3, 32), "heads": shape(7, 4, 8), "all": shape(1, 4, 7, 8),
                             "0": np.array(0), "1": np.array(1), "2": np.array(2)}, y


def flattened_layer():
    """A linear layer as Gemm of all rows, an activation and a residual of the unflattened shape."""
    x, w, b = random(2, 7, 24), random(24, 24) / 5, random(24)
    nodes = [node("Reshape", "x rows", "f"), node("Gemm", "f w b", "g"), node("Reshape", "g cube", "u"),
             node("Tanh", "u", "t"), node("Add", "t x", "y")]
    wide = x.astype(np.float64)
    return nodes, {"x": x}, {"rows": shape(-1, 24), "cube": shape(2, 7, 24), "w": w, "b": b}, np.tanh(wide @ w + b) + wide


def layer_of_constants():
    """Relative positions: rows of an embedding are normalised, cut and go through a layer before they meet an input."""
    x, rows, scale, w, b = random(3, 5, 8), random(12, 24) + 1, random(24), random(24, 16) / 5, random(16)
    nodes = [node("ReduceMean", "rows", "m", axes=[-1]), node("Sub", "rows m", "d"), node("Mul", "d d", "s"),
             node("ReduceMean", "s", "v", axes=[-1]), node("Sqrt", "v", "r"), node("Div", "d r", "n"), node("Mul", "n scale", "p"),
             node("Slice", "p from to axis step", "c"), node("MatMul", "c w", "g"), node("Add", "g b", "k"),
             node("Reshape", "k heads", "kh"), node("Transpose", "kh", "kt", perm=[1, 2, 0]), node("MatMul", "x kt", "y")]
    wide = rows.astype(np.float64)
    d = wide - wide.mean(-1, keepdims=True)
    layer = (d / np.sqrt((d * d).mean(-1, keepdims=True)) * scale)[2:11:3] @ w + b
    y = np.einsum("ahd,jad->ahj", x.astype(np.float64)[:2], layer.reshape(3, 2, 8))
    return nodes, {"x": x[:2]}, {"rows": rows, "scale": scale, "w": w, "b": b, "heads": shape(3, 2, 8), "from": shape(2),
                                 "to": shape(11), "axis": shape(0), "step": shape(3)}, y


def standardised_filters():
    """Filters by their own mean and deviation, computed from constants only (NFNet); half of them are used."""
    x, w, gain = random(1, 6, 9), random(8, 3, 3) + 1, random(8, 1, 1)
    nodes = [node("ReduceMean", "w", "m", axes=[1, 2]), node("Sub", "w m", "d"), node("Mul", "d d", "s"),
             node("ReduceMean", "s", "v", axes=[1, 2]), node("Add", "v e", "a"), node("Sqrt", "a", "r"),
             node("Div", "d r", "n"), node("Mul", "n g", "f"), node("Slice", "f from to along by", "h"),
             node("Conv", "x h", "y", group=2, pads=[1, 1])]
    d = w.astype(np.float64) - w.mean((1, 2), keepdims=True, dtype=np.float64)
    f = (d / np.sqrt((d * d).mean((1, 2), keepdims=True) + 1e-5) * gain)[1::2]
    columns = np.lib.stride_tricks.sliding_window_view(np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1))), 3, axis=2)
    y = np.concatenate([np.einsum("ncpt,kct->nkp", columns[:, 3 * g:3 * g + 3], f[2 * g:2 * g + 2]) for g in range(2)], 1)
    return nodes, {"x": x}, {"w": w, "g": gain, "e": number(1e-5), "from": shape(1), "to": shape(8), "along": shape(0),
                             "by": shape(2)}, y


def reordered_gates():
    """PyTorch's gates i f g o become the operator's i o f g by slices; the sequence is a loop."""
    steps, width = 20, 24
    x, w, r, b = random(steps, 2, 8), random(4 * width, 8) / 4, random(4 * width, width) / 4, random(8 * width)
    nodes, constants = [], {"w": w, "r": r, "b": b, "axis": shape(0)}
    for gate in range(4):
        constants[f"from{gate}"], constants[f"to{gate}"] = shape(gate * width), shape((gate + 1) * width)
        nodes += [node("Slice", f"{name} from{gate} to{gate} axis", f"{name}{gate}") for name in "wr"]
    for name in "wr":
        nodes += [helper.make_node("Concat", [f"{name}{gate}" for gate in (0, 3, 1, 2)], [f"{name}c"], axis=0),
                  node("Unsqueeze", f"{name}c axis", f"{name}u")]
    nodes += [node("Unsqueeze", "b axis", "bu"), node("LSTM", "x wu ru bu", "all", hidden_size=width),
              helper.make_node("Squeeze", ["all", "one"], ["y"])]
    constants["one"] = shape(1)
    order = np.r_[0:width, 3 * width:4 * width, width:3 * width]
    w, r, b = w[order].astype(np.float64), r[order].astype(np.float64), b[:4 * width] + b[4 * width:].astype(np.float64)
    sigmoid = lambda value: 1 / (1 + np.exp(-value))
    h = c = np.zeros((2, width))
    y = np.zeros((steps, 2, width))
    for step in range(steps):
        i, o, f, g = np.split(x[step] @ w.T + h @ r.T + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        y[step] = h = sigmoid(o) * np.tanh(c)
    return nodes, {"x": x}, constants, y


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dynac", default="build/bin/dynac", help="the program (default: build/bin/dynac)")
    parser.add_argument("--work", type=Path, default=Path("build/idioms"), help="where files are written")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for idiom in (layer_norm, normalize, softmax_in_pieces, scaled_attention, heads_of_one_product,
                  heads_of_one_product_first, flattened_layer, layer_of_constants, standardised_filters,
                  reordered_gates):
        nodes, inputs, constants, expected = idiom()
        base = options.work / idiom.__name__
        info = lambda name, array: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, array.shape)
        graph = helper.make_graph(nodes, idiom.__name__, [info(*item) for item in inputs.items()], [info("y", expected)],
                                  [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), f"{base}.onnx")
        files = {name: f"{base}_{name}.npy" for name in inputs}
        for name, array in inputs.items():
            np.save(files[name], array)
        np.save(f"{base}_y.npy", expected.astype(np.float32))
        for level in ([], ["-O0"]):
            cli = Cli(options.dynac, level)
            result = cli.compile(f"{base}.onnx", f"{base}.so")
            if result.ok:
                result = cli.expect(f"{base}.so", files, {"y": f"{base}_y.npy"}, rtol=2e-5, atol=5e-6)
            if not result.ok:
                failed += 1
                print(f"failed: {idiom.__name__} {' '.join(level)}: {result.message}")
    print("passed" if not failed else f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
