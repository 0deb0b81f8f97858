// RUN: dynac-check %s
// (state, scanned) = body(state, x[t]) for each t of an axis of the scanned inputs; scanned outputs are stacked.

// Sums of the rows so far.
func.func @rows() {
  %zero = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %x = check.input dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %sum, %sums = model.node "onnx.Scan" opset 11 (%zero, %x) {num_scan_inputs = 1} graphs ["body"] {
  ^bb0(%state: tensor<2xf32>, %row: tensor<2xf32>):
    %next = model.node "onnx.Add" opset 11 (%state, %row) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    model.output ["next", "kept"](%next, %next : tensor<2xf32>, tensor<2xf32>)
  } : (tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
  check.equal %sum, dense<[9.0, 12.0]> : tensor<2xf32>
  check.equal %sums, dense<[[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]> : tensor<3x2xf32>
  return
}

// Columns from the last to the first, stacked as columns, last first.
func.func @axes_and_directions() {
  %zero = check.input dense<[0.0, 0.0]> : tensor<2xf32>
  %x = check.input dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %sum, %sums = model.node "onnx.Scan" opset 16 (%zero, %x)
    {num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
     scan_output_axes = [-1], scan_output_directions = [1]} graphs ["body"] {
  ^bb0(%state: tensor<2xf32>, %column: tensor<2xf32>):
    %next = model.node "onnx.Add" opset 16 (%state, %column) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    model.output ["next", "kept"](%next, %next : tensor<2xf32>, tensor<2xf32>)
  } : (tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>)
  check.equal %sum, dense<[6.0, 15.0]> : tensor<2xf32>
  check.equal %sums, dense<[[6.0, 5.0, 3.0], [15.0, 11.0, 6.0]]> : tensor<2x3xf32>
  return
}

// No state, two scanned inputs.
func.func @no_state() {
  %a = check.input dense<[1, 2, 3]> : tensor<3xi64>
  %b = check.input dense<[10, 20, 30]> : tensor<3xi64>
  %y = model.node "onnx.Scan" opset 9 (%a, %b) {num_scan_inputs = 2} graphs ["body"] {
  ^bb0(%p: tensor<i64>, %q: tensor<i64>):
    %product = model.node "onnx.Mul" opset 9 (%p, %q) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    model.output ["product"](%product : tensor<i64>)
  } : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  check.equal %y, dense<[10, 40, 90]> : tensor<3xi64>
  return
}
