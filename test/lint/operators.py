#!/usr/bin/env python3
# ===- operators.py - each operator has its test file ------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------=== #
"""operators.py DYNAC: each operator of `dynac ops` has test/Frontend/Onnx/OPERATOR.mlir, which uses it, and each file there
is of such an operator. Prints what is missing."""

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "Frontend" / "Onnx"


def main(dynac):
    listed = subprocess.run([dynac, "ops", "--json"], check=True, capture_output=True, text=True).stdout
    rows = [row for row in json.loads(listed)["operators"] if row["frontend"] == "onnx"]
    problems = []
    for row in rows:
        path = FOLDER / f"{row['operator']}.mlir"
        domain = "onnx" if row["domain"] == "ai.onnx" else row["domain"]
        node = f'"{domain}.{row["operator"]}"'
        if not path.is_file():
            problems.append(f"{row['domain']}.{row['operator']} is supported but not tested: no {path.name}")
        elif node not in path.read_text(encoding="utf-8"):
            problems.append(f"{path.name}: does not use {node}")
    names = {row["operator"] for row in rows}
    problems += [f"{path.name}: no such operator is supported" for path in FOLDER.glob("*.mlir") if path.stem not in names]
    print("\n".join(sorted(set(problems))) or f"{len(names)} operators, each with its test file")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
