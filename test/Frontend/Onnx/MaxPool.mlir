// RUN: dynac-check %s
// y = the largest element of each window; padding does not count. Indices are those of the flattened x.

func.func @plain() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = model.node "onnx.MaxPool" opset 12 (%x) {kernel_shape = [2, 2]} : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[5.0, 6.0], [8.0, 9.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @indices() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y, %indices = model.node "onnx.MaxPool" opset 12 (%x)
    {kernel_shape = [2, 2], strides = [1, 1], pads = [0, 0, 1, 1]} :
    (tensor<1x1x3x3xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi64>)
  check.equal %y, dense<[[[[5.0, 6.0, 6.0], [8.0, 9.0, 9.0], [8.0, 9.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  check.equal %indices, dense<[[[[4, 5, 5], [7, 8, 8], [7, 8, 8]]]]> : tensor<1x1x3x3xi64>
  return
}

func.func @column_major() {
  %x = check.input dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y, %indices = model.node "onnx.MaxPool" opset 8 (%x) {kernel_shape = [2, 2], storage_order = 1} :
    (tensor<1x1x3x3xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  check.equal %y, dense<[[[[5.0, 6.0], [8.0, 9.0]]]]> : tensor<1x1x2x2xf32>
  check.equal %indices, dense<[[[[4, 7], [5, 8]]]]> : tensor<1x1x2x2xi64>
  return
}

func.func @ceil_mode() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %y = model.node "onnx.MaxPool" opset 10 (%x) {kernel_shape = [2], strides = [2], ceil_mode = 1} :
    (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[2.0, 4.0, 5.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @dilations() {
  %x = check.input dense<[[[1.0, 5.0, 2.0, 7.0, 3.0]]]> : tensor<1x1x5xf32>
  %y = model.node "onnx.MaxPool" opset 10 (%x) {kernel_shape = [2], dilations = [2]} :
    (tensor<1x1x5xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[2.0, 7.0, 3.0]]]> : tensor<1x1x3xf32>
  return
}

// The padding is no 0.
func.func @same_upper() {
  %x = check.input dense<[[[-3.0, -1.0, -2.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.MaxPool" opset 1 (%x) {kernel_shape = [2], auto_pad = "SAME_UPPER"} :
    (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[-1.0, -1.0, -2.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[[[1, 200, 3]]]> : tensor<1x1x3xui8>
  %y = model.node "onnx.MaxPool" opset 12 (%x) {kernel_shape = [2]} : (tensor<1x1x3xui8>) -> tensor<1x1x2xui8>
  check.equal %y, dense<[[[200, 200]]]> : tensor<1x1x2xui8>
  return
}
