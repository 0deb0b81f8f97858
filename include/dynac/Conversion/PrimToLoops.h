//===- PrimToLoops.h - the generic way from a region to loops ---*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of one kernel for one `prim.region`. Values are pulled: a loop nest over an output
// asks for the output's element at its indices, which asks for the operands' elements at theirs. So
// movement ops are arithmetic on indices, elementwise ops are scalars, and reductions are loops
// whose accumulators are values.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_CONVERSION_PRIMTOLOOPS_H
#define DYNAC_CONVERSION_PRIMTOLOOPS_H

#include "dynac/Dialect/Prim/Prim.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace dynac {

//===----------------------------------------------------------------------===//
// What the scheduler has to know about a region's kernel
//===----------------------------------------------------------------------===//

/// The work of a region, cut into `units` that may run in any order, at best `grain` at a time.
struct RegionExtent {
  SymExpr units;
  int64_t grain = 1;
};
RegionExtent extentOf(prim::RegionOp region);

/// The expressions whose values the kernel gets as `args->dims`, in this order: all symbols that
/// the region names, then those extents of its buffers that are neither a number nor a symbol.
llvm::SmallVector<SymExpr> kernelDimsOf(prim::RegionOp region);

/// The names of all symbols that the region needs; the first entries of kernelDimsOf.
std::vector<std::string> symbolsOf(prim::RegionOp region);

/// Tensors of temporary memory, shared by all units of one run of the kernel.
llvm::SmallVector<mlir::RankedTensorType> workspaceOf(prim::RegionOp region);

/// Per-thread scratch memory of the kernel. Always 0: what is needed is in workspaceOf or on the
/// stack.
inline int64_t scratchBytesOf(prim::RegionOp) { return 0; }

/// Why the generic way cannot code the region, one sentence; empty if it can.
std::string whyNotSupported(prim::RegionOp region);

/// The element type that a buffer of the prim element type `type` has in a kernel: integers are
/// signless, bools and fp8 numbers are bytes, bf16 numbers are their bits (LLVM calls a library for
/// a mere select of them).
mlir::Type memoryType(mlir::Type type);

/// One buffer of the kernel: the region's operands, then its results, then its workspace.
struct KernelBuffer {
  mlir::Type elementType; ///< as of memoryType
  struct Extent {
    int64_t value; ///< the extent, or its place in kernelDimsOf
    bool dynamic;
  };
  llvm::SmallVector<Extent> shape;
  bool isOutput;
};
llvm::SmallVector<KernelBuffer> kernelBuffersOf(prim::RegionOp region);

/// The same as the target's own type (cpu::BufferArg).
template <typename BufferArg> llvm::SmallVector<BufferArg> bufferArgsOf(prim::RegionOp region) {
  llvm::SmallVector<BufferArg> args;
  for (const KernelBuffer &buffer : kernelBuffersOf(region)) {
    BufferArg arg{buffer.elementType, {}, buffer.isOutput};
    for (const KernelBuffer::Extent &extent : buffer.shape)
      arg.shape.emplace_back(extent.value, extent.dynamic);
    args.push_back(std::move(arg));
  }
  return args;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The open kernel that a region is emitted into.
struct KernelFrame {
  mlir::OpBuilder &b; ///< inside the kernel's entry block
  mlir::Location loc;
  mlir::ModuleOp module;                  ///< takes constant tables
  std::string name;                       ///< of the kernel; prefix of the tables' names
  llvm::SmallVector<mlir::Value> buffers; ///< memrefs, as of kernelBuffersOf
  llvm::SmallVector<mlir::Value> dims;    ///< index values, as of kernelDimsOf
  mlir::Value begin, end;                 ///< work units, index
  /// Makes the kernel fail with `message` where `condition` holds, and go on.
  std::function<void(mlir::OpBuilder &, mlir::Value condition, llvm::StringRef message)> fail;
  /// A stack array that lives for the whole call.
  std::function<mlir::Value(mlir::MemRefType)> stackArray;
  /// f32 lanes of a vector; 1: only scalars.
  int64_t lanes = 1;
};

/// Emits the region. Fails as whyNotSupported says.
llvm::Error emitRegion(prim::RegionOp region, KernelFrame &frame);

/// emitRegion into a target's kernel (cpu::KernelFunction). `messageIndex` gives a message's index
/// in the artifact. The kernel is left open.
template <typename Kernel>
llvm::Error emitRegionKernel(prim::RegionOp region, Kernel &kernel,
                             llvm::function_ref<int(llvm::StringRef)> messageIndex) {
  mlir::Operation *body = kernel.body();
  KernelFrame frame{kernel.builder(),
                    kernel.loc(),
                    body->getParentOfType<mlir::ModuleOp>(),
                    kernel.body().getSymName().str(),
                    {},
                    {},
                    kernel.begin(),
                    kernel.end(),
                    [&](mlir::OpBuilder &at, mlir::Value condition, llvm::StringRef message) {
                      kernel.fail(at, condition, 1 + messageIndex(message));
                    },
                    [&](mlir::MemRefType type) { return kernel.alloca(type); }};
  frame.lanes = kernel.isa().lanes;
  for (size_t i = 0, n = kernelBuffersOf(region).size(); i < n; ++i)
    frame.buffers.push_back(kernel.buffer(i));
  for (size_t i = 0, n = kernelDimsOf(region).size(); i < n; ++i)
    frame.dims.push_back(kernel.dim(i));
  return emitRegion(region, frame);
}

//===----------------------------------------------------------------------===//
// Pieces for emitters of claimed kernels
//===----------------------------------------------------------------------===//

/// The value type of one element inside of a kernel: like memoryType, but bools are i1.
mlir::Type scalarType(mlir::Type type);

/// The scalar meaning of an elementwise primitive. `operands` are scalars of scalarType, or vectors
/// of them, all of one shape; so is the result.
mlir::Value emitElementwise(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
                            mlir::ValueRange operands);

/// prim.convert on values: `from` and `to` are prim element types, `x` a scalar or vector of
/// scalarType(from).
mlir::Value emitConvert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Type from,
                        mlir::Type to, bool saturate = false);

} // namespace dynac

#endif // DYNAC_CONVERSION_PRIMTOLOOPS_H
