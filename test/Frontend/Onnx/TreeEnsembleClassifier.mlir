// RUN: dynac-check %s
// Z[class] = base + the sum over the trees of the weights of the leaf that x ends in, Y = the label of the largest.

func.func @three_classes() {
  %x = check.input dense<[[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %y, %z = model.node "ai.onnx.ml.TreeEnsembleClassifier" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"], nodes_values = [0.5, 0.0, 2.0, 0.0, 0.0],
     nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0], class_treeids = [0, 0, 0],
     class_nodeids = [1, 3, 4], class_ids = [0, 1, 2], class_weights = [1.0, 2.0, 3.0],
     classlabels_int64s = [7, 8, 9]} : (tensor<3x2xf32>) -> (tensor<3xi64>, tensor<3x3xf32>)
  check.equal %y, dense<[7, 8, 9]> : tensor<3xi64>
  check.close %z, dense<[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf32>
  return
}

func.func @softmax() {
  %x = check.input dense<[[0.5, 0.0]]> : tensor<1x2xf32>
  %y, %z = model.node "ai.onnx.ml.TreeEnsembleClassifier" opset 1 (%x)
    {nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], nodes_featureids = [0, 0, 1, 0, 0],
     nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"], nodes_values = [0.5, 0.0, 2.0, 0.0, 0.0],
     nodes_truenodeids = [1, 0, 3, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0], class_treeids = [0, 0, 0, 0],
     class_nodeids = [1, 1, 3, 4], class_ids = [0, 1, 1, 2], class_weights = [1.0, 2.0, 2.0, 3.0],
     classlabels_int64s = [7, 8, 9], post_transform = "SOFTMAX"} :
    (tensor<1x2xf32>) -> (tensor<1xi64>, tensor<1x3xf32>)
  check.equal %y, dense<[8]> : tensor<1xi64>
  check.close %z, dense<[[0.2447285, 0.6652409, 0.09003057]]> : tensor<1x3xf32>
  return
}
