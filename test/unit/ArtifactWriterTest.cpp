//===- ArtifactWriterTest.cpp - plans made by hand become artifacts -------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/Common/ArtifactWriter.h"

#include "dynac/Runtime/dynac.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/Common/Linker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <sys/resource.h>

using namespace dynac;

namespace {

std::string compileIr(const std::string &text) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  std::string error, triple = "x86_64-unknown-linux-gnu";
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v2", "", {}, llvm::Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(
      machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

/// y[i] = x[i] * w[i] + table[i & 3], with a constant table that needs a relocation; `extra` calls
/// go in front of the loop.
std::string scaleKernel(const std::string &name, const std::string &extra = "") {
  return compileIr(R"(
@table = internal constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
declare float @sinhf(float)
declare void @not_of_libc()
define i32 @)" + name +
                   R"((ptr %args, i64 %begin, i64 %end) {
entry:
  %buffers = load ptr, ptr %args
  %x = load ptr, ptr %buffers
  %wp = getelementptr ptr, ptr %buffers, i64 1
  %w = load ptr, ptr %wp
  %yp = getelementptr ptr, ptr %buffers, i64 2
  %y = load ptr, ptr %yp
)" + extra + R"(
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %xi = getelementptr float, ptr %x, i64 %i
  %wi = getelementptr float, ptr %w, i64 %i
  %yi = getelementptr float, ptr %y, i64 %i
  %a = load float, ptr %xi
  %b = load float, ptr %wi
  %low = and i64 %i, 3
  %ti = getelementptr [4 x float], ptr @table, i64 0, i64 %low
  %t = load float, ptr %ti
  %m = fmul float %a, %b
  %s = fadd float %m, %t
  store float %s, ptr %yi
  %next = add i64 %i, 1
  %done = icmp sge i64 %next, %end
  br i1 %done, label %exit, label %loop
exit:
  ret i32 0
}
)");
}

/// One kernel: y = x * w + table, over 8 elements; every weight is `scale`.
Plan scalePlan(float scale, const std::string &kernel = "scale") {
  Plan plan;
  plan.name = "scale";
  plan.irHash = 42;
  plan.targets = {{"x86-64-v2", DYNAC_CPU_V2, 0}};
  int32_t eight = plan.slotOf(SymExpr(8)), bytes = plan.slotOf(SymExpr(32));
  PlanValue x;
  x.name = "x";
  x.dtype = DYNAC_F32;
  x.dimSlots = {eight};
  x.buffer = 0;
  PlanValue y = x;
  y.name = "y";
  y.buffer = 2;
  plan.inputs = {x};
  plan.outputs = {y};
  plan.buffers = {{DYNAC_BUFFER_INPUT, 0, DYNAC_F32, bytes, 0, 0},
                  {DYNAC_BUFFER_WEIGHT, 1, DYNAC_F32, bytes, 0, 0},
                  {DYNAC_BUFFER_OUTPUT, 0, DYNAC_F32, bytes, 0, 0}};
  for (const char *name : {"unused", "w"}) {
    PlanWeight weight;
    weight.name = name;
    weight.dtype = DYNAC_F32;
    weight.shape = {8};
    weight.bytes = 32;
    weight.fill = [scale](llvm::MutableArrayRef<char> out) -> llvm::Error {
      for (size_t i = 0; i < 8; ++i)
        std::memcpy(out.data() + 4 * i, &scale, 4);
      return llvm::Error::success();
    };
    plan.weights.push_back(std::move(weight));
  }
  plan.kernels = {{kernel, "pointwise", {kernel}, 0}};
  PlanStep step;
  step.extentSlot = eight;
  step.buffers = {0, 1, 2};
  step.name = "node";
  plan.steps = {step};
  plan.blocks = {{0, 1}};
  return plan;
}

class ArtifactWriterTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("dynac-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const std::string &name) { return (folder + "/" + name).str(); }
  std::string write(const Plan &plan, const std::vector<std::string> &objects,
                    ArtifactOptions options, const std::string &name) {
    options.output = path(name);
    std::vector<llvm::MemoryBufferRef> refs;
    for (const std::string &object : objects)
      refs.emplace_back(object, "kernels");
    auto report = writeArtifact(plan, refs, options);
    return report ? "" : llvm::toString(report.takeError());
  }
  std::string read(const std::string &name) {
    auto buffer = llvm::MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  size_t fileCount() {
    std::error_code error;
    size_t count = 0;
    for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

/// Runs a loaded scale model on x = 1 … 8 and frees it.
void expectScaled(dynac_model_t *model, float scale) {
  dynac_context_t *context = nullptr;
  dynac_status_t *status = dynac_context_create(model, &context);
  ASSERT_EQ(status, nullptr) << dynac_status_message(status);
  float x[8], y[8] = {};
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(i + 1);
  int64_t shape[] = {8};
  dynac_value_t in{}, out{};
  in.kind = out.kind = DYNAC_VALUE_TENSOR;
  in.as.tensor = {x, DYNAC_F32, 1, shape, nullptr, sizeof(x), 0, 0};
  out.as.tensor = {y, DYNAC_F32, 1, shape, nullptr, sizeof(y), 0, 0};
  status = dynac_context_run(context, &in, 1, &out, 1);
  ASSERT_EQ(status, nullptr) << dynac_status_message(status);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], x[i] * scale + static_cast<float>(i % 4 + 1)) << i;
  dynac_context_free(context);
  dynac_model_free(model);
}

void expectRuns(const std::string &file, float scale) {
  dynac_model_t *model = nullptr;
  dynac_status_t *status = dynac_model_load(file.c_str(), nullptr, &model);
  ASSERT_EQ(status, nullptr) << dynac_status_message(status);
  expectScaled(model, scale);
}

TEST(ArtifactPlan, KnowsSizesThatNoRunCanCompute) {
  Plan plan;
  SymExpr n = SymExpr::symbol("N");
  plan.slotOf(n * SymExpr(INT64_MAX) + SymExpr(1));
  EXPECT_FALSE(plan.overflows());
  plan.slotOf(n * SymExpr(INT64_MAX) * SymExpr(8));
  EXPECT_TRUE(plan.overflows());
}

TEST_F(ArtifactWriterTest, SharedLibraryRuns) {
  ASSERT_EQ(write(scalePlan(3), {scaleKernel("scale")}, {}, "m.so"), "");
  EXPECT_EQ(fileCount(), 1u);
  expectRuns(path("m.so"), 3);
}

TEST_F(ArtifactWriterTest, SameBytesForAnotherPath) {
  std::string kernel = scaleKernel("scale");
  ASSERT_EQ(write(scalePlan(3), {kernel}, {}, "a.so"), "");
  ASSERT_EQ(write(scalePlan(3), {kernel}, {}, "another-name.so"), "");
  EXPECT_TRUE(read("a.so") == read("another-name.so"));
  ArtifactOptions named;
  named.symbolName = "m";
  for (const char *extension : {".o", ".a"}) {
    ASSERT_EQ(write(scalePlan(3), {kernel}, named, std::string("b") + extension), "");
    ASSERT_EQ(write(scalePlan(3), {kernel}, named, std::string("c") + extension), "");
    EXPECT_TRUE(read(std::string("b") + extension) == read(std::string("c") + extension));
  }
}

TEST_F(ArtifactWriterTest, ExternalWeights) {
  ArtifactOptions options;
  options.weightsFile = "w.safetensors";
  ASSERT_EQ(write(scalePlan(5), {scaleKernel("scale")}, options, "m.so"), "");
  std::string file = read("w.safetensors");
  EXPECT_EQ(file.size(), 4096u + 64 + 32);
  EXPECT_NE(file.find(R"("w":{"dtype":"F32","shape":[8],"data_offsets":[64,96]})"),
            std::string::npos);
  EXPECT_NE(file.find(R"("dynac.padding.1":{"dtype":"U8","shape":[32],"data_offsets":[32,64]})"),
            std::string::npos);
  expectRuns(path("m.so"), 5);
}

TEST_F(ArtifactWriterTest, TwoArtifactsInOneProgram) {
  // Same kernel names, an archive and an object: nothing but the two symbols may meet.
  ASSERT_EQ(write(scalePlan(2), {scaleKernel("scale")}, {}, "first.o"), "");
  ASSERT_EQ(write(scalePlan(7), {scaleKernel("scale")}, {}, "2nd.a"), "");
  EXPECT_NE(read("2nd.h").find("extern const dynac_artifact_t dynac_artifact__2nd;"),
            std::string::npos);
  for (const char *name : {"ld.lld-19", "ld.bfd"}) {
    auto linker = findLinker(name);
    if (!linker) {
      llvm::consumeError(linker.takeError());
      continue;
    }
    std::string program = path(std::string(name) + ".so");
    llvm::Error error = runLinker(*linker, {"-shared", "-o", program, path("first.o"), "-u",
                                            "dynac_artifact__2nd", path("2nd.a")});
    ASSERT_FALSE(error) << llvm::toString(std::move(error));
    void *handle = dlopen(program.c_str(), RTLD_NOW);
    ASSERT_NE(handle, nullptr) << dlerror();
    for (auto [symbol, scale] :
         {std::pair("dynac_artifact_first", 2.f), std::pair("dynac_artifact__2nd", 7.f)}) {
      auto *artifact = static_cast<const dynac_artifact_t *>(dlsym(handle, symbol));
      ASSERT_NE(artifact, nullptr);
      EXPECT_EQ(dlsym(handle, "scale"), nullptr);
      dynac_model_t *model = nullptr;
      dynac_status_t *status = dynac_model_from_linked(artifact, nullptr, &model);
      ASSERT_EQ(status, nullptr) << dynac_status_message(status);
      expectScaled(model, scale);
    }
    dlclose(handle);
  }
}

TEST_F(ArtifactWriterTest, KernelsOfSeveralObjects) {
  // Which object has what does not matter; equal names of local tables do not meet.
  Plan plan = scalePlan(3, "second");
  plan.kernels.insert(plan.kernels.begin(), {"first", "pointwise", {"first"}, 0});
  plan.steps[0].index = 1;
  ASSERT_EQ(write(plan, {scaleKernel("first"), scaleKernel("second")}, {}, "m.so"), "");
  expectRuns(path("m.so"), 3);
}

TEST_F(ArtifactWriterTest, LibmIsNeededOnlyWhenUsed) {
  ASSERT_EQ(write(scalePlan(3), {scaleKernel("scale")}, {}, "without.so"), "");
  EXPECT_EQ(read("without.so").find("libm.so.6"), std::string::npos);
  std::string call = "  %sx = load float, ptr %x\n  %sinh = call float @sinhf(float %sx)\n"
                     "  %yb = getelementptr float, ptr %y, i64 %begin\n"
                     "  store float %sinh, ptr %yb\n";
  ASSERT_EQ(write(scalePlan(3), {scaleKernel("scale", call)}, {}, "with.so"), "");
  EXPECT_NE(read("with.so").find("libm.so.6"), std::string::npos);
  expectRuns(path("with.so"), 3);
}

TEST_F(ArtifactWriterTest, UnknownSymbolIsRefused) {
  EXPECT_EQ(write(scalePlan(3), {scaleKernel("scale", "  call void @not_of_libc()\n")}, {}, "m.so"),
            "a kernel refers to 'not_of_libc', which is in neither libc nor libm");
  EXPECT_EQ(write(scalePlan(3), {}, {}, "m.so"),
            "a kernel refers to 'scale', which is in neither libc nor libm");
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(ArtifactWriterTest, LinkerThatIsMissingOrFails) {
  ArtifactOptions options;
  options.linker = "no-such-ld";
  EXPECT_EQ(write(scalePlan(3), {scaleKernel("scale")}, options, "m.so"),
            "linker 'no-such-ld' (from --linker) was not found");
  options.linker = "false";
  std::string message = write(scalePlan(3), {scaleKernel("scale")}, options, "m.so");
  EXPECT_NE(message.find("failed with code 1"), std::string::npos) << message;
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(ArtifactWriterTest, FailingWeightLeavesNothing) {
  for (const char *name : {"m.so", "m.o", "m.a"}) {
    Plan plan = scalePlan(3);
    plan.weights[1].fill = [](llvm::MutableArrayRef<char>) {
      return invalidModel("weight 'w' is cut off");
    };
    EXPECT_EQ(write(plan, {scaleKernel("scale")}, {}, name), "weight 'w' is cut off");
    EXPECT_EQ(fileCount(), 0u);
  }
}

TEST_F(ArtifactWriterTest, FullDiskIsReported) {
  std::string kernel = scaleKernel("scale");
  llvm::sys::SetInterruptFunction(nullptr); // installs LLVM's handlers before the one below
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  for (const char *name : {"m.so", "m.o", "m.a"}) {
    Plan plan = scalePlan(3);
    plan.weights[0].bytes = 2 << 20;
    plan.weights[0].shape = {1 << 19};
    EXPECT_EQ(write(plan, {kernel}, {}, name), "cannot write '" + path(name) + "': File too large");
    EXPECT_EQ(fileCount(), 0u);
  }
  setrlimit(RLIMIT_FSIZE, &old);
}

TEST_F(ArtifactWriterTest, TruncatedFileIsRefused) {
  ASSERT_EQ(write(scalePlan(3), {scaleKernel("scale")}, {}, "m.so"), "");
  std::string bytes = read("m.so");
  for (size_t keep : {bytes.size() - 1, bytes.size() - 64, bytes.size() - 128, bytes.size() / 2}) {
    std::error_code error;
    llvm::raw_fd_ostream(path("cut.so"), error).write(bytes.data(), keep);
    dynac_model_t *model = nullptr;
    dynac_status_t *status = dynac_model_load(path("cut.so").c_str(), nullptr, &model);
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(dynac_status_code(status), DYNAC_MISMATCH) << dynac_status_message(status);
    dynac_status_free(status);
  }
}

TEST_F(ArtifactWriterTest, OutputIsNoRegularFile) {
  llvm::sys::fs::create_directory(path("folder.so"));
  EXPECT_EQ(write(scalePlan(3), {scaleKernel("scale")}, {}, "folder.so"),
            "cannot write '" + path("folder.so") + "': it exists and is not a regular file");
  EXPECT_EQ(write(scalePlan(3), {scaleKernel("scale")}, {}, "no/such/m.so"),
            "cannot write '" + path("no/such/m.so") + "': No such file or directory");
}

TEST(PlanTest, SlotsAreShared) {
  Plan plan;
  SymExpr n = SymExpr::symbol("N"), s = SymExpr::symbol("S");
  int32_t slot = plan.slotOf(n * s + SymExpr(1));
  size_t count = plan.exprs.size();
  EXPECT_EQ(plan.slotOf(SymExpr(1) + s * n), slot);
  EXPECT_EQ(plan.exprs.size(), count);
  EXPECT_EQ(plan.slotOf(n), plan.symbolSlot("N"));
  ASSERT_EQ(plan.symbols.size(), 2u);
  for (const PlanSymbol &symbol : plan.symbols)
    EXPECT_EQ(plan.exprs[symbol.slot].op, DYNAC_EXPR_SYMBOL);
  for (size_t i = 0; i < plan.exprs.size(); ++i)
    if (plan.exprs[i].op > DYNAC_EXPR_SYMBOL)
      EXPECT_LT(std::max(plan.exprs[i].a, plan.exprs[i].b), static_cast<int32_t>(i));
  EXPECT_EQ(plan.messageOf("a"), 0);
  EXPECT_EQ(plan.messageOf("b"), 1);
  EXPECT_EQ(plan.messageOf("a"), 0);
}

} // namespace
