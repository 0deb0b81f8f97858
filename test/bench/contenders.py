# ===- contenders.py - dynac and its peers, one process each ------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Every contender is a process that loads a model, prints `ready`, and then runs once for each line on its standard input,
answering with a line. `dynac bench --paced` is one; the peers run as this file:

    contenders.py PEER MODEL.onnx INPUTS.npz THREADS

Time is read from outside, the same clock for all. A contender that does not answer in time is ended."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Unavailable(Exception):
    """A contender that does not run this model; the text says why."""


class Process:
    """A contender that is ready. Times are seconds, memory is bytes. `patience` bounds the wait for each answer."""

    def __init__(self, command, patience, environment=None):
        self.patience = patience
        self.errors = tempfile.TemporaryFile()  # a pipe that nobody empties would stop who fills it
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, env={**os.environ, **(environment or {})},
                                        start_new_session=True)
        self.text = b""
        try:
            answer = self.line().split()
            if answer[:1] != ["ready"]:
                raise Unavailable(self.last_words())
        except Unavailable:
            self.close()
            raise
        self.ready_cpu = sum(self.cpu().values()) / 1e9  # loading, compiling and the first run

    def line(self):
        """The next line of its output; "" where it ended."""
        end = time.monotonic() + self.patience
        while b"\n" not in self.text:
            if not select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                raise Unavailable(f"no answer within {self.patience} s")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                return ""
            self.text += more
        line, _, self.text = self.text.partition(b"\n")
        return line.decode(errors="replace").strip()

    def last_words(self):
        self.errors.seek(0)
        words = self.errors.read().decode(errors="replace").strip().splitlines()
        return words[-1][:200] if words else "ended without a word"

    def cpu(self):
        """Nanoseconds by thread: one that ended must not count against the others."""
        return {task.name: int((task / "schedstat").read_text().split()[0])
                for task in Path(f"/proc/{self.process.pid}/task").iterdir()}

    def once(self):
        """One run; its CPU time and its wall time."""
        before, start = self.cpu(), time.monotonic()
        try:
            self.process.stdin.write(b"0\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Unavailable(self.last_words()) from None
        if not self.line():
            raise Unavailable("ended while it ran")
        wall = time.monotonic() - start
        return sum(spent - before.get(task, 0) for task, spent in self.cpu().items()) / 1e9, wall

    def peak_memory(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

    def close(self):
        """Ends it and whatever it started."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


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


def start_dynac(program, artifact, files, threads, patience):
    inputs = [f"--input={name}=@{path}" for name, path in files.items()]
    return Process([program, "bench", artifact, "--paced", "--threads", threads, *inputs], patience)


def start_peer(python, peer, model, inputs, threads, patience):
    return Process([python, __file__, peer, model, inputs, threads], patience,
                   {"OMP_NUM_THREADS": str(threads)})


def best_times(processes, seconds, rounds, use_cpu):
    """Least time of each contender, in seconds of CPU or wall time; every round runs each once, so that noise meets all
    alike. A contender that fails is left out and closed; returns the times, and why those are missing."""
    best, missing, end, done = {}, {}, time.monotonic() + seconds, 0
    while processes and (done < rounds or time.monotonic() < end):
        for name, process in list(processes.items()):
            try:
                spent = process.once()[0 if use_cpu else 1]
            except Unavailable as why:
                missing[name] = str(why)
                best.pop(name, None)
                processes.pop(name).close()
                continue
            best[name] = min(best.get(name, spent), spent)
        done += 1
    return best, missing


# ---- Peers: a function each, which makes one that runs the model once ----


def onnxruntime_peer(model, feeds, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds)


def openvino_peer(model, feeds, threads, precision="f32"):
    import openvino

    settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
    if precision:
        settings["INFERENCE_PRECISION_HINT"] = precision
    core = openvino.Core()
    graph = core.read_model(model)
    graph.reshape({name: list(array.shape) for name, array in feeds.items()})
    request = core.compile_model(graph, "CPU", settings).create_infer_request()
    return lambda: request.infer(feeds)


def torch_module(model, feeds, threads):
    """The file as a module, and its arguments. PyTorch itself does not read ONNX."""
    import onnx
    import onnx2torch
    import torch

    torch.set_num_threads(threads)
    graph = onnx.load(model)
    names = [info.name for info in graph.graph.input if info.name in feeds]
    return torch, onnx2torch.convert(graph).eval(), tuple(torch.from_numpy(feeds[name]) for name in names)


def torch_compile_peer(model, feeds, threads):
    torch, module, arguments = torch_module(model, feeds, threads)
    compiled = torch.compile(module)

    def run():
        with torch.no_grad():
            compiled(*arguments)

    return run


def aot_inductor_peer(model, feeds, threads):
    torch, module, arguments = torch_module(model, feeds, threads)
    with torch.no_grad():
        program = torch.export.export(module, arguments)
        package = torch._inductor.aoti_compile_and_package(program, package_path=f"{model}.pt2")
    runner = torch._inductor.aoti_load_package(package)
    return lambda: runner(*arguments)


def iree_peer(model, feeds, threads):
    import iree.compiler.tools
    import iree.runtime
    import onnx

    text = f"{model}.mlir"
    subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", model, "-o", text], check=True)
    code = iree.compiler.tools.compile_file(text, input_type="onnx", target_backends=["llvm-cpu"],
                                            extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"])
    iree.runtime.flags.parse_flags(f"--task_topology_max_group_count={threads}")
    config = iree.runtime.Config("local-sync" if threads == 1 else "local-task")
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    graph = onnx.load(model, load_external_data=False).graph
    function = module[graph.name] if graph.name in module.vm_module.function_names else module[module.vm_module.function_names[0]]
    arguments = [iree.runtime.asdevicearray(config.device, feeds[info.name]) for info in graph.input if info.name in feeds]
    return lambda: function(*arguments)


def tvm_peer(model, feeds, threads):
    os.environ["TVM_NUM_THREADS"] = str(threads)
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    graph = onnx.load(model)
    module = from_onnx(graph, keep_params_in_input=False)
    target = {"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()}
    machine = relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target(target)), tvm.cpu())
    arguments = [tvm.runtime.tensor(feeds[info.name]) for info in graph.graph.input if info.name in feeds]
    return lambda: machine["main"](*arguments)


PEERS = {"onnxruntime": onnxruntime_peer, "openvino": openvino_peer,
         "openvino-default": lambda *args: openvino_peer(*args, precision=None), "torch.compile": torch_compile_peer,
         "aotinductor": aot_inductor_peer, "iree": iree_peer, "tvm": tvm_peer}


def serve(peer, model, inputs, threads):
    import numpy as np

    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    with np.load(inputs) as archive:
        feeds = {name: archive[name] for name in archive.files}
    run = PEERS[peer](model, feeds, int(threads))
    run()
    print("ready", file=answers)
    for _ in sys.stdin:
        run()
        print("done", file=answers)


if __name__ == "__main__":
    try:
        serve(*sys.argv[1:])
    except Exception as error:  # the peers have many classes of their own
        print(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", file=sys.stderr)
        sys.exit(1)
