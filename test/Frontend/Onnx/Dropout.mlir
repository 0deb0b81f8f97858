// RUN: dynac-check %s
// y = x; the mask that goes with it is all true.

func.func @inference() {
  %x = check.input dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y, %mask = model.node "onnx.Dropout" opset 13 (%x) {} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>)
  check.equal %y, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  check.equal %mask, dense<[true, true, true]> : tensor<3xi1>
  return
}

func.func @ratio_is_ignored() {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf16>
  %ratio = check.input dense<0.9> : tensor<f32>
  %y = model.node "onnx.Dropout" opset 12 (%x, %ratio) {} : (tensor<2xf16>, tensor<f32>) -> tensor<2xf16>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf16>
  return
}

func.func @version_7() {
  %x = check.input dense<[[1.0]]> : tensor<1x1xf32>
  %y = model.node "onnx.Dropout" opset 7 (%x) {ratio = 0.9} : (tensor<1x1xf32>) -> tensor<1x1xf32>
  check.equal %y, dense<[[1.0]]> : tensor<1x1xf32>
  return
}

func.func @training() attributes {check.refused = "training"} {
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %ratio = check.input dense<0.5> : tensor<f32>
  %training_mode = check.constant dense<true> : tensor<i1>
  %y = model.node "onnx.Dropout" opset 13 (%x, %ratio, %training_mode) {} :
    (tensor<2xf32>, tensor<f32>, tensor<i1>) -> tensor<2xf32>
  return
}
