# ===- dashboard_tables.py - what the dashboard's figures come to -------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Ratios and means over the results of dashboard.py.

A result is a model's dict: name, suite, state (passed, differs, failed), why, and by contender ms, compile_s, memory_mb, and
missing (why it has no time)."""

import collections
import math

MISSED = 0.5  # the ratio of a model that dynac does not get right
SHORT_MS = 1.0  # models that take onnxruntime less have a table of their own
F32_PEERS = ("onnxruntime", "openvino")
SUITES = {"hf": "HuggingFace", "timm": "TIMM", "torchbench": "TorchBench", "own": "newer families", "pypi": "real weights"}
CONTENDERS = {"dynac": "dynac", "onnxruntime": "onnxruntime", "openvino": "OpenVINO f32", "openvino-default": "OpenVINO default",
              "torch.compile": "torch.compile", "aotinductor": "AOTInductor", "iree": "IREE", "tvm": "TVM"}


def passed(result):
    return result["state"] == "passed" and "dynac" in result.get("ms", {})


def ratio(result, peers=F32_PEERS):
    """The time of the fastest of `peers` over dynac's; nothing where none of them runs the model."""
    times = result.get("ms", {})
    found = [times[peer] for peer in peers if peer in times]
    if not found:
        return None
    return min(found) / times["dynac"] if passed(result) else MISSED


def is_short(result):
    """By onnxruntime's time, or the fastest there is."""
    times = result.get("ms", {})
    return bool(times) and times.get("onnxruntime", min(times.values())) < SHORT_MS


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def suites(results):
    """One row per suite, then one for all: pass rate, and geometric means of ratios over models that are not short."""
    rows = []
    for suite in [*(s for s in SUITES if any(r["suite"] == s for r in results)), None]:
        chosen = [r for r in results if suite in (None, r["suite"])]
        timed = [r for r in chosen if not is_short(r) and ratio(r)]
        row = {"suite": SUITES.get(suite, "all"), "models": len(chosen), "passed": sum(map(passed, chosen)),
               "timed": len(timed), "best_f32": geometric_mean([ratio(r) for r in timed]),
               "below_0.9": sum(ratio(r) < 0.9 for r in timed)}
        row["pass_rate"] = row["passed"] / row["models"] if chosen else None
        for peer in CONTENDERS:
            if peer != "dynac":
                row[peer] = geometric_mean([ratio(r, (peer,)) for r in chosen if not is_short(r)])
        rows.append(row)
    return rows


def contenders(results):
    """One row per contender that was asked: models that ran, and means over those that it and dynac both ran."""
    rows = []
    for name in CONTENDERS:
        asked = [r for r in results if name in r.get("ms", {}) or name in r.get("missing", {})]
        if not asked:
            continue
        both = [r for r in results if passed(r) and name in r["ms"]]
        against = lambda key: geometric_mean([r[key][name] / r[key]["dynac"] for r in both  # noqa: E731
                                              if {name, "dynac"} <= r.get(key, {}).keys() and r[key]["dynac"] > 0])
        reasons = collections.Counter(r["missing"][name] for r in asked if name in r.get("missing", {}))
        rows.append({"contender": CONTENDERS[name], "asked": len(asked),
                     "ran": sum(passed(r) if name == "dynac" else name in r["ms"] for r in asked),
                     "time": geometric_mean([r["ms"][name] / r["ms"]["dynac"] for r in both if not is_short(r)]),
                     "compile_s": geometric_mean([r["compile_s"][name] for r in both if name in r.get("compile_s", {})]),
                     "memory_mb": geometric_mean([r["memory_mb"][name] for r in both if name in r.get("memory_mb", {})]),
                     "compile": against("compile_s"), "memory": against("memory_mb"),
                     "why": reasons.most_common(1)[0][0] if reasons else ""})
    return rows


def by_ratio(results):
    """The slowest against its peers on top, then those without figures."""
    return sorted(results, key=lambda r: (ratio(r) is None, ratio(r) or 0, r["name"]))
