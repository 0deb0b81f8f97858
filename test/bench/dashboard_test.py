#!/usr/bin/env python3
# ===- dashboard_test.py - the dashboard's tables on recorded results ---------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Tables and pages on results that are written down here, and contenders that hang or die. Times nothing."""

import sys
import time
import unittest
from html.parser import HTMLParser

import contenders
import dashboard_pages as pages
import dashboard_tables as tables


def result(name, suite="hf", state="passed", missing=None, **ms):
    ms = {key.replace("_", "-"): value for key, value in ms.items()}
    return {"name": name, "suite": suite, "state": state, "why": "" if state == "passed" else "a | reason <why>", "ms": ms,
            "compile_s": {key: 2 * value for key, value in ms.items()}, "memory_mb": {key: 100.0 for key in ms},
            "missing": missing or {}}


RECORDED = [
    result("twice", dynac=10.0, onnxruntime=20.0, openvino=40.0, openvino_default=5.0),
    result("half", dynac=40.0, onnxruntime=20.0, openvino=20.0, iree=400.0),
    result("refused", suite="timm", state="failed", missing={"dynac": "exit code 4"}, onnxruntime=10.0, openvino=8.0),
    result("wrong", suite="timm", state="differs", dynac=1.0, onnxruntime=10.0),
    result("short", suite="timm", dynac=0.1, onnxruntime=0.8),
    result("nobody", suite="torchbench", state="failed", missing={"dynac": "exit code 4", "onnxruntime": "no kernel"}),
    result("alone", suite="torchbench", missing={"onnxruntime": "no answer within 5 s"}, dynac=3.0),
]
FACTS = {"cpu": "some <CPU>", "threads": 1, "date": "2026-01-31", "clock": "CPU"}


class Tables(unittest.TestCase):
    def test_ratios(self):
        self.assertEqual([tables.ratio(r) for r in RECORDED], [2.0, 0.5, 0.5, 0.5, 8.0, None, None])
        self.assertEqual([r["name"] for r in RECORDED if tables.is_short(r)], ["short"])

    def test_suites(self):
        hf, timm, torchbench, everything = tables.suites(RECORDED)
        self.assertEqual((hf["suite"], hf["models"], hf["passed"], hf["timed"]), ("HuggingFace", 2, 2, 2))
        self.assertAlmostEqual(hf["best_f32"], 1.0)  # of 2 and 1/2
        self.assertEqual((hf["pass_rate"], hf["below_0.9"]), (1.0, 1))
        # The short model is no part of the mean, what dynac does not get right counts a half.
        self.assertEqual((timm["models"], timm["passed"], timm["timed"]), (3, 1, 2))
        self.assertAlmostEqual(timm["onnxruntime"], 0.5)
        self.assertAlmostEqual(timm["openvino"], 0.5)
        self.assertIsNone(timm["iree"])
        self.assertEqual((torchbench["passed"], torchbench["best_f32"]), (1, None))
        self.assertEqual((everything["suite"], everything["models"], everything["passed"]), ("all", 7, 4))
        self.assertAlmostEqual(everything["best_f32"], (2 * 0.5 * 0.5 * 0.5) ** 0.25)

    def test_contenders(self):
        rows = {row["contender"]: row for row in tables.contenders(RECORDED)}
        self.assertEqual(list(rows), ["dynac", "onnxruntime", "OpenVINO f32", "OpenVINO default", "IREE"])
        self.assertEqual((rows["dynac"]["ran"], rows["dynac"]["asked"]), (4, 7))
        self.assertEqual((rows["onnxruntime"]["ran"], rows["onnxruntime"]["asked"]), (5, 7))
        self.assertAlmostEqual(rows["IREE"]["time"], 10.0)
        self.assertAlmostEqual(rows["IREE"]["compile"], 10.0)
        self.assertAlmostEqual(rows["onnxruntime"]["memory"], 1.0)
        self.assertEqual((rows["dynac"]["why"], rows["IREE"]["why"]), ("exit code 4", ""))

    def test_nothing_measured(self):
        self.assertEqual([row["suite"] for row in tables.suites([])], ["all"])
        self.assertIn("## Suites", pages.markdown([], FACTS))


class Page(HTMLParser):
    """Checks that what opens is closed, and collects cells."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.links = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.links += [value for key, value in attributes if key in ("src", "href")]
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1] += data


class Pages(unittest.TestCase):
    def test_html(self):
        text = pages.html(RECORDED, FACTS)
        page = Page(text)
        self.assertEqual((page.open, page.links), ([], []))
        self.assertNotIn("://", text)
        self.assertIn("a | reason <why>", page.cells)
        self.assertEqual(sum(r["name"] in page.cells for r in RECORDED), len(RECORDED))

    def test_markdown(self):
        text = pages.markdown(RECORDED, FACTS)
        for title in ("Suites", "Contenders", "Models", "Models below 1 ms"):
            self.assertIn(f"\n## {title}\n", text)
        self.assertIn("a \\| reason <why>", text)
        self.assertNotIn("## Models", pages.markdown(RECORDED, FACTS, with_models=False))
        for block in text.split("\n\n"):
            if block.startswith("|"):
                self.assertEqual(len({line.replace("\\|", "").count("|") for line in block.strip().splitlines()}), 1, block)


class Contenders(unittest.TestCase):
    def process(self, code, patience=20):
        return contenders.Process([sys.executable, "-c", code], patience)

    def test_answers(self):
        process = self.process("import sys\nprint('ready', flush=True)\nfor _ in sys.stdin: print('done', flush=True)")
        times, missing = contenders.best_times({"one": process}, seconds=0, rounds=3, use_cpu=True)
        self.assertEqual((list(times), missing), (["one"], {}))
        self.assertGreater(process.peak_memory(), 0)
        process.close()

    def test_one_that_hangs_before_it_is_ready(self):
        start = time.monotonic()
        with self.assertRaisesRegex(contenders.Unavailable, "no answer within 1 s"):
            self.process("import time; time.sleep(60)", patience=1)
        self.assertLess(time.monotonic() - start, 30)

    def test_one_that_hangs_while_it_runs(self):
        process = self.process("import time; print('ready', flush=True); time.sleep(60)", patience=1)
        processes = {"slow": process}
        times, missing = contenders.best_times(processes, seconds=0, rounds=2, use_cpu=True)
        self.assertEqual((times, missing, processes), ({}, {"slow": "no answer within 1 s"}, {}))
        self.assertIsNotNone(process.process.returncode)

    def test_one_that_dies(self):
        with self.assertRaisesRegex(contenders.Unavailable, "ValueError: what"):
            self.process("raise ValueError('what')")
        with self.assertRaisesRegex(contenders.Unavailable, "Error: "):
            contenders.start_peer(sys.executable, "nothing-of-the-kind", "m.onnx", "missing.npz", 1, 20)


if __name__ == "__main__":
    unittest.main()
