//===- Tuning.h - choices of kernels that were measured ---------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's tile sizes and the like have several right values; a target's policy guesses the
// fastest. What a machine measured to be faster is kept in a text file, one line a kernel, sorted:
//
//   gemm:m=128,n=768,k=3072,dot=f32 x86-64-v4 znver4 0.941 panel=64 rows=120 passes=2
//   conv:n=1,c=64,... x86-64-v4 znver4 1.000
//
// that is: what is to be computed; the CPU level whose code ran; the CPU, as LLVM names it; the
// time as a share of the policy's; and the values that differ from the policy's (none: nothing is
// faster). Lines that start with # are comments. Files are merged by putting their lines together;
// of lines that start with the same three words the one with the smaller share counts.
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TARGET_COMMON_TUNING_H
#define DYNAC_TARGET_COMMON_TUNING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynac {

/// A decision that a kernel leaves open.
struct Knob {
  std::string name;                 ///< lower-case letters
  int64_t preferred = 0;            ///< the policy's value
  llvm::SmallVector<int64_t> legal; ///< all values that give right results
};

/// A value for each knob, in the order of the kernel's.
using Choice = llvm::SmallVector<int64_t>;

/// What is open of one kernel.
struct OpenKernel {
  std::string spec; ///< what it computes, without blanks: equal specs have equal knobs
  llvm::SmallVector<Knob> knobs;

  /// Adds a knob; `preferred` is legal, too.
  void add(llvm::StringRef name, int64_t preferred, llvm::ArrayRef<int64_t> legal);
  Choice preferred() const;
};

/// What was measured of one kernel on one machine.
struct TuningEntry {
  /// Of the policy's time, 0 < ratio <= 1.
  double ratio = 1;
  /// Values of knobs by name; the others are the policy's.
  std::map<std::string, int64_t> values;
};

class TuningCache {
public:
  /// `file` is the name for messages. Error: ExitCode::Usage with the line's number.
  static llvm::Expected<TuningCache> parse(llvm::StringRef text, llvm::StringRef file);
  /// Sorted lines after a comment; `parse` gives the same cache.
  std::string text() const;

  /// Keeps the faster one of `entry` and what there is.
  void add(llvm::StringRef spec, llvm::StringRef level, llvm::StringRef cpu, TuningEntry entry);
  /// `entry` in place of what there is.
  void replace(llvm::StringRef spec, llvm::StringRef level, llvm::StringRef cpu, TuningEntry entry);
  /// Adds all of `other`'s entries.
  void merge(const TuningCache &other);

  /// What was measured of `spec` for the highest of `levels` (lowest first) that has a line. Of
  /// several CPUs `cpu` comes first, then the one that gained most, so that without a `cpu` the
  /// answer does not depend on the machine. Null: nothing.
  const TuningEntry *find(llvm::StringRef spec, llvm::ArrayRef<std::string> levels,
                          llvm::StringRef cpu = "") const;
  /// The line of exactly this machine, or null.
  const TuningEntry *findExact(llvm::StringRef spec, llvm::StringRef level,
                               llvm::StringRef cpu) const;
  bool empty() const { return entries.empty(); }

private:
  /// By spec, level and CPU.
  std::map<std::array<std::string, 3>, TuningEntry> entries;
};

/// The choice that `entry` makes for `kernel`; nothing if it names a knob or a value that the
/// kernel does not have.
std::optional<Choice> choiceOf(const OpenKernel &kernel, const TuningEntry &entry);

} // namespace dynac

#endif // DYNAC_TARGET_COMMON_TUNING_H
