//===- Placement.cpp - a caller's tensors become a run's buffers ------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels see row-major memory aligned to its elements. What comes in another form is copied; so is
// an input that some output would overwrite, unless the output updates just that input in place.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "DType.h"
#include "EntryCheck.h"
#include "Executor.h"
#include "Strided.h"

#include <algorithm>
#include <cstring>

namespace dynac::rt {

static bool misaligned(const void *data, int32_t dtype) {
  const DTypeInfo *info = dtypeInfo(dtype);
  const int64_t wanted = std::clamp<int64_t>(info->bits / 8, 1, 8);
  return reinterpret_cast<uintptr_t>(data) % uintptr_t(wanted) != 0;
}

static bool intersect(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
  const auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return aBytes > 0 && bBytes > 0 && x < y + uintptr_t(bBytes) && y < x + uintptr_t(aBytes);
}

/// What can be refused before anything is touched.
Status Context::checkOutput(int32_t index, const dynac_value_t &value) {
  const dynac_value_info_t &info = model->tables().outputs[index];
  Output &output = outputs[index];
  const bool known = describeOutput(index);
  output.callers = value.kind != DYNAC_VALUE_NONE && !value.borrowed;
  if (!output.callers)
    return {};
  if (value.kind != DYNAC_VALUE_TENSOR || info.dtype == DYNAC_STRING)
    return failure(DYNAC_SIGNATURE, "output \"%s\": is a tensor of %s, the caller's value is not",
                   info.name, dtypeName(info.dtype));
  const dynac_tensor_t &tensor = value.as.tensor;
  if (tensor.dtype != info.dtype)
    return failure(DYNAC_SIGNATURE, "output \"%s\": got memory for %s, expected %s", info.name,
                   dtypeName(tensor.dtype), dtypeName(info.dtype));
  if (tensor.device != 0 && tensor.device != DYNAC_DEVICE_CPU)
    return failure(DYNAC_DEVICE, "output \"%s\": is on device %d, the model runs on the CPU",
                   info.name, tensor.device);
  if (tensor.shape) {
    bool same = tensor.rank == info.rank;
    for (int32_t axis = 0; same && axis < info.rank; ++axis)
      same = output.shape[axis] < 0 || output.shape[axis] == tensor.shape[axis];
    if (!same)
      return failure(DYNAC_SIGNATURE, "output \"%s\": got memory of shape %s, expected %s",
                     info.name, shapeText(tensor.shape, std::clamp(tensor.rank, 0, 64)).c_str(),
                     shapeText(output.shape.data(), info.rank).c_str());
  }
  if (tensor.strides && (!known || !tensor.shape || dtypeInfo(info.dtype)->bits % 8 != 0))
    return failure(DYNAC_USAGE, "output \"%s\": cannot have strides without a fixed shape",
                   info.name);
  const int64_t bytes =
      known ? dtypeBytes(info.dtype, elementCount(output.shape.data(), info.rank)) : 0;
  if (bytes < 0)
    return failure(DYNAC_SIGNATURE, "output \"%s\": shape %s is too large", info.name,
                   shapeText(output.shape.data(), info.rank).c_str());
  if (!tensor.strides && tensor.bytes < bytes)
    return failure(DYNAC_SIGNATURE, "output \"%s\": got memory of %lld bytes, shape %s needs %lld",
                   info.name, (long long)tensor.bytes,
                   shapeText(output.shape.data(), info.rank).c_str(), (long long)bytes);
  if (!tensor.data && bytes > 0)
    return failure(DYNAC_USAGE, "output \"%s\": data is NULL", info.name);
  return {};
}

/// Strided outputs may lie between each other's elements, but for those that grow.
int64_t Context::occupiedBytes(int32_t index, const dynac_tensor_t &tensor) const {
  if (!tensor.strides)
    return tensor.bytes;
  const Output &output = outputs[index];
  const bool isWhole = !output.strides.empty() && hasStrides(tensor, output.strides);
  return isWhole ? current->bytes[model->outputRoots[index]] : 0;
}

Status Context::checkOutputs(const dynac_value_t *outs) {
  const dynac_artifact_t &a = model->tables();
  for (int32_t i = 0; i < a.output_count; ++i)
    if (Status status = checkOutput(i, outs[i]); status.failed())
      return status;
  for (int32_t i = 0; i < a.output_count; ++i)
    for (int32_t j = 0; j < i && outputs[i].callers; ++j) {
      const dynac_tensor_t &x = outs[i].as.tensor, &y = outs[j].as.tensor;
      if (outputs[j].callers && intersect(x.data, occupiedBytes(i, x), y.data, occupiedBytes(j, y)))
        return failure(DYNAC_USAGE, "outputs \"%s\" and \"%s\" share memory", a.outputs[j].name,
                       a.outputs[i].name);
    }
  return {};
}

/// A caller may pass an output of the last run, which is in the context's memory, as an input of
/// this one. It is copied before that memory is written or given back, unless it is updated in
/// place.
Status Context::takeInputs(const dynac_value_t *inputs) {
  const dynac_artifact_t &a = model->tables();
  views.resize(size_t(a.input_count));
  // The caller's shape and strides may be in the context's memory too, and changed by now.
  size_t next = 0;
  for (int32_t i = 0; i < a.input_count; ++i) {
    const int64_t *shape = key.data() + next, *strides = inputStrides.data() + next;
    next += size_t(a.inputs[i].rank);
    if (inputs[i].kind == DYNAC_VALUE_STRINGS)
      continue;
    dynac_tensor_t &view = views[i] = inputs[i].as.tensor;
    view.shape = shape;
    view.strides = view.strides ? strides : nullptr;
    view.bytes = dtypeBytes(view.dtype, elementCount(view.shape, view.rank));
    bool copy = false;
    for (int32_t o = 0; o < a.output_count && !copy; ++o) {
      const Block &block = outputBlocks[o];
      const bool inPlace = model->updaters[i] == o && !outputs[o].callers &&
                           view.data == block.data() && liesAsUpdated(i) &&
                           current->bytes[model->outputRoots[o]] <= block.capacity();
      copy = !inPlace && intersect(block.data(), block.capacity(), view.data, spanBytes(view));
    }
    if (!copy)
      continue;
    if (Status status = inputCopies[i].reserve(view.bytes); status.failed())
      return status;
    copyIn(view, view.bytes, inputCopies[i].data());
    view.data = inputCopies[i].data();
    view.strides = nullptr;
  }
  return {};
}

/// Decides what memory each OUTPUT buffer is during the run.
Status Context::placeOutputs(const dynac_value_t *outs) {
  const dynac_artifact_t &a = model->tables();
  for (int32_t i = 0; i < a.output_count; ++i) {
    Output &output = outputs[i];
    const dynac_tensor_t &tensor = outs[i].as.tensor;
    const int32_t root = model->outputRoots[i];
    const bool dynamic = model->dynamicRoot[root];
    // The size of the buffer that the kernels write; the compiler may pad it.
    const int64_t bytes = std::max<int64_t>(current->bytes[root], 0);
    dynac_tensor_t shaped = tensor;
    shaped.shape = output.shape.data();
    // Memory with the strides of the capacity is all of it.
    const bool isWhole = output.strides.empty()
                             ? !tensor.strides && tensor.bytes >= bytes
                             : output.callers && hasStrides(shaped, output.strides) &&
                                   (tensor.strides || tensor.bytes >= bytes);
    output.direct =
        output.callers && isWhole && !misaligned(tensor.data, tensor.dtype) && tensor.data;
    output.memory = nullptr;
    output.capacity = 0;
    if (output.direct) {
      output.memory = tensor.data;
      output.capacity = output.strides.empty() ? tensor.bytes : bytes;
    } else if (!dynamic) {
      if (Status status = outputBlocks[i].reserve(bytes); status.failed())
        return status;
      output.memory = outputBlocks[i].data();
      output.capacity = outputBlocks[i].capacity();
    }
    if (model->ownOutput[i]) {
      memory[root] = output.memory;
      capacity[root] = output.capacity;
    }
  }
  return {};
}

/// An output that updates an input needs room for it.
Status Context::checkUpdates() const {
  const dynac_artifact_t &a = model->tables();
  for (int32_t i = 0; i < a.input_count; ++i) {
    const int32_t updater = model->updaters[i];
    if (updater >= 0 && outputs[updater].capacity < views[i].bytes)
      return failure(DYNAC_SIGNATURE,
                     "output \"%s\" updates input \"%s\" of %lld bytes, its memory has %lld",
                     a.outputs[updater].name, a.inputs[i].name, (long long)views[i].bytes,
                     (long long)outputs[updater].capacity);
  }
  return {};
}

bool Context::liesAsUpdated(int32_t input) const {
  const std::vector<int64_t> &strides = outputs[model->updaters[input]].strides;
  return strides.empty() ? isContiguous(views[input]) : hasStrides(views[input], strides);
}

void Context::moveToUpdater(int32_t input, void *&place) {
  const int32_t updater = model->updaters[input];
  const Output &output = outputs[updater];
  if (output.strides.empty()) {
    if (views[input].bytes > 0)
      std::memcpy(output.memory, place, size_t(views[input].bytes));
    if (model->outputRoots[updater] == model->tables().inputs[input].buffer)
      place = output.memory;
    return;
  }
  // Steps read the input within its capacity, wherever they write the output.
  dynac_tensor_t from = views[input], to = views[input];
  if (place != from.data)
    from.strides = nullptr; // a copy
  from.data = place;
  to.data = place = output.memory;
  to.strides = output.strides.data();
  copyElements(from, to);
}

/// Decides what memory each INPUT buffer is: the caller's, a copy, or the output that updates it.
Status Context::placeInputs(const dynac_value_t *inputs, const dynac_value_t *outs) {
  const dynac_artifact_t &a = model->tables();
  if (Status status = checkUpdates(); status.failed())
    return status;
  const auto inPlace = [&](int32_t i) {
    const int32_t updater = model->updaters[i];
    return updater >= 0 && outputs[updater].memory == views[i].data && liesAsUpdated(i);
  };
  for (int32_t i = 0; i < a.input_count; ++i) {
    void *&place = memory[a.inputs[i].buffer];
    if (inputs[i].kind == DYNAC_VALUE_STRINGS) {
      place = const_cast<dynac_string_t *>(inputs[i].as.strings.data);
      continue;
    }
    const dynac_tensor_t &view = views[i];
    place = view.data;
    if (inPlace(i))
      continue;
    bool copy = !isContiguous(view) || misaligned(view.data, view.dtype);
    for (int32_t o = 0; o < a.output_count && !copy; ++o)
      copy = outputs[o].callers &&
             intersect(view.data, view.bytes, outs[o].as.tensor.data, spanBytes(outs[o].as.tensor));
    if (!copy)
      continue;
    if (Status status = inputCopies[i].reserve(view.bytes); status.failed())
      return status;
    place = inputCopies[i].data();
    copyIn(view, view.bytes, place);
  }
  // Only now, since an output's memory may have been another input.
  for (int32_t i = 0; i < a.input_count; ++i) {
    if (model->updaters[i] >= 0 && !inPlace(i))
      moveToUpdater(i, memory[a.inputs[i].buffer]);
  }
  return {};
}

/// Fills in the caller's view and copies what the run left elsewhere.
Status Context::deliver(Executor &executor, int32_t index, dynac_value_t &value) {
  const dynac_value_info_t &info = model->tables().outputs[index];
  Output &output = outputs[index];
  if (!outputShape(index, output.shape))
    return failure(DYNAC_MISMATCH, "%s is damaged: the shape of output \"%s\" cannot be computed",
                   model->artifact.origin(), info.name);
  const int64_t bytes = dtypeBytes(info.dtype, elementCount(output.shape.data(), info.rank));
  if (bytes < 0)
    return failure(DYNAC_SIGNATURE, "output \"%s\": shape %s is too large", info.name,
                   shapeText(output.shape.data(), info.rank).c_str());
  const int32_t root = model->outputRoots[index];
  if (Status status = executor.ensure(info.buffer, bytes); status.failed())
    return status;
  void *source = memory[root];
  if (!output.callers) {
    // The model hands out an input (not one that it updated here), a weight or another output.
    if (!model->ownOutput[index] && (!source || source != outputBlocks[index].data())) {
      const int64_t all = output.strides.empty() ? bytes : current->bytes[root];
      if (Status status = outputBlocks[index].reserve(all); status.failed())
        return status;
      if (all > 0)
        std::memcpy(outputBlocks[index].data(), source, size_t(all));
      source = outputBlocks[index].data();
    }
    value = {};
    value.kind = DYNAC_VALUE_TENSOR;
    value.borrowed = 1;
    value.as.tensor = {source,  info.dtype, info.rank,        output.shape.data(),
                       nullptr, bytes,      DYNAC_DEVICE_CPU, 0};
    if (!output.strides.empty()) {
      value.as.tensor.strides = output.strides.data();
      value.as.tensor.bytes = current->bytes[root];
    }
    return {};
  }
  dynac_tensor_t &tensor = value.as.tensor;
  if (tensor.shape && !std::equal(output.shape.begin(), output.shape.end(), tensor.shape))
    return failure(DYNAC_SIGNATURE, "output \"%s\": got memory of shape %s, the run gave %s",
                   info.name, shapeText(tensor.shape, info.rank).c_str(),
                   shapeText(output.shape.data(), info.rank).c_str());
  tensor.rank = info.rank;
  if (!tensor.shape)
    tensor.shape = output.shape.data();
  if (source == tensor.data || bytes == 0)
    return {};
  if (!tensor.strides && tensor.bytes < bytes)
    return failure(DYNAC_SIGNATURE, "output \"%s\": got memory of %lld bytes, shape %s needs %lld",
                   info.name, (long long)tensor.bytes,
                   shapeText(output.shape.data(), info.rank).c_str(), (long long)bytes);
  if (output.strides.empty()) {
    copyOut(source, bytes, tensor);
  } else {
    dynac_tensor_t from = tensor;
    from.data = source;
    from.strides = output.strides.data();
    copyElements(from, tensor);
  }
  return {};
}

} // namespace dynac::rt
