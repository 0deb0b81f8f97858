//===- Pipeline.cpp - from a model file to an artifact --------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Driver/Pipeline.h"

#include "Aliases.h"
#include "KernelTuning.h"
#include "Probes.h"

#include "dynac/Conversion/ModelToPrim.h"
#include "dynac/Dialect/Model/Model.h"
#include "dynac/Dialect/Prim/WeightStore.h"
#include "dynac/Driver/ModelSource.h"
#include "dynac/Frontend/Onnx/Import.h"
#include "dynac/Frontend/Onnx/Reader.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/CPU/Codegen.h"
#include "dynac/Target/CPU/KernelFunction.h"
#include "dynac/Target/CPU/Passes.h"
#include "dynac/Target/CPU/RegionPlanner.h"
#include "dynac/Target/Common/ArtifactWriter.h"
#include "dynac/Target/Common/Linker.h"
#include "dynac/Target/Common/Schedule.h"
#include "dynac/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace dynac {

/// Refuses what cannot work before any time is spent.
static llvm::Error checkOptions(const CompileOptions &options) {
  if (options.accuracy == Accuracy::Strict && options.precision != Precision::F32)
    return usageError("--accuracy strict keeps the model's numbers, --precision bf16 rounds them: "
                      "choose one");
  if (auto cache = readTuningCache(options); !cache)
    return cache.takeError();
  if (options.output.empty() && !options.emit)
    return usageError("no output: give -o FILE.so, .o or .a");
  if (options.output.empty())
    return llvm::Error::success();
  auto format = artifactFormatOf(options.output);
  if (!format)
    return format.takeError();
  if (auto name = externalWeightsName(options); !name)
    return name.takeError();
  if (!options.name.empty() && options.name != cIdentifier(options.name))
    return usageError("--name '{0}': expected letters, digits and _, the first no digit",
                      printable(options.name));
  if (*format != ArtifactFormat::SharedLibrary)
    return llvm::Error::success();
  if (!options.name.empty())
    return usageError("--name is for .o and .a: a .so exports dynac_artifact");
  return findLinker(options.linker).takeError();
}

static cpu::WeightFormat weightFormat(const WeightsPrecision &precision) {
  switch (precision.kind) {
  case WeightsPrecision::F32:
    break;
  case WeightsPrecision::Bf16:
    return cpu::WeightFormat::Bf16;
  case WeightsPrecision::Int8:
    return cpu::WeightFormat::Int8;
  case WeightsPrecision::Int4:
    return {cpu::WeightFormat::Int4, precision.block};
  }
  return cpu::WeightFormat::F32;
}

namespace {

/// One compilation: the phases of Phases.def, each a function that reads and writes this state.
class Compilation {
public:
  Compilation(ModelSource &source, const CompileOptions &options, Progress &progress)
      : source(source), options(options), progress(progress) {
    context.disableMultithreading();
    context.loadDialect<model::ModelDialect, prim::PrimDialect, func::FuncDialect>();
    context.getLoadedDialect<prim::PrimDialect>()->weights = &weights;
    // Diagnostics of MLIR are for dynac's own invariants; the last one becomes the message.
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        lastDiagnostic = nodeNames(diagnostic.getLocation()) + ": " + diagnostic.str();
    });
  }

  llvm::Expected<CompileReport> run() {
    using Step = llvm::Error (Compilation::*)();
    static constexpr std::pair<Phase, Step> steps[] = {
        {Phase::Import, &Compilation::import},   {Phase::Decompose, &Compilation::decompose},
        {Phase::Raise, &Compilation::raise},     {Phase::Simplify, &Compilation::simplify},
        {Phase::Fuse, &Compilation::fuse},       {Phase::Schedule, &Compilation::schedule},
        {Phase::Codegen, &Compilation::codegen}, {Phase::Link, &Compilation::link}};
    for (auto [phase, step] : steps) {
      progress.phaseBegins(phase);
      if (llvm::Error error = (this->*step)())
        return std::move(error);
      if (options.verifyEach && failed(mlir::verify(*module)))
        return invalidModel("{0}: after phase {1}: {2}", printable(options.model), phaseName(phase),
                            printable(lastDiagnostic, 2000));
      if (options.emit == phase) {
        if (llvm::Error error = print(phase))
          return std::move(error);
        break;
      }
      if (phase == Phase::Fuse && !progress.fused(plan.irHash))
        break;
    }
    return report;
  }

private:
  llvm::Error import() {
    auto imported = source.import(context, weights, progress);
    if (!imported)
      return imported.takeError();
    module = std::move(*imported);
    return probe(*module, options.probes);
  }

  llvm::Error decompose() {
    ImportOptions importOptions;
    for (const ShapeOption &shape : options.shapes) {
      std::vector<int64_t> extents;
      for (std::optional<int64_t> extent : shape.extents)
        extents.push_back(extent.value_or(ShapedType::kDynamic));
      importOptions.shapes[shape.input] = extents;
    }
    for (const DimOption &dim : options.dims)
      importOptions.dims[dim.name] = {dim.min, dim.max, dim.multipleOf, dim.hint.value_or(-1)};
    auto lowered = lowerModelToPrim(*module, source.operators(), importOptions);
    if (!lowered)
      return lowered.takeError();
    module = std::move(*lowered);
    return applyAliases(*module, options.aliases);
  }

  llvm::Error raise() {
    if (options.optLevel == 0)
      return llvm::Error::success();
    PassManager pm(&context);
    OpPassManager &func = pm.nest<func::FuncOp>();
    func.addPass(createSimplify());
    func.addPass(createFoldWeights()); // factors that a file computes become constants
    func.addPass(createRaise());
    return runPasses(pm);
  }

  llvm::Error simplify() {
    PassManager pm(&context);
    OpPassManager &func = pm.nest<func::FuncOp>();
    func.addPass(createSimplify());
    func.addPass(createFoldWeights());
    if (options.optLevel > 0) {
      if (!isStrict())
        func.addPass(createFoldScales());
      func.addPass(createFoldWeights());
      func.addPass(createSimplify());
    }
    func.addPass(createStoreLiterals());
    if (options.optLevel > 0) {
      func.addPass(cpu::createChannelsLastPass());
      func.addPass(cpu::createBlockedLayoutPass());
      roundOperands(func);
      func.addPass(cpu::createClaimPass());
    }
    func.addPass(createInlineComposites());
    func.addPass(createSimplify());
    func.addPass(createFoldWeights());
    if (options.optLevel > 0) {
      roundOperands(func); // of products that composites held
      func.addPass(cpu::createClaimPass());
      func.addPass(cpu::createAttentionViewsPass());
    }
    return runPasses(pm);
  }

  bool isStrict() const { return options.accuracy == Accuracy::Strict; }

  /// `--precision`. The generic way stays f32: it is the reference.
  void roundOperands(OpPassManager &func) {
    if (options.precision != Precision::Bf16)
      return;
    func.addPass(cpu::createBf16OperandsPass());
    func.addPass(createSimplify()); // operands of several contractions are rounded once
    func.addPass(createFoldWeights());
  }

  llvm::Error fuse() {
    PassManager pm(&context);
    OpPassManager &func = pm.nest<func::FuncOp>();
    func.addPass(createFuse());
    if (options.optLevel > 0)
      func.addPass(createUpdateInPlace());
    if (llvm::Error error = runPasses(pm))
      return error;
    plan.irHash = hashOfModule();
    return llvm::Error::success();
  }

  llvm::Error schedule() {
    std::vector<dynac_cpu_level_t> levels = options.levels;
    if (levels.empty()) {
      auto standard = parseMarchOption("");
      if (!standard)
        return standard.takeError();
      levels = *standard;
    }
    SmallVector<cpu::Isa> isas;
    for (dynac_cpu_level_t level : levels) {
      const cpu::Isa &isa = cpu::isaFor(level);
      if (!isas.empty() && isas.back() == isa)
        continue;
      isas.push_back(isa);
      dynac_target_t target = {};
      target.name = isa.name.data();
      target.cpu_level = isa.level;
      plan.targets.push_back(target);
    }
    cpu::loadKernelDialects(context);
    kernels = ModuleOp::create(UnknownLoc::get(&context));
    auto main = module->lookupSymbol<func::FuncOp>("main");
    plan.name = options.name.empty() ? llvm::sys::path::stem(options.model).str() : options.name;
    restrictSymbols();
    cpu::CpuRegionPlanner planner(*kernels, isas, isStrict());
    planner.weightFormat = weightFormat(options.weightsPrecision);
    weightErrors = planner.weightErrors;
    if (llvm::Error error = scheduleTuned(main, planner, weights, plan, options, progress))
      return error;
    report.kernels = plan.kernels.size();
    report.steps = plan.steps.size();
    return llvm::Error::success();
  }

  llvm::Error codegen() {
    cpu::CodegenOptions codegenOptions;
    codegenOptions.threads =
        options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
    auto compiled = cpu::lowerToObjects(*kernels, codegenOptions);
    if (!compiled)
      return compiled.takeError();
    objects = std::move(*compiled);
    return llvm::Error::success();
  }

  llvm::Error link() {
    ArtifactOptions artifact;
    artifact.output = options.output;
    artifact.symbolName = options.name;
    artifact.linker = options.linker;
    artifact.saveTemps = options.saveTemps;
    auto weightsFile = externalWeightsName(options);
    if (!weightsFile)
      return weightsFile.takeError();
    artifact.weightsFile = *weightsFile;
    artifact.progress = [this](uint64_t done, uint64_t total) {
      progress.weightsWritten(done, total);
    };
    std::vector<llvm::MemoryBufferRef> buffers;
    for (const auto &object : objects)
      buffers.emplace_back(StringRef(object.data(), object.size()), "kernels.o");
    auto written = writeArtifact(plan, buffers, artifact);
    if (!written)
      return written.takeError();
    report.files = written->files;
    report.codeBytes = written->codeBytes;
    report.weightsBytes = written->weightsBytes;
    for (const auto &[number, error] : *weightErrors)
      report.weightErrors.push_back({error.layer, error.weight, error.relative});
    return llvm::Error::success();
  }

  llvm::Error runPasses(PassManager &pm) {
    pm.enableVerifier(options.verifyEach);
    if (succeeded(pm.run(*module)))
      return llvm::Error::success();
    return unsupported("{0}: {1}", options.model, printable(lastDiagnostic, 2000));
  }

  llvm::Error print(Phase phase) {
    if (phase >= Phase::Schedule) {
      auto text = cpu::lowerToText(*kernels, phase == Phase::Schedule ? cpu::KernelText::LLVMIR
                                                                      : cpu::KernelText::Assembly);
      if (!text)
        return text.takeError();
      llvm::outs() << *text;
      return llvm::Error::success();
    }
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(32);
    module->print(llvm::outs(), flags);
    llvm::outs() << "\n";
    return llvm::Error::success();
  }

  /// Of the fused module's text without locations: the same for equal programs, wherever they lie.
  uint64_t hashOfModule() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return llvm::xxh3_64bits(text);
  }

  /// Ranges that `--dim` and the file give.
  void restrictSymbols() {
    auto main = module->lookupSymbol<func::FuncOp>("main");
    auto ranges = main->getAttrOfType<DictionaryAttr>("dynac.dim_ranges");
    if (!ranges)
      return;
    for (NamedAttribute entry : ranges) {
      auto values = cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef();
      int32_t slot = plan.symbolSlot(entry.getName());
      for (PlanSymbol &symbol : plan.symbols)
        if (symbol.slot == slot) {
          symbol.min = values[0];
          symbol.max = values[1];
          symbol.multipleOf = values[2];
        }
    }
  }

  ModelSource &source;
  const CompileOptions &options;
  Progress &progress;
  MLIRContext context;
  WeightStore weights;
  OwningOpRef<ModuleOp> module, kernels;
  Plan plan;
  std::vector<llvm::SmallVector<char, 0>> objects;
  CompileReport report;
  std::shared_ptr<const std::map<int64_t, cpu::CpuRegionPlanner::WeightError>> weightErrors;
  std::string lastDiagnostic;
};

/// An ONNX file.
class OnnxSource : public ModelSource {
public:
  explicit OnnxSource(const std::string &path) : path(path) {}

  llvm::Expected<OwningOpRef<ModuleOp>> import(MLIRContext &context, WeightStore &weights,
                                               Progress &progress) override {
    auto read = onnx::loadOnnx(path);
    if (!read)
      return read.takeError();
    model = std::move(*read);
    for (const std::string &warning : model->warnings)
      progress.warning(warning);
    OpTable table = operators();
    for (const auto &[domain, opset] : model->opsets)
      if (auto newest = table.newestOf(domain); newest && opset > *newest)
        progress.warning(
            llvm::formatv("{0}: opset {1} of domain '{2}' is newer than {3}, the newest "
                          "that is known; its operators are read by the rules of {3}",
                          path, opset, domain, *newest)
                .str());
    return onnx::importOnnx(*model, context, weights);
  }
  OpTable operators() const override { return makeOnnxOpTable(); }

private:
  std::string path;
  std::unique_ptr<onnx::OnnxModel> model; ///< the weights' bytes lie in its files
};

} // namespace

llvm::Expected<CompileReport> compile(ModelSource &source, const CompileOptions &options,
                                      Progress &progress) {
  if (llvm::Error error = checkOptions(options))
    return error;
  return Compilation(source, options, progress).run();
}

llvm::Expected<CompileReport> compileModel(const CompileOptions &options, Progress &progress) {
  OnnxSource source(options.model);
  return compile(source, options, progress);
}

} // namespace dynac
