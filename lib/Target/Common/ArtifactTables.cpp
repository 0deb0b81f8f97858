//===- ArtifactTables.cpp - a plan as constant data -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artifacts are x86-64 ELF, as the compiler itself is, so the structs of abi.h are filled in as
// they are and copied; only their pointers become relocations.
//
//===----------------------------------------------------------------------===//

#include "ArtifactTables.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace dynac {

static_assert(sizeof(void *) == 8, "tables are laid out for 64-bit artifacts");

std::string compilerVersion() {
  return "dynac " DYNAC_VERSION_STRING " (LLVM " LLVM_VERSION_STRING ")";
}

WeightsLayout layOutWeights(llvm::ArrayRef<PlanWeight> weights) {
  WeightsLayout layout;
  for (const PlanWeight &weight : weights) {
    layout.bytes = llvm::alignTo(layout.bytes, 64);
    layout.offsets.push_back(static_cast<int64_t>(layout.bytes));
    layout.bytes += static_cast<uint64_t>(weight.bytes);
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Placing data
//===----------------------------------------------------------------------===//

/// One struct of a table: its plain fields, and where its pointers go.
template <typename T> struct ArtifactTables::Row {
  T fields{};
  llvm::SmallVector<std::pair<uint64_t, Place>, 4> places;

  template <typename P> void point(P *const &field, Place to) {
    auto offset = reinterpret_cast<const char *>(&field) - reinterpret_cast<const char *>(&fields);
    places.push_back({static_cast<uint64_t>(offset), to});
  }
};

/// Appends zeros up to a multiple of `alignment`.
static void alignBytes(std::string &bytes, uint64_t alignment) {
  bytes.resize(llvm::alignTo(bytes.size(), alignment), '\0');
}

ArtifactTables::Place ArtifactTables::string(llvm::StringRef text) {
  // A NUL in the middle would end it early: names of a model file may hold any byte.
  std::string bytes = text.str();
  for (char &c : bytes)
    if (c == '\0')
      c = '?';
  bytes.push_back('\0');
  auto [it, isNew] = knownStrings.try_emplace(bytes, sharedBytes.size());
  if (isNew)
    sharedBytes += bytes;
  return {Place::Shared, it->second};
}

template <typename T> ArtifactTables::Place ArtifactTables::shared(llvm::ArrayRef<T> values) {
  if (values.empty())
    return {};
  llvm::StringRef bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  // Arrays of one alignment share equal bytes.
  std::string key = std::string(1, static_cast<char>(alignof(T))) + bytes.str();
  auto [it, isNew] = knownArrays.try_emplace(key, 0);
  if (isNew) {
    alignBytes(sharedBytes, alignof(T));
    it->second = sharedBytes.size();
    sharedBytes += bytes;
  }
  return {Place::Shared, it->second};
}

template <typename T, typename Items, typename Fill>
ArtifactTables::Place ArtifactTables::rows(const Items &items, Fill fill) {
  if (items.empty())
    return {};
  // Rows may place further linked data while they are filled, so the table is appended at the end.
  std::vector<Row<T>> table(items.size());
  for (size_t i = 0; i < items.size(); ++i)
    fill(items[i], table[i], i);
  alignBytes(linkedBytes, 8);
  uint64_t base = linkedBytes.size();
  for (const Row<T> &row : table) {
    for (const auto &[offset, place] : row.places)
      if (place.kind != Place::Null)
        addresses.push_back({linkedBytes.size() + offset, place});
    linkedBytes.append(reinterpret_cast<const char *>(&row.fields), sizeof(T));
  }
  return {Place::Linked, base};
}

ArtifactTables::Place ArtifactTables::pointers(llvm::ArrayRef<Place> places) {
  struct Cell {
    const void *pointer;
  };
  return rows<Cell>(places, [](const Place &place, Row<Cell> &row, size_t) {
    row.point(row.fields.pointer, place);
  });
}

ArtifactTables::Place ArtifactTables::strings(llvm::ArrayRef<std::string> texts) {
  std::vector<Place> places;
  for (const std::string &text : texts)
    places.push_back(string(text));
  return pointers(places);
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

ArtifactTables::Place ArtifactTables::values(llvm::ArrayRef<PlanValue> values) {
  return rows<dynac_value_info_t>(
      values, [&](const PlanValue &value, Row<dynac_value_info_t> &row, size_t) {
        row.fields.dtype = value.dtype;
        row.fields.rank = static_cast<int32_t>(value.dimSlots.size());
        row.fields.buffer = value.buffer;
        row.fields.alias_input = value.aliasInput;
        row.point(row.fields.name, string(value.name));
        row.point(row.fields.dim_slots, shared(llvm::ArrayRef(value.dimSlots)));
      });
}

ArtifactTables::Place ArtifactTables::kernels(const Plan &plan) {
  return rows<dynac_kernel_t>(
      plan.kernels, [&](const PlanKernel &kernel, Row<dynac_kernel_t> &row, size_t) {
        std::vector<Place> bodies(plan.targets.size());
        for (size_t i = 0; i < bodies.size() && i < kernel.bodies.size(); ++i)
          if (!kernel.bodies[i].empty())
            bodies[i] = {Place::Symbol, 0, kernel.bodies[i]};
        row.fields.scratch_bytes = kernel.scratchBytes;
        row.point(row.fields.name, string(kernel.name));
        row.point(row.fields.kind, string(kernel.kind));
        row.point(row.fields.bodies, pointers(bodies));
      });
}

ArtifactTables::Place ArtifactTables::steps(const Plan &plan) {
  return rows<dynac_step_t>(plan.steps, [&](const PlanStep &step, Row<dynac_step_t> &row, size_t) {
    row.fields.kind = step.kind;
    row.fields.index = step.index;
    row.fields.index2 = step.index2;
    row.fields.extent_slot = step.extentSlot;
    row.fields.buffer_count = static_cast<int32_t>(step.buffers.size());
    row.fields.dim_count = static_cast<int32_t>(step.dims.size());
    row.fields.grain = step.grain;
    row.point(row.fields.buffers, shared(llvm::ArrayRef(step.buffers)));
    row.point(row.fields.dims, shared(llvm::ArrayRef(step.dims)));
    row.point(row.fields.name, string(step.name));
  });
}

ArtifactTables::Place ArtifactTables::weights(const Plan &plan, const WeightsLayout &layout) {
  return rows<dynac_weight_t>(
      plan.weights, [&](const PlanWeight &weight, Row<dynac_weight_t> &row, size_t index) {
        row.fields.dtype = weight.dtype;
        row.fields.rank = static_cast<int32_t>(weight.shape.size());
        row.fields.offset = layout.offsets[index];
        row.fields.bytes = weight.bytes;
        row.point(row.fields.name, string(weight.name));
        row.point(row.fields.shape, shared(llvm::ArrayRef(weight.shape)));
      });
}

ArtifactTables::ArtifactTables(const Plan &plan, const WeightsLayout &layout,
                               dynac_weights_kind_t weightsKind, llvm::StringRef weightsFile)
    : weightsBytes(weightsKind == DYNAC_WEIGHTS_POINTER ? layout.bytes : 0) {
  Row<dynac_artifact_t> artifact;
  dynac_artifact_t &fields = artifact.fields;
  fields.magic = DYNAC_ABI_MAGIC;
  fields.abi = DYNAC_ABI_VERSION;
  fields.min_runtime_abi = plan.growths.empty() ? 1 : 3;
  fields.struct_size = sizeof(dynac_artifact_t);
  fields.weights_kind = weightsKind;
  fields.ir_hash = plan.irHash;
  fields.weights_bytes = layout.bytes;
  artifact.point(fields.name, string(plan.name));
  artifact.point(fields.compiler, string(compilerVersion()));

  auto table = [&](auto *const &field, int32_t &count, size_t size, Place place) {
    count = static_cast<int32_t>(size);
    artifact.point(field, place);
  };
  table(fields.inputs, fields.input_count, plan.inputs.size(), values(plan.inputs));
  table(fields.outputs, fields.output_count, plan.outputs.size(), values(plan.outputs));
  table(fields.symbols, fields.symbol_count, plan.symbols.size(),
        rows<dynac_symbol_t>(plan.symbols,
                             [&](const PlanSymbol &symbol, Row<dynac_symbol_t> &row, size_t) {
                               row.fields.min = symbol.min;
                               row.fields.max = symbol.max;
                               row.fields.multiple_of = symbol.multipleOf;
                               row.fields.slot = symbol.slot;
                               row.fields.data_dependent = symbol.dataDependent;
                               row.point(row.fields.name, string(symbol.name));
                             }));
  table(fields.exprs, fields.expr_count, plan.exprs.size(), shared(llvm::ArrayRef(plan.exprs)));
  table(fields.buffers, fields.buffer_count, plan.buffers.size(),
        shared(llvm::ArrayRef(plan.buffers)));
  table(fields.weights, fields.weight_count, plan.weights.size(), weights(plan, layout));
  table(fields.targets, fields.target_count, plan.targets.size(),
        rows<dynac_target_t>(plan.targets,
                             [&](const dynac_target_t &target, Row<dynac_target_t> &row, size_t) {
                               row.fields.cpu_level = target.cpu_level;
                               row.point(row.fields.name, string(target.name));
                             }));
  table(fields.kernels, fields.kernel_count, plan.kernels.size(), kernels(plan));
  table(fields.steps, fields.step_count, plan.steps.size(), steps(plan));
  table(fields.blocks, fields.block_count, plan.blocks.size(), shared(llvm::ArrayRef(plan.blocks)));
  table(fields.messages, fields.message_count, plan.messages.size(), strings(plan.messages));
  table(fields.host_kernels, fields.host_kernel_count, plan.hostKernels.size(),
        strings(plan.hostKernels));
  std::vector<dynac_step_work_t> work;
  for (const PlanStep &step : plan.steps)
    work.push_back({step.work.flopsSlot, step.work.bytesSlot, step.work.weightBytesSlot,
                    step.work.factor, step.work.firstResult, step.work.resultCount});
  artifact.point(fields.work, shared(llvm::ArrayRef(work)));
  std::vector<dynac_growth_t> growths;
  for (const PlanGrowth &growth : plan.growths)
    growths.push_back({growth.input, growth.output, growth.axis, 0, growth.capacity});
  table(fields.growths, fields.growth_count, growths.size(), shared(llvm::ArrayRef(growths)));
  if (weightsKind == DYNAC_WEIGHTS_EXTERNAL)
    artifact.point(fields.weights_file, string(weightsFile));
  if (weightsBytes)
    artifact.point(fields.weights_data, {Place::Weights});

  artifactOffset =
      rows<dynac_artifact_t>(llvm::ArrayRef(&artifact, 1), [](const Row<dynac_artifact_t> &from,
                                                              Row<dynac_artifact_t> &row, size_t) {
        row = from;
      }).offset;
}

void ArtifactTables::addTo(RelocatableObject &object, llvm::StringRef name) const {
  using namespace llvm::ELF;
  using Symbol = RelocatableObject::Symbol;
  auto add = [&](llvm::StringRef sectionName, uint64_t flags, uint64_t align,
                 llvm::StringRef data) {
    RelocatableObject::Section section;
    section.name = sectionName.str();
    section.flags = flags;
    section.align = align;
    section.size = data.size();
    section.data = data;
    return object.addSection(std::move(section));
  };
  uint32_t sharedSection = add(".rodata.dynac", SHF_ALLOC, 64, sharedBytes);
  uint32_t linkedSection = add(".data.rel.ro.dynac", SHF_ALLOC | SHF_WRITE, 64, linkedBytes);
  auto sectionSymbol = [&](uint32_t section) {
    return object.addSymbol(Symbol{"", STT_SECTION, false, section, 0, 0});
  };
  RelocatableObject::SymbolId sharedSymbol = sectionSymbol(sharedSection);
  RelocatableObject::SymbolId linkedSymbol = sectionSymbol(linkedSection), weightsSymbol = 0;
  if (weightsBytes) {
    uint32_t section = add(".lrodata.dynac", SHF_ALLOC | SHF_X86_64_LARGE, 4096, {});
    object.setTrailing(section, weightsBytes);
    weightsSymbol = sectionSymbol(section);
  }
  object.addSymbol(Symbol{name.str(), STT_OBJECT, true, linkedSection, artifactOffset,
                          sizeof(dynac_artifact_t)});

  for (const Pointer &pointer : addresses) {
    RelocatableObject::SymbolId symbol = pointer.to.kind == Place::Shared   ? sharedSymbol
                                         : pointer.to.kind == Place::Linked ? linkedSymbol
                                         : pointer.to.kind == Place::Weights
                                             ? weightsSymbol
                                             : object.reference(pointer.to.symbol);
    object.relocate(linkedSection,
                    {pointer.at, R_X86_64_64, symbol, static_cast<int64_t>(pointer.to.offset)});
  }
}

} // namespace dynac
