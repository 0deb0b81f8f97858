#!/usr/bin/env bash
#===- quickstart.sh - from a clone to ResNet-50 on this machine ------------===#
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# quickstart.sh
#
# Installs what the build needs, builds the compiler, writes ResNet-50 as an ONNX file (random weights: classes mean
# nothing), compiles it, classifies an image with it and measures the latency.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install-deps.sh --build-only build
cmake --preset release -DDYNAC_BUILD_TESTS=OFF >build/configure.log 2>&1 ||
  { cat build/configure.log; exit 1; }
cmake --build --preset release --target dynac resnet50 resnet50-make-model

out=build/quickstart
mkdir -p "$out"
[ -s "$out/resnet50.onnx" ] || build/bin/resnet50-make-model "$out/resnet50.onnx"
build/bin/dynac compile "$out/resnet50.onnx" -o "$out/resnet50.so"
build/bin/resnet50 "$out/resnet50.so"
build/bin/dynac bench "$out/resnet50.so" --dim batch=1 --seconds 3
