// RUN: dynac-check %s
// x cropped or padded with zeros to `shape` along `axes`, around the middle.

func.func @crop() {
  %input_data = check.input dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %shape = check.constant dense<[3]> : tensor<1xi64>
  %output_data = model.node "onnx.CenterCropPad" opset 18 (%input_data, %shape) {} :
    (tensor<5xf32>, tensor<1xi64>) -> tensor<3xf32>
  check.equal %output_data, dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  return
}

func.func @pad() {
  %input_data = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = check.constant dense<[5]> : tensor<1xi64>
  %output_data = model.node "onnx.CenterCropPad" opset 18 (%input_data, %shape) {} :
    (tensor<2xf32>, tensor<1xi64>) -> tensor<5xf32>
  check.equal %output_data, dense<[0.0, 1.0, 2.0, 0.0, 0.0]> : tensor<5xf32>
  return
}

func.func @one_of_each() {
  %input_data = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %shape = check.constant dense<[3, 2]> : tensor<2xi64>
  %output_data = model.node "onnx.CenterCropPad" opset 18 (%input_data, %shape) {} :
    (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  check.equal %output_data, dense<[[1.0, 2.0], [4.0, 5.0], [0.0, 0.0]]> : tensor<3x2xf32>
  return
}

func.func @axes() {
  %input_data = check.input dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %shape = check.constant dense<[1]> : tensor<1xi64>
  %output_data = model.node "onnx.CenterCropPad" opset 18 (%input_data, %shape) {axes = [-1]} :
    (tensor<1x3xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  check.equal %output_data, dense<[[2.0]]> : tensor<1x1xf32>
  return
}
