# ===- contenders.py - dynac and its peers, one process each ------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Every contender is a process that loads a model, prints `ready`, and then runs once for each line on its standard input,
answering with a line. `dynac bench --paced` is one; the peers run as this file:

    contenders.py PEER MODEL.onnx INPUTS.npz THREADS

CPU time is read from outside, of all threads of the process, so that it is the same clock for all."""

import os
import subprocess
import sys
import time
from pathlib import Path

PEERS = ("onnxruntime", "openvino", "openvino-default")


class Unavailable(Exception):
    """A contender that does not run this model; the text says why."""


class Process:
    """A contender that is ready. CPU times are nanoseconds, memory is bytes."""

    def __init__(self, command):
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, bufsize=1,
                                        env={**os.environ, "OMP_NUM_THREADS": "1"})
        if self.line() != "ready":
            self.process.kill()
            words = self.process.communicate()[1].strip().splitlines()
            raise Unavailable(words[-1][:200] if words else "ended without a word")

    def line(self):
        return self.process.stdout.readline().strip()

    def cpu(self):
        """By thread: one that ended must not count against the others."""
        return {task.name: int((task / "schedstat").read_text().split()[0])
                for task in Path(f"/proc/{self.process.pid}/task").iterdir()}

    def once(self):
        """One run; its CPU time."""
        before = self.cpu()
        self.process.stdin.write("0\n")
        self.process.stdin.flush()
        if not self.line():
            raise Unavailable("ended while it ran")
        return sum(spent - before.get(task, 0) for task, spent in self.cpu().items())

    def peak_memory(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        self.process.stderr.close()


def compile_dynac(program, model, feeds, artifact, options, patience):
    """Compiles for the shapes of `feeds`; returns CPU seconds."""
    command = [program, "compile", model, "-o", artifact, *options]
    for name, array in feeds.items():
        command.append(f"--shape={name}={'x'.join(map(str, array.shape)) or 'scalar'}")
    before = os.times()
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not compiled within {patience} s") from None
    after = os.times()
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if "error" in line]
        raise Unavailable(f"exit code {done.returncode}: {words[0] if words else ''}"[:200])
    return after.children_user + after.children_system - before.children_user - before.children_system


def start_dynac(program, artifact, files, threads):
    inputs = [f"--input={name}=@{path}" for name, path in files.items()]
    return Process([program, "bench", artifact, "--paced", "--threads", threads, *inputs])


def start_peer(peer, model, inputs, threads):
    return Process([sys.executable, __file__, peer, model, inputs, threads])


def best_times(processes, seconds, rounds):
    """Least CPU time of each contender; every round runs each once, so that noise meets all alike."""
    best = {name: process.once() for name, process in processes.items()}
    end = time.monotonic() + seconds
    done = 0
    while done < rounds or time.monotonic() < end:
        for name, process in processes.items():
            best[name] = min(best[name], process.once())
        done += 1
    return best


def peer_runner(peer, model, feeds, threads):
    """A function that runs the model once."""
    if peer == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, feeds)
    import openvino

    settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
    if peer == "openvino":
        settings["INFERENCE_PRECISION_HINT"] = "f32"
    core = openvino.Core()
    graph = core.read_model(model)
    graph.reshape({name: list(array.shape) for name, array in feeds.items()})
    request = core.compile_model(graph, "CPU", settings).create_infer_request()
    return lambda: request.infer(feeds)


def serve(peer, model, inputs, threads):
    import numpy as np

    with np.load(inputs) as archive:
        feeds = {name: archive[name] for name in archive.files}
    run = peer_runner(peer, model, feeds, int(threads))
    run()
    print("ready", flush=True)
    for _ in sys.stdin:
        run()
        print("done", flush=True)


if __name__ == "__main__":
    try:
        serve(*sys.argv[1:])
    except Exception as error:  # the peers have many classes of their own
        print(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", file=sys.stderr)
        sys.exit(1)
