//===- Interrupt.cpp - ending by a signal without leaving files -----------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynac/Support/Interrupt.h"

#include "llvm/Support/Signals.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dynac {

// The one state that is a process's and not an object's: who shall end with it. Initialised at
// compile time.
static std::mutex endLock;
static pid_t runningChild = 0; // under endLock

static constexpr int endSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

Uninterrupted::Uninterrupted() : lock(endLock) {}

/// Ends a child and waits until it is gone; its parent's thread still collects it.
static void end(pid_t child) {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds step = 5ms, patience = 2s;
  ::kill(child, SIGTERM);
  for (auto waited = 0ms;; waited += step) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) ||
        info.si_pid == child)
      return;
    if (waited == patience)
      ::kill(child, SIGKILL);
    std::this_thread::sleep_for(step);
  }
}

static sigset_t awaited; // set before the thread starts

static void *awaitSignal(void *) {
  int signal = 0;
  while (::sigwait(&awaited, &signal))
    ;
  // Held to the end: no file or process is made any more.
  endLock.lock();
  if (runningChild)
    end(runningChild);
  llvm::sys::RunInterruptHandlers(); // removes the temporary files
  std::signal(signal, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  return nullptr;
}

void endOnSignals() {
  ::sigemptyset(&awaited);
  for (int signal : endSignals) {
    struct sigaction before;
    if (!::sigaction(signal, nullptr, &before) && before.sa_handler != SIG_IGN)
      ::sigaddset(&awaited, signal);
  }
  llvm::sys::SetInterruptFunction(nullptr); // installs LLVM's handlers: crashes remove files too
  for (int signal : endSignals)
    if (!::sigismember(&awaited, signal))
      std::signal(signal, SIG_IGN);
  ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  pthread_t thread;
  if (!::pthread_create(&thread, nullptr, awaitSignal, nullptr))
    ::pthread_detach(thread);
  else // LLVM's handlers remain
    ::pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
}

/// Undoes `endOnSignals` between vfork and exec: a handler must not run in the parent's memory.
static void resetSignalsInChild() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (int signal : endSignals) {
    struct sigaction before;
    if (!::sigaction(signal, nullptr, &before) && before.sa_handler != SIG_IGN)
      std::signal(signal, SIG_DFL);
    ::sigaddset(&signals, signal);
  }
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

int runChild(char *const *argv, int in, int out, int &status) {
  const pid_t parent = ::getpid();
  // The child writes it: it has the parent's memory until it runs the program.
  volatile int error = 0;
  pid_t child;
  {
    Uninterrupted guard;
    child = ::vfork();
    if (child < 0)
      return errno;
    if (child == 0) {
      resetSignalsInChild();
      // The parent's death by SIGKILL must be the child's too.
      if (!::prctl(PR_SET_PDEATHSIG, SIGTERM) && ::getppid() == parent && ::dup2(in, 0) >= 0 &&
          ::dup2(out, 1) >= 0 && ::dup2(out, 2) >= 0)
        ::execv(argv[0], argv);
      error = errno;
      ::_exit(127);
    }
    runningChild = child;
  }
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT))
    if (errno != EINTR)
      return errno;
  // Its number is free for another process once it is collected, so that happens under the lock.
  Uninterrupted guard;
  runningChild = 0;
  if (::waitpid(child, &status, 0) < 0)
    return errno;
  return error;
}

} // namespace dynac
