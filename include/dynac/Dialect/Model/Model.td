//===- Model.td - what a model file says, as IR ---------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_MODEL_MODEL_TD
#define DYNAC_DIALECT_MODEL_MODEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Model_Dialect : Dialect {
  let name = "model";
  let cppNamespace = "::dynac::model";
  let summary = "A model file as it is: generic nodes, initialisers by reference, nothing inferred";
  let description = [{
    A model is a `func.func @main` whose arguments carry `dynac.name`, ended by `model.output`. Locations hold
    names: of the node on a `model.node`, of the value on block arguments. Sub-graphs are regions that use
    outer values freely. Types are the file's declarations: those of inner values are hints.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Model_Type<string name, string typeMnemonic, string text> : TypeDef<Model_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = text;
}
def Model_NoneType : Model_Type<"None", "none", "An operand that the file omits">;
def Model_ValueType : Model_Type<"Value", "value", "A value whose type the file does not declare">;

def Model_WeightAttr : AttrDef<Model_Dialect, "Weight"> {
  let mnemonic = "weight";
  let summary = "A tensor held by the context's WeightStore";
  let parameters = (ins "int64_t":$id, "::mlir::Type":$type);
  let assemblyFormat = "`<` $id `:` $type `>`";
}

class Model_Op<string mnemonic, list<Trait> traits = []> : Op<Model_Dialect, mnemonic, traits>;

def Model_NodeOp : Model_Op<"node"> {
  let summary = "One operator of the file";
  let description = [{
    `op` is the domain, a dot and the operator; the domain of ONNX itself is `onnx`. `bodies` are the
    graph attributes, in the order of their names in `graphs`; each ends with `model.output`.
  }];
  let arguments = (ins StrAttr:$op, DefaultValuedStrAttr<StrAttr, "">:$nodeName, I64Attr:$opset,
                   DefaultValuedAttr<I64Attr, "0">:$index, DictionaryAttr:$attrs,
                   DefaultValuedAttr<StrArrayAttr, "{}">:$graphs, Variadic<AnyType>:$xs);
  let results = (outs Variadic<AnyType>:$ys);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let assemblyFormat = "$op ($nodeName^)? `opset` $opset (`at` $index^)? `(` $xs `)` $attrs "
                       "(`graphs` $graphs^ $bodies)? attr-dict `:` functional-type($xs, $ys)";
  let extraClassDeclaration = [{
    /// "" for ONNX's own operators.
    ::llvm::StringRef getDomain();
    ::llvm::StringRef getOpType();
    /// "node 'conv1' (Conv, opset 17)", for messages; a node without a name is given by its position.
    std::string describe();
  }];
  let hasVerifier = 1;
}

def Model_InitializerOp : Model_Op<"initializer", [Pure]> {
  let summary = "Entry `id` of the context's WeightStore";
  let arguments = (ins I64Attr:$id, StrAttr:$valueName);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$id $valueName attr-dict `:` type($y)";
}

def Model_StringsOp : Model_Op<"strings", [Pure]> {
  let summary = "A constant tensor of strings";
  let arguments = (ins StrArrayAttr:$values, DenseI64ArrayAttr:$dims);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$values $dims attr-dict `:` type($y)";
}

def Model_AbsentOp : Model_Op<"absent", [Pure]> {
  let summary = "An omitted operand";
  let results = (outs Model_NoneType:$y);
  let assemblyFormat = "attr-dict `:` type($y)";
}

def Model_OutputOp : Model_Op<"output", [Terminator, ReturnLike]> {
  let summary = "Ends a graph; `names` are those of the outputs";
  let arguments = (ins StrArrayAttr:$names, Variadic<AnyType>:$values);
  let assemblyFormat = "$names (`(` $values^ `:` type($values) `)`)? attr-dict";
}

#endif // DYNAC_DIALECT_MODEL_MODEL_TD
