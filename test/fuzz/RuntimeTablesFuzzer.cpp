//===- RuntimeTablesFuzzer.cpp - damaged artifacts to the loader ----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever numbers in the tables are wrong, wherever a file ends and whatever
// its trailer holds, loading and running end in a status. Pointers and code
// are trusted: a table's length and a kernel cannot be checked.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "RuntimeArtifact.h"

#include <cstring>
#include <fstream>
#include <iterator>

using namespace dynac::test;

namespace {

/// Changes numbers of an artifact's tables, a few at a time.
class Damage {
public:
  Damage(ArtifactBuilder &b, FuzzedDataProvider &data) : data(data) {
    dynac_artifact_t &a = b.artifact;
    counts = {&a.input_count,  &a.output_count, &a.symbol_count,  &a.expr_count,
              &a.buffer_count, &a.weight_count, &a.target_count,  &a.kernel_count,
              &a.step_count,   &a.block_count,  &a.message_count, &a.host_kernel_count,
              &a.growth_count};
    for (auto *values : {&b.inputs, &b.outputs})
      for (dynac_value_info_t &value : *values) {
        numbers.insert(numbers.end(), {&value.dtype, &value.buffer, &value.alias_input});
        addList(value.dim_slots, value.rank);
      }
    for (dynac_step_t &step : b.steps) {
      numbers.insert(numbers.end(), {&step.kind, &step.index, &step.index2, &step.extent_slot});
      addList(step.buffers, step.buffer_count);
      addList(step.dims, step.dim_count);
      wide.push_back(&step.grain);
    }
    addWords(b.exprs, 0);
    addWords(b.buffers, 0);
    addWords(b.blocks, 0);
    addWords(b.growths, 0);
    addWords(b.symbols, sizeof(void *));
    addWords(b.targets, sizeof(void *));
    for (dynac_weight_t &weight : b.weights)
      wide.insert(wide.end(), {&weight.offset, &weight.bytes});
    for (dynac_kernel_t &kernel : b.kernels)
      wide.push_back(&kernel.scratch_bytes);
  }

  void change() {
    switch (data.ConsumeIntegralInRange(0, 7)) {
    case 0:
      *pick(wide) = data.ConsumeIntegral<int64_t>();
      break;
    case 1: { // a table cannot be checked for being shorter than its count
      int32_t &count = *pick(counts);
      count = data.ConsumeIntegralInRange(-1, std::max(count, 0));
      break;
    }
    default:
      *pick(numbers) = data.ConsumeBool() ? data.ConsumeIntegralInRange(-2, 30)
                                          : data.ConsumeIntegral<int32_t>();
    }
  }

private:
  template <typename T> T pick(const std::vector<T> &list) {
    return list[data.ConsumeIntegralInRange<size_t>(0, list.size() - 1)];
  }
  void addList(const int32_t *list, int32_t &count) {
    for (int32_t i = 0; i < count; ++i)
      numbers.push_back(const_cast<int32_t *>(list) + i);
    counts.push_back(&count);
  }
  /// All of the entries but the pointer that they may begin with.
  template <typename T> void addWords(std::vector<T> &table, size_t skipBytes) {
    for (T &entry : table) {
      auto *begin = reinterpret_cast<int32_t *>(reinterpret_cast<char *>(&entry) + skipBytes);
      for (size_t i = 0; i < (sizeof(T) - skipBytes) / sizeof(int32_t); ++i)
        numbers.push_back(begin + i);
    }
  }

  FuzzedDataProvider &data;
  std::vector<int32_t *> numbers, counts;
  std::vector<int64_t *> wide;
};

} // namespace

/// A cache that grows, whose tables lie about everything but what its kernel writes.
static void runGrowing(FuzzedDataProvider &data) {
  ArtifactBuilder b = growingModel();
  for (dynac_kernel_t &kernel : b.kernels)
    kernel.scratch_bytes = 64;
  for (auto &bodies : b.bodies)
    bodies[0] = doNothing;
  b.build();
  Damage damage(b, data);
  for (size_t changes = data.ConsumeIntegralInRange(1, 4); changes > 0; --changes)
    damage.change();
  Loaded model(&b.artifact);
  if (!model.error.empty())
    return;
  Array<float> past({2, 1}, 1), token({2}, 1), given({2, 3}, 0);
  for (bool own : {true, false}) {
    std::vector<dynac_value_t> in = {past.value(), token.value()};
    in.resize(size_t(b.artifact.input_count), token.value());
    std::vector<dynac_value_t> out(size_t(b.artifact.output_count));
    if (!own && !out.empty())
      out[0] = given.value();
    if (take(model.run(in, out)).empty() && own && !in.empty() && !out.empty()) {
      in[0] = out[0];
      take(model.run(in, out));
    }
  }
}

static void runTables(FuzzedDataProvider &data) {
  ArtifactBuilder b = sampleArtifact();
  b.build();
  Damage damage(b, data);
  for (size_t changes = data.ConsumeIntegralInRange(1, 4); changes > 0; --changes)
    damage.change();
  // A loop whose condition nothing changes would not end.
  for (dynac_step_t &step : b.steps)
    if (step.kind == DYNAC_STEP_WHILE)
      step.kind = DYNAC_STEP_IF;
  Loaded model(&b.artifact);
  if (!model.error.empty())
    return;
  for (int64_t n : {3, 1, 200}) {
    Array<float> x({n}, 1);
    std::vector<dynac_value_t> in(size_t(b.artifact.input_count), x.value());
    std::vector<dynac_value_t> out(size_t(b.artifact.output_count));
    take(model.run(in, out));
  }
}

/// The sample with its weights and a trailer that differs from a right one by `trailer`.
static std::string fileWith(const dynac_trailer_t &trailer) {
  static const std::string code = [] {
    std::ifstream file(RUNTIME_SAMPLE, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize((bytes.size() + 4095) / 4096 * 4096);
    return bytes;
  }();
  std::string bytes = code + std::string(128, '\0');
  dynac_trailer_t last = trailer;
  last.magic ^= DYNAC_ABI_MAGIC;
  last.weights_offset ^= code.size();
  last.weights_bytes ^= 80;
  last.file_bytes ^= bytes.size() + sizeof(last);
  last.ir_hash ^= 42;
  return bytes.append(reinterpret_cast<const char *>(&last), sizeof(last));
}

static void runFile(FuzzedDataProvider &data) {
  static TemporaryFolder folder;
  static int files = 0; // a new name each time: the dynamic linker keeps what it has seen
  dynac_trailer_t difference = {};
  uint64_t *words = &difference.magic;
  for (size_t changes = data.ConsumeIntegralInRange(0, 2); changes > 0; --changes)
    words[data.ConsumeIntegralInRange(0, 7)] = data.ConsumeIntegral<uint64_t>();
  std::string bytes = fileWith(difference);
  if (data.ConsumeBool())
    bytes.resize(data.ConsumeIntegralInRange<size_t>(0, bytes.size() + 64));
  const std::string path = folder.path / (std::to_string(++files) + ".so");
  std::ofstream(path, std::ios::binary) << bytes;
  dynac_model_t *model = nullptr;
  dynac_context_t *context = nullptr;
  take(dynac_model_load(path.c_str(), nullptr, &model));
  std::filesystem::remove(path);
  if (!model)
    return;
  take(dynac_context_create(model, &context));
  Array<float> x({4}, 10);
  dynac_value_t in = x.value(), out = {};
  check(take(dynac_context_run(context, &in, 1, &out, 1)).empty());
  dynac_context_free(context);
  dynac_model_free(model);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  if (data.ConsumeIntegralInRange(0, 31) == 0) // a thousand times slower
    runFile(data);
  else if (data.ConsumeIntegralInRange(0, 3) == 0)
    runGrowing(data);
  else
    runTables(data);
  return 0;
}
