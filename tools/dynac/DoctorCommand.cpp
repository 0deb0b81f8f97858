//===- DoctorCommand.cpp - dynac doctor -----------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "dynac/Runtime/dynac.h"
#include "dynac/Support/Diagnostic.h"
#include "dynac/Target/Common/ArtifactWriter.h"
#include "dynac/Target/Common/Linker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/sysinfo.h>

namespace dynac::tool {

namespace {

/// One finding and what it means.
struct Finding {
  std::string key, value, meaning;
};

/// The first line of a file of /sys or /proc; "" if there is none.
std::string firstLine(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().split('\n').first.trim().str() : "";
}

Finding cpuLevel() {
  llvm::StringRef level = dynac_cpu_level_name();
  return {"cpu level", level.str(),
          level == "none" ? "below x86-64-v2: no artifact runs here"
          : level == "x86-64-v2"
              ? "only artifacts compiled with --march x86-64-v2 run here"
              : "artifacts use their code for this level or the nearest below it"};
}

Finding cpuFeatures() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::string present;
  for (const char *name :
       {"sse4.2", "avx", "avx2", "fma", "f16c", "avxvnni", "avx512f", "avx512bw", "avx512vl",
        "avx512vnni", "avx512bf16", "avx512fp16", "amx-tile", "amx-bf16", "amx-int8"})
    if (features.lookup(name))
      present += (present.empty() ? "" : " ") + std::string(name);
  return {"cpu", llvm::sys::getHostCPUName().str() + ": " + present, "as LLVM names them"};
}

Finding caches() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string size = firstLine(folder + "size"), type = firstLine(folder + "type");
    if (size.empty() || type == "Instruction")
      continue;
    text += (text.empty() ? "L" : ", L") + firstLine(folder + "level") + " " + size;
  }
  return {"caches", text.empty() ? "unknown" : text,
          "of one CPU; tiles are chosen for typical sizes, not for these"};
}

Finding threads() {
  cpu_set_t set;
  int allowed = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
  return {"threads",
          std::to_string(dynac_available_threads()) + " of " + std::to_string(get_nprocs_conf()),
          std::to_string(allowed) +
              " allowed by the affinity mask; less where a cgroup quota says so"};
}

/// A cgroup's limit, version 2 first; "max" and absent mean none.
std::string cgroupLimit(const char *v2, const char *v1) {
  // Inside a container the group's own folder is the root of the mount.
  std::string group = firstLine("/proc/self/cgroup");
  size_t at = group.rfind(':');
  std::string path = at == std::string::npos ? "" : group.substr(at + 1);
  for (const std::string &file :
       {"/sys/fs/cgroup" + path + "/" + v2, "/sys/fs/cgroup/" + std::string(v2),
        "/sys/fs/cgroup/" + std::string(v1)})
    if (std::string line = firstLine(file); !line.empty())
      // Version 1 writes "no limit" as -1, or as the largest number of whole pages.
      return line == "-1" || line == "9223372036854771712" || line.find("max") == 0 ? "none" : line;
  return "none";
}

Finding memory() {
  struct sysinfo info;
  uint64_t total = sysinfo(&info) ? 0 : uint64_t(info.totalram) * info.mem_unit;
  return {"memory",
          std::to_string(total >> 20) + " MiB, cgroup limit " +
              cgroupLimit("memory.max", "memory/memory.limit_in_bytes"),
          "a model needs its weights (shared by all processes) and an arena for each context"};
}

Finding quota() {
  return {"cgroup cpu", cgroupLimit("cpu.max", "cpu/cpu.cfs_quota_us"),
          "microseconds in a period (and the period): the thread pool takes no more than that"};
}

Finding linker() {
  auto path = findLinker();
  if (path)
    return {"linker", *path, "makes a .so of an object; --linker or DYNAC_LD name another"};
  return {"linker", "none", llvm::toString(path.takeError())};
}

Finding gpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver)
    dlclose(driver);
  return {"gpu driver", driver ? "libcuda.so.1" : "none",
          driver ? "this build makes no code for it" : "not needed for the CPU"};
}

class DoctorCommand : public Command {
public:
  explicit DoctorCommand(CLI::App &parent)
      : Command(parent, "doctor", "Tell what this machine has and what that means for dynac") {
    app->add_flag("--json", json, "Print as JSON");
  }

  llvm::Error run() override {
    Finding findings[] = {{"dynac", compilerVersion(),
                           "runs artifacts up to ABI " + std::to_string(dynac_abi_version())},
                          cpuFeatures(),
                          cpuLevel(),
                          caches(),
                          threads(),
                          quota(),
                          memory(),
                          linker(),
                          gpu()};
    if (json) {
      printJson([&](llvm::json::OStream &os) {
        for (const Finding &finding : findings)
          os.attributeObject(finding.key, [&] {
            os.attribute("value", finding.value);
            os.attribute("meaning", finding.meaning);
          });
      });
      return llvm::Error::success();
    }
    for (const Finding &finding : findings)
      llvm::outs() << llvm::formatv("{0,-12}{1}\n            ({2})\n", finding.key, finding.value,
                                    finding.meaning);
    return llvm::Error::success();
  }

private:
  bool json = false;
};

} // namespace

std::unique_ptr<Command> makeDoctorCommand(CLI::App &parent) {
  return std::make_unique<DoctorCommand>(parent);
}

} // namespace dynac::tool
