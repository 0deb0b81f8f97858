//===- Blocked.cpp - channel blocks and convolutions in them --------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

using namespace dynac;

static constexpr int64_t kBlock = 16;

// y[n, c/16, h, w, c%16] = x[n, c, h, w]; channels are filled up with zeros. x [n, c, w] has h = 1.
Tensors dynac::packChannelsBody(TensorContext &ctx, llvm::ArrayRef<Tensor> xs,
                                mlir::DictionaryAttr) {
  Tensor x = xs[0];
  Shape shape = x.shape();
  if (shape.size() == 3) {
    shape.insert(shape.begin() + 2, SymExpr(1));
    x = reshape(x, shape);
  }
  int64_t channels = *shape[1].constant(), blocks = (channels + kBlock - 1) / kBlock;
  if (channels != blocks * kBlock) {
    Shape lo(4, SymExpr(0)), hi = lo;
    hi[1] = SymExpr(blocks * kBlock - channels);
    x = pad(x, full(ctx, {}, 0.0, x.dtype()), lo, hi);
  }
  x = reshape(x, {shape[0], SymExpr(blocks), SymExpr(kBlock), shape[2], shape[3]});
  return {transpose(x, {0, 1, 3, 4, 2})};
}

// The inverse; `channels` says how many there are, `signal` whether the result is [n, c, w].
Tensors dynac::unpackChannelsBody(TensorContext &ctx, llvm::ArrayRef<Tensor> xs,
                                  mlir::DictionaryAttr config) {
  Tensor x = transpose(xs[0], {0, 1, 4, 2, 3});
  if (!x)
    return {x};
  Shape shape = x.shape();
  x = reshape(x, {shape[0], shape[1] * shape[2], shape[3], shape[4]});
  x = sliceAxis(x, 1, SymExpr(0), SymExpr(intOf(ctx, config, "channels")));
  auto signal = config.getAs<mlir::BoolAttr>("signal");
  if (!x || !signal || !signal.getValue())
    return {x};
  shape = x.shape();
  return {reshape(x, {shape[0], shape[1], shape[3]})};
}

/// A pair of numbers, (vertical, horizontal).
static llvm::SmallVector<int64_t> pairOf(TensorContext &ctx, mlir::DictionaryAttr config,
                                         llvm::StringRef name) {
  auto values = config.getAs<mlir::DenseI64ArrayAttr>(name);
  if (values && values.size() == 2)
    return llvm::SmallVector<int64_t>(values.asArrayRef());
  ctx.fail("attribute '" + name + "' is no pair of numbers");
  return {1, 1};
}

static Shape padOf(TensorContext &ctx, mlir::DictionaryAttr config, llvm::StringRef name) {
  Shape sizes;
  for (int64_t size : pairOf(ctx, config, name))
    sizes.push_back(SymExpr(size));
  return sizes;
}

// pack(conv(unpack(x), w)); x is not packed if `plain_input` says so. Bytes give i32, and their
// padding holds `fill`; bf16 numbers, to which a plain x is rounded, give f32.
Tensors dynac::convNchwcBody(TensorContext &ctx, llvm::ArrayRef<Tensor> xs,
                             mlir::DictionaryAttr config) {
  Shape lo = padOf(ctx, config, "lo"), hi = padOf(ctx, config, "hi");
  Tensor x =
      boolOf(ctx, config, "plain_input") ? xs[0] : unpackChannelsBody(ctx, {xs[0]}, config)[0];
  mlir::Type sum;
  if (x && !x.isFloat()) {
    SymExpr none(0);
    x = pad(x, fullInt(ctx, {}, intOf(ctx, config, "fill"), x.dtype()), {none, none, lo[0], lo[1]},
            {none, none, hi[0], hi[1]});
    lo = hi = Shape(2, none);
    sum = ctx.builder.getI32Type();
  } else if (x && xs[1].dtype().isBF16()) {
    x = convert(x, xs[1].dtype());
    sum = ctx.builder.getF32Type();
  }
  Tensor y = conv(x, xs[1], pairOf(ctx, config, "strides"), lo, hi, {1, 1},
                  pairOf(ctx, config, "dilations"), intOf(ctx, config, "groups"), sum);
  return y ? packChannelsBody(ctx, {y}, config) : Tensors{y};
}

// transpose(conv(transpose(x), w)) with a group for each channel.
Tensors dynac::depthwiseNhwcBody(TensorContext &ctx, llvm::ArrayRef<Tensor> xs,
                                 mlir::DictionaryAttr config) {
  Tensor y = conv(transpose(xs[0], {0, 3, 1, 2}), xs[1], pairOf(ctx, config, "strides"),
                  padOf(ctx, config, "lo"), padOf(ctx, config, "hi"), {1, 1},
                  pairOf(ctx, config, "dilations"), intOf(ctx, config, "groups"));
  return {y ? transpose(y, {0, 2, 3, 1}) : y};
}
