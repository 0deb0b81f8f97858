// RUN: dynac-opt %s --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<2xi64>) {
  // expected-error @+1 {{compares 'i64', expected floats (check.equal compares others)}}
  check.close %x, dense<1> : tensor<2xi64>
  return
}

// -----

func.func @negative(%x: tensor<2xf32>) {
  // expected-error @+1 {{has a negative tolerance}}
  check.close %x, dense<1.0> : tensor<2xf32> {rtol = -1.0}
  return
}

// -----

// expected-error @+1 {{'check.refuse': expected check.refused, check.invalid or check.static}}
func.func @misspelt() attributes {check.refuse = "text"} {
  return
}

// -----

// expected-error @+1 {{'check.static': expected a part of the message}}
func.func @no_text() attributes {check.static} {
  return
}
