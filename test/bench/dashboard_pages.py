# ===- dashboard_pages.py - the dashboard as Markdown and HTML ----------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Pages of what dashboard.py measured."""

from html import escape
from pathlib import Path

SUMMARY = [("suite", "suite"), ("models", "models"), ("right", "right"), ("timed", "of 1 ms or more"),
           ("best_f32", "best f32 peer"), ("onnxruntime", "onnxruntime"), ("openvino", "OpenVINO f32"),
           ("openvino-default", "OpenVINO default"), ("below_0.9", "below 0.9"), ("compile_s", "compile s"),
           ("memory", "memory, of onnxruntime's")]


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def shown(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def order(results):
    """Long models first, the slowest against its peers on top; then the short ones; then those without figures."""
    return sorted(results, key=lambda r: (not r["long"], r["ratio"] is None, r["ratio"] or 0))


def cells(result):
    times = result.get("ms", {})
    return [result["name"], result["suite"], result["state"], shown(result["ratio"]),
            *(shown(times.get(name), 3) for name in ("dynac", "onnxruntime", "openvino", "openvino-default")),
            shown(result.get("compile_s"), 1), shown(result.get("artifact_mb"), 1),
            shown(result.get("memory_mb", {}).get("dynac"), 0), result["why"]]


HEAD = ["model", "suite", "state", "ratio", "dynac ms", "onnxruntime", "OpenVINO f32", "OpenVINO default", "compile s",
        "artifact MB", "peak MB", "why"]


def markdown(rows, results, facts):
    def table(head, body):
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]) + "\n"

    text = (f"# dynac against its CPU peers\n\n{facts['date']}, {facts['cpu']}, {facts['threads']} thread(s), least CPU time. "
            "Ratios: the peer's time over dynac's, geometric means; above 1 dynac is faster.\n\n")
    text += table([title for _, title in SUMMARY], [[shown(row[key]) for key, _ in SUMMARY] for row in rows])
    if results:
        text += "\n## Models\n\n" + table(HEAD, [[cell.replace("|", "\\|") for cell in cells(r)] for r in order(results)])
    return text


STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:78em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child,td:last-child{text-align:left}th{position:sticky;top:0;background:#f6f6f6}
.bar{display:inline-block;height:.8em;background:#4a7;vertical-align:middle}.slow .bar{background:#c54}.bad td{color:#a00}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}th{background:#222}td,th{border-color:#333}}"""


def html(rows, results, facts):
    def row(values, kind="td", extra=""):
        return f"<tr{extra}>" + "".join(f"<{kind}>{value}</{kind}>" for value in values) + "</tr>\n"

    body = "<table>" + row([escape(title) for _, title in SUMMARY], "th")
    body += "".join(row([escape(shown(r[key])) for key, _ in SUMMARY]) for r in rows) + "</table>\n"
    body += "<h2>Models</h2>\n<table>" + row([escape(title) for title in HEAD], "th")
    for result in order(results):
        values = [escape(cell) for cell in cells(result)]
        value = result["ratio"] or 0
        values[3] += f' <span class="bar" style="width:{min(value, 4) * 2:.2f}em"></span>'
        state = ' class="bad"' if result["state"] != "passed" else ' class="slow"' if value < 1 else ""
        body += row(values, extra=state)
    body += "</table>"
    return (f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>dynac dashboard</title><style>{STYLE}</style>\n'
            f"<h1>dynac against its CPU peers</h1>\n<p>{escape(facts['date'])}, {escape(facts['cpu'])}, {facts['threads']} "
            "thread(s), least CPU time. Ratios: the peer's time over dynac's, geometric means; above 1 dynac is faster.</p>\n"
            f"{body}</html>\n")
