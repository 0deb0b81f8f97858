#!/usr/bin/env bash
#===- test.sh - installs, builds and tests dynac ---------------------------===#
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# test.sh [--all] [--preset NAME] [CTEST_OPTION...]
#
# Installs what is missing, builds preset NAME (`release` unless given) and runs its tests. --all adds the long ones:
# the whole ONNX node suite in every mode and the whole model zoo. The exit status is ctest's.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
long=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) long=(-C check-all) ;;
    --preset) preset=$2; shift ;;
    *) break ;;
  esac
  shift
done
case $preset in release) build=build ;; *) build=build-$preset ;; esac

tools/install-deps.sh build
cmake --preset "$preset" -DDYNAC_BUILD_TESTS=ON >"$build-configure.log" 2>&1 || { cat "$build-configure.log"; exit 1; }
mv "$build-configure.log" "$build/configure.log"
cmake --build --preset "$preset"
exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" "${long[@]}" "$@"
