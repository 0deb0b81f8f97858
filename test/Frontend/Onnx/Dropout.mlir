// RUN: dynac-check %s
// y = x, and the mask that goes with it is all true, unless training_mode is.

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

// In training each element is dropped with probability `ratio`, and the others are x / (1 - ratio).
func.func @training() {
  %x = check.input dense<3.0> : tensor<1000xf32>
  %ratio = check.input dense<0.25> : tensor<f32>
  %training = check.constant dense<true> : tensor<i1>
  %y, %mask = model.node "onnx.Dropout" opset 13 (%x, %ratio, %training) {seed = 5} :
    (tensor<1000xf32>, tensor<f32>, tensor<i1>) -> (tensor<1000xf32>, tensor<1000xi1>)
  %kept = model.node "onnx.Cast" opset 13 (%mask) {to = 1} : (tensor<1000xi1>) -> tensor<1000xf32>
  %share = model.node "onnx.ReduceMean" opset 18 (%kept) {keepdims = 0} : (tensor<1000xf32>) -> tensor<f32>
  check.close %share, dense<0.75> : tensor<f32> {atol = 0.1}
  %four = check.constant dense<4.0> : tensor<f32>
  %scaled = model.node "onnx.Mul" opset 14 (%kept, %four) {} : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %difference = model.node "onnx.Sub" opset 14 (%y, %scaled) {} :
    (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  check.close %difference, dense<0.0> : tensor<1000xf32>
  return
}
