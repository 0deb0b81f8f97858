// RUN: dynac-check %s
// y = x << n or x >> n.

// Bits that leave are lost.
func.func @left() {
  %x = check.input dense<[1, 129, 255]> : tensor<3xui8>
  %y = check.input dense<[1, 1, 4]> : tensor<3xui8>
  %z = model.node "onnx.BitShift" opset 11 (%x, %y) {direction = "LEFT"} :
    (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  check.equal %z, dense<[2, 2, 240]> : tensor<3xui8>
  return
}

func.func @right() {
  %x = check.input dense<[16, 4, 1]> : tensor<3xui32>
  %y = check.input dense<[1, 2, 3]> : tensor<3xui32>
  %z = model.node "onnx.BitShift" opset 11 (%x, %y) {direction = "RIGHT"} :
    (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
  check.equal %z, dense<[8, 1, 0]> : tensor<3xui32>
  return
}

func.func @broadcast() {
  %x = check.input dense<[[1], [3]]> : tensor<2x1xui64>
  %y = check.input dense<[0, 40]> : tensor<2xui64>
  %z = model.node "onnx.BitShift" opset 11 (%x, %y) {direction = "LEFT"} :
    (tensor<2x1xui64>, tensor<2xui64>) -> tensor<2x2xui64>
  check.equal %z, dense<[[1, 1099511627776], [3, 3298534883328]]> : tensor<2x2xui64>
  return
}
