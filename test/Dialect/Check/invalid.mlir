// RUN: dynac-opt %s --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<2xi64>) {
  // expected-error @+1 {{compares 'i64', expected floats (check.equal compares others)}}
  check.close %x, %x : tensor<2xi64>
  return
}

// -----

func.func @negative(%x: tensor<2xf32>) {
  // expected-error @+1 {{has a negative tolerance}}
  check.close %x, %x {rtol = -1.0} : tensor<2xf32>
  return
}
