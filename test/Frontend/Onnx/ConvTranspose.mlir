// RUN: dynac-check %s
// y[p * stride + w * dilation - pad] += x[p] * W[w]: the transpose of a convolution.

func.func @plain() {
  %x = check.input dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %w = check.input dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.ConvTranspose" opset 11 (%x, %w) {} :
    (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  check.equal %y, dense<[[[1.0, 12.0, 23.0, 30.0]]]> : tensor<1x1x4xf32>
  return
}

func.func @strides_and_bias() {
  %x = check.input dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %w = check.input dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %b = check.input dense<[0.5]> : tensor<1xf32>
  %y = model.node "onnx.ConvTranspose" opset 11 (%x, %w, %b) {strides = [2, 2]} :
    (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  check.equal %y, dense<[[[[1.5, 1.5, 2.5, 2.5], [1.5, 1.5, 2.5, 2.5], [3.5, 3.5, 4.5, 4.5],
                         [3.5, 3.5, 4.5, 4.5]]]]> : tensor<1x1x4x4xf32>
  return
}

func.func @pads() {
  %x = check.input dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %w = check.input dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  %y = model.node "onnx.ConvTranspose" opset 11 (%x, %w) {pads = [1, 1]} :
    (tensor<1x1x3xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[12.0, 123.0, 230.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @output_padding() {
  %x = check.input dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %w = check.input dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.ConvTranspose" opset 11 (%x, %w) {strides = [3], output_padding = [1]} :
    (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x6xf32>
  check.equal %y, dense<[[[1.0, 10.0, 0.0, 2.0, 20.0, 0.0]]]> : tensor<1x1x6xf32>
  return
}

func.func @groups() {
  %x = check.input dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %w = check.constant dense<[[[1.0, 1.0]], [[1.0, -1.0]]]> : tensor<2x1x2xf32>
  %y = model.node "onnx.ConvTranspose" opset 11 (%x, %w) {group = 2} :
    (tensor<1x2x2xf32>, tensor<2x1x2xf32>) -> tensor<1x2x3xf32>
  check.equal %y, dense<[[[1.0, 3.0, 2.0], [3.0, 1.0, -4.0]]]> : tensor<1x2x3xf32>
  return
}

func.func @dilations() {
  %x = check.input dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %w = check.input dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.ConvTranspose" opset 22 (%x, %w) {dilations = [2]} :
    (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  check.equal %y, dense<[[[1.0, 2.0, 10.0, 20.0]]]> : tensor<1x1x4xf32>
  return
}
