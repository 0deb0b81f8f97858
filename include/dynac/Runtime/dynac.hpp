//===- dynac.hpp - the C++ face of the runtime's C API ----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   dynac::Model model("resnet50.so");
//   dynac::Tensor x = dynac::Tensor::zeros<float>({1, 3, 224, 224});
//   std::vector<dynac::Tensor> y = model.run({x});
//   float first = y[0].span<float>()[0];
//
// Header-only, C++17. Failures throw dynac::Error. Tensors come from and go to other libraries as
// DLPack tensors (Tensor.hpp).
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_RUNTIME_DYNAC_HPP
#define DYNAC_RUNTIME_DYNAC_HPP

#include "dynac/Runtime/Tensor.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace dynac {

/// One extent of an input or output.
struct Dim {
  std::string text;    ///< "3", "batch", "seq*2"
  int64_t extent = -1; ///< -1 where it depends on the inputs
};

struct ValueInfo {
  std::string name;
  dynac_dtype_t dtype;
  std::vector<Dim> dims;
  int32_t aliasInput = -1; ///< outputs: the input that it updates in place
  int32_t growsAlong = -1; ///< outputs: the axis along which it appends to that input
  int64_t capacity = 0;    ///< of that axis in memory
};

struct Options {
  int32_t threads = 0;  ///< that work on one run; 0: all that the process may use
  bool ownPool = false; ///< threads of this model's own, not the process's pool
  std::string isa;      ///< "x86-64-v3", ...: run at most this level
  const dynac_callbacks_t *callbacks = nullptr; ///< the host's threads, memory and log
};

/// What one thread needs to run a model. Keeps the model alive; movable; one thread at a time.
class Context {
public:
  explicit Context(dynac_model_t *model) {
    detail::check(dynac_context_create(model, &handle));
    outputCount = dynac_model_output_count(model);
    for (size_t i = 0; i < outputCount; ++i) {
      dynac_value_desc_t desc;
      detail::check(dynac_model_output(model, i, &desc));
      updated.push_back(desc.alias_input);
    }
  }
  Context(Context &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), outputCount(other.outputCount),
        updated(std::move(other.updated)) {}
  Context &operator=(Context &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(outputCount, other.outputCount);
    std::swap(updated, other.updated);
    return *this;
  }
  ~Context() { dynac_context_free(handle); }

  /// Inputs in the signature's order. The outputs own their memory.
  std::vector<Tensor> run(const std::vector<Tensor> &inputs) {
    std::vector<Tensor> outputs(outputCount);
    run(inputs, outputs);
    return outputs;
  }

  /// Writes into the outputs that have memory and allocates the others. Passing an input's own
  /// tensor for the output that updates it copies nothing. An empty output that grows
  /// (`ValueInfo::growsAlong`) takes the memory of its input if that was such an output before, so
  /// a decoder's step is `run(inputs, outputs); inputs[i] = std::exchange(outputs[j], {});` and
  /// writes only what is new. Shorter tensors over the same memory stay as they are, but two runs
  /// that extend one tensor overwrite each other's part.
  void run(const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    outputs.resize(outputCount);
    std::vector<dynac_value_t> in, out(outputCount), expected(outputCount);
    for (const Tensor &tensor : inputs)
      in.push_back(tensor.value());
    bool allocate = false;
    for (const Tensor &tensor : outputs)
      allocate |= !tensor;
    if (allocate)
      detail::check(
          dynac_context_infer(handle, in.data(), in.size(), expected.data(), outputCount));
    std::vector<Tensor> fresh = outputs; // the caller's keep their memory if the run fails
    for (size_t i = 0; i < outputCount; ++i) {
      const dynac_tensor_t &shape = expected[i].as.tensor;
      if (!fresh[i] && shape.strides)
        fresh[i] = grown(shape, inputs[size_t(updated[i])]);
      else if (!fresh[i] && shape.bytes >= 0 && shape.dtype != DYNAC_STRING)
        fresh[i] = Tensor(dynac_dtype_t(shape.dtype), {shape.shape, shape.shape + shape.rank});
      if (fresh[i])
        out[i] = fresh[i].value();
    }
    detail::check(dynac_context_run(handle, in.data(), in.size(), out.data(), outputCount));
    for (size_t i = 0; i < outputCount; ++i)
      if (!fresh[i]) // only the run knew its size: it is in the context's memory
        fresh[i] = Tensor::copyOf(out[i].as.tensor);
    outputs = std::move(fresh);
  }

  int64_t arenaBytes() const { return dynac_context_arena_bytes(handle); }
  dynac_context_t *get() const { return handle; }

private:
  /// `input` under the shape that it grows to, or new memory of the capacity.
  static Tensor grown(const dynac_tensor_t &to, const Tensor &input) {
    std::vector<int64_t> shape(to.shape, to.shape + to.rank),
        strides(to.strides, to.strides + to.rank);
    if (input.strides() == strides)
      return input.withShape(std::move(shape));
    return Tensor::within(dynac_dtype_t(to.dtype), std::move(shape), std::move(strides), to.bytes);
  }

  dynac_context_t *handle = nullptr;
  size_t outputCount = 0;
  std::vector<int32_t> updated; // per output: the input that it updates, or -1
};

/// A loaded model. Any number of threads may call it; copies share it.
class Model {
public:
  explicit Model(const std::string &path, const Options &options = {}) : shared(new Shared) {
    const dynac_load_options_t o = convert(options);
    detail::check(dynac_model_load(path.c_str(), &o, &shared->handle));
  }
  /// A model that is linked into the program: `dynac::Model m(dynac_artifact_NAME);`.
  explicit Model(const dynac_artifact_t &linked, const Options &options = {}) : shared(new Shared) {
    const dynac_load_options_t o = convert(options);
    detail::check(dynac_model_from_linked(&linked, &o, &shared->handle));
  }

  std::vector<ValueInfo> inputs() const {
    return infos(dynac_model_input_count(get()), dynac_model_input);
  }
  std::vector<ValueInfo> outputs() const {
    return infos(dynac_model_output_count(get()), dynac_model_output);
  }
  std::string target() const { return dynac_model_target(get()); }
  dynac_model_t *get() const { return shared->handle; }

  Context context() const { return Context(get()); }

  /// Runs in a context of the model's own; as many exist as threads have been here at once.
  std::vector<Tensor> run(const std::vector<Tensor> &inputs) const {
    Context context = shared->borrow();
    std::vector<Tensor> outputs = context.run(inputs);
    shared->give(std::move(context));
    return outputs;
  }

  /// Inputs and outputs by name.
  std::map<std::string, Tensor> runNamed(const std::map<std::string, Tensor> &named) const {
    std::vector<Tensor> in(dynac_model_input_count(get()));
    for (const auto &[name, tensor] : named) {
      const size_t index = dynac_model_find_input(get(), name.c_str());
      if (index == SIZE_MAX)
        throw Error(DYNAC_SIGNATURE, "the model has no input \"" + name + "\"");
      in[index] = tensor;
    }
    std::vector<Tensor> out = run(in);
    std::map<std::string, Tensor> result;
    const std::vector<ValueInfo> names = outputs();
    for (size_t i = 0; i < out.size(); ++i)
      result.emplace(names[i].name, std::move(out[i]));
    return result;
  }

private:
  struct Shared {
    ~Shared() {
      idle.clear();
      dynac_model_free(handle);
    }
    Context borrow() {
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (!idle.empty()) {
          Context context = std::move(idle.back());
          idle.pop_back();
          return context;
        }
      }
      return Context(handle);
    }
    void give(Context context) {
      std::lock_guard<std::mutex> lock(mutex);
      idle.push_back(std::move(context));
    }

    dynac_model_t *handle = nullptr;
    std::mutex mutex;
    std::vector<Context> idle;
  };

  static dynac_load_options_t convert(const Options &options) {
    dynac_load_options_t o = DYNAC_LOAD_OPTIONS_INIT;
    o.threads = options.threads;
    o.pool = options.ownPool ? DYNAC_POOL_OWN : DYNAC_POOL_SHARED;
    o.isa = options.isa.empty() ? nullptr : options.isa.c_str();
    o.callbacks = options.callbacks;
    return o;
  }

  template <typename Query> std::vector<ValueInfo> infos(size_t count, Query query) const {
    std::vector<ValueInfo> list;
    for (size_t i = 0; i < count; ++i) {
      dynac_value_desc_t desc;
      detail::check(query(get(), i, &desc));
      ValueInfo info{desc.name, dynac_dtype_t(desc.dtype), {}, desc.alias_input, -1, 0};
      if (desc.alias_input >= 0)
        detail::check(dynac_model_output_capacity(get(), i, &info.growsAlong, &info.capacity));
      for (int32_t axis = 0; axis < desc.rank; ++axis)
        info.dims.push_back({desc.dims[axis], desc.extents[axis]});
      list.push_back(std::move(info));
    }
    return list;
  }

  std::shared_ptr<Shared> shared;
};

} // namespace dynac

#endif // DYNAC_RUNTIME_DYNAC_HPP
