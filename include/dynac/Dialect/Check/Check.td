//===- Check.td - inputs and expectations of operator test files ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_CHECK_CHECK_TD
#define DYNAC_DIALECT_CHECK_CHECK_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::dynac::check";
  let summary = "What the functions of a test file are given and must compute";
  let description = [{
    A test file of `dynac-check` holds functions without arguments. Each is a small model: inputs, constants and
    operators of the `model` dialect, and what its values have to be.

    ```mlir
    func.func @over_the_last_axis() {
      %x = check.input dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %axes = check.constant dense<-1> : tensor<1xi64>
      %y = model.node "onnx.ReduceSum" opset 13 (%x, %axes) {keepdims = 0} :
        (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2xf32>
      check.close %y, dense<[3.0, 7.0]> : tensor<2xf32>
      return
    }
    ```

    `check.input` is data, `check.constant` what the operator needs while compiling (axes, shapes). Every function is
    compiled and run in each of these ways, at -O0 and with claimed kernels:

    - inputs are given at run time, their shapes are known;
    - inputs are initialisers, so that all can be folded;
    - inputs are given at run time and their shapes are not known: equal extents of a function are one symbol, and 1
      stays 1.

    Attributes of nodes are written as the file has them: `axis = 1`, `alpha = 0.5`, `perm = [1, 0]`, `mode = "linear"`,
    `value = dense<...> : tensor<...>`; floats are f32. Infinities and NaN are bit patterns: 0x7F800000 and 0x7FC00000
    in f32.

    Attributes of a function say what must not compile: `check.refused = "TEXT"` that no way does and that the message
    contains TEXT (exit code 4, the operator is unsupported), `check.invalid = "TEXT"` the same for exit code 3 (the
    model is invalid; with unknown shapes 4 will do), `check.static = "TEXT"` that unknown shapes are refused.
  }];
  let hasOperationAttrVerify = 1;
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

class Check_ValueOp<string mnemonic> : Check_Op<mnemonic, [Pure, AllTypesMatch<["value", "y"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "$value attr-dict";
}

def Check_InputOp : Check_ValueOp<"input"> {
  let summary = "An input and what a run gives it";
}

def Check_ConstantOp : Check_ValueOp<"constant"> {
  let summary = "An initialiser in all ways";
}

class Check_ExpectOp<string mnemonic>
    : Check_Op<mnemonic, [AllTypesMatch<["want", "got"]>]> {
  let assemblyFormat = "$got `,` $want attr-dict";
}

def Check_CloseOp : Check_ExpectOp<"close"> {
  let summary = "All elements of `got` are near those of `want`: |got - want| <= atol + rtol * |want|";
  let description = [{
    `check.close %got, dense<[1.0, 2.0]> : tensor<2xf32> {rtol = 1.0e-4}`. NaN is near NaN only, an infinity near itself
    only.
  }];
  let arguments = (ins AnyRankedTensor:$got, ElementsAttr:$want,
                   DefaultValuedAttr<F64Attr, "1e-5">:$rtol, DefaultValuedAttr<F64Attr, "1e-6">:$atol);
  let hasVerifier = 1;
}

def Check_EqualOp : Check_ExpectOp<"equal"> {
  let summary = "All elements of `got` are those of `want`, NaN being equal to NaN and -0 to 0";
  let arguments = (ins AnyRankedTensor:$got, ElementsAttr:$want);
}

#endif // DYNAC_DIALECT_CHECK_CHECK_TD
