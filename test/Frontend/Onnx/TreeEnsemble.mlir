// RUN: dynac-check %s
// y[target] = the sum (mean, minimum, maximum) over the trees of the weight of the leaf that x ends in; ids of leaves and of inner
// nodes are counted apart.

// x0 <= 0.5 ? 10 : x1 < 2 ? 20 : 30.
func.func @one_tree() {
  %x = check.input dense<[[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %y = model.node "ai.onnx.ml.TreeEnsemble" opset 5 (%x)
    {n_targets = 1, tree_roots = [0], nodes_splits = dense<[0.5, 2.0]> : tensor<2xf32>,
     nodes_featureids = [0, 1], nodes_modes = dense<[0, 1]> : tensor<2xui8>, nodes_truenodeids = [0, 1],
     nodes_trueleafs = [1, 1], nodes_falsenodeids = [1, 2], nodes_falseleafs = [0, 1],
     leaf_targetids = [0, 0, 0], leaf_weights = dense<[10.0, 20.0, 30.0]> : tensor<3xf32>} :
    (tensor<3x2xf32>) -> tensor<3x1xf32>
  check.close %y, dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
  return
}

// x0 in {1, 3} ? 5 of target 0 : 6 of target 1.
func.func @membership() {
  %x = check.input dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %y = model.node "ai.onnx.ml.TreeEnsemble" opset 5 (%x)
    {n_targets = 2, tree_roots = [0], nodes_splits = dense<[0.0]> : tensor<1xf32>, nodes_featureids = [0],
     nodes_modes = dense<[6]> : tensor<1xui8>, nodes_truenodeids = [0], nodes_trueleafs = [1],
     nodes_falsenodeids = [1], nodes_falseleafs = [1], leaf_targetids = [0, 1],
     leaf_weights = dense<[5.0, 6.0]> : tensor<2xf32>,
     membership_values = dense<[1.0, 3.0, 0x7FC00000]> : tensor<3xf32>} : (tensor<3x1xf32>) -> tensor<3x2xf32>
  check.close %y, dense<[[5.0, 0.0], [0.0, 6.0], [5.0, 0.0]]> : tensor<3x2xf32>
  return
}
