//===- Interrupt.h - ending by a signal without leaving files -------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNAC_SUPPORT_INTERRUPT_H
#define DYNAC_SUPPORT_INTERRUPT_H

#include <mutex>

namespace dynac {

/// Lets SIGHUP, SIGINT, SIGQUIT and SIGTERM end this process in order: first the program that it
/// runs (runChild), which could write a file anew, then its temporary files (OutputFile,
/// ScratchFile), then itself by the same signal. A thread of its own waits for them, so that all
/// of this is ordinary code; to be called by a program's main function before it starts others.
/// Signals that the process was started to ignore stay ignored.
void endOnSignals();

/// While one lives, `endOnSignals` waits: a file or process is made and made known in one step.
class Uninterrupted {
public:
  Uninterrupted();

private:
  std::unique_lock<std::mutex> lock;
};

/// Runs the program argv[0] (a path) with its standard streams on the descriptors `in` and `out`
/// and waits for its end. It does not outlive this process: one that did would write its output
/// after the temporary files were removed; LLVM's ExecuteAndWait has no way to say so. One program
/// at a time. Returns an errno, or 0 and the status as of waitpid.
int runChild(char *const *argv, int in, int out, int &status);

} // namespace dynac

#endif // DYNAC_SUPPORT_INTERRUPT_H
