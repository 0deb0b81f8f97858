#!/usr/bin/env python3
# ===- cli_test.py - the dynac program, from outside -------------------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""cli_test.py DYNAC [TEST...]: exit codes, exact messages, and that a refused input leaves nothing behind."""

import html.parser
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import onnx_writer as onnx

DYNAC = ""


def npy(shape, values, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({''.join(f'{d},' for d in shape)}), }}\n"
    kind = {"<f4": "f", "<f8": "d", "<i8": "q"}[descr]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{kind}", *values)


def read_npy(path):
    """Floats of a .npy that dynac wrote."""
    with open(path, "rb") as file:
        data = file.read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return list(struct.unpack(f"<{len(body) // 4}f", body))


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="dynac-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def dynac(self, *arguments, stdin=None, environment=None, **options):
        return subprocess.run([DYNAC, *arguments], cwd=self.folder, input=stdin, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(environment or {})}, check=False, **options)

    def succeeds(self, *arguments, **options):
        done = self.dynac(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refuses(self, code, message, *arguments, **options):
        """One line of error, that exit code, and no new file."""
        before = sorted(os.listdir(self.folder))
        done = self.dynac(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (code, f"dynac: error: {message}\n"), arguments)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def affine(self, name="m.onnx", batch=2):
        """y = x * w + 1 with x and y of shape [batch, 3] and w = 1, 2, 3."""
        return self.write(name, onnx.model(
            [onnx.node("Mul", ["x", "w"], ["p"], "scale"), onnx.node("Add", ["p", "one"], ["y"], "shift")],
            [onnx.value("x", [batch, 3])], [onnx.value("y", [batch, 3])],
            [onnx.tensor("w", [3], [1, 2, 3]), onnx.tensor("one", [], [1])]))

    def large(self, name, count):
        """y = x + w with `count` weights."""
        self.write(name, onnx.model([onnx.node("Add", ["x", "w"], ["y"])], [onnx.value("x", [count])],
                                    [onnx.value("y", [count])], [onnx.tensor("w", [count], [1.0] * count)]))

    def compiled(self, *options, **model):
        self.affine(**model)
        self.succeeds("compile", "m.onnx", "-o", "m.so", *options)
        return "m.so"


class General(CliTest):
    def test_version_and_help(self):
        self.assertRegex(self.succeeds("--version"), r"^dynac \d+\.\d+\.\d+ \(LLVM 19\.[0-9.]+\), artifact ABI \d+\n$")
        self.assertIn("Exit codes:", self.succeeds("--help"))
        for command in ("compile", "run", "bench", "profile", "verify", "inspect", "ops", "doctor"):
            text = self.succeeds(command, "--help")
            self.assertIn("--json", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100, text)
            self.assertNotRegex(text, r"INT in|TEXT:|NONNEGATIVE")

    def test_wrong_usage(self):
        self.refuses(2, "A subcommand is required; see dynac --help")
        self.refuses(2, "unknown command 'frob'; see dynac --help", "frob")
        self.refuses(2, "The following argument was not expected: --frob; see dynac --help", "run", "m.so", "--frob")
        self.refuses(2, "ARTIFACT is required; see dynac --help", "run")
        self.refuses(2, "--threads: Value -1 not in range 0 to 4096; see dynac --help", "run", "m.so", "--threads", "-1")

    def test_standard_output_that_fails(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([DYNAC, "doctor"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (7, "dynac: error: cannot write to standard output: No space left on device\n"))

    def test_doctor_and_ops(self):
        self.assertIn("linker", json.loads(self.succeeds("doctor", "--json")))
        names = {row["operator"] for row in json.loads(self.succeeds("ops", "--json"))["operators"]}
        self.assertTrue({"Conv", "MatMul", "Relu"} <= names, names)
        self.assertIn("ai.onnx::Relu", self.succeeds("ops"))


class Compile(CliTest):
    def test_output_names(self):
        self.affine()
        self.refuses(2, "no output: give -o FILE.so, .o or .a", "compile", "m.onnx")
        self.refuses(2, "output 'm.exe': the name must end in .so, .o or .a", "compile", "m.onnx", "-o", "m.exe")
        self.refuses(7, "cannot write 'no/m.so': No such file or directory", "compile", "m.onnx", "-o", "no/m.so")
        os.mkdir(self.path("d.so"))
        self.refuses(7, "cannot write 'd.so': it exists and is not a regular file", "compile", "m.onnx", "-o", "d.so")

    def test_newer_opset(self):
        self.write("m.onnx", onnx.model([onnx.node("Relu", ["x"], ["y"])], [onnx.value("x", [2])],
                                        [onnx.value("y", [2])], opset=99))
        done = self.dynac("compile", "m.onnx", "-o", "m.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("m.onnx: opset 99 of domain '' is newer than 28, the newest that is known; its operators are read by "
                      "the rules of 28", done.stderr)

    def test_options(self):
        self.affine()
        base = ("compile", "m.onnx", "-o", "m.so")
        self.refuses(2, "--name is for .o and .a: a .so exports dynac_artifact", *base, "--name", "a")
        self.refuses(2, "--name 'a-b': expected letters, digits and _, the first no digit", "compile", "m.onnx", "-o", "m.o",
                     "--name", "a-b")
        self.refuses(2, "--dim 'n=3..1': the range is empty", *base, "--dim", "n=3..1")
        self.refuses(6, "--target cuda: this build makes code for cpu only", *base, "--target", "cuda")
        self.refuses(4, "--precision f16: only f32 and bf16 are supported", *base, "--precision", "f16")
        self.refuses(2, "--accuracy strict keeps the model's numbers, --precision bf16 rounds them: choose one", *base,
                     "--accuracy", "strict", "--precision", "bf16")
        self.refuses(2, "--weights 'x/w.safetensors': the file has to be in the folder of the output, where the artifact "
                     "will look for it", *base, "--weights", "x/w.safetensors")
        self.refuses(7, "linker 'no-such-ld' (from --linker) was not found", *base, "--linker", "no-such-ld")
        self.refuses(7, "linker 'no-such-ld' (from DYNAC_LD) was not found", *base, environment={"DYNAC_LD": "no-such-ld"})
        self.refuses(7, "no linker found (tried ld.lld-19, ld.lld, ld.bfd, ld): install one, such as the package lld-19 or "
                     "binutils, or name one with --linker or DYNAC_LD; a .o or .a needs none", *base,
                     environment={"PATH": "/nowhere"})

    def test_bad_models(self):
        self.refuses(7, "none.onnx: No such file or directory", "compile", "none.onnx", "-o", "m.so")
        self.write("empty.onnx", b"")
        done = self.dynac("compile", "empty.onnx", "-o", "m.so")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.write("unknown.onnx", onnx.model([onnx.node("Frobnicate", ["x"], ["y"], "first"),
                                               onnx.node("Defenestrate", ["y"], ["z"], "second")],
                                              [onnx.value("x", [2])], [onnx.value("z", [2])]))
        done = self.dynac("compile", "unknown.onnx", "-o", "m.so")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("Frobnicate", done.stderr)
        self.assertIn("Defenestrate", done.stderr)  # all of them at once
        self.assertEqual(sorted(os.listdir(self.folder)), ["empty.onnx", "unknown.onnx"])

    def test_same_bytes(self):
        """Whatever the output's path and the number of threads."""
        self.affine()
        os.mkdir(self.path("sub"))
        contents = set()
        for output, jobs in (("a.so", "1"), ("sub/b.so", "2"), ("c.so", "1")):
            self.succeeds("compile", "m.onnx", "-o", output, "-j", jobs)
            with open(self.path(output), "rb") as file:
                contents.add(file.read())
        self.assertEqual(len(contents), 1)

    def test_file_size_limit(self):
        self.large("big.onnx", 1 << 20)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        self.refuses(7, "cannot write 'm.so': File too large", "compile", "big.onnx", "-o", "m.so", preexec_fn=limit)

    def test_full_disk(self):
        """Of several sizes: one stops the linker, another the weights."""
        self.large("big.onnx", 1 << 18)
        os.mkdir(self.path("disk"))
        for size in ("4k", "8k", "64k", "512k"):
            self.mount(size)
            for output in ("m.so", "m.o", "m.a"):
                done = self.dynac("compile", "big.onnx", "-o", f"disk/{output}")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (7, 1), done.stderr)
                # ld.lld writes into mapped memory, where a full disk is a signal.
                self.assertRegex(done.stderr, "(?i)no space left on device")
                self.assertEqual(os.listdir(self.path("disk")), [])

    def test_full_disk_keeps_what_was_there(self):
        self.affine()
        self.large("big.onnx", 1 << 18)
        os.mkdir(self.path("disk"))
        self.mount("512k")
        self.succeeds("compile", "m.onnx", "-o", "disk/m.so")
        before = self.succeeds("run", "disk/m.so")
        self.assertEqual(self.dynac("compile", "big.onnx", "-o", "disk/m.so").returncode, 7)
        self.assertEqual(os.listdir(self.path("disk")), ["m.so"])
        self.assertEqual(self.succeeds("run", "disk/m.so"), before)

    def test_read_only_output(self):
        self.affine()
        os.mkdir(self.path("disk"))
        self.mount("1m", "ro")
        self.refuses(7, "cannot write 'disk/m.so': Read-only file system", "compile", "m.onnx", "-o", "disk/m.so")

    def mount(self, size, *options):
        """A small file system at disk/, where this user may mount one."""
        disk = self.path("disk")
        if os.path.ismount(disk):
            subprocess.run(["umount", disk], check=True)
        command = ["mount", "-t", "tmpfs", "-o", ",".join(["size=" + size, *options]), "dynac-test", disk]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"no small file system to fill: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], capture_output=True, check=False)

    def test_killed(self):
        """Nothing can remove a file then, but no file has the output's name before it is whole."""
        self.large("big.onnx", 1 << 22)
        for delay in (0.05, 0.1, 0.2, 0.4):
            process = subprocess.Popen([DYNAC, "compile", "big.onnx", "-o", "m.so"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            if process.wait() != 0:
                self.assertFalse(os.path.exists(self.path("m.so")))

    def test_interrupted(self):
        self.large("big.onnx", 1 << 22)
        for delay in (0.05, 0.1, 0.2, 0.3):
            process = subprocess.Popen([DYNAC, "compile", "big.onnx", "-o", "m.so"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGTERM)
            process.wait()
            self.assert_nothing_left({"m.so", "big.onnx"})

    def test_interrupted_linker(self):
        """A linker that outlived the compiler would write a file that nobody removes."""
        self.affine()
        write = 'for out; do [ "$last" = -o ] && echo late >"$out"; last=$out; done'
        self.interrupt_linker(f"touch started\nsleep 1\n{write}")
        self.interrupt_linker(f"end() {{ {write}; exit 1; }}\ntrap 'end \"$@\"' TERM\ntouch started\nsleep 1 & wait")
        self.interrupt_linker(f"trap '' TERM\ntouch started\nsleep 1\n{write}")

    def interrupt_linker(self, script):
        with open(self.path("ld"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(self.path("ld"), 0o755)
        process = subprocess.Popen([DYNAC, "compile", "m.onnx", "-o", "m.so", "--linker", "./ld"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("started")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), -signal.SIGTERM)
        time.sleep(1.5)
        self.assert_nothing_left({"m.onnx", "ld", "started"})
        os.remove(self.path("started"))

    def assert_nothing_left(self, known):
        """The linker removes its own temporary file when it is told that the compiler is gone: a moment later."""
        for _ in range(50):
            left = set(os.listdir(self.folder)) - known
            if not left:
                return
            time.sleep(0.1)
        self.assertEqual(left, set())

    def test_external_weights(self):
        self.affine()
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--weights", "external")
        self.assertTrue(os.path.exists(self.path("m.safetensors")))
        self.assertIn("y: f32[2x3] min 2 max 4", self.succeeds("run", "m.so", "--input", "x=2x3xf32=1"))
        os.remove(self.path("m.safetensors"))
        self.assertEqual(self.dynac("run", "m.so", "--input", "x=2x3xf32=1").returncode, 7)

    def test_layers_share_kernels(self):
        """Two layers that differ by their numbers only are one kernel, however few the numbers."""
        self.write("m.onnx", onnx.model(
            [onnx.node("Add", ["x", "a"], ["y"]), onnx.node("Add", ["x", "b"], ["z"])], [onnx.value("x", [2, 8])],
            [onnx.value("y", [2, 8]), onnx.value("z", [2, 8])],
            [onnx.tensor("a", [8], range(8)), onnx.tensor("b", [8], range(8, 16))]))
        self.succeeds("compile", "m.onnx", "-o", "m.so")
        self.assertEqual(len(json.loads(self.succeeds("inspect", "m.so", "--json"))["kernels"]), 1)

    def test_emit(self):
        self.affine()
        self.assertIn("onnx.Mul", self.succeeds("compile", "m.onnx", "--emit", "import"))
        self.refuses(2, "'frob' is no phase: expected one of import, decompose, raise, simplify, "
                     "fuse, schedule, codegen, link", "compile", "m.onnx", "--emit", "frob")

    def test_alias(self):
        """An output that updates an input is in that input's memory, whichever is read after it is written."""
        two = [onnx.value("a", [3]), onnx.value("b", [3])]
        # Outputs a2 = b and b2 = a: a swap, in place.
        self.write("m.onnx", onnx.model([onnx.node("Identity", ["b"], ["a2"]), onnx.node("Identity", ["a"], ["b2"])], two,
                                        [onnx.value("a2", [3]), onnx.value("b2", [3])]))
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--alias", "a=a2", "--alias", "b=b2")
        out = self.succeeds("run", "m.so", "--input", "a=3xf32=1", "--input", "b=3xf32=2")
        self.assertIn("a2: f32[3] min 2 max 2", out)
        self.assertIn("b2: f32[3] min 1 max 1", out)
        self.assertIn("a2: f32[3] updates a", self.succeeds("inspect", "m.so"))
        base = ("compile", "m.onnx", "-o", "n.so")
        self.refuses(5, "--alias c=a2: the model has no such input", *base, "--alias", "c=a2")
        self.refuses(5, "--alias a=c: the model has no such output", *base, "--alias", "a=c")
        self.refuses(2, "--alias a=b2: another output updates this input", *base, "--alias", "a=a2", "--alias", "a=b2")
        self.refuses(2, "--alias a=a2: the output updates another input", *base, "--alias", "b=a2", "--alias", "a=a2")
        self.refuses(2, "--alias 'a': expected INPUT=OUTPUT or INPUT=OUTPUT:capacity=N", *base, "--alias", "a")

    def test_growing_alias(self):
        """An output that appends to an input, in memory with room for more."""
        pairs = [(f"past_{i}", f"new_{i}", f"present_{i}") for i in range(2)]
        inputs = [onnx.value(name, [2, "p" if name.startswith("past") else 1, 3]) for pair in pairs for name in pair[:2]]
        self.write("m.onnx", onnx.model(
            [onnx.node("Concat", [past, new], [present], axis=1) for past, new, present in pairs] +
            [onnx.node("Concat", ["new_0", "past_1"], ["other"], axis=1), onnx.node("Concat", ["past_1", "past_1"], ["twice"], axis=1)],
            inputs, [onnx.value(name, [2, f"n_{name}", 3]) for name in ("present_0", "present_1", "other", "twice")]))
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--alias", "past_*=present_*:capacity=8", "--verify")
        self.assertIn("present_1: f32[2xp+1x3] updates past_1, room for 8 along axis 1", self.succeeds("inspect", "m.so"))
        output = json.loads(self.succeeds("inspect", "m.so", "--json"))["outputs"][0]
        self.assertEqual((output["grows_along"], output["capacity"]), (1, 8))
        values = ["past_0=2x7x3xf32=1", "past_1=2x7x3xf32=2", "new_0=2x1x3xf32=3", "new_1=2x1x3xf32=4"]
        out = self.succeeds("run", "m.so", *(f"--input={value}" for value in values), "--output-dir", "out")
        self.assertIn("present_0: f32[2x8x3] min 1 max 3", out)
        self.assertEqual(read_npy(self.path("out/present_1.npy")), ([2.0] * 21 + [4.0] * 3) * 2)
        self.succeeds("bench", "m.so", "--seconds", "0.01", "--dim", "p=3")
        self.succeeds("profile", "m.so", "--dim", "p=3")
        self.refuses(5, "input \"past_0\" axis 1: got 8, output \"present_0\" would have 9 there and was compiled with a "
                     "capacity of 8", "run", "m.so", "--dim", "p=8")
        base = ("compile", "m.onnx", "-o", "n.so", "--alias")
        self.refuses(4, "--alias past_0=present_0: input and output have to have the same type and shape, or the output "
                     "appends to the input and has a capacity (past_0=...:capacity=1024)", *base, "past_0=present_0")
        self.refuses(4, "--alias past_1=other:capacity=8: the output is no Concat of the input and then what is new",
                     *base, "past_1=other:capacity=8")
        self.refuses(4, "--alias past_1=twice:capacity=8: the output appends the input to itself", *base, "past_1=twice:capacity=8")
        self.refuses(5, "--alias past_0=present_0:capacity=4: the output has 5 along axis 1", *base,
                     "past_0=present_0:capacity=4", "--dim", "p=4")
        self.refuses(5, "--alias none_*=present_*:capacity=4: the model has no such input", *base, "none_*=present_*:capacity=4")

    def test_save_temps(self):
        self.affine()
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--save-temps", "t")
        self.assertIn("artifact.o", os.listdir(self.path("t")))


class Run(CliTest):
    def test_inputs(self):
        self.compiled()
        self.write("x.npy", npy([2, 3], [1, 2, 3, 4, 5, 6]))
        out = self.succeeds("run", "m.so", "--input", "x=@x.npy", "--output-dir", "out")
        self.assertEqual(out, "y: f32[2x3] min 2 max 19 mean 8.66667 first 2 5 10 5 11 19\n")
        self.assertEqual(read_npy(self.path("out/y.npy")), [2, 5, 10, 5, 11, 19])
        self.write("x.pb", onnx.tensor("x", [2, 3], [1, 2, 3, 4, 5, 6]))
        self.assertEqual(self.succeeds("run", "m.so", "--input=x=@x.pb"), out)
        first = self.succeeds("run", "m.so")  # random, and always the same
        self.assertEqual(self.succeeds("run", "m.so", "--input", "x=2x3xf32"), first)
        self.assertEqual(json.loads(self.succeeds("run", "m.so", "--input", "x=2x3xf32=1", "--json"))["outputs"]["y"]["max"], 4)

    def test_refused_inputs(self):
        self.compiled()
        self.write("x.npy", npy([2, 4], [0] * 8))
        self.write("d.npy", npy([2, 3], [0] * 6, "<f8"))
        self.write("cut.npy", npy([2, 3], [0] * 6)[:-1])
        self.refuses(5, 'input "x" axis 1: got 4, expected 3', "run", "m.so", "--input", "x=@x.npy")
        self.refuses(5, 'input "x": got f64, expected f32', "run", "m.so", "--input", "x=@d.npy")
        self.refuses(5, "cut.npy: the array is cut off (23 bytes of data)", "run", "m.so", "--input", "x=@cut.npy")
        self.refuses(5, "--input 'z=2x3xf32' names none of x", "run", "m.so", "--input", "z=2x3xf32")
        self.refuses(2, "--input 'x=2x3': expected @FILE or a type such as 1x3x224x224xf32", "run", "m.so", "--input", "x=2x3")
        self.refuses(7, "cannot read 'no.npy': No such file or directory", "run", "m.so", "--input", "x=@no.npy")

    def test_expect(self):
        self.compiled()
        self.write("good.npy", npy([2, 3], [2, 3, 4, 2, 3, 4]))
        self.write("bad.npy", npy([2, 3], [2, 3, 4, 2, 3.5, 4]))
        base = ("run", "m.so", "--input", "x=2x3xf32=1")
        self.succeeds(*base, "--expect", "y=@good.npy")
        self.refuses(1, "output 'y': 1 of 6 elements differ, worst at [1,1]: got 3, expected 3.5 (difference 0.5, allowed "
                     "0.00351)", *base, "--expect", "y=@bad.npy")
        self.succeeds(*base, "--expect", "y=@bad.npy", "--atol", "0.5")

    def test_artifacts(self):
        self.large("m.onnx", 1000)
        self.succeeds("compile", "m.onnx", "-o", "m.so")
        with open(self.path("m.so"), "rb") as file:
            whole = file.read()
        self.write("cut.so", whole[:-100])
        self.write("text.so", b"hello")
        for name, code in (("cut.so", 8), ("text.so", 8), ("none.so", 7)):
            done = self.dynac("run", name)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)

    def test_symbolic_sizes(self):
        self.compiled(batch="n")
        self.refuses(5, "input 'x' (f32[nx3]) has sizes that you choose: give --input x=... or --dim NAME=SIZE",
                     "run", "m.so")
        for n in (1, 5, 40):
            self.assertIn(f"y: f32[{n}x3] min 2 max 4", self.succeeds("run", "m.so", "--input", f"x={n}x3xf32=1"))
        self.assertIn("y: f32[7x3]", self.succeeds("run", "m.so", "--dim", "n=7"))
        self.refuses(5, "--dim 'k=7' names none of n", "run", "m.so", "--dim", "k=7")
        self.refuses(2, "--dim 'n': expected NAME=SIZE", "run", "m.so", "--dim", "n")
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--dim", "n=1..8")
        self.assertEqual(self.dynac("run", "m.so", "--input", "x=9x3xf32").returncode, 5)
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--dim", "n=2")
        self.assertNotIn("size", self.succeeds("inspect", "m.so"))
        self.assertIn("y: f32[2x3]", self.succeeds("run", "m.so"))
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--shape", "x=4x3", "--dim", "n=1..8")
        self.assertIn("y: f32[4x3]", self.succeeds("run", "m.so"))
        self.refuses(2, "--dim n: --shape makes it 9", "compile", "m.onnx", "-o", "m.so", "--shape", "x=9x3", "--dim", "n=1..8")

    def test_config(self):
        self.compiled()
        self.succeeds("run", "m.so", "--input", "x=2x3xf32=1", "--threads", "1", "--save-config", "c.toml")
        with open(self.path("c.toml"), encoding="utf-8") as file:
            self.assertIn('input = ["x=2x3xf32=1"]\n', file.read())
        self.assertIn("min 2 max 4", self.succeeds("run", "--config", "c.toml"))
        self.assertIn("min 3 max 7", self.succeeds("run", "--config", "c.toml", "--input", "x=2x3xf32=2"))
        self.write("bad.toml", b"[run]\nrtolx = 3\n")
        self.assertEqual(self.dynac("run", "m.so", "--config", "bad.toml").returncode, 2)


class Page(html.parser.HTMLParser):
    """What is left open in a page, what it asks others for, and the JSON in it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.outside, self.data = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.outside += [value for key, value in attributes if key in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append((tag, dict(attributes).get("id")))

    def handle_endtag(self, tag):
        name, _ = self.open.pop()
        assert name == tag, (name, tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == ("script", "data"):
            self.data += data


class BenchAndInspect(CliTest):
    def test_bench(self):
        self.compiled()
        out = self.succeeds("bench", "m.so", "--seconds", "0.05", "--streams", "2", "--threads", "1")
        for word in ("latency", "throughput", "memory"):
            self.assertIn(word, out)
        figures = json.loads(self.succeeds("bench", "m.so", "--seconds", "0.05", "--json"))
        self.assertLessEqual(figures["min_ms"], figures["p50_ms"])
        self.assertLessEqual(figures["p50_ms"], figures["p99_ms"])

    def test_paced(self):
        self.compiled()
        out = self.succeeds("bench", "m.so", "--paced", "--threads", "1", "--input", "x=2x3xf32=1", "--input-alt",
                            "x=2x3xf32=2", stdin="0\n1\n0\n").splitlines()
        self.assertEqual(out[0], "ready")
        self.assertEqual(len(out), 4)
        self.assertTrue(all(int(line) > 0 for line in out[1:]))
        self.refuses(2, "bench --paced: expected a line 0 or 1, got 'x'", "bench", "m.so", "--paced", stdin="x\n")

    def test_verify(self):
        self.compiled(batch="n")
        self.assertRegex(self.succeeds("verify", "m.onnx", "m.so", "--dim", "n=5"), r"^equal    y: f32\[5x3\] ")
        self.assertIn("equal    y", self.succeeds("compile", "m.onnx", "-o", "m2.so", "--verify"))
        self.refuses(2, "--verify needs a .so, which it can run", "compile", "m.onnx", "-o", "m.o", "--verify")
        # An artifact of other numbers differs.
        self.write("m.onnx", onnx.model([onnx.node("Mul", ["x", "x"], ["y"])], [onnx.value("x", ["n", 3])],
                                        [onnx.value("y", ["n", 3])]))
        done = self.dynac("verify", "m.onnx", "m.so")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^dynac: error: output 'y': \d+ of 6 elements differ, worst at \[")

    def layers(self, name, spoilt=None, joins="Mul"):
        """y = relu(e first) second * x[:, :32] with e = tanh(x); one weight is 1 % off in the layer `spoilt`."""
        weights = [onnx.tensor(f"w {layer}", [64, width],
                               [(i % 13 - 6) / 64 * (1.01 if layer == spoilt and i == 777 else 1) for i in range(64 * width)])
                   for layer, width in (("first", 64), ("second", 32))]
        self.write(name, onnx.model(
            [onnx.node("Tanh", ["x"], ["e"], "squash"), onnx.node("MatMul", ["e", "w first"], ["p"], "first"),
             onnx.node("Relu", ["p"], ["r"], "rectify"), onnx.node("MatMul", ["r", "w second"], ["q"], "second"),
             onnx.node(joins, ["q", "z"], ["y"], "join")],
            [onnx.value("x", ["n", 64]), onnx.value("z", ["n", 32])], [onnx.value("y", ["n", 32])], weights))

    def bisected(self, *arguments):
        """What verify finds, as JSON; its line has to say the same."""
        command = ["verify", "m.onnx", "m.so", "--dim", "n=16", "--threads", "1", "--bisect", *arguments]
        done = self.dynac(*command, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(done.stdout)
        first = found["first"]
        line = self.dynac(*command).stdout.splitlines()[-1]
        for text in (first["where"], ", ".join(first["inputs"]), first["difference"]):
            self.assertIn(text, line)
        self.assertFalse(found["outputs"][0]["equal"])
        self.assertGreater(first["largest_error"], 0)
        return first

    def test_bisect_an_artifact_with_a_spoilt_weight(self):
        self.layers("m.onnx")
        for layer in ("first", "second"):
            self.layers("spoilt.onnx", spoilt=layer)
            self.succeeds("compile", "spoilt.onnx", "-o", "m.so")
            first = self.bisected("--rtol", "1e-6", "--atol", "1e-6")
            self.assertEqual(first["kind"], "region")
            self.assertTrue(first["where"].startswith(f"'{layer}"), first)
            self.assertEqual(first["inputs"], ["f32[16x64]", f"f32[64x{64 if layer == 'first' else 32}]"])

    def test_bisect_what_the_compiler_rounds(self):
        self.layers("m.onnx")
        self.succeeds("compile", "m.onnx", "-o", "m.so", "--precision", "bf16")
        first = self.bisected("--rtol", "1e-5", "--atol", "1e-5")
        self.assertEqual((first["kind"], first["where"]), ("node", "node 'first' (MatMul, opset 17)"))
        self.assertEqual(first["inputs"], ["f32[16x64]", "f32[64x64]"])

    def test_bisect_needs_the_same_program(self):
        self.layers("m.onnx")
        self.layers("other.onnx", joins="Add")
        self.succeeds("compile", "other.onnx", "-o", "m.so")
        done = self.dynac("verify", "m.onnx", "m.so", "--dim", "n=16", "--bisect")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the first difference cannot be found: this compiler makes another program of 'm.onnx'", done.stderr)
        self.layers("m.onnx", joins="Add")
        self.assertRegex(self.succeeds("verify", "m.onnx", "m.so", "--dim", "n=16", "--bisect"), "^equal    y: ")

    def product(self):
        """y = relu(x w) of [64, 128] and [128, 256], with a layer of its own nodes before it."""
        self.write("dot.onnx", onnx.model(
            [onnx.node("Exp", ["x"], ["e"], "</script>"), onnx.node("MatMul", ["e", "w"], ["p"], "product"),
             onnx.node("Relu", ["p"], ["y"], "rectify")],
            [onnx.value("x", [64, 128])], [onnx.value("y", [64, 256])], [onnx.tensor("w", [128, 256], [0.01] * (128 * 256))]))
        self.succeeds("compile", "dot.onnx", "-o", "dot.so")

    def test_profile(self):
        self.product()
        text = self.succeeds("profile", "dot.so", "--threads", "1", "--trace", "t.json")
        for word in ("pointwise", "gemm", "GFLOP/s", "roof"):
            self.assertIn(word, text)
        found = json.loads(self.succeeds("profile", "dot.so", "--threads", "1", "--json"))
        self.assertLessEqual(found["min_us"], found["us"])
        self.assertGreater(found["peak_gflops"]["f32"], 1)
        speeds = [point["gbs"] for point in found["bandwidth"]]
        self.assertEqual(speeds, sorted(speeds, reverse=True))
        steps = {step["kind"]: step for step in found["steps"]}
        for step in steps.values():
            self.assertLessEqual(step["min_us"], step["us"])
            self.assertGreater(step["gbs"], 0)
            self.assertLess(step["roof_share"], 1.1)
        gemm = steps["gemm"]
        self.assertEqual(gemm["flops"], 2 * 64 * 128 * 256 + 64 * 256)  # products, and the Relu
        self.assertEqual(gemm["weight_bytes"], 4 * 128 * 256)
        self.assertEqual(gemm["bytes"], 4 * (128 * 256 + 64 * 128 + 64 * 256))
        self.assertIn("product", gemm["name"])
        self.assertEqual(steps["pointwise"]["flops"], 64 * 128)
        self.assertEqual(found["edges"], [
            {"input": "x", "to": 0, "bytes": 4 * 64 * 128}, {"from": 0, "to": 1, "bytes": 4 * 64 * 128},
            {"from": 1, "output": "y", "bytes": 4 * 64 * 256}])
        with open(self.path("t.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["traceEvents"]), len(found["steps"]))

    def test_profile_of_what_is_taken(self):
        """Of a table only the rows that are gathered count."""
        self.write("table.onnx", onnx.model([onnx.node("Gather", ["table", "i"], ["y"])], [onnx.value("i", [3], onnx.INT64)],
                                            [onnx.value("y", [3, 8])], [onnx.tensor("table", [1000, 8], [1.0] * 8000)]))
        self.succeeds("compile", "table.onnx", "-o", "table.so")
        step = json.loads(self.succeeds("profile", "table.so", "--json", "--input", "i=3xi64=7"))["steps"][-1]
        self.assertEqual(step["kind"], "gather")
        self.assertEqual((step["weight_bytes"], step["bytes"]), (3 * 8 * 4, 2 * 3 * 8 * 4 + 3 * 8))

    def test_profile_page(self):
        self.product()
        self.succeeds("profile", "dot.so", "--html", "p.html")
        with open(self.path("p.html"), encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(page.outside, [])
        self.assertEqual(re.findall(r"(?:https?:)?//[a-z]|@import|url\(", text.replace("http://www.w3.org/2000/svg", "")), [])
        data = json.loads(page.data)
        self.assertIn("</script>", data["steps"][0]["name"])  # a node's name ends nothing
        for option in ("--html", "--trace"):
            self.refuses(7, "cannot write 'no/p': No such file or directory", "profile", "dot.so", option, "no/p")

    def test_inspect(self):
        self.compiled(batch="n")
        text = self.succeeds("inspect", "m.so", "--plan", "--kernels", "--weights")
        self.assertIn("input     x: f32[nx3]\n", text)
        self.assertIn("size      n: ", text)
        found = json.loads(self.succeeds("inspect", "m.so", "--json"))
        self.assertEqual([v["name"] for v in found["outputs"]], ["y"])
        found = json.loads(self.succeeds("inspect", "m.onnx", "--json"))
        self.assertEqual((found["operators"], found["parameters"], found["symbols"]), ({"Add": 1, "Mul": 1}, 4, ["n"]))
        self.write("dot.onnx", onnx.model([onnx.node("MatMul", ["x", "w"], ["y"])], [onnx.value("x", ["n", 3])],
                                          [onnx.value("y", ["n", 2])], [onnx.tensor("w", [3, 2], [0] * 6)]))
        self.assertIn("flops        12*n\n", self.succeeds("inspect", "dot.onnx"))
        self.refuses(7, "cannot read 'none': No such file or directory", "inspect", "none")
        self.refuses(7, "cannot read '.': it is a folder", "inspect", ".")


if __name__ == "__main__":
    DYNAC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
