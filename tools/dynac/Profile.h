//===- Profile.h - where an artifact's time goes ----------------*- C++ -*-===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_TOOLS_DYNAC_PROFILE_H
#define DYNAC_TOOLS_DYNAC_PROFILE_H

#include "HostTensor.h"
#include "Session.h"
#include "dynac/Support/MachinePeaks.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>

namespace dynac::tool {

/// What this machine can do at most, as the code in use would: the roofs of the roofline.
struct Roofline {
  std::map<std::string, double> flops; ///< operations a second by factor type: "f32", "bf16", "i8"
  Bandwidth bandwidth;
};

/// One step of the plan: a region, or what the runtime does between them. Figures are of one run,
/// in which a step of a loop has several calls.
struct ProfileStep {
  int32_t step = 0;
  std::string kernel, kind, nodes;
  double mean = 0, fastest = 0; ///< seconds; what follows is of the fastest run
  int64_t calls = 0, pieces = 1;
  std::optional<double> flops; ///< nothing: the artifact does not say
  double bytes = 0;            ///< read and written, weights too
  double weightBytes = 0;
  std::string factor; ///< element type that its products multiply
  /// Seconds that the roofline allows at least: for the operations and for the bytes.
  std::optional<double> computeFloor, memoryFloor;
  bool isControl = false; ///< runs other steps, whose time is in its own

  std::optional<double> floor() const {
    return computeFloor && memoryFloor ? std::max(*computeFloor, *memoryFloor) : memoryFloor;
  }
  /// Of the roofline's speed: 1 is as fast as the machine can.
  std::optional<double> roofShare() const {
    return floor() && fastest > 0 ? std::optional<double>(*floor() / fastest) : std::nullopt;
  }
};

/// A value that one step writes and another reads, -1: the model's input or output `name`.
struct ProfileEdge {
  int32_t from = -1, to = -1;
  std::string name;
  int64_t bytes = 0;
};

/// One execution of a step, in nanoseconds.
struct ProfileEvent {
  int32_t step;
  int64_t begin, end;
};

struct Profile {
  std::string model, target, compiler;
  int32_t threads = 1, runs = 0;
  Roofline roofline;
  std::vector<ProfileStep> steps; ///< those that ran, in the plan's order
  std::vector<ProfileEdge> edges;
  std::vector<ProfileEvent> trace; ///< of the last run

  /// Sum over the steps that do not run others.
  double sum(double ProfileStep::*figure) const;
  /// Of the whole run, weighted with time.
  std::optional<double> roofShare() const;
  void json(llvm::json::OStream &os) const;
};

/// Runs `runs` times to warm up, as often with a clock, and measures the machine.
llvm::Expected<Profile> profile(const Session &session, std::vector<HostTensor> &inputs,
                                int32_t runs);

/// One HTML page with everything in it: graph, roofline and table.
std::string profilePage(const Profile &profile);
/// Chrome's trace event format.
std::string profileTrace(const Profile &profile);

} // namespace dynac::tool

#endif // DYNAC_TOOLS_DYNAC_PROFILE_H
