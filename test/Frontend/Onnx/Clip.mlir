// RUN: dynac-check %s
// y = min(max(x, lower), upper); a bound that is left out does not bind. The bounds are operands from version 11 on.

func.func @both_bounds() {
  %x = check.input dense<[-3.0, 0.0, 3.0]> : tensor<3xf32>
  %min = check.input dense<-1.0> : tensor<f32>
  %max = check.input dense<2.0> : tensor<f32>
  %y = model.node "onnx.Clip" opset 13 (%x, %min, %max) {} :
    (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  check.equal %y, dense<[-1.0, 0.0, 2.0]> : tensor<3xf32>
  return
}

func.func @no_lower_bound() {
  %x = check.input dense<[-3.0, 0.0, 3.0]> : tensor<3xf32>
  %none = model.absent : !model.none
  %max = check.input dense<1.0> : tensor<f32>
  %y = model.node "onnx.Clip" opset 13 (%x, %none, %max) {} :
    (tensor<3xf32>, !model.none, tensor<f32>) -> tensor<3xf32>
  check.equal %y, dense<[-3.0, 0.0, 1.0]> : tensor<3xf32>
  return
}

// Then all is `upper`.
func.func @upper_below_lower() {
  %x = check.input dense<[0.0, 5.0]> : tensor<2xf32>
  %min = check.input dense<3.0> : tensor<f32>
  %max = check.input dense<1.0> : tensor<f32>
  %y = model.node "onnx.Clip" opset 13 (%x, %min, %max) {} :
    (tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 1.0]> : tensor<2xf32>
  return
}

func.func @attributes() {
  %x = check.input dense<[-3.0, 0.0, 3.0]> : tensor<3xf32>
  %y = model.node "onnx.Clip" opset 6 (%x) {min = -1.0, max = 0.5} : (tensor<3xf32>) -> tensor<3xf32>
  check.equal %y, dense<[-1.0, 0.0, 0.5]> : tensor<3xf32>
  return
}

func.func @integer() {
  %x = check.input dense<[-100, 0, 100]> : tensor<3xi8>
  %min = check.constant dense<-5> : tensor<i8>
  %max = check.constant dense<5> : tensor<i8>
  %y = model.node "onnx.Clip" opset 12 (%x, %min, %max) {} : (tensor<3xi8>, tensor<i8>, tensor<i8>) -> tensor<3xi8>
  check.equal %y, dense<[-5, 0, 5]> : tensor<3xi8>
  return
}

func.func @nan_stays() {
  %x = check.input dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %min = check.input dense<0.0> : tensor<f32>
  %max = check.input dense<2.0> : tensor<f32>
  %y = model.node "onnx.Clip" opset 13 (%x, %min, %max) {} :
    (tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  check.equal %y, dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  return
}

// The upper bound counts where the lower one is above it.
func.func @crossed_bounds() {
  %x = check.input dense<[-1.0, 4.0, 9.0]> : tensor<3xf32>
  %lo = check.constant dense<5.0> : tensor<f32>
  %hi = check.constant dense<2.0> : tensor<f32>
  %y = model.node "onnx.Clip" opset 13 (%x, %lo, %hi) {} : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  check.equal %y, dense<[2.0, 2.0, 2.0]> : tensor<3xf32>
  return
}
