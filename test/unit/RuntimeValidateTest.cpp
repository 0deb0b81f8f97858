//===- RuntimeValidateTest.cpp - damaged and foreign tables are refused -----===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "RuntimeArtifact.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <functional>
#include <random>

using namespace dynac::test;

namespace {

std::string load(const dynac_artifact_t *artifact, const char *isa = nullptr) {
  dynac_load_options_t options = DYNAC_LOAD_OPTIONS_INIT;
  options.threads = 1;
  options.isa = isa;
  dynac_model_t *model = nullptr;
  std::string message = takeCoded(dynac_model_from_linked(artifact, &options, &model));
  dynac_model_free(model);
  return message;
}

/// The message after one change to the sample.
std::string damaged(const std::function<void(ArtifactBuilder &)> &change) {
  ArtifactBuilder b = sampleArtifact();
  change(b);
  return load(b.build());
}

const char prefix[] = "8: linked model \"m\" is damaged: ";

} // namespace

TEST(RuntimeValidate, SampleIsFine) { EXPECT_EQ(load(sampleArtifact().build()), "0: "); }

TEST(RuntimeValidate, Header) {
  EXPECT_EQ(damaged([](auto &b) { b.artifact.magic = 1; }),
            "8: the linked tables are not a dynac artifact");
  EXPECT_EQ(
      damaged([](auto &b) { b.artifact.min_runtime_abi = 7; }),
      "8: linked model \"m\" needs a runtime of ABI 7 or newer, this runtime has ABI 3: use a "
      "newer libdynac_rt, or compile the model again with this version");
  EXPECT_EQ(damaged([](auto &b) {
              b.artifact.abi = 7; // newer, but says that this runtime can run it
              b.artifact.struct_size += 64;
            }),
            "0: ");
  EXPECT_EQ(damaged([](auto &b) {
              b.artifact.struct_size = offsetof(dynac_artifact_t, work); // without ABI 2's field
            }).substr(0, 66),
            "8: linked model \"m\" is damaged: its header has ABI 3 and 216 bytes");
  EXPECT_EQ(damaged([](auto &b) { b.artifact.struct_size = 40; }).substr(0, 65),
            "8: linked model \"m\" is damaged: its header has ABI 3 and 40 bytes");
}

TEST(RuntimeValidate, Indices) {
  const std::pair<std::function<void(ArtifactBuilder &)>, const char *> cases[] = {
      {[](auto &b) { b.steps[0].index = 5; }, "step 0 refers to kernel 5 of 1"},
      {[](auto &b) { b.steps[0].extent_slot = -1; }, "step 0 refers to dimension slot -1 of "},
      {[](auto &b) { b.steps[0].grain = 0; }, "step 0 has grain 0"},
      {[](auto &b) { b.steps[1].kind = 77; }, "step 1 has kind 77"},
      {[](auto &b) { b.steps[1].buffer_count = 1; }, "step 1 of kind 1 has 1 buffers and 0 dims"},
      {[](auto &b) { const_cast<int32_t *>(b.steps[1].buffers)[0] = 99; },
       "step 1 refers to buffer 99 of 8"},
      {[](auto &b) { const_cast<int32_t *>(b.steps[0].dims)[0] = 9999; },
       "step 0 refers to dimension slot 9999 of "},
      {[](auto &b) { b.steps[2].index = 3; }, "step 2 refers to block 3 of 3"},
      {[](auto &b) { b.steps[2].index2 = -2; }, "step 2 refers to block -2 of 3"},
      {[](auto &b) { b.steps[3].index = 0; }, "block 0 runs itself or nests deeper than 64"},
      {[](auto &b) { b.steps[4].index = 2; }, "step 4 refers to symbol 2 of 2"},
      {[](auto &b) { b.steps[4].index = 0; }, "step 4 binds symbol 0, which the inputs bind"},
      {[](auto &b) { b.steps[5].index = 1; }, "step 5 refers to message 1 of 1"},
      {[](auto &b) { b.steps[6].index = -1; }, "step 6 refers to host kernel -1 of 1"},
      {[](auto &b) { b.steps[6].name = nullptr; }, "step 6 has no name, buffers or dims"},
      {[](auto &b) { b.blocks[1].end = 30; }, "block 1 has steps 8..30 of 10"},
      {[](auto &b) {
         b.blocks.pop_back();
         b.steps[2].index2 = b.steps[3].index = 1;
       },
       "blocks have 9 steps of 10"},
      {[](auto &b) { b.exprs[3].op = 12; }, "dimension slot 3 has operation 12"},
      {[](auto &b) { b.exprs[3] = {DYNAC_EXPR_ADD, 3, 0, 0, 0}; },
       "dimension slot 3 refers to slots 3 and 0, which are not earlier ones"},
      {[](auto &b) { b.exprs[0].imm = 2; }, "dimension slot 0 refers to symbol 2 of 2"},
      {[](auto &b) { b.symbols[0].slot = 1; }, "symbol 0 has slot 1, which is not its own"},
      {[](auto &b) { b.symbols[0].multiple_of = 0; }, "symbol 0 has range 1.."},
      {[](auto &b) { b.buffers[0].kind = 9; }, "buffer 0 has kind 9"},
      {[](auto &b) { b.buffers[0].index = 1; }, "buffer 0 of kind 0 refers to number 1 of 1"},
      {[](auto &b) { b.buffers[1].index = -4; }, "buffer 1 of kind 2 refers to number -4 of 1"},
      {[](auto &b) { b.buffers[3].last_step = 10; }, "buffer 3 lives over steps 0..10 of 10"},
      {[](auto &b) { b.buffers[7].index = 7; }, "buffer 7 is an alias of itself"},
      {[](auto &b) { b.buffers[2].dtype = 0; }, "buffer 2 has dtype 0"},
      {[](auto &b) { b.buffers[3].last_step = 0; },
       "step 1 (copy) uses buffer 7 outside its lifetime 0..0"},
      {[](auto &b) { b.inputs[0].rank = -1; }, "input 0 has rank -1"},
      {[](auto &b) { b.inputs[0].buffer = 2; }, "input 0 has buffer 2, which is not its own"},
      {[](auto &b) { b.outputs[0].buffer = 8; }, "output 0 refers to buffer 8 of 8"},
      {[](auto &b) { b.outputs[0].alias_input = 1; }, "output 0 updates input 1 of 1"},
      {[](auto &b) { b.weights[0].offset = 32; }, "weight 0 (w) lies at 32, 12 bytes, of 12"},
      {[](auto &b) { b.weights[0].bytes = 13; }, "weight 0 (w) lies at 0, 13 bytes, of 12"},
      {[](auto &b) { b.exprs[size_t(b.buffers[1].bytes_slot)].imm = 16; },
       "buffer 1 has 16 bytes, but its weight 0 has 12"},
      {[](auto &b) { b.kernels[0].scratch_bytes = -1; },
       "kernel compute wants -1 bytes of scratch"},
      {[](auto &b) { b.bodies[0][0] = nullptr; }, "kernel compute has no code for x86-64-v2"},
      {[](auto &b) { b.work.assign(b.steps.size(), {9999, -1, -1, 0, -1, 0}); },
       "work of step 0 refers to dimension slot 9999 of "},
      {[](auto &b) { b.work.assign(b.steps.size(), {-1, -1, -1, 0, 1, 99}); },
       "step 0 writes buffers 1 and the next 99 of "},
      {[](auto &b) { b.work.assign(b.steps.size(), {-1, -1, -1, 0, -2, 0}); },
       "step 0 writes buffers -2 and the next 0 of "},
  };
  for (const auto &[change, text] : cases)
    EXPECT_EQ(damaged(change).substr(0, sizeof(prefix) - 1 + std::string(text).size()),
              std::string(prefix) + text);
}

TEST(RuntimeValidate, Growths) {
  const std::pair<std::function<void(ArtifactBuilder &)>, const char *> cases[] = {
      {[](auto &b) { b.growths[0].output = 1; },
       "growth 0 has output 1 and input 0, which it does not update"},
      {[](auto &b) { b.growths[0].input = 1; },
       "growth 0 has output 0 and input 1, which it does not update"},
      {[](auto &b) { b.growths[0].axis = 2; }, "growth 0 has axis 2 of 2 and 2, capacity 4"},
      {[](auto &b) { b.growths[0].capacity = -1; }, "growth 0 has axis 1 of 2 and 2, capacity -1"},
      {[](auto &b) { b.growths.push_back(b.growths[0]); },
       "growths 0 and 1 have the same output 0"},
  };
  for (const auto &[change, text] : cases) {
    ArtifactBuilder b = growingModel();
    change(b);
    EXPECT_EQ(load(b.build()), "8: linked model \"grow\" is damaged: " + std::string(text));
  }
  // What only the sizes of a run tell.
  for (auto [axis, capacity, text] :
       {std::tuple(1, 5, "output \"present\" has no room for 40 bytes"),
        std::tuple(0, 8, "output \"present\" does not extend input \"past\"")}) {
    ArtifactBuilder b = growingModel();
    b.growths[0].axis = axis;
    b.growths[0].capacity = capacity;
    Loaded m(b.build());
    Array<float> past({2, 1}, 0), token({2}, 0);
    std::vector<dynac_value_t> out(1);
    EXPECT_EQ(takeCoded(m.run({past.value(), token.value()}, out)),
              "8: linked model \"grow\" is damaged: " + std::string(text));
  }
  // An artifact of an ABI without growths has none, whatever lies behind its header.
  ArtifactBuilder b = growingModel();
  b.artifact.abi = b.artifact.min_runtime_abi = 2;
  b.artifact.struct_size = offsetof(dynac_artifact_t, growths);
  Loaded m(b.build());
  int32_t axis = 0;
  int64_t capacity = 1;
  ASSERT_EQ(take(dynac_model_output_capacity(m.model, 0, &axis, &capacity)), "");
  EXPECT_EQ(axis, -1);
}

TEST(RuntimeValidate, MissingTable) {
  ArtifactBuilder b = sampleArtifact();
  b.build();
  b.artifact.steps = nullptr;
  EXPECT_EQ(load(&b.artifact), std::string(prefix) + "table steps with 10 entries is missing");
}

TEST(RuntimeValidate, MissingHostKernel) {
  EXPECT_EQ(damaged([](auto &b) { b.hostKernels[0] = "teleport@3"; }),
            "8: linked model \"m\" needs host kernel \"teleport@3\", which this runtime (" +
                std::string(dynac_version()) + ", ABI 3) does not have");
}

TEST(RuntimeValidate, WeightsMissing) {
  ArtifactBuilder b = sampleArtifact();
  b.build();
  b.artifact.weights_data = nullptr;
  EXPECT_EQ(load(&b.artifact), std::string(prefix) + "its weights are missing or misaligned");
}

/// Whatever single number is wrong, loading and running end in a status.
TEST(RuntimeValidate, RandomDamageNeverCrashes) {
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    ArtifactBuilder b = sampleArtifact();
    const auto spoil = [&](auto &list, size_t skipBytes) {
      // Pointers cannot be checked, so only the integers after `skipBytes` are spoilt.
      auto &entry = list[random() % list.size()];
      auto *words = reinterpret_cast<int32_t *>(reinterpret_cast<char *>(&entry) + skipBytes);
      const size_t count = (sizeof(entry) - skipBytes) / 4;
      static const int32_t values[] = {-1, 0, 1, 2, 3, 7, 8, 100, INT32_MAX, INT32_MIN};
      words[random() % count] = values[random() % 10];
    };
    switch (random() % 5) {
    case 0:
      spoil(b.exprs, 0);
      break;
    case 1:
      spoil(b.buffers, 0);
      break;
    case 2:
      spoil(b.symbols, sizeof(void *));
      break;
    case 3:
      spoil(b.blocks, 0);
      break;
    case 4: {
      dynac_step_t &step = b.steps[random() % b.steps.size()];
      int32_t *fields[] = {&step.kind, &step.index, &step.index2, &step.extent_slot};
      *fields[random() % 4] = int32_t(random() % 12) - 2;
      break;
    }
    }
    // A loop whose condition nothing changes would not end.
    for (dynac_step_t &step : b.steps)
      if (step.kind == DYNAC_STEP_WHILE)
        step.kind = DYNAC_STEP_IF;
    Loaded m(b.build());
    if (!m.error.empty())
      continue;
    Array<float> x({3}, 1);
    std::vector<dynac_value_t> out(1);
    take(m.run({x.value()}, out));
  }
}

TEST(RuntimeCpu, TargetsAndLevels) {
  ArtifactBuilder b = sampleArtifact();
  b.targets = {{"x86-64-v2", DYNAC_CPU_V2, 0}, {"x86-64-v3", DYNAC_CPU_V3, 0}};
  b.bodies[0] = {doNothing, nullptr};
  EXPECT_EQ(load(b.build()), "0: ") << "a missing body falls back to the lower target";
  b.targets = {{"future", 99, 0}};
  const std::string level = dynac::rt::cpuLevelName(dynac::rt::detectCpuLevel());
  EXPECT_EQ(load(b.build()),
            "6: linked model \"m\" has no code for this CPU: it needs future, this CPU "
            "(with DYNAC_ISA) offers " +
                level + "; compile with --march naming a lower level");
  b.targets = {{"x86-64-v3", DYNAC_CPU_V3, 0}};
  EXPECT_EQ(load(b.build(), "x86-64-v2"),
            "6: linked model \"m\" has no code for this CPU: it needs x86-64-v3, this CPU (with "
            "DYNAC_ISA) offers x86-64-v2; compile with --march naming a lower level");
  EXPECT_EQ(load(b.build(), "sparc"),
            "2: option isa: \"sparc\" is no CPU level; there are x86-64-v2, "
            "x86-64-v3, x86-64-v4, x86-64-v4-bf16-vnni and amx");
}

TEST(RuntimeCpu, NamesOnlyLower) {
  int32_t level = 0;
  EXPECT_FALSE(dynac::rt::allowedCpuLevel(DYNAC_CPU_V3, "amx", level).failed());
  EXPECT_EQ(level, DYNAC_CPU_V3);
  EXPECT_FALSE(dynac::rt::allowedCpuLevel(DYNAC_CPU_AMX, "x86-64-v3", level).failed());
  EXPECT_EQ(level, DYNAC_CPU_V3);
  setenv("DYNAC_ISA", "x86-64-v2", 1);
  EXPECT_FALSE(dynac::rt::allowedCpuLevel(DYNAC_CPU_AMX, nullptr, level).failed());
  EXPECT_EQ(level, DYNAC_CPU_V2);
  EXPECT_STREQ(dynac_cpu_level_name(), "x86-64-v2");
  unsetenv("DYNAC_ISA");
  for (int32_t l = DYNAC_CPU_V2; l <= DYNAC_CPU_AMX; ++l)
    EXPECT_EQ(dynac::rt::parseCpuLevel(dynac::rt::cpuLevelName(l)), l);
}
