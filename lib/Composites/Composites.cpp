//===- Composites.cpp - the spec table and inlining -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

using namespace mlir;
using namespace dynac;

ArrayRef<CompositeSpec> dynac::compositeTable() {
  static constexpr CompositeSpec table[] = {
      {"attention", "softmax(scale * q kT, changed by terms) v", attentionBody},
      {"conv_nchwc", "pack_channels(conv(unpack_channels(x), w))", convNchwcBody},
      {"depthwise_nhwc", "y[n, h, w, c] = depthwise convolution of x[n, h, w, c] by w[c, 1, i, j]",
       depthwiseNhwcBody},
      {"layer_norm", "(x - mean) / sqrt(var + epsilon) * scale + bias", layerNormBody},
      {"log_softmax", "x - max - log(sum(exp(x - max)))", logSoftmaxBody},
      {"pack_channels", "y[n, c/16, h, w, c%16] = x[n, c, h, w]", packChannelsBody},
      {"rms_norm", "x / sqrt(mean(x^2) + epsilon) * scale", rmsNormBody},
      {"softmax", "exp(x - max) / sum(exp(x - max))", softmaxBody},
      {"unpack_channels", "y[n, c, h, w] = x[n, c/16, h, w, c%16]", unpackChannelsBody},
  };
  return table;
}

const CompositeSpec *dynac::findComposite(StringRef name) {
  for (const CompositeSpec &spec : compositeTable())
    if (spec.name == name)
      return &spec;
  return nullptr;
}

LogicalResult dynac::inlineComposite(prim::CompositeOp op) {
  const CompositeSpec *spec = findComposite(op.getName());
  if (!spec)
    return op.emitOpError() << "'" << op.getName() << "' is not in the table of composites";
  OpBuilder builder(op);
  TensorContext context(builder, op.getLoc());
  SmallVector<Tensor> xs;
  for (Value x : op.getXs())
    xs.push_back(Tensor(context, x));
  Tensors results = spec->body(context, xs, op.getConfig());
  if (context.failed())
    return op.emitOpError() << "'" << op.getName() << "': " << context.error;
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Tensor &result : results) {
    values.push_back(result.value());
    types.push_back(result.value().getType());
  }
  if (TypeRange(types) != op->getResultTypes()) {
    InFlightDiagnostic diagnostic = op.emitOpError() << "'" << op.getName() << "' gives (";
    llvm::interleaveComma(types, diagnostic);
    return diagnostic << "), unlike the op's results";
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// What bodies share
//===----------------------------------------------------------------------===//

template <typename AttrType>
static AttrType entryOf(TensorContext &context, DictionaryAttr config, StringRef name) {
  auto entry = config.getAs<AttrType>(name);
  if (!entry)
    context.fail("config entry '" + name + "' is missing or of the wrong type");
  return entry;
}

int64_t dynac::intOf(TensorContext &context, DictionaryAttr config, StringRef name) {
  auto entry = entryOf<IntegerAttr>(context, config, name);
  return entry ? entry.getInt() : 0;
}
double dynac::floatOf(TensorContext &context, DictionaryAttr config, StringRef name) {
  auto entry = entryOf<FloatAttr>(context, config, name);
  return entry ? entry.getValueAsDouble() : 0;
}
bool dynac::boolOf(TensorContext &context, DictionaryAttr config, StringRef name) {
  auto entry = entryOf<BoolAttr>(context, config, name);
  return entry && entry.getValue();
}
StringRef dynac::stringOf(TensorContext &context, DictionaryAttr config, StringRef name) {
  auto entry = entryOf<StringAttr>(context, config, name);
  return entry ? entry.getValue() : StringRef();
}

bool dynac::requireFloats(StringRef name, Tensor x) {
  if (x.isFloat())
    return true;
  if (x)
    x.ctx().fail(name + ": got element type " + typeText(x.dtype()) + ", expected floats");
  return false;
}
