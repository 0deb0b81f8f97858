// RUN: dynac-check %s
// y = start, start + delta, ... before limit.

func.func @integer() {
  %start = check.constant dense<3> : tensor<i64>
  %limit = check.constant dense<9> : tensor<i64>
  %delta = check.constant dense<3> : tensor<i64>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
  check.equal %y, dense<[3, 6]> : tensor<2xi64>
  return
}

func.func @negative() {
  %start = check.constant dense<5> : tensor<i32>
  %limit = check.constant dense<-2> : tensor<i32>
  %delta = check.constant dense<-3> : tensor<i32>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  check.equal %y, dense<[5, 2, -1]> : tensor<3xi32>
  return
}

func.func @float() {
  %start = check.constant dense<0.0> : tensor<f32>
  %limit = check.constant dense<1.0> : tensor<f32>
  %delta = check.constant dense<0.3> : tensor<f32>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  check.close %y, dense<[0.0, 0.3, 0.6, 0.9]> : tensor<4xf32>
  return
}

func.func @nothing() {
  %start = check.constant dense<5> : tensor<i64>
  %limit = check.constant dense<5> : tensor<i64>
  %delta = check.constant dense<1> : tensor<i64>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<0xi64>
  check.equal %y, dense<> : tensor<0xi64>
  return
}

// The length is known only when the run is.
func.func @at_run_time() {
  %start = check.input dense<1> : tensor<i64>
  %limit = check.input dense<4> : tensor<i64>
  %delta = check.input dense<1> : tensor<i64>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xi64>
  check.equal %y, dense<[1, 2, 3]> : tensor<3xi64>
  return
}

func.func @to_infinity() attributes {check.invalid = "leaves 64 bits"} {
  %start = check.constant dense<0.0> : tensor<f32>
  %limit = check.constant dense<0x7F800000> : tensor<f32>
  %delta = check.constant dense<1.0> : tensor<f32>
  %y = model.node "onnx.Range" opset 11 (%start, %limit, %delta) {} :
    (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return
}
