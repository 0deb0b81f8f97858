//===- PrimBase.td - the prim dialect, its attributes and op bases --------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DIALECT_PRIM_PRIMBASE_TD
#define DYNAC_DIALECT_PRIM_PRIMBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Prim_Dialect : Dialect {
  let name = "prim";
  let cppNamespace = "::dynac::prim";
  let summary = "The primitives to which every model is reduced";
  let description = [{
    Pure tensor operations with static rank. A dimension is a number or a symbolic expression that the
    tensor's encoding (`#prim.dims`) names. There is no implicit broadcast, no type promotion, no view
    and no aliasing.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The weights that `prim.weight` ops of this context refer to by number. Null until one is set; not
    /// owned.
    ::dynac::WeightStore *weights = nullptr;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Prim_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Prim_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Prim_DimsAttr : Prim_Attr<"Dims", "dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "A list of dimensions: integers and canonical symbolic expressions";
  let description = [{
    `#prim.dims<2, "N", "S*2">`. As a tensor's encoding it has one entry per axis, and at least one is an
    expression; as an attribute of an op it gives positions, sizes or paddings.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$entries);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// From expressions; constants become integers.
    static DimsAttr get(::mlir::MLIRContext *context, ::llvm::ArrayRef<::dynac::SymExpr> dims);
    /// The entries as expressions.
    ::llvm::SmallVector<::dynac::SymExpr> exprs() const;
    size_t size() const { return getEntries().size(); }
  }];
}

class Prim_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::dynac::prim";
  let genSpecializedAttr = 0;
}
class Prim_EnumAttr<I32EnumAttr enum, string attrMnemonic> : EnumAttr<Prim_Dialect, enum, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Prim_CompareDirection : Prim_Enum<"CompareDirection", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def Prim_CompareDirectionAttr : Prim_EnumAttr<Prim_CompareDirection, "direction">;
def Prim_Combiner : Prim_Enum<"Combiner", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"and_", 4, "and">, I32EnumAttrCase<"or_", 5, "or">,
    I32EnumAttrCase<"none", 6>]>;
def Prim_CombinerAttr : Prim_EnumAttr<Prim_Combiner, "combiner">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// Handles of values that are no tensors; only custom_call, control flow, calls and entry points accept them.
class Prim_Handle<string name, string typeMnemonic, string text> : TypeDef<Prim_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = text;
}
def Prim_StringsType : Prim_Handle<"Strings", "strings", "A tensor of strings">;
def Prim_SeqType : Prim_Handle<"Seq", "seq", "A sequence of values">;
def Prim_OptType : Prim_Handle<"Opt", "opt", "An optional value">;
def Prim_MapType : Prim_Handle<"Map", "map", "A map from keys to values">;

// Floats that the builtin types lack. Their values are moved, bit-cast to integers of the same width, and nothing
// else: the formulas of Composites/TensorSmall.cpp convert them.
class Prim_SmallFloat<string name, string typeMnemonic, string text> : TypeDef<Prim_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = text;
}
def Prim_F4E2M1Type : Prim_SmallFloat<"F4E2M1", "f4E2M1", "A float of 4 bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and a sign">;
def Prim_F8E8M0Type : Prim_SmallFloat<"F8E8M0", "f8E8M0", "A power of two, 2^-127 .. 2^127, or NaN">;

// Tensors of floats and integers (i1 is bool, i8 and the like are signed, ui8 and the like unsigned) of which each
// dimension is a number or named by the encoding.
class Prim_TensorOf<string element, string text>
    : Type<And<[IsRankedTensorTypePred, CPred<"::dynac::prim::isPrimTensor($_self)">,
                CPred<"::llvm::isa<" # element # ">(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
           "tensor of " # text # " with named dimensions", "::mlir::RankedTensorType">;
def Prim_Tensor : Prim_TensorOf<"::mlir::FloatType, ::mlir::IntegerType, ::dynac::prim::F4E2M1Type, "
                                "::dynac::prim::F8E8M0Type", "floats or integers">;
def Prim_FloatTensor : Prim_TensorOf<"::mlir::FloatType", "floats">;
def Prim_IntTensor : Prim_TensorOf<"::mlir::IntegerType", "integers">;
def Prim_AnyValue : AnyTypeOf<[Prim_Tensor, Prim_StringsType, Prim_SeqType, Prim_OptType, Prim_MapType]>;

//===----------------------------------------------------------------------===//
// Op bases. The cost class says how the fuse phase may treat an op.
//===----------------------------------------------------------------------===//

// View: free; Fusible: recomputable per element; Reduction; Heavy: an own kernel; Structural.
class Prim_Op<string mnemonic, string cost, list<Trait> traits = [], string declarations = "">
    : Op<Prim_Dialect, mnemonic, traits> {
  let extraClassDeclaration = "static constexpr ::dynac::prim::Cost costClass = ::dynac::prim::Cost::" # cost # ";\n"
                              # declarations;
}

#endif // DYNAC_DIALECT_PRIM_PRIMBASE_TD
