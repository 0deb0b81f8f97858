//===- Options.h - what a compilation is asked for --------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_DRIVER_OPTIONS_H
#define DYNAC_DRIVER_OPTIONS_H

#include "dynac/Runtime/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynac {

/// The phases of Phases.def, in order.
enum class Phase {
#define DYNAC_PHASE(ID, NAME, SUMMARY) ID,
#include "dynac/Driver/Phases.def"
};
llvm::StringRef phaseName(Phase phase);
llvm::StringRef phaseSummary(Phase phase);
/// All phases, in order.
std::vector<Phase> allPhases();
/// Error: ExitCode::Usage with the names.
llvm::Expected<Phase> parsePhase(llvm::StringRef name);

/// `--shape NAME=1x3x224x224`: the sizes of one input; nothing for a `?`, which keeps what the file
/// says.
struct ShapeOption {
  std::string input;
  std::vector<std::optional<int64_t>> extents;
};
/// Error: ExitCode::Usage.
llvm::Expected<ShapeOption> parseShapeOption(llvm::StringRef text);

/// `--dim NAME=1..64*16:32`: what is known of one symbolic dimension. A single number fixes it.
struct DimOption {
  std::string name;
  int64_t min = 0, max = INT64_MAX; ///< inclusive
  int64_t multipleOf = 1;
  std::optional<int64_t> hint; ///< the size to be fastest at
};
/// Error: ExitCode::Usage.
llvm::Expected<DimOption> parseDimOption(llvm::StringRef text);

/// `--alias PAST=PRESENT`: an output that updates an input in place. `--alias
/// PAST=PRESENT:capacity=N`: one that appends to it, in memory with room for N along the axis that
/// grows. A `*` in both names stands for the same text, and the option for each input that fits.
struct AliasOption {
  std::string input, output;
  std::optional<int64_t> capacity = std::nullopt;
};
/// Error: ExitCode::Usage.
llvm::Expected<AliasOption> parseAliasOption(llvm::StringRef text);

/// `--march`: "native", or a comma-separated list of x86-64-v2, x86-64-v3, x86-64-v4, ...; "" is
/// all from x86-64-v3 on. Rising, without repetition. Error: ExitCode::Usage.
llvm::Expected<std::vector<dynac_cpu_level_t>> parseMarchOption(llvm::StringRef text);

/// What f32 operands of contractions are rounded to; sums and all other operations stay f32.
enum class Precision { F32, Bf16 };

/// How far results may be from those of exact arithmetic.
enum class Accuracy {
  /// Every product that the model names is formed of its own f32 numbers and added in f32 or wider:
  /// no transformed convolutions (Winograd) or products (Strassen), no scales multiplied into
  /// weights, no denormal numbers
  /// taken for 0. Sums may be split and ordered for vectors, a product and its sum may be rounded
  /// once, and functions keep their bounds, which are those of Default.
  Strict,
  /// Also what errs by a few times as much as f32 sums do.
  Default,
  /// May take functions of wider bounds; has none yet and equals Default.
  Fast
};

/// How the weights of matrix products are stored; the arithmetic stays that of the model.
struct WeightsPrecision {
  enum Kind { F32, Bf16, Int8, Int4 };
  Kind kind = F32;
  int64_t block = 0; ///< of Int4: how many neighbours in k share a scale
};

/// `--weights-precision`: f32, bf16, int8, or int4:block=N with N of 16, 32, 64, 128 or 256 (int4
/// alone: 32). Error: ExitCode::Usage.
llvm::Expected<WeightsPrecision> parseWeightsPrecision(llvm::StringRef text);

/// What a compilation spends time on.
enum class Mode {
  Default,
  /// As Default: a run on a CPU is a walk over the plan, whose memory and shapes are set up once.
  ReduceOverhead,
  /// Kernels are compiled with several choices and run on this machine (Target/CPU/Tuner.h).
  MaxAutotune
};

/// All that `dynac compile` can be asked for. Plain data: the front end of the command line fills
/// it.
struct CompileOptions {
  std::string model;  ///< path of the file
  std::string output; ///< .so, .o or .a; "" together with `emit`: nothing is written
  std::string name;   ///< NAME of `dynac_artifact_NAME` in a .o or .a
  std::vector<dynac_cpu_level_t> levels; ///< as parseMarchOption gives; empty: its default
  std::vector<ShapeOption> shapes;
  std::vector<DimOption> dims;
  std::vector<AliasOption> aliases;
  /// "embed", "external", or the name of a .safetensors file beside the output.
  std::string weights = "embed";
  Precision precision = Precision::F32;
  WeightsPrecision weightsPrecision;
  Accuracy accuracy = Accuracy::Default;
  Mode mode = Mode::Default;
  /// File of measured choices (Target/Common/Tuning.h): read, and written with MaxAutotune; "":
  /// none.
  std::string tuningCache;
  unsigned optLevel = 2; ///< 0: the generic way only
  unsigned jobs = 0;     ///< threads that compile; 0: as many as the process may use
  std::string linker;
  std::string saveTemps;     ///< folder
  std::optional<Phase> emit; ///< prints the IR after this phase to standard output and stops
  bool verifyEach = false;   ///< checks the contract after each phase
  /// Numbers of nodes of the main graph (see Probe.h) whose first results become the outputs, in
  /// place of the file's; empty: the file's.
  std::vector<size_t> probes;
};

/// The file name of the external weights that `options` ask for; "" for embedded ones. Error:
/// ExitCode::Usage if it is in another folder than the output.
llvm::Expected<std::string> externalWeightsName(const CompileOptions &options);

} // namespace dynac

#endif // DYNAC_DRIVER_OPTIONS_H
