#!/usr/bin/env python3
# ===- lint.py - what a reviewer should not have to look for ----------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""lint.py CHECK...: sizes, layers, licence, format, generated (all: every one). Prints FILE:LINE: what is wrong.

clang-format-19 -i $(git ls-files '*.cpp' '*.hpp' 'lib/*.h') mends what `format` finds."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 800
SOURCE = (".h", ".hpp", ".cpp", ".c", ".cu", ".td", ".def")
CODE = SOURCE + (".py", ".sh")

# The arrows of lib/README.md: a folder may include itself and what is listed. A file name after the folder narrows it.
LAYERS = {
    "Support": [],
    "Runtime": [],
    "Dialect": ["Support"],
    "Composites": ["Support", "Dialect"],
    "Frontend": ["Support", "Dialect", "Composites"],
    "Autodiff": ["Support", "Dialect", "Composites"],
    "Transforms": ["Support", "Dialect", "Composites"],
    # The import walk calls the front ends' operator rows and knows ONNX's numbers of element types.
    "Conversion": ["Support", "Dialect", "Composites", "Transforms", "Frontend/Node.h", "Frontend/Table.h",
                   "Frontend/Onnx/Import.h"],
    "Target": ["Support", "Dialect", "Composites", "Transforms", "Conversion", "Runtime/abi.h"],
    "Driver": ["Support", "Dialect", "Composites", "Frontend", "Autodiff", "Transforms", "Conversion", "Target",
               "Runtime/abi.h"],
}


def tracked():
    """Paths of the repository's files, relative to its root."""
    try:
        names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
        names = [name for name in names.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):  # an unpacked source archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith(("build", ".git/"))]
    return [Path(name) for name in sorted(names) if (ROOT / name).is_file()]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def sizes(files):
    """No file over 800 lines, no line over 140 columns, no trailing space or tab."""
    for path in files:
        if path.suffix not in CODE and path.name != "CMakeLists.txt":
            continue
        lines = text(path).splitlines()
        if len(lines) > MAX_LINES:
            yield path, 1, f"{len(lines)} lines; split it by meaning (at most {MAX_LINES})"
        for number, line in enumerate(lines, 1):
            if len(line) > 140:
                yield path, number, f"{len(line)} columns"
            if line != line.rstrip() or "\t" in line:
                yield path, number, "tab or trailing space"


def licence(files):
    """Each source file names the licence in its first lines."""
    for path in files:
        if path.suffix in CODE or path.name == "run":
            head = "\n".join(text(path).splitlines()[:12])
            if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in head:
                yield path, 1, "no SPDX-License-Identifier in the first lines"


INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def includes(path):
    for number, line in enumerate(text(path).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def layer_of(path):
    parts = path.parts
    if parts[0] == "lib":
        return parts[1]
    if parts[:2] == ("include", "dynac"):
        return parts[2]
    return None


def mlir_free_sources():
    """Sources of the libraries that are declared without MLIR: the readers, shape arithmetic and the runtime."""
    for lists in sorted(ROOT.glob("lib/**/CMakeLists.txt")):
        for block in re.findall(r"(?:dynac_add_library|add_library)\(([^)]*)\)", lists.read_text(encoding="utf-8")):
            words = block.split()
            if "MLIR" not in words:
                for word in words:
                    source = lists.parent / word
                    if source.suffix == ".cpp" and source.is_file():
                        yield source.relative_to(ROOT)


def resolve(path, quoted, name):
    """The repository's file that an #include of `path` means, or nothing."""
    for candidate in ([path.parent / name] if quoted else []) + [Path("include") / name, Path("lib") / name]:
        if (ROOT / candidate).is_file():
            return candidate
    return None


def layers(files):
    """Includes follow the arrows; targets never see front ends; what is declared MLIR-free is."""
    for path in files:
        layer = layer_of(path)
        if layer is None or path.suffix not in (".h", ".hpp", ".cpp", ".def"):
            continue
        if layer not in LAYERS:
            yield path, 1, f"folder {layer} is not in the list of layers"
            continue
        allowed = [layer] + LAYERS[layer]
        for number, _, name in includes(path):
            if name.startswith("dynac/"):
                inside = name.removeprefix("dynac/")
                if not any(inside == a or inside.startswith(a + "/") for a in allowed):
                    yield path, number, f"{layer} may not include {name}"
            elif layer == "Runtime" and name.startswith(("llvm/", "mlir/")):
                yield path, number, "the runtime depends on nothing of LLVM"
    for source in sorted(set(mlir_free_sources())):
        todo, seen = [source], {source}
        while todo:
            path = todo.pop()
            for number, quoted, name in includes(path):
                if name.startswith("mlir/"):
                    yield path, number, f"{source} is declared free of MLIR but reaches {name}"
                target = resolve(path, quoted, name)
                if target and target not in seen:
                    seen.add(target)
                    todo.append(target)


def format_(files):
    """clang-format-19 agrees (skipped where it is not installed)."""
    tool = shutil.which("clang-format-19") or shutil.which("/usr/lib/llvm-19/bin/clang-format")
    if not tool:
        print("lint.py: no clang-format-19: format not checked")
        return
    # Operator tables and the C headers are laid out by hand, one row a line.
    cpp = [p for p in files if p.suffix in (".cpp", ".h", ".hpp") and "clang-format off" not in text(p)
           and not (p.suffix == ".h" and "Runtime" in p.parts and p.parts[0] == "include")]
    for start in range(0, len(cpp), 50):
        command = [tool, "--dry-run", *map(str, cpp[start:start + 50])]
        output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stderr
        for name, number in sorted(set(re.findall(r"^(\S+?):(\d+):\d+: warning: code should be", output, re.M))):
            yield Path(name), int(number), "clang-format-19 -i"


def generated(files):
    """Nothing that a build makes is in the repository, and no large file is."""
    for path in files:
        if path.suffix in (".o", ".a", ".so", ".pyc", ".inc", ".onnx", ".pt", ".pt2", ".npy", ".pb", ".log"):
            if not path.parts[0] == "test":
                yield path, 1, "generated or binary file"
        if (ROOT / path).stat().st_size > 512 * 1024:
            yield path, 1, f"{(ROOT / path).stat().st_size >> 10} KiB"


CHECKS = {"sizes": sizes, "licence": licence, "layers": layers, "format": format_, "generated": generated}


def main(names):
    names = list(CHECKS) if names == ["all"] else names
    if not names or not set(names) <= set(CHECKS):
        print(__doc__, file=sys.stderr)
        return 2
    files = tracked()
    problems = [(path, line, what) for name in names for path, line, what in CHECKS[name](files)]
    for path, line, what in problems:
        print(f"{path}:{line}: {what}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
