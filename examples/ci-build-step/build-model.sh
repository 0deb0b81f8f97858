#!/usr/bin/env bash
#===- build-model.sh - a model as a build step of CI -----------------------===#
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# build-model.sh MODEL OUT.so INPUT.npy EXPECTED.npy
#
# What a pipeline runs when a model file changed: compile it for the machines it will run on, check it with a recorded
# answer, publish the artifact. Same model and same compiler give the same bytes, so a step that finds the artifact it
# would make is done at once. The exit status is dynac's: 4 says that the model uses something unsupported, 1 that
# the answer changed.
set -euo pipefail
model=$1 out=$2 input=$3 expected=$4
dynac=${DYNAC:-dynac}

key=$({ cat "$model"; "$dynac" --version; } | sha256sum | cut -c1-64)
if [ -s "$out" ] && [ "$(cat "$out.key" 2>/dev/null)" = "$key" ]; then
  echo "$out is up to date"
  exit 0
fi
"$dynac" compile "$model" -o "$out" --march x86-64-v3,x86-64-v4
"$dynac" run "$out" --input "x=@$input" --expect "y=@$expected" --rtol 1e-4 --atol 1e-5
echo "$key" >"$out.key"
