# ===- drivers.py - ways to run one model ------------------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""A driver compiles a model once and runs it on files of inputs. `Cli` is dynac's command line; `OnnxRuntime` is there to
tell a wrong test from a wrong compiler."""

import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx

from values import file_name, from_proto, read_output, to_proto

PASSED, FAILED, REFUSED, CRASHED = "passed", "failed", "refused", "crashed"
UNSUPPORTED = 4  # dynac's exit code for a model that uses something unsupported


@dataclass
class Result:
    """How a step ended; `message` is one line unless it passed."""

    state: str
    message: str = ""
    outputs: dict = field(default_factory=dict)

    @property
    def ok(self):
        return self.state == PASSED


def last_words(stderr, limit=300):
    """The line of a diagnostic that says what is wrong."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    chosen = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
    return chosen.strip()[:limit]


class Cli:
    """The dynac program. One artifact, many runs."""

    def __init__(self, program, options=(), run_options=(), timeout=120):
        # A copy, so that a build beside a long run does not change what is tested.
        self.folder = tempfile.TemporaryDirectory(prefix="dynac-")
        self.program = shutil.copy2(program, self.folder.name)
        self.options, self.run_options, self.timeout = list(options), list(run_options), timeout

    def command(self, *arguments):
        try:
            done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, timeout=self.timeout,
                                  stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return Result(CRASHED, f"no answer within {self.timeout} s")
        if done.returncode == 0:
            return Result(PASSED)
        words = last_words(done.stderr.decode(errors="replace"))
        if done.returncode < 0:
            return Result(CRASHED, f"{signal.Signals(-done.returncode).name}: {words}")
        state = REFUSED if done.returncode == UNSUPPORTED else FAILED
        return Result(state, f"{arguments[0]} exit code {done.returncode}: {words}")

    def compile(self, model, artifact, *options):
        return self.command("compile", model, "-o", artifact, *self.options, *options)

    def expect(self, artifact, inputs, expected, rtol, atol):
        """Lets the program itself compare with files: for sequences and optionals, which .npy cannot hold."""
        arguments = [f"--input={name}=@{path}" for name, path in inputs.items()]
        arguments += [f"--expect={name}=@{path}" for name, path in expected.items()]
        return self.command("run", artifact, *arguments, f"--rtol={rtol}", f"--atol={atol}", *self.run_options)

    def run(self, artifact, inputs, outputs, folder):
        """`inputs`: name -> file (.pb or .npy). `outputs`: name -> TypeProto; what was written is read back."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        arguments = [f"--input={name}=@{path}" for name, path in inputs.items()]
        result = self.command("run", artifact, *arguments, "--output-dir", folder, *self.run_options)
        if not result.ok:
            return result
        try:
            result.outputs = {name: read_output(folder, name, kind) for name, kind in outputs.items()}
        except (OSError, ValueError) as error:
            return Result(FAILED, str(error))
        return result


class OnnxRuntime:
    """The same steps with onnxruntime."""

    def __init__(self, **_):
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
        self.onnxruntime = onnxruntime

    def compile(self, model, artifact, *_):
        try:
            self.onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has many classes of its own
            state = REFUSED if "NOT_IMPLEMENTED" in str(error) or "is not a registered" in str(error) else FAILED
            return Result(state, str(error).splitlines()[0][:300])
        shutil.copyfile(model, artifact)
        return Result(PASSED)

    expect = None

    def run(self, artifact, inputs, outputs, folder):
        session = self.onnxruntime.InferenceSession(str(artifact), providers=["CPUExecutionProvider"])
        types = {value.name: value.type for value in onnx.load(artifact).graph.input}
        try:
            values = session.run(list(outputs), {name: load(path, types[name]) for name, path in inputs.items()})
        except Exception as error:
            return Result(FAILED, str(error).splitlines()[0][:300])
        return Result(PASSED, outputs=dict(zip(outputs, values)))


def message_class(type_proto):
    kind = type_proto.WhichOneof("value")
    return {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}.get(kind, onnx.TensorProto)


def load(path, type_proto):
    if str(path).endswith(".npy"):
        return np.load(path)
    return from_proto(message_class(type_proto).FromString(Path(path).read_bytes()))


def save_values(folder, kind, infos, values):
    """Writes one .pb per graph input or output that has a value; returns name -> path."""
    paths = {}
    for info, value in zip(infos, values):
        path = Path(folder) / f"{kind}_{len(paths)}_{file_name(info.name)[:40]}.pb"
        path.write_bytes(to_proto(value, info.type, info.name).SerializeToString())
        paths[info.name] = path
    return paths
