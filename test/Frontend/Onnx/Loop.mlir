// RUN: dynac-check %s
// for (i = 0; i < trips && condition; ++i) (condition, state, scanned) = body(i, condition, state); scanned outputs are stacked.

// state doubles, and each is kept.
func.func @known_trip_count() {
  %trips = check.constant dense<3> : tensor<i64>
  %x = check.input dense<[1.0, 3.0]> : tensor<2xf32>
  %none = model.absent : !model.none
  %last, %all = model.node "onnx.Loop" opset 16 (%trips, %none, %x) {} graphs ["body"] {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %state: tensor<2xf32>):
    %next = model.node "onnx.Add" opset 16 (%state, %state) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    model.output ["go", "next", "kept"](%go, %next, %next : tensor<i1>, tensor<2xf32>, tensor<2xf32>)
  } : (tensor<i64>, !model.none, tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)
  check.equal %last, dense<[8.0, 24.0]> : tensor<2xf32>
  check.equal %all, dense<[[2.0, 6.0], [4.0, 12.0], [8.0, 24.0]]> : tensor<3x2xf32>
  return
}

// sum = 0 + 1 + 2 + 3.
func.func @trip_count_at_run_time() {
  %trips = check.input dense<4> : tensor<i64>
  %go = check.constant dense<true> : tensor<i1>
  %zero = check.constant dense<0> : tensor<i64>
  %sum = model.node "onnx.Loop" opset 13 (%trips, %go, %zero) {} graphs ["body"] {
  ^bb0(%i: tensor<i64>, %condition: tensor<i1>, %state: tensor<i64>):
    %next = model.node "onnx.Add" opset 13 (%state, %i) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    model.output ["go", "next"](%condition, %next : tensor<i1>, tensor<i64>)
  } : (tensor<i64>, tensor<i1>, tensor<i64>) -> tensor<i64>
  check.equal %sum, dense<6> : tensor<i64>
  return
}

// Doubles while below the limit.
func.func @ends_by_condition() {
  %limit = check.input dense<20.0> : tensor<f32>
  %x = check.input dense<3.0> : tensor<f32>
  %go = check.constant dense<true> : tensor<i1>
  %none = model.absent : !model.none
  %y = model.node "onnx.Loop" opset 16 (%none, %go, %x) {} graphs ["body"] {
  ^bb0(%i: tensor<i64>, %condition: tensor<i1>, %state: tensor<f32>):
    %next = model.node "onnx.Add" opset 16 (%state, %state) {} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %more = model.node "onnx.Less" opset 16 (%next, %limit) {} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    model.output ["more", "next"](%more, %next : tensor<i1>, tensor<f32>)
  } : (!model.none, tensor<i1>, tensor<f32>) -> tensor<f32>
  check.equal %y, dense<24.0> : tensor<f32>
  return
}

func.func @no_trips() {
  %trips = check.input dense<0> : tensor<i64>
  %x = check.input dense<[1.0, 2.0]> : tensor<2xf32>
  %none = model.absent : !model.none
  %y = model.node "onnx.Loop" opset 16 (%trips, %none, %x) {} graphs ["body"] {
  ^bb0(%i: tensor<i64>, %condition: tensor<i1>, %state: tensor<2xf32>):
    %next = model.node "onnx.Neg" opset 16 (%state) {} : (tensor<2xf32>) -> tensor<2xf32>
    model.output ["go", "next"](%condition, %next : tensor<i1>, tensor<2xf32>)
  } : (tensor<i64>, !model.none, tensor<2xf32>) -> tensor<2xf32>
  check.equal %y, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
