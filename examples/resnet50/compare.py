#!/usr/bin/env python3
# ===- compare.py - the example's answer against onnxruntime's --------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""compare.py RESNET50 MODEL.onnx MODEL.so

Runs the example on the artifact and onnxruntime on the model, both on the example's picture, and compares the five best
classes. Exit status: 0 they are the same, 1 they differ, 77 onnxruntime is not installed.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 1e-4  # of a probability: sums of some thousand products, in another order


def example(program, artifact):
    """The picture, and the classes and probabilities that the example prints."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.f32"
        command = [program, artifact, "--threads", "1", "--runs", "1", "--save-picture", str(picture)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        data = picture.read_bytes()
    return data, [(int(index), float(percent) / 100) for index, percent in re.findall(r"class +(\d+) +([\d.]+) %", output)]


def main(program, model, artifact):
    try:
        import numpy
        import onnxruntime
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    data, best = example(program, artifact)
    picture = numpy.frombuffer(data, numpy.float32).reshape(1, 3, 224, 224)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    scores = session.run(None, {session.get_inputs()[0].name: picture})[0][0].astype(numpy.float64)
    expected = numpy.exp(scores - scores.max())
    expected /= expected.sum()

    good = len(best) == 5
    # Classes may change places only where onnxruntime itself says that they are as good as equal.
    for (index, probability), other in zip(best, numpy.argsort(-expected, kind="stable")):
        right = abs(probability - expected[index]) < TOLERANCE and abs(expected[index] - expected[other]) < TOLERANCE
        print(f"class {index:3} {probability:.6f}   onnxruntime: class {other:3} {expected[other]:.6f}"
              + ("" if right else "   DIFFERS"))
        good &= bool(right)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
