# ===- limits.py - a node for each limit that `dynac ops` prints -------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Nodes that are refused, by operator and the beginning of the limit's text. Dimensions that are names are symbolic."""

import numpy as np
from onnx import helper

from samples import Operand, Sample, make_tensor

F32, I64, I32, U8 = "f32", "i64", "i32", "u8"
OPEN_LIST, OPEN_AXES = "a list of sizes whose length", "axes whose number"
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def x(*dims, dtype=F32):
    return Operand(dtype, dims)


def constant(values, dtype=I64):
    values = np.array(values)
    return Operand(dtype, values.shape, values)


NONE = Operand()
LIST = x("u", dtype=I64)


def graph(nodes, inputs, outputs):
    infos = [[helper.make_empty_tensor_value_info(name) for name in names] for names in (inputs, outputs)]
    return helper.make_graph([helper.make_node(op, ins, outs, **kw) for op, ins, outs, kw in nodes], "body", *infos)


def branch(size):
    return graph([("Constant", [], ["y"], {"value_floats": [1.0] * size})], [], ["y"])


TREE = {"nodes_treeids": [0], "nodes_nodeids": [0], "nodes_featureids": [0], "nodes_modes": ["LEAF"], "nodes_values": [0.0],
        "nodes_truenodeids": [0], "nodes_falsenodeids": [0], "class_treeids": [0], "class_nodeids": [0], "class_ids": [0],
        "class_weights": [1.0]}
TREE5 = {"n_targets": 1 << 25, "nodes_splits": make_tensor(constant([0.0], F32)), "nodes_modes": make_tensor(constant([0], U8)),
         "nodes_featureids": [0], "nodes_truenodeids": [0], "nodes_falsenodeids": [0], "nodes_trueleafs": [1],
         "nodes_falseleafs": [1], "tree_roots": [0], "leaf_targetids": [0], "leaf_weights": make_tensor(constant([1.0], F32))}
GROW = graph([("Concat", ["s", "s"], ["t"], {"axis": 0}), ("Identity", ["c"], ["d"], {})], ["i", "c", "s"], ["d", "t"])
STACK = graph([("Identity", ["s"], ["t"], {}), ("Identity", ["s"], ["u"], {}), ("Identity", ["c"], ["d"], {})],
              ["i", "c", "s"], ["d", "t", "u"])


def cases():
    """(beginning of the limit, node)"""

    def case(limit, op, operands, attributes=None, opset=28, domain="", results=1):
        return limit, Sample(domain, op, 1 if domain == MICROSOFT else opset, tuple(operands), attributes or {}, results)

    yield case(OPEN_LIST, "Reshape", [x(6), LIST])
    yield case(OPEN_LIST, "Expand", [x(6), LIST])
    yield case(OPEN_LIST, "ConstantOfShape", [LIST])
    yield case(OPEN_LIST, "AffineGrid", [x(1, 2, 3), LIST])
    yield case(OPEN_LIST, "Col2Im", [x(1, 4, 4), LIST, LIST])
    yield case(OPEN_AXES, "Squeeze", [x(1, 6), LIST])
    yield case(OPEN_AXES, "Unsqueeze", [x(6), LIST])
    for name in ("Sum", "Prod", "Mean", "Max", "Min", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"):
        yield case(OPEN_AXES, f"Reduce{name}", [x(2, 3), LIST], {"keepdims": 0})
    yield case("strings", "Constant", [], {"value_strings": ["a"]})
    yield case("strings", "LabelEncoder", [x(1, dtype=I64)], {"keys_int64s": [1], "values_strings": ["a"]}, 5, ML)
    yield case("strings", "OneHotEncoder", [x(1, dtype=I64)], {"cats_strings": ["a"]}, 5, ML)
    yield case("strings", "TreeEnsembleClassifier", [x(1, 1)], {**TREE, "classlabels_strings": ["a"]}, 3, ML)
    yield case("one class", "TreeEnsembleClassifier", [x(1, 1)], {**TREE, "classlabels_int64s": [7]}, 3, ML)
    votes = {**{name: [values[0]] * 2048 for name, values in TREE.items()}, "nodes_treeids": list(range(2048)),
             "class_treeids": list(range(2048))}
    yield case("more than 16", "TreeEnsembleClassifier", [x(1, 1)], {**votes, "classlabels_int64s": list(range(8193))}, 3, ML)
    regression = {name.replace("class_", "target_"): values for name, values in TREE.items()}
    yield case("more than 16", "TreeEnsembleRegressor", [x(1, 1)], {**regression, "n_targets": 1 << 25}, 3, ML)
    yield case("more than 16", "TreeEnsemble", [x(1, 1)], TREE5, 5, ML)
    yield case("labels that are strings", "LinearClassifier", [x(1, 1)], {"classlabels_strings": ["a", "b"],
               "coefficients": [1.0, 2.0]}, 5, ML)
    yield case("transBatchA", "FusedMatMul", [x(2, 3, 4), x(2, 4, 5)], {"transBatchA": 1}, domain=MICROSOFT)
    yield case("activations other", "FusedGemm", [x(2, 3), x(3, 4)], {"activation": "Elu"}, domain=MICROSOFT)
    yield case("activations other", "FusedConv", [x(1, 1, 4, 4), x(1, 1, 3, 3)], {"activation": "Elu"}, domain=MICROSOFT)
    rotary = [x(1, 2, 4, 8), x(1, 4, dtype=I64), x(8, 4), x(8, 4)]
    yield case("is_packed_batching", "RotaryEmbedding", rotary, {"is_packed_batching": 1}, domain=MICROSOFT)
    heads = {"num_heads": 2}
    yield case("no num_heads", "MultiHeadAttention", [x(1, 3, 4)] * 3, domain=MICROSOFT)
    yield case("a bias beside", "MultiHeadAttention", [x(1, 3, 2, 3, 2), NONE, NONE, x(12)], heads, domain=MICROSOFT)
    yield case("masks other", "MultiHeadAttention", [*[x(1, 3, 4)] * 3, NONE, x(1, 1, 3, 3, dtype=I32)], heads, domain=MICROSOFT)
    yield case("masks other", "Attention", [x(1, 3, 4), x(4, 12), x(12), x(1, 1, 3, 3, dtype=I32)], heads, domain=MICROSOFT)
    yield case("do_rotary 1", "Attention", [x(1, 3, 4), x(4, 12), x(12)], {**heads, "do_rotary": 1}, domain=MICROSOFT)
    grouped = [x(1, 3, 4), x(1, 3, 4), x(1, 3, 4), NONE, NONE, x(1, dtype=I32)]
    both = {"num_heads": 2, "kv_num_heads": 2}
    yield case("smooth_softmax 1", "GroupQueryAttention", [*grouped, x(dtype=I32)], {**both, "smooth_softmax": 1},
               domain=MICROSOFT, results=3)
    yield case("a total_sequence_length", "GroupQueryAttention", [*grouped, x(2, dtype=I32)], both, domain=MICROSOFT, results=3)
    yield case("bits other than 2", "MatMulNBits", [x(1, 16), x(2, 1, 6, dtype=U8), x(2, 1)],
               {"K": 16, "N": 2, "bits": 3, "block_size": 16}, domain=MICROSOFT)
    yield case("bits other than 4", "GatherBlockQuantized", [x(2, 16, dtype=U8), x(1, dtype=I64), x(2, 1)],
               {"bits": 2, "block_size": 16}, domain=MICROSOFT)
    yield case("branches of different", "If", [x(dtype="bool")], {"then_branch": branch(1), "else_branch": branch(2)})
    yield case("carried values", "Loop", [x(dtype=I64), NONE, x(2)], {"body": GROW})
    yield case("scan outputs", "Loop", [NONE, x(dtype="bool"), x(2)], {"body": STACK}, results=2)
    yield case("index vectors", "GatherND", [x(2, 3), x("u", "v", dtype=I64)])
    yield case("before version 6", "Tile", [x(2, 3), x(1), x(1)], opset=1)
    yield case("before version 2", "Split", [x(3), x(2)], opset=1, results=2)
    channels = [x(2)] * 4
    yield case("spatial 0", "BatchNormalization", [x(1, 2, 3), *channels], {"spatial": 0}, 7)
    yield case("training before", "BatchNormalization", [x(1, 2, 3), *channels], {"is_test": 0}, 6)
    yield case("f8e8m0 as", "DequantizeLinear", [x(2, dtype="f4e2m1"), x(dtype="f8e8m0")])
    yield case("sampling_ratio 0", "RoiAlign", [x(1, 1, 4, 4), x(1, 4), x(1, dtype=I64)])
