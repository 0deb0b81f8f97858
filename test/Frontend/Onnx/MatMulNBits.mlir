// RUN: dynac-check %s
// a b, the rows of b being blocks of codes of a few bits.

func.func @four_bits() {
  %a = check.input dense<[[0.5, 1.25, 1.0, 0.0, -0.75, -0.5, -1.25, 2.0, -2.0, -0.5, -1.75, 1.5, 0.75, -0.25, 1.25,
    -0.5, -0.25, -0.5, 1.0, -1.75]]> : tensor<1x20xf32>
  %b = check.constant dense<[[[140, 70, 249, 58, 102, 15, 127, 138], [192, 113, 63, 6, 233, 39, 197, 235]], [[82,
    34, 177, 95, 9, 243, 232, 29], [186, 104, 16, 205, 218, 4, 27, 17]]]> : tensor<2x2x8xui8>
  %s = check.constant dense<[2.0, 1.75, 1.5, 0.75]> : tensor<4xf32>
  %y = model.node "com.microsoft.MatMulNBits" opset 1 (%a, %b, %s) {K = 20, N = 2, bits = 4, block_size = 16} :
    (tensor<1x20xf32>, tensor<2x2x8xui8>, tensor<4xf32>) -> tensor<1x2xf32>
  check.close %y, dense<[[-65.1875, 9.75]]> : tensor<1x2xf32> {rtol = 1.0e-4}
  return
}

func.func @zero_points() {
  %a = check.input dense<[[-1.75, -1.0, 0.0, 0.0, -1.75, -1.0, 0.75, 1.75, -1.75, 2.0, -0.75, -1.75, 1.75, 0.0,
    0.75, -1.25, 1.75, -0.5, -0.5, 1.0]]> : tensor<1x20xf32>
  %b = check.input dense<[[[192, 182, 59, 48, 145, 85, 8, 108], [198, 98, 105, 174, 248, 201, 37, 85]], [[137, 112,
    58, 17, 166, 93, 81, 242], [212, 128, 232, 142, 235, 155, 90, 145]]]> : tensor<2x2x8xui8>
  %s = check.input dense<[0.75, 1.25, 2.0, -1.0]> : tensor<4xf32>
  %z = check.input dense<[26, 81]> : tensor<2xui8>
  %y = model.node "com.microsoft.MatMulNBits" opset 1 (%a, %b, %s, %z) {K = 20, N = 2, bits = 4, block_size = 16} :
    (tensor<1x20xf32>, tensor<2x2x8xui8>, tensor<4xf32>, tensor<2xui8>) -> tensor<1x2xf32>
  check.close %y, dense<[[32.375, -124.25]]> : tensor<1x2xf32> {rtol = 1.0e-4}
  return
}
