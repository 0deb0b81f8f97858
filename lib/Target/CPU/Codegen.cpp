//===- Codegen.cpp - from kernels in MLIR to object files -----------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Target/CPU/Codegen.h"

#include "dynac/Support/Diagnostic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace dynac;
using namespace dynac::cpu;

static constexpr llvm::StringLiteral targetTriple = "x86_64-unknown-linux-gnu";

//===----------------------------------------------------------------------===//
// MLIR to LLVM IR
//===----------------------------------------------------------------------===//

/// Runs `body` and turns the diagnostics that it emits into one error.
static llvm::Error collectErrors(MLIRContext &context, llvm::function_ref<LogicalResult()> body) {
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && messages.size() < 2000)
      messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (succeeded(body()))
    return llvm::Error::success();
  return makeDiagnostic(ExitCode::System,
                        "internal error: a kernel cannot be compiled: " + messages);
}

llvm::Error cpu::lowerToLLVMDialect(ModuleOp kernels) {
  return collectErrors(*kernels.getContext(), [&] {
    // Checked once, not after each of the passes: that is a third of their time.
    if (failed(verify(kernels)))
      return failure();
    PassManager pm(kernels.getContext());
    pm.enableVerifier(false);
    addKernelLowering(pm);
    return pm.run(kernels);
  });
}

namespace {

/// The functions of one object: some kernels and everything private that they use.
using Part = llvm::SetVector<Operation *>;

/// One object's LLVM module, with a context of its own so that parts can be compiled side by side.
struct LLVMPart {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
};

} // namespace

static void addWithUses(Operation *op, SymbolTable &symbols, Part &part) {
  if (!part.insert(op))
    return;
  if (auto uses = SymbolTable::getSymbolUses(op))
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *used = symbols.lookup(use.getSymbolRef().getRootReference()))
        addWithUses(used, symbols, part);
}

/// Whether `kernel` calls a body that was unrolled by its emitter (KernelFunction::keepLoops).
static bool keepsLoops(LLVM::LLVMFuncOp kernel, SymbolTable &symbols) {
  auto body = symbols.lookup<LLVM::LLVMFuncOp>((kernel.getSymName() + ".body").str());
  if (!body || !body.getPassthrough())
    return false;
  return llvm::any_of(*body.getPassthrough(), [](Attribute attribute) {
    auto text = dyn_cast<StringAttr>(attribute);
    return text && text == "dynac-keep-loops";
  });
}

/// Splits by order of definition, so that equal input gives equal objects for any number of
/// threads. The two ways of optimisation do not share an object.
static std::vector<Part> splitKernels(ModuleOp kernels, unsigned kernelsPerObject) {
  SymbolTable symbols(kernels);
  std::vector<Part> parts;
  struct Open {
    size_t part = 0;
    unsigned kernels = 0;
  } open[2];
  for (Operation &op : *kernels.getBody()) {
    auto func = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!func || func.isExternal() || func.getLinkage() != LLVM::Linkage::External)
      continue;
    Open &current = open[keepsLoops(func, symbols)];
    if (current.kernels++ % kernelsPerObject == 0) {
      current.part = parts.size();
      parts.emplace_back();
    }
    addWithUses(func, symbols, parts[current.part]);
  }
  return parts;
}

static llvm::Expected<LLVMPart> translate(ModuleOp kernels, const Part &part) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernels.getLoc());
  for (Operation &op : *kernels.getBody())
    if (part.contains(&op))
      module->getBody()->push_back(op.clone());
  LLVMPart result;
  llvm::Error error = collectErrors(*kernels.getContext(), [&] {
    result.module = translateModuleToLLVMIR(*module, *result.context, "kernels");
    return success(result.module != nullptr);
  });
  if (error)
    return std::move(error);
  for (llvm::Function &function : *result.module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// LLVM IR to objects
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(unsigned optLevel) {
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(targetTriple.str(), message);
  if (!target)
    return makeDiagnostic(ExitCode::System, "LLVM lacks the x86-64 target: " + message);
  llvm::TargetOptions options;
  options.FunctionSections = true;
  // The level of each function is its own attribute; the base is what every function may use.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      targetTriple, "x86-64-v2", "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
  if (!machine)
    return makeDiagnostic(ExitCode::System, "LLVM cannot create its x86-64 target");
  return machine;
}

static llvm::OptimizationLevel optimizationLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel >= 2;
  tuning.LoopInterleaving = optLevel >= 2;
  // Finding out what unrolling would bring takes half the time for kernels that are unrolled as
  // they should be.
  tuning.LoopUnrolling = llvm::none_of(
      module, [](const llvm::Function &f) { return f.hasFnAttribute("dynac-keep-loops"); });
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  llvm::ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                    : builder.buildPerModuleDefaultPipeline(optimizationLevel(optLevel));
  passes.run(module, mam);
}

static llvm::Error emit(llvm::Module &module, llvm::TargetMachine &machine,
                        llvm::CodeGenFileType type, SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return makeDiagnostic(ExitCode::System, "LLVM's x86-64 target cannot emit this kind of file");
  passes.run(module);
  return llvm::Error::success();
}

/// Target, data layout and optimisation of one part; `machine` is the part's own.
static void prepare(llvm::Module &module, llvm::TargetMachine &machine,
                    const CodegenOptions &options) {
  module.setTargetTriple(targetTriple);
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  optimize(module, machine, options.optLevel);
}

static void initializeLLVM(MLIRContext &context) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

llvm::Expected<std::vector<SmallVector<char, 0>>>
cpu::lowerToObjects(ModuleOp kernels, const CodegenOptions &options) {
  initializeLLVM(*kernels.getContext());
  if (llvm::Error error = lowerToLLVMDialect(kernels))
    return std::move(error);
  std::vector<LLVMPart> parts;
  for (const Part &part : splitKernels(kernels, std::max(1u, options.kernelsPerObject))) {
    llvm::Expected<LLVMPart> translated = translate(kernels, part);
    if (!translated)
      return translated.takeError();
    parts.push_back(std::move(*translated));
  }

  std::vector<SmallVector<char, 0>> objects(parts.size());
  std::vector<std::optional<llvm::Error>> errors(parts.size());
  auto compile = [&](size_t i) -> llvm::Error {
    auto machine = createTargetMachine(options.optLevel);
    if (!machine)
      return machine.takeError();
    prepare(*parts[i].module, **machine, options);
    llvm::Error error =
        emit(*parts[i].module, **machine, llvm::CodeGenFileType::ObjectFile, objects[i]);
    parts[i].module.reset();
    return error;
  };
  if (options.threads <= 1) {
    for (size_t i = 0; i < parts.size(); ++i)
      errors[i] = compile(i);
  } else {
    llvm::DefaultThreadPool pool(llvm::heavyweight_hardware_concurrency(options.threads));
    for (size_t i = 0; i < parts.size(); ++i)
      pool.async([&, i] { errors[i] = compile(i); });
    pool.wait();
  }
  llvm::Error all = llvm::Error::success();
  for (std::optional<llvm::Error> &error : errors)
    all = llvm::joinErrors(std::move(all), std::move(*error));
  if (all)
    return std::move(all);
  return objects;
}

llvm::Expected<std::string> cpu::lowerToText(ModuleOp kernels, KernelText stage,
                                             const CodegenOptions &options) {
  initializeLLVM(*kernels.getContext());
  if (llvm::Error error = lowerToLLVMDialect(kernels))
    return std::move(error);
  auto machine = createTargetMachine(options.optLevel);
  if (!machine)
    return machine.takeError();
  std::string text;
  for (const Part &part : splitKernels(kernels, std::max(1u, options.kernelsPerObject))) {
    llvm::Expected<LLVMPart> translated = translate(kernels, part);
    if (!translated)
      return translated.takeError();
    llvm::Module &module = *translated->module;
    if (stage != KernelText::LLVMIR)
      prepare(module, **machine, options);
    if (stage == KernelText::Assembly) {
      SmallVector<char, 0> assembly;
      if (llvm::Error error =
              emit(module, **machine, llvm::CodeGenFileType::AssemblyFile, assembly))
        return std::move(error);
      text.append(assembly.begin(), assembly.end());
    } else {
      llvm::raw_string_ostream stream(text);
      module.print(stream, nullptr);
    }
  }
  return text;
}
