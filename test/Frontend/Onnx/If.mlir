// RUN: dynac-check %s
// The outputs of then_branch where the condition is true, of else_branch otherwise.

func.func @taken() {
  %c = check.input dense<true> : tensor<i1>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.If" opset 16 (%c) {} graphs ["then_branch", "else_branch"] {
    %a = model.node "onnx.Neg" opset 16 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
    model.output ["a"](%a : tensor<2xf32>)
  }, {
    model.output ["b"](%x : tensor<2xf32>)
  } : (tensor<i1>) -> tensor<2xf32>
  check.equal %y, dense<[-1.0, -2.0]> : tensor<2xf32>
  return
}

// Two outputs, a constant inside a branch.
func.func @not_taken() {
  %c = check.input dense<false> : tensor<1xi1>
  %x = check.input dense<[3, 4]> : tensor<2xi64>
  %y, %z = model.node "onnx.If" opset 11 (%c) {} graphs ["else_branch", "then_branch"] {
    %one = model.node "onnx.Constant" opset 11 () {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %a = model.node "onnx.Add" opset 11 (%x, %one) {} : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    model.output ["a", "x"](%a, %x : tensor<2xi64>, tensor<2xi64>)
  }, {
    model.output ["x", "x2"](%x, %x : tensor<2xi64>, tensor<2xi64>)
  } : (tensor<1xi1>) -> (tensor<2xi64>, tensor<2xi64>)
  check.equal %y, dense<[4, 5]> : tensor<2xi64>
  check.equal %z, dense<[3, 4]> : tensor<2xi64>
  return
}

// Branches of different shapes need a condition that is known while compiling.
func.func @known_condition() {
  %c = check.constant dense<true> : tensor<i1>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %y = model.node "onnx.If" opset 16 (%c) {} graphs ["then_branch", "else_branch"] {
    model.output ["x"](%x : tensor<2xf32>)
  }, {
    %s = model.node "onnx.ReduceSum" opset 16 (%x) {keepdims = 0} : (tensor<2xf32>) -> tensor<f32>
    model.output ["s"](%s : tensor<f32>)
  } : (tensor<i1>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// An If within a branch.
func.func @nested() {
  %c = check.input dense<true> : tensor<i1>
  %d = check.input dense<false> : tensor<i1>
  %x = check.input dense<2.0> : tensor<f32>
  %y = model.node "onnx.If" opset 16 (%c) {} graphs ["then_branch", "else_branch"] {
    %inner = model.node "onnx.If" opset 16 (%d) {} graphs ["then_branch", "else_branch"] {
      model.output ["x"](%x : tensor<f32>)
    }, {
      %a = model.node "onnx.Mul" opset 16 (%x, %x) {} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      model.output ["a"](%a : tensor<f32>)
    } : (tensor<i1>) -> tensor<f32>
    model.output ["inner"](%inner : tensor<f32>)
  }, {
    model.output ["x"](%x : tensor<f32>)
  } : (tensor<i1>) -> tensor<f32>
  check.equal %y, dense<4.0> : tensor<f32>
  return
}
