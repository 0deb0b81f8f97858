# ===- lit.cfg.py - how IR tests are found and run ---------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------=== #
"""Each .mlir file under test/ is a test. lit.site.cfg.py in the build tree says where the tools are."""

import os

import lit.formats

config.name = "dynac"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["e2e", "unit", "lint", "bench", "tools"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dynac_build, "test")

# dynac-opt and dynac-check by name; Debian suffixes LLVM's tools with the version.
config.environment["PATH"] = os.pathsep.join([config.dynac_bin, config.llvm_bin, os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
for name in ("DYNAC_ISA", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
