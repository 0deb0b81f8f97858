// RUN: dynac-check %s
// y[target] = base + the sum (mean, minimum, maximum) over the trees of the weights of the leaf that x ends in.

// x0 <= 0.5 ? 10 : x1 < 2 ? 20 : 30.
func.func @one_tree() {
  %x = check.input dense<[[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %y = model.node "ai.onnx.ml.TreeEnsembleRegressor" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"], nodes_values = [0.5, 0.0, 2.0, 0.0, 0.0],
     nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0], target_treeids = [0, 0, 0],
     target_nodeids = [1, 3, 4], target_ids = [0, 0, 0], target_weights = [10.0, 20.0, 30.0], n_targets = 1} :
    (tensor<3x2xf32>) -> tensor<3x1xf32>
  check.close %y, dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
  return
}

// (x0 > 0.5 ? 1 : 2) + (x1 >= 2 ? 10 : 20) + 0.5.
func.func @two_trees() {
  %x = check.input dense<[[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %y = model.node "ai.onnx.ml.TreeEnsembleRegressor" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2],
     nodes_featureids = [0, 0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_GT", "LEAF", "LEAF", "BRANCH_GTE", "LEAF", "LEAF"],
     nodes_values = [0.5, 0.0, 0.0, 2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0, 1, 0, 0],
     nodes_falsenodeids = [2, 0, 0, 2, 0, 0], target_treeids = [0, 0, 1, 1], target_nodeids = [1, 2, 1, 2],
     target_ids = [0, 0, 0, 0], target_weights = [1.0, 2.0, 10.0, 20.0], n_targets = 1, base_values = [0.5]} :
    (tensor<3x2xf32>) -> tensor<3x1xf32>
  check.close %y, dense<[[22.5], [21.5], [11.5]]> : tensor<3x1xf32>
  return
}

func.func @average() {
  %x = check.input dense<[[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %y = model.node "ai.onnx.ml.TreeEnsembleRegressor" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 1, 1, 1], nodes_nodeids = [0, 1, 2, 0, 1, 2],
     nodes_featureids = [0, 0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_GT", "LEAF", "LEAF", "BRANCH_GTE", "LEAF", "LEAF"],
     nodes_values = [0.5, 0.0, 0.0, 2.0, 0.0, 0.0], nodes_truenodeids = [1, 0, 0, 1, 0, 0],
     nodes_falsenodeids = [2, 0, 0, 2, 0, 0], target_treeids = [0, 0, 1, 1], target_nodeids = [1, 2, 1, 2],
     target_ids = [0, 0, 0, 0], target_weights = [1.0, 2.0, 10.0, 20.0], n_targets = 1,
     aggregate_function = "AVERAGE"} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  check.close %y, dense<[[11.0], [10.5], [5.5]]> : tensor<3x1xf32>
  return
}

// Goes where nodes_missing_value_tracks_true says.
func.func @not_a_number() {
  %x = check.input dense<[[0x7FC00000, 0.0]]> : tensor<1x2xf32>
  %y = model.node "ai.onnx.ml.TreeEnsembleRegressor" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"], nodes_values = [0.5, 0.0, 2.0, 0.0, 0.0],
     nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0],
     nodes_missing_value_tracks_true = [1, 0, 0, 0, 0], target_treeids = [0, 0, 0], target_nodeids = [1, 3, 4],
     target_ids = [0, 0, 0], target_weights = [10.0, 20.0, 30.0], n_targets = 1} :
    (tensor<1x2xf32>) -> tensor<1x1xf32>
  check.close %y, dense<[[10.0]]> : tensor<1x1xf32>
  return
}
