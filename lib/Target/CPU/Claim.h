//===- Claim.h - the table of claimed kernels -------------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_LIB_TARGET_CPU_CLAIM_H
#define DYNAC_LIB_TARGET_CPU_CLAIM_H

#include "dynac/Target/CPU/DotKind.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "dynac/Target/CPU/RegionPlanner.h"

namespace dynac::cpu {

struct ClaimedKernel {
  llvm::StringRef name;
  /// Whether the kernel evaluates an elementwise epilogue.
  bool takesEpilogue;
  /// Whether the kernel computes `op`. Looks at the op and its operands' types and constants only.
  bool (*matches)(mlir::Operation *op);
  /// Plans the region whose claimed op is `op`.
  llvm::Expected<RegionPlan> (*plan)(prim::RegionOp region, mlir::Operation *op,
                                     CpuRegionPlanner &planner, WeightStore &weights);
};

/// In order of preference.
llvm::ArrayRef<ClaimedKernel> claimTable();

extern const ClaimedKernel attentionClaim;
extern const ClaimedKernel gemmClaim;
extern const ClaimedKernel batchedGemmClaim;
extern const ClaimedKernel convClaim;
extern const ClaimedKernel depthwiseClaim;
extern const ClaimedKernel groupedClaim;

/// A size in OpenKernel::spec.
std::string specText(const Extent &extent);
/// "64x128": sizes, or strides, in OpenKernel::spec.
std::string specText(llvm::ArrayRef<Extent> extents);
/// "f32", "bf16" or "u8s8".
llvm::StringRef dotName(DotKind kind);

/// Whether `dot` has the form of a matrix product with a weight, [..., K] x [K, N] or [N, K], and K
/// is whole words of `kind`; its element types are not looked at.
bool isGemmOf(prim::DotOp dot, DotKind kind);

/// Whether the f32 convolution `conv` (a `conv_nchwc`) is faster with operands rounded to bf16.
bool prefersBf16(prim::CompositeOp conv);

/// Whether the f32 attention `op` (any composite) is faster with operands rounded to bf16.
bool prefersBf16Attention(prim::CompositeOp op);

/// The bytes of a weight as numbers of type T.
template <typename T, typename Bytes> auto numbersOf(Bytes bytes) {
  using Array = std::conditional_t<std::is_const_v<T>, llvm::ArrayRef<std::remove_const_t<T>>,
                                   llvm::MutableArrayRef<T>>;
  return Array(reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T));
}

/// Dimension arguments of a kernel: each distinct expression once.
class KernelDims {
public:
  /// The argument number of `expr`.
  unsigned of(const SymExpr &expr) {
    for (auto [i, known] : llvm::enumerate(exprs))
      if (known == expr)
        return i;
    exprs.push_back(expr);
    return exprs.size() - 1;
  }
  /// A number, or the argument that holds `expr`.
  Extent extent(const SymExpr &expr) {
    return expr.constant() ? Extent(*expr.constant()) : dim(of(expr));
  }
  llvm::SmallVector<SymExpr> exprs;
};

} // namespace dynac::cpu

#endif // DYNAC_LIB_TARGET_CPU_CLAIM_H
