//===- KernelFunction.h - opens a kernel function in a module ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every CPU kernel is a function of the ABI in Runtime/abi.h:
//
//   int32_t NAME(const dynac_kernel_args_t *args, int64_t begin, int64_t end)
//
// `KernelFunction` writes it as two functions. NAME only loads the pointers and
// dimensions; the private NAME.body takes each buffer as a `noalias` argument, because pointers
// that are loaded from memory may alias for all LLVM knows, and then no accumulator stays in a
// register.
//
//   KernelFunction k(module, "add.v3", isa,
//                    {{f32, {dim(0), 64}}, {f32, {dim(0), 64}, /*isOutput=*/true}},
//                    /*dimCount=*/1);
//   OpBuilder &b = k.builder();
//   auto loop = b.create<scf::ForOp>(k.loc(), k.begin(), k.end(), k.constant(1));
//   ... memref.load k.buffer(0), memref.store k.buffer(1) ...
//   k.finish();
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_CPU_KERNELFUNCTION_H
#define DYNAC_TARGET_CPU_KERNELFUNCTION_H

#include "dynac/Target/CPU/Isa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace dynac::cpu {

/// One extent of a buffer: a number, or the kernel's dimension argument `dims[index]`.
struct Extent {
  int64_t value;
  bool dynamic;
  Extent(int64_t value = 0, bool dynamic = false) : value(value), dynamic(dynamic) {}
};
/// The extent `args->dims[index]`.
inline Extent dim(unsigned index) { return Extent(index, /*dynamic=*/true); }

/// One entry of `args->buffers`: a dense row-major array.
struct BufferArg {
  /// Signless integer, index-free. Bools are bytes: i8 (i1 is taken as i8).
  mlir::Type elementType;
  llvm::SmallVector<Extent, 6> shape;
  bool isOutput = false;
  /// The memory may be that of another buffer of the same call (an update in place): no `noalias`.
  bool mayAlias = false;
};

class KernelFunction {
public:
  /// Adds the functions to `module` and leaves the builder inside the body.
  /// `scratchBytes`: size of scratch(), 0 if it has none (record it in PlanKernel::scratchBytes).
  /// Requires loadKernelDialects(context) before, `name` unique in the module.
  KernelFunction(mlir::ModuleOp module, llvm::StringRef name, const Isa &isa,
                 llvm::ArrayRef<BufferArg> buffers, unsigned dimCount, int64_t scratchBytes = 0);
  KernelFunction(const KernelFunction &) = delete;
  KernelFunction &operator=(const KernelFunction &) = delete;

  /// Buffer `i` as a memref of its shape: identity layout, dynamic extents as `?`.
  mlir::Value buffer(unsigned i) const { return buffers[i]; }
  /// Buffer `i` as !llvm.ptr.
  mlir::Value pointer(unsigned i);
  /// dims[j] as index.
  mlir::Value dim(unsigned j) const { return dims[j]; }
  /// Extent `axis` of buffer `i` as index (a constant if static).
  mlir::Value extent(unsigned i, unsigned axis);
  /// The work units of this call, as index.
  mlir::Value begin() const { return beginValue; }
  mlir::Value end() const { return endValue; }
  /// The scratch memory as memref<scratchBytes x i8>, 64-byte aligned; requires scratchBytes > 0.
  mlir::Value scratch() const { return scratchValue; }
  /// A typed view of the scratch memory at a static byte offset (a multiple of 64).
  mlir::Value scratch(mlir::MemRefType type, int64_t byteOffset);

  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() const { return location; }
  const Isa &isa() const { return isaValue; }
  /// A constant of index type, made once per value in the entry block.
  mlir::Value constant(int64_t value);
  /// A stack array (static shape) that lives for the whole call: made in the entry block, so it may
  /// be asked for inside a loop.
  mlir::Value alloca(mlir::MemRefType type);

  /// Makes the call return `code` (> 0: 1 + an index into the artifact's messages) if `condition`
  /// (i1) holds. The kernel runs on to its end, so what follows must stay in bounds by itself
  /// (clamp the index). May be used inside loops; does not keep LLVM from vectorising them.
  void fail(mlir::OpBuilder &at, mlir::Value condition, int32_t code);

  /// Says that the loops are as they should be: LLVM does not unroll them.
  void keepLoops();

  /// Closes the body. The builder's insertion point must be in the entry block.
  void finish();

  /// NAME.body.
  mlir::func::FuncOp body() const { return bodyFunc; }

private:
  mlir::OpBuilder b;
  mlir::Location location;
  const Isa isaValue;
  mlir::func::FuncOp bodyFunc;
  llvm::SmallVector<BufferArg> bufferArgs;
  llvm::SmallVector<mlir::Value> buffers, dims;
  mlir::Value beginValue, endValue, scratchValue, statusSlot;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

/// Loads the dialects that kernels use. Not to be called while a pass runs.
void loadKernelDialects(mlir::MLIRContext &context);

/// A memref view (identity layout) of `pointer`; `dynamicExtents` has one index per `?` of `type`.
mlir::Value memrefFromPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                              mlir::MemRefType type, mlir::ValueRange dynamicExtents = {});

} // namespace dynac::cpu

#endif // DYNAC_TARGET_CPU_KERNELFUNCTION_H
