//===- Check.td - expectations in operator test files ---------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_CHECK_CHECK_TD
#define DYNAC_DIALECT_CHECK_CHECK_TD

include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::dynac::check";
  let summary = "What the functions of a test file must compute";
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

def Check_CloseOp : Check_Op<"close", [SameTypeOperands]> {
  let summary = "All elements of `got` are near those of `want`: |got - want| <= atol + rtol * |want|";
  let description = [{
    `check.close %got, %want {rtol = 1.0e-4 : f64} : tensor<4xf32>`. NaN is near NaN only, an infinity near itself
    only.
  }];
  let arguments = (ins AnyRankedTensor:$got, AnyRankedTensor:$want,
                   DefaultValuedAttr<F64Attr, "1e-5">:$rtol, DefaultValuedAttr<F64Attr, "1e-6">:$atol);
  let assemblyFormat = "$got `,` $want attr-dict `:` type($got)";
  let hasVerifier = 1;
}

def Check_EqualOp : Check_Op<"equal", [SameTypeOperands]> {
  let summary = "All elements of `got` are those of `want`, NaN being equal to NaN and -0 to 0";
  let arguments = (ins AnyRankedTensor:$got, AnyRankedTensor:$want);
  let assemblyFormat = "$got `,` $want attr-dict `:` type($got)";
}

#endif // DYNAC_DIALECT_CHECK_CHECK_TD
