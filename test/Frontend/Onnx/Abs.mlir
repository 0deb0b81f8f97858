// RUN: dynac-check %s
// y = |x|; the smallest integer stays itself.

func.func @float() {
  %x = check.input dense<[-1.5, 0.0, 2.5, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %y = model.node "onnx.Abs" opset 13 (%x) {} : (tensor<5xf32>) -> tensor<5xf32>
  check.equal %y, dense<[1.5, 0.0, 2.5, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[-3, 0], [7, -2147483648]]> : tensor<2x2xi32>
  %y = model.node "onnx.Abs" opset 13 (%x) {} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.equal %y, dense<[[3, 0], [7, -2147483648]]> : tensor<2x2xi32>
  return
}

func.func @unsigned() {
  %x = check.input dense<[0, 128, 255]> : tensor<3xui8>
  %y = model.node "onnx.Abs" opset 13 (%x) {} : (tensor<3xui8>) -> tensor<3xui8>
  check.equal %y, dense<[0, 128, 255]> : tensor<3xui8>
  return
}

// Rank 0, and the version with types of its own.
func.func @version_1() {
  %x = check.input dense<-2.25> : tensor<f64>
  %y = model.node "onnx.Abs" opset 6 (%x) {} : (tensor<f64>) -> tensor<f64>
  check.equal %y, dense<2.25> : tensor<f64>
  return
}
