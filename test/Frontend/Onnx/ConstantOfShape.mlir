// RUN: dynac-check %s
// y = a tensor of shape x that holds `value` everywhere; without `value` the 0 of f32.

func.func @zeros() {
  %x = check.constant dense<[2, 3]> : tensor<2xi64>
  %y = model.node "onnx.ConstantOfShape" opset 9 (%x) {} : (tensor<2xi64>) -> tensor<2x3xf32>
  check.equal %y, dense<0.0> : tensor<2x3xf32>
  return
}

func.func @value() {
  %x = check.constant dense<[2]> : tensor<1xi64>
  %y = model.node "onnx.ConstantOfShape" opset 9 (%x) {value = dense<[7]> : tensor<1xi32>} :
    (tensor<1xi64>) -> tensor<2xi32>
  check.equal %y, dense<[7, 7]> : tensor<2xi32>
  return
}

func.func @scalar() {
  %x = check.constant dense<> : tensor<0xi64>
  %y = model.node "onnx.ConstantOfShape" opset 20 (%x) {value = dense<[1.5]> : tensor<1xf32>} :
    (tensor<0xi64>) -> tensor<f32>
  check.equal %y, dense<1.5> : tensor<f32>
  return
}

func.func @empty() {
  %x = check.constant dense<[0, 2]> : tensor<2xi64>
  %y = model.node "onnx.ConstantOfShape" opset 9 (%x) {value = dense<[true]> : tensor<1xi1>} :
    (tensor<2xi64>) -> tensor<0x2xi1>
  check.equal %y, dense<> : tensor<0x2xi1>
  return
}
