//===- EntryCheck.cpp - checks a caller's values against the signature ------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryCheck.h"

#include "DType.h"

namespace dynac::rt {

std::string shapeText(const int64_t *shape, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

const int64_t *shapeOf(const dynac_value_t &value) {
  return value.kind == DYNAC_VALUE_STRINGS ? value.as.strings.shape : value.as.tensor.shape;
}

int64_t elementCount(const int64_t *shape, int32_t rank) {
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (int32_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return -1;
    empty |= shape[i] == 0;
    overflow |= __builtin_mul_overflow(count, shape[i], &count);
  }
  return empty ? 0 : overflow ? -1 : count;
}

static const char *kindName(int32_t kind) {
  static constexpr const char *names[] = {"no value",   "a tensor",          "a string tensor",
                                          "a sequence", "an optional value", "a map"};
  return kind >= DYNAC_VALUE_NONE && kind <= DYNAC_VALUE_MAP ? names[kind]
                                                             : "a value of unknown kind";
}

static std::string signatureText(const Model &model, int32_t index) {
  std::string text = "[";
  for (const std::string &dim : model.inputTexts[index].dims)
    text += (text.size() > 1 ? ", " : "") + dim;
  return text + "]";
}

Status checkInput(const Model &model, int32_t index, const dynac_value_t &value) {
  const dynac_value_info_t &info = model.tables().inputs[index];
  const bool strings = info.dtype == DYNAC_STRING;
  if (value.kind != (strings ? DYNAC_VALUE_STRINGS : DYNAC_VALUE_TENSOR))
    return failure(DYNAC_SIGNATURE, "input \"%s\": got %s, expected %s%s%s", info.name,
                   kindName(value.kind), strings ? "a string tensor" : "a tensor of ",
                   strings ? "" : dtypeName(info.dtype), "");
  const int32_t rank = strings ? value.as.strings.rank : value.as.tensor.rank;
  const int64_t *shape = shapeOf(value);
  if (!strings && value.as.tensor.dtype != info.dtype)
    return failure(DYNAC_SIGNATURE, "input \"%s\": got %s, expected %s", info.name,
                   dtypeName(value.as.tensor.dtype), dtypeName(info.dtype));
  if (rank != info.rank) {
    const bool printable = rank >= 0 && rank <= 64 && (shape || rank == 0);
    return failure(DYNAC_SIGNATURE, "input \"%s\": got rank %d%s%s, expected rank %d %s", info.name,
                   rank, printable ? " " : "", printable ? shapeText(shape, rank).c_str() : "",
                   info.rank, signatureText(model, index).c_str());
  }
  if (rank > 0 && !shape)
    return failure(DYNAC_USAGE, "input \"%s\": shape is NULL", info.name);
  for (int32_t axis = 0; axis < rank; ++axis)
    if (shape[axis] < 0)
      return failure(DYNAC_SIGNATURE, "input \"%s\" axis %d: got %lld, expected %s", info.name,
                     axis, (long long)shape[axis], model.inputTexts[index].dims[axis].c_str());
  const int64_t count = elementCount(shape, rank);
  const int64_t bytes = dtypeBytes(info.dtype, count);
  if (bytes < 0)
    return failure(DYNAC_SIGNATURE, "input \"%s\": shape %s is too large", info.name,
                   shapeText(shape, rank).c_str());
  const void *data = strings ? value.as.strings.data : value.as.tensor.data;
  if (bytes > 0 && !data)
    return failure(DYNAC_USAGE, "input \"%s\": data is NULL", info.name);
  if (strings)
    return {};
  const dynac_tensor_t &tensor = value.as.tensor;
  if (tensor.device != 0 && tensor.device != DYNAC_DEVICE_CPU)
    return failure(DYNAC_DEVICE, "input \"%s\": is on device %d, the model runs on the CPU",
                   info.name, tensor.device);
  if (tensor.strides && dtypeInfo(info.dtype)->bits % 8 != 0)
    return failure(DYNAC_USAGE, "input \"%s\": a tensor of packed %s cannot have strides",
                   info.name, dtypeName(info.dtype));
  if (tensor.bytes != 0 && !tensor.strides && tensor.bytes < bytes)
    return failure(DYNAC_SIGNATURE, "input \"%s\": its memory has %lld bytes, shape %s needs %lld",
                   info.name, (long long)tensor.bytes, shapeText(shape, rank).c_str(),
                   (long long)bytes);
  return {};
}

std::string allowedInstead(const dynac_symbol_t &symbol, int64_t value) {
  std::string allowed;
  if (value < symbol.min || value > symbol.max)
    allowed = symbol.max == INT64_MAX ? format(">= %lld", (long long)symbol.min)
              : symbol.min == symbol.max
                  ? format("= %lld", (long long)symbol.min)
                  : format("in %lld..%lld", (long long)symbol.min, (long long)symbol.max);
  else if (value % symbol.multiple_of != 0)
    allowed = format("a multiple of %lld", (long long)symbol.multiple_of);
  else
    return {};
  return symbol.name + (" " + allowed);
}

namespace {

/// Where a symbol got its value.
struct Origin {
  int32_t input = -1, axis = 0;
};

class Binder {
public:
  Binder(const Model &model, const dynac_value_t *inputs, SlotValues &values)
      : model(model), a(model.tables()), inputs(inputs), values(values), origins(a.symbol_count) {}

  Status run() {
    if (Status status = bindPlain(); status.failed())
      return status;
    model.dims->evaluate(values);
    if (Status status = bindSolved(); status.failed())
      return status;
    return compareAll();
  }

private:
  /// Axes that are one symbol.
  Status bindPlain() {
    return eachAxis([&](int32_t input, int32_t axis, int32_t slot, int64_t got) -> Status {
      const dynac_expr_t &expr = a.exprs[slot];
      if (expr.op != DYNAC_EXPR_SYMBOL || values.known(slot))
        return {};
      return bind(int32_t(expr.imm), got, {input, axis}, got);
    });
  }

  /// Axes whose expression has one symbol that no plain axis gave, until no more can be solved.
  Status bindSolved() {
    for (bool changed = true; changed;) {
      changed = false;
      Status status =
          eachAxis([&](int32_t input, int32_t axis, int32_t slot, int64_t got) -> Status {
            int32_t symbol;
            int64_t solution;
            if (values.state[slot] != SlotValues::Unbound || model.dims->dataDependent(slot) ||
                !model.dims->solve(values, slot, got, symbol, solution))
              return {};
            changed = true;
            return bind(symbol, solution, {input, axis}, got);
          });
      if (status.failed())
        return status;
      model.dims->evaluate(values);
    }
    return {};
  }

  Status compareAll() {
    return eachAxis([&](int32_t input, int32_t axis, int32_t slot, int64_t got) -> Status {
      if (values.known(slot) && values.value[slot] == got)
        return {};
      const std::string where = gotText(input, axis, got);
      if (values.known(slot))
        return failure(DYNAC_SIGNATURE, "%s, expected %s", where.c_str(), expected(slot).c_str());
      return failure(DYNAC_SIGNATURE, "%s, which does not fit %s", where.c_str(),
                     model.dims->text(slot).c_str());
    });
  }

  /// fn(input, axis, slot, extent) for each axis of each input until one fails.
  template <typename Fn> Status eachAxis(Fn fn) {
    for (int32_t input = 0; input < a.input_count; ++input) {
      const dynac_value_info_t &info = a.inputs[input];
      const int64_t *shape = shapeOf(inputs[input]);
      for (int32_t axis = 0; axis < info.rank; ++axis)
        if (Status status = fn(input, axis, info.dim_slots[axis], shape[axis]); status.failed())
          return status;
    }
    return {};
  }

  std::string gotText(int32_t input, int32_t axis, int64_t got) const {
    return format("input \"%s\" axis %d: got %lld", a.inputs[input].name, axis, (long long)got);
  }

  /// `value` follows from `got`, the extent of the axis `origin`.
  Status bind(int32_t symbol, int64_t value, Origin origin, int64_t got) {
    const dynac_symbol_t &s = a.symbols[symbol];
    if (s.data_dependent)
      return {};
    if (std::string allowed = allowedInstead(s, value); !allowed.empty()) {
      const std::string solved =
          value == got ? "" : format(", which makes %s %lld", s.name, (long long)value);
      return failure(DYNAC_SIGNATURE, "%s%s, allowed: %s",
                     gotText(origin.input, origin.axis, got).c_str(), solved.c_str(),
                     allowed.c_str());
    }
    // All slots with this symbol; the compiler normally has one.
    model.dims->bind(values, symbol, value);
    origins[symbol] = origin;
    return {};
  }

  /// `3`, `N = 3 (from input "a" axis 0)`, `N*2 = 6 (N = 3 from input "a" axis 0)`.
  std::string expected(int32_t slot) const {
    const std::vector<int32_t> symbols = model.dims->symbolsOf(slot);
    const std::string value = std::to_string(values.value[slot]);
    if (symbols.empty())
      return value;
    std::string text = model.dims->text(slot) + " = " + value + " (";
    for (size_t i = 0; i < symbols.size(); ++i) {
      const dynac_symbol_t &symbol = a.symbols[symbols[i]];
      const Origin &origin = origins[symbols[i]];
      if (i > 0)
        text += ", ";
      if (a.exprs[slot].op != DYNAC_EXPR_SYMBOL)
        text += format("%s = %lld ", symbol.name, (long long)values.value[symbol.slot]);
      if (origin.input >= 0)
        text += format("from input \"%s\" axis %d", a.inputs[origin.input].name, origin.axis);
    }
    return text + ")";
  }

  const Model &model;
  const dynac_artifact_t &a;
  const dynac_value_t *inputs;
  SlotValues &values;
  std::vector<Origin> origins;
};

} // namespace

Status bindShapes(const Model &model, const dynac_value_t *inputs, SlotValues &values) {
  values = model.dims->start();
  return Binder(model, inputs, values).run();
}

} // namespace dynac::rt
