#!/usr/bin/env bash
#===- install-deps.sh - what dynac is built and tested with ----------------===#
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# install-deps.sh [--build-only] [BUILD_DIR]
#
# Debian packages (tools/packages.txt), ONNX's schema into BUILD_DIR/onnx, and for the tests a virtual
# environment in BUILD_DIR/.venv (test/requirements.txt). BUILD_DIR is `build` unless given. Says nothing when all is
# there already; may be repeated. Exit code 7: something is missing that this script cannot install.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
kinds="build test"
if [ "${1-}" = --build-only ]; then
  kinds=build
  shift
fi
build=${1-$root/build}
mkdir -p "$build"
build=$(cd "$build" && pwd)

fail() {
  echo "install-deps.sh: $*" >&2
  exit 7
}

packages() {
  local kind
  for kind in $kinds; do
    sed -n "s/^$kind //p" "$root/tools/packages.txt"
  done | tr '\n' ' '
}

install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian; install what corresponds to: $(packages)"
  local missing=() package
  for package in $(packages); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "run as root: apt-get update && apt-get install ${missing[*]}"
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${missing[@]}"; } >"$build/apt.log" 2>&1 ||
    { tail -n 20 "$build/apt.log" >&2; fail "apt-get failed (dynac is built on Debian 12)"; }
}

# Makes $1 a virtual environment with the requirements of file $2, once per content of that file.
make_venv() {
  local folder=$1 requirements=$2 python=/usr/bin/python3
  cmp -s "$requirements" "$folder/requirements.txt" && return 0
  [ -x "$python" ] || python=python3
  echo "installing $(grep -v '^#' "$requirements" | tr '\n' ' ')"
  rm -rf "$folder"
  "$python" -m venv "$folder" || fail "no virtual environment (package python3-venv)"
  "$folder/bin/pip" install -q --disable-pip-version-check -r "$requirements" || fail "pip failed"
  cp "$requirements" "$folder/requirements.txt"
}

# onnx-ml.proto out of the wheel whose hash cmake/onnx-schema.txt pins. Any platform's wheel carries the same
# file, so one is named here.
fetch_schema() {
  local folder=$build/onnx pin=$root/cmake/onnx-schema.txt python=/usr/bin/python3
  cmp -s "$pin" "$folder/schema.txt" && return 0
  [ -x "$python" ] || python=python3
  echo "fetching onnx-ml.proto"
  mkdir -p "$folder"
  work=$(mktemp -d "$build/onnx-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$python" -m venv "$work/venv" || fail "no virtual environment (package python3-venv)"
  "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64 \
    -d "$work" -r "$pin" || fail "pip could not download the onnx wheel"
  "$python" - "$work" "$folder" <<'PYTHON' || fail "the onnx wheel has no onnx-ml.proto"
import glob, sys, zipfile
work, folder = sys.argv[1:]
with zipfile.ZipFile(*glob.glob(work + "/*.whl")) as wheel:
    for name in wheel.namelist():
        if name == "onnx/onnx-ml.proto" or name.endswith(("licenses/LICENSE", "licenses/NOTICE")):
            with open(folder + "/" + name.rsplit("/", 1)[-1], "wb") as out:
                out.write(wheel.read(name))
PYTHON
  [ -s "$folder/onnx-ml.proto" ] || fail "the onnx wheel has no onnx-ml.proto"
  cp "$pin" "$folder/schema.txt"
}

install_packages
fetch_schema
case $kinds in *test*) make_venv "$build/.venv" "$root/test/requirements.txt" ;; esac
