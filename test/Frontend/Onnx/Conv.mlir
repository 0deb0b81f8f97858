// RUN: dynac-check %s
// y = the sum over channels c and window w of x[c, p * stride + w * dilation - pad] * W[w] + b.

func.func @plain() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.constant dense<[[[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w) {} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[-4.0, -4.0], [-4.0, -4.0]]]]> : tensor<1x1x2x2xf32>
  return
}

func.func @pads_and_bias() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.constant dense<[[[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %b = check.input dense<[10.0]> : tensor<1xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w, %b) {pads = [1, 0, 0, 1]} :
    (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  check.equal %y, dense<[[[[9.0, 8.0, 10.0], [6.0, 6.0, 12.0], [6.0, 6.0, 15.0]]]]> : tensor<1x1x3x3xf32>
  return
}

func.func @strides_and_dilations() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0, 9.0], [10.0, 11.0, 12.0, 13.0, 14.0],
                          [15.0, 16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0, 24.0]]]]> : tensor<1x1x5x5xf32>
  %w = check.constant dense<[[[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w) {strides = [2, 1], dilations = [2, 2]} :
    (tensor<1x1x5x5xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x3xf32>
  check.equal %y, dense<-12.0> : tensor<1x1x2x3xf32>
  return
}

// One dimension, a group for each channel.
func.func @groups() {
  %x = check.input dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %w = check.constant dense<[[[1.0, 1.0]], [[1.0, -1.0]]]> : tensor<2x1x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w) {group = 2} :
    (tensor<1x2x3xf32>, tensor<2x1x2xf32>) -> tensor<1x2x2xf32>
  check.equal %y, dense<[[[3.0, 5.0], [-1.0, -1.0]]]> : tensor<1x2x2xf32>
  return
}

func.func @same_upper() {
  %x = check.input dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %w = check.constant dense<[[[1.0, 1.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w) {auto_pad = "SAME_UPPER", strides = [2]} :
    (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  check.equal %y, dense<[[[3.0, 7.0]]]> : tensor<1x1x2xf32>
  return
}

func.func @same_lower() {
  %x = check.input dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %w = check.constant dense<[[[1.0, 1.0]]]> : tensor<1x1x2xf32>
  %y = model.node "onnx.Conv" opset 22 (%x, %w) {auto_pad = "SAME_LOWER"} :
    (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
  check.equal %y, dense<[[[1.0, 3.0, 5.0]]]> : tensor<1x1x3xf32>
  return
}

func.func @weight_at_run_time() {
  %x = check.input dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]]]> : tensor<1x1x3x3xf32>
  %w = check.input dense<[[[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%x, %w) {} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  check.equal %y, dense<[[[[-4.0, -4.0], [-4.0, -4.0]]]]> : tensor<1x1x2x2xf32>
  return
}

// Of 1x1: a matrix product.
func.func @channels() {
  %x = check.input dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %w = check.input dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[-1.0]], [[1.0]]]]> : tensor<3x2x1x1xf32>
  %y = model.node "onnx.Conv" opset 1 (%x, %w) {} : (tensor<1x2x1x1xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x1x1xf32>
  check.equal %y, dense<[[[[5.0]], [[11.0]], [[1.0]]]]> : tensor<1x3x1x1xf32>
  return
}

// Channels of two convolutions side by side: the second one's begin inside of a block of 16.
func.func @joined_channels() {
  %x = check.input dense<[[[[2.0]]]]> : tensor<1x1x1x1xf32>
  %u = check.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]], [[[5.0]]], [[[6.0]]], [[[7.0]]], [[[8.0]]], [[[9.0]]], [[[10.0]]],
    [[[11.0]]], [[[12.0]]], [[[13.0]]], [[[14.0]]], [[[15.0]]], [[[16.0]]], [[[17.0]]], [[[18.0]]], [[[19.0]]],
    [[[20.0]]], [[[21.0]]], [[[22.0]]], [[[23.0]]], [[[24.0]]]]> : tensor<24x1x1x1xf32>
  %v = check.constant dense<[[[[101.0]]], [[[102.0]]], [[[103.0]]], [[[104.0]]], [[[105.0]]], [[[106.0]]], [[[107.0]]], [[[108.0]]],
    [[[109.0]]], [[[110.0]]], [[[111.0]]], [[[112.0]]], [[[113.0]]], [[[114.0]]], [[[115.0]]], [[[116.0]]],
    [[[117.0]]], [[[118.0]]], [[[119.0]]], [[[120.0]]]]> : tensor<20x1x1x1xf32>
  %w = check.constant dense<[[[[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]], [[0.0]],
    [[1.0]], [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]],
    [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]],
    [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]], [[-2.0]]],
    [[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]], [[7.0]], [[8.0]], [[9.0]], [[10.0]], [[11.0]],
    [[12.0]], [[13.0]], [[14.0]], [[15.0]], [[16.0]], [[17.0]], [[18.0]], [[19.0]], [[20.0]], [[21.0]], [[22.0]],
    [[23.0]], [[24.0]], [[25.0]], [[26.0]], [[27.0]], [[28.0]], [[29.0]], [[30.0]], [[31.0]], [[32.0]], [[33.0]],
    [[34.0]], [[35.0]], [[36.0]], [[37.0]], [[38.0]], [[39.0]], [[40.0]], [[41.0]], [[42.0]], [[43.0]]]]> : tensor<2x44x1x1xf32>
  %a = model.node "onnx.Conv" opset 11 (%x, %u) {} : (tensor<1x1x1x1xf32>, tensor<24x1x1x1xf32>) -> tensor<1x24x1x1xf32>
  %b = model.node "onnx.Conv" opset 11 (%x, %v) {} : (tensor<1x1x1x1xf32>, tensor<20x1x1x1xf32>) -> tensor<1x20x1x1xf32>
  %c = model.node "onnx.Concat" opset 13 (%a, %b) {axis = 1} : (tensor<1x24x1x1xf32>, tensor<1x20x1x1xf32>) -> tensor<1x44x1x1xf32>
  %y = model.node "onnx.Conv" opset 11 (%c, %w) {} : (tensor<1x44x1x1xf32>, tensor<2x44x1x1xf32>) -> tensor<1x2x1x1xf32>
  check.equal %c, dense<[[[[2.0]], [[4.0]], [[6.0]], [[8.0]], [[10.0]], [[12.0]], [[14.0]], [[16.0]], [[18.0]], [[20.0]], [[22.0]],
    [[24.0]], [[26.0]], [[28.0]], [[30.0]], [[32.0]], [[34.0]], [[36.0]], [[38.0]], [[40.0]], [[42.0]], [[44.0]],
    [[46.0]], [[48.0]], [[202.0]], [[204.0]], [[206.0]], [[208.0]], [[210.0]], [[212.0]], [[214.0]], [[216.0]],
    [[218.0]], [[220.0]], [[222.0]], [[224.0]], [[226.0]], [[228.0]], [[230.0]], [[232.0]], [[234.0]], [[236.0]],
    [[238.0]], [[240.0]]]]> : tensor<1x44x1x1xf32>
  check.equal %y, dense<[[[[54.0]], [[158600.0]]]]> : tensor<1x2x1x1xf32>
  return
}

// Channels from inside of one block of 16 to inside of another, and to the end.
func.func @sliced_channels() {
  %x = check.input dense<[[[[2.0, -1.0]]]]> : tensor<1x1x1x2xf32>
  %u = check.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]], [[[5.0]]], [[[6.0]]], [[[7.0]]],
    [[[8.0]]], [[[9.0]]], [[[10.0]]], [[[11.0]]], [[[12.0]]], [[[13.0]]], [[[14.0]]], [[[15.0]]], [[[16.0]]],
    [[[17.0]]], [[[18.0]]], [[[19.0]]], [[[20.0]]], [[[21.0]]], [[[22.0]]], [[[23.0]]], [[[24.0]]], [[[25.0]]],
    [[[26.0]]], [[[27.0]]], [[[28.0]]], [[[29.0]]], [[[30.0]]], [[[31.0]]], [[[32.0]]], [[[33.0]]], [[[34.0]]],
    [[[35.0]]], [[[36.0]]], [[[37.0]]], [[[38.0]]], [[[39.0]]], [[[40.0]]]]> : tensor<40x1x1x1xf32>
  %w = check.constant dense<[[[[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]],
    [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]],
    [[2.0]], [[3.0]], [[-3.0]], [[-2.0]], [[-1.0]]]]> : tensor<1x24x1x1xf32>
  %v = check.constant dense<[[[[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[-2.0]], [[-1.0]], [[0.0]],
    [[1.0]], [[2.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]], [[2.0]], [[-2.0]], [[-1.0]], [[0.0]], [[1.0]],
    [[2.0]]]]> : tensor<1x20x1x1xf32>
  %axis = check.constant dense<[1]> : tensor<1xi64>
  %five = check.constant dense<[5]> : tensor<1xi64>
  %twenty = check.constant dense<[20]> : tensor<1xi64>
  %inside = check.constant dense<[29]> : tensor<1xi64>
  %all = check.constant dense<[40]> : tensor<1xi64>
  %a = model.node "onnx.Conv" opset 11 (%x, %u) {} : (tensor<1x1x1x2xf32>, tensor<40x1x1x1xf32>) -> tensor<1x40x1x2xf32>
  %b = model.node "onnx.Slice" opset 13 (%a, %five, %inside, %axis) {} :
    (tensor<1x40x1x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x24x1x2xf32>
  %c = model.node "onnx.Slice" opset 13 (%a, %twenty, %all, %axis) {} :
    (tensor<1x40x1x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x20x1x2xf32>
  %y = model.node "onnx.Conv" opset 11 (%b, %w) {} : (tensor<1x24x1x2xf32>, tensor<1x24x1x1xf32>) -> tensor<1x1x1x2xf32>
  %z = model.node "onnx.Conv" opset 11 (%c, %v) {} : (tensor<1x20x1x2xf32>, tensor<1x20x1x1xf32>) -> tensor<1x1x1x2xf32>
  check.equal %b, dense<[[[[12.0, -6.0]], [[14.0, -7.0]], [[16.0, -8.0]], [[18.0, -9.0]], [[20.0, -10.0]],
    [[22.0, -11.0]], [[24.0, -12.0]], [[26.0, -13.0]], [[28.0, -14.0]], [[30.0, -15.0]], [[32.0, -16.0]],
    [[34.0, -17.0]], [[36.0, -18.0]], [[38.0, -19.0]], [[40.0, -20.0]], [[42.0, -21.0]], [[44.0, -22.0]],
    [[46.0, -23.0]], [[48.0, -24.0]], [[50.0, -25.0]], [[52.0, -26.0]], [[54.0, -27.0]], [[56.0, -28.0]],
    [[58.0, -29.0]]]]> : tensor<1x24x1x2xf32>
  check.equal %y, dense<[[[[-164.0, 82.0]]]]> : tensor<1x1x1x2xf32>
  check.equal %z, dense<[[[[80.0, -40.0]]]]> : tensor<1x1x1x2xf32>
  return
}
