# ===- report.py - tables of results -----------------------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Results are dicts with test, group, state, message and seconds."""

import json
import sys
from collections import Counter, defaultdict

STATES = ("passed", "failed", "refused", "crashed", "excluded")


def table(rows, head):
    """Columns padded to their widest cell; numbers to the right."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())


def per_group(results):
    """One row per group that did not pass as a whole, and the sum."""
    groups = defaultdict(Counter)
    for result in results:
        groups[result["group"]][result["state"]] += 1
    rows = [[group] + [count[state] or "" for state in STATES] for group, count in sorted(groups.items())
            if count["passed"] + count["excluded"] != sum(count.values())]
    whole = sum(count["passed"] + count["excluded"] == sum(count.values()) for count in groups.values())
    total = Counter(result["state"] for result in results)
    rows.append(["total"] + [total[state] for state in STATES])
    table(rows, ["operator", *STATES])
    print(f"{whole} of {len(groups)} operators pass as a whole")


def write_json(path, results, **facts):
    data = {**facts, "total": dict(Counter(result["state"] for result in results)), "results": results}
    if path == "-":
        json.dump(data, sys.stdout, indent=1)
        print()
        return
    with open(path, "w", encoding="utf-8") as out:
        json.dump(data, out, indent=1)


def progress(done, total, results):
    """A counter on a terminal, nothing elsewhere."""
    if sys.stderr.isatty():
        bad = sum(result["state"] in ("failed", "crashed") for result in results)
        sys.stderr.write(f"\r{done}/{total}, {bad} failed\033[K" + ("\n" if done == total else ""))
        sys.stderr.flush()
