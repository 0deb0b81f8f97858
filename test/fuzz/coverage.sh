#!/usr/bin/env bash
#===- coverage.sh - what the fuzzers' files reach of the readers -----------===#
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# coverage.sh [CMAKE_OPTION...]
#
# Builds preset `fuzz-coverage`, runs the readers' fuzzers on seeds and corpus, and nothing else, and prints the covered
# branches of each file of lib/Frontend/Onnx. Ends with 1 below 80 % of all.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=$PWD/build-fuzz-coverage
fuzzers=(OnnxReaderFuzzer OnnxScanFuzzer ExternalDataFuzzer)
cmake --preset fuzz-coverage -DDYNAC_BUILD_TESTS=ON "$@" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
mv "$build.log" "$build/configure.log"
cmake --build "$build" --target "${fuzzers[@]}"
python3 test/fuzz/seeds.py "$build/seeds"

objects=()
for fuzzer in "${fuzzers[@]}"; do
  folders=("$build/seeds" test/fuzz/corpus/onnx)
  [ "$fuzzer" = ExternalDataFuzzer ] && folders=(test/fuzz/corpus/external)
  LLVM_PROFILE_FILE=$build/$fuzzer.profraw "$build/bin/$fuzzer" -runs=0 -verbosity=0 "${folders[@]}"
  objects+=(-object "$build/bin/$fuzzer")
done
llvm-profdata-19 merge -o "$build/fuzz.profdata" "$build"/*.profraw
llvm-cov-19 report "${objects[@]:1}" -instr-profile="$build/fuzz.profdata" -show-region-summary=false \
  -show-functions=false lib/Frontend/Onnx/*.cpp lib/Support/MappedFile.cpp | tee "$build/report.txt"
awk '/^TOTAL/ { sub("%", "", $NF); exit $NF < 80 }' "$build/report.txt"
