#!/usr/bin/env python3
"""The package sumac on a libsumac.so.1 whose turns are scripted (turns.c): what it does with each turn, with faults
of the program, and with signals.

    turns_test.py LIBRARY
"""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from programs import HERE, ROOT, Run, clean, environment

HEADER = ROOT / "libsumac" / "sumac.h"

os.environ["SUMAC_LIBRARY"] = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""
sys.path.insert(0, str(ROOT / "python"))

from sumac import _buffers, _ends, _structs, mix  # noqa: E402


def tearDownModule():
    clean()


def linear(*words, turns="", **environment):
    return Run(HERE / "linear.py", *words, SUMAC_TEST_TURNS=turns, **environment)


def script(text, turns="", **environment):
    return Run("-c", text, SUMAC_TEST_TURNS=turns, **environment)


PLAIN = """
import array, sumac
w = array.array("f", [0, 0])
job = sumac.join(batch_size=8, parts=3, steps=6)
def gradient(part):
    return sum(part.samples), array.array("f", [len(part) / 3, part.number])
for step in job.exchange(gradient, values=w, samples=24, state={"w": w}):
    for i in range(2): w[i] -= step.sum[i]
print("w", w.tobytes().hex(), step.loss)
import sys; print("numpy", "numpy" in sys.modules)
"""

START = """
import numpy as np, sumac
w = np.zeros(4, np.float32)
job = sumac.join(batch_size=8, parts=2, steps=3)
def gradient(part): return 1.0, [w]
options = dict(values=[w], samples=16, state={"w": w})
def train(fn=gradient, **given):
    for step in job.exchange(fn, **{**options, **given}): pass
"""

# What the program does wrong, and what must be in the line that the other members get.
WRONG = {
    "train(lambda part: 1.0)": "TypeError: fn returned a float; it returns (loss, values)",
    "train(lambda part: (1.0, []))": "fn returned 0 buffers of values; exchange() declares 1",
    "train(lambda part: (1.0, [w.astype(np.float64)]))": "value 0 that fn returned has values of type F64; use F32",
    "train(lambda part: (1.0, [np.zeros(8, np.float32)[::2]]))": "is not dense in row-major order",
    "train(lambda part: (1.0, [w.reshape(2, 2)]))": "has shape [2, 2]; exchange() declares [4]",
    "train(lambda part: (1.0, [[0.0] * 4]))": "value 0 that fn returned is a list; pass a buffer of numbers",
    "train(lambda part: ('much', [w]))": "the loss that fn returned is no number",
    "train(fn=3)": "fn of exchange() is a int; pass a function",
    "train(values=0)": "exchange() is to exchange 0 values",
    "train(values=2**29)": "exchange() is to exchange 536870912 values; it takes 1 to 2^29 - 1",
    "train(state=3)": "state is a int; pass a dictionary of buffers by name",
    "train(state={'w': [1.0]})": "tensor 'w' of the state is a list",
    "train(state=sumac.State({'w': w}, {'w': w}))": "the state has 'w' twice",
    "train(state=sumac.State({'w': w}, meta={1j: 2}))": "the meta of the state is nothing that JSON can say",
    "train(lines={'a': 'b\\nc'})": "line 'a' has a line feed",
    "train(evaluate=lambda step: 3)": "evaluate returned a int; it returns metrics by name",
    "train(); train()": None,
    "list(job.exchange(gradient, **options)); job.exchange(gradient, **options)": None,
}


class TurnsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plain = linear()
        cls.turns = {turns: linear(turns=turns) for turns in ("again:3", "back:9:4", "last:20")}
        cls.wrong = {text: script(START + text) for text in WRONG}
        cls.without = script(PLAIN, is_fresh=True)
        cls.parts = [linear("noise=0", f"parts={parts}") for parts in (1, 4, 7)]
        cls.with_numpy = script("import numpy\n" + PLAIN)

    def test_computing_a_step_again_or_loading_a_state_changes_no_bit(self):
        for turns in ("again:3", "back:9:4"):
            with self.subTest(turns):
                self.assertEqual(self.turns[turns].code, 0, self.turns[turns].errors)
                self.assertEqual(self.turns[turns].lines["weights"], self.plain.lines["weights"])

    def test_parts_of_any_size_weigh_what_they_have(self):
        whole, *others = [list(map(float, run.lines["values"].split())) for run in self.parts]
        for values in others:
            for value, expected in zip(values, whole):
                self.assertAlmostEqual(value, expected, delta=1e-5)

    def test_gives_handlers_back_at_the_end(self):
        self.assertEqual(self.plain.lines["handlers"], "True True True")

    def test_evaluates_at_the_end_of_epochs_and_of_the_training(self):
        # An epoch has 12 steps of 50 samples.
        self.assertEqual(self.plain.said("metrics"), ["12 0.5 12", "20 0.5 20"])

    def test_evaluates_what_a_lost_writer_has_not(self):
        self.assertEqual(self.turns["last:20"].said("metrics"), ["12 0.5 12", "19 0.5 19"])

    def test_needs_no_numpy_and_rounds_as_numpy_does(self):
        self.assertEqual(self.without.code, 0, self.without.errors)
        self.assertEqual(self.without.lines["numpy"], "False")
        self.assertEqual(self.with_numpy.lines["numpy"], "True")
        self.assertEqual(self.without.lines["w"], self.with_numpy.lines["w"])

    def test_says_what_a_function_does_wrong(self):
        for text, message in WRONG.items():
            with self.subTest(text):
                run = self.wrong[text]
                self.assertEqual(run.code, 1, run.errors)
                if message is None:
                    self.assertIn("a job has one training", run.errors)
                else:
                    self.assertIn(message, run.errors)
                    self.assertIn(message, run.said()[0])


class EndsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ends = {code: linear(turns=f"end:5:{code}") for code in (1, 74, 75, 78)}
        cls.faults = {name: linear(f"{name}=7") for name in ("raise", "nan", "full", "leave", "quiet", "fork")}
        cls.memory = script(START + "def gradient(part): raise MemoryError('of 3 GB')\ntrain(gradient)")
        cls.caught = script(START + """
def gradient(part): raise KeyError("caught")
try:
    with job: train(gradient)
except KeyError: pass
import sys; sys.exit(3)""")
        cls.typed = script(START + """
try: train()
except sumac.LostPeers as end: print("lost", end, end.code)""", turns="end:2:75")
        cls.bad = script("import sumac; sumac.join()", turns="open:1")
        cls.few = script(START + "train(samples=3)")

    def test_ends_with_the_exit_code_of_the_library(self):
        for code, run in self.ends.items():
            with self.subTest(code):
                self.assertEqual(run.code, code, run.errors)
                self.assertEqual(run.errors.splitlines()[-1], "lost worker 1 (no heartbeat for 3 s)")

    def test_ends_are_exceptions(self):
        self.assertEqual(self.typed.lines["lost"], "lost worker 1 (no heartbeat for 3 s) 75", self.typed.errors)
        self.assertEqual(self.typed.code, 0)

    def test_tells_the_others_of_an_exception_with_its_line(self):
        run = self.faults["raise"]
        self.assertEqual(run.code, 1)
        number = next(index for index, line in enumerate((HERE / "linear.py").read_text().splitlines(), 1)
                      if 'ValueError("bad sample")' in line)
        self.assertEqual(run.said(), [f"1 ValueError: bad sample (in part 0 of step 7) at linear.py:{number}"])
        self.assertIn("Traceback", run.errors)

    def test_a_machine_without_memory_or_storage_is_74(self):
        self.assertEqual(self.faults["full"].code, 74, self.faults["full"].errors)
        self.assertRegex(self.faults["full"].said()[0], r"^74 OSError: \[Errno 28\] No space left .* at linear.py:\d+$")
        self.assertEqual(self.memory.code, 74)
        self.assertRegex(self.memory.said()[0], "^74 MemoryError: of 3 GB")

    def test_names_the_value_that_is_no_number(self):
        run = self.faults["nan"]
        self.assertEqual(run.code, 1)
        self.assertRegex(run.errors.splitlines()[-1],
                         r"the sum of step 7 is not finite: it is -?nan \(buffer 0 of what fn returns\)")

    def test_a_program_that_ends_too_early_fails_its_job(self):
        for name in ("leave", "quiet"):
            self.assertEqual(self.faults[name].said(), ["1 the program ended before its training was complete"])

    def test_an_exception_that_is_caught_outside_the_job_still_ends_it(self):
        self.assertEqual(self.caught.code, 3)
        self.assertRegex(self.caught.said()[0], "^1 KeyError: 'caught'")

    def test_a_child_neither_trains_on_nor_keeps_our_handlers(self):
        run = self.faults["fork"]
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual((run.lines["fork"], run.lines["killed"]), ("7", "-15"))

    def test_a_job_that_cannot_be_trained_is_78(self):
        self.assertEqual(self.bad.code, 78)
        self.assertEqual(self.bad.errors.splitlines()[-1], "job.yaml:3: no field 'programm'")
        self.assertEqual(self.few.code, 78)


class SignalsTest(unittest.TestCase):
    def stop(self, kind, *, text="", times=1):
        """Sends a signal as the program waits in C for a sum that never comes; returns the code and stderr."""
        program = START + text + """
def gradient(part):
    if part.step == 2 and part.number == 1: print("waits", flush=True)
    return 1.0, [w]
train(gradient)"""
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment(SUMAC_TEST_TURNS="block:2")) as process:
            self.assertEqual(process.stdout.readline(), "waits\n")
            for _ in range(times):
                process.send_signal(kind)
            out, errors = process.communicate(timeout=60)
        return process.returncode, out, errors

    def test_a_signal_stops_a_program_that_waits_in_c(self):
        for kind in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(kind.name):
                code, _, errors = self.stop(kind)
                self.assertEqual(code, 143, errors)
                self.assertEqual(errors.splitlines()[-1], "stopped by SIGTERM")

    def test_the_programs_own_handler_runs_too(self):
        text = """
import signal
signal.signal(signal.SIGTERM, lambda *_: print("mine", flush=True))
job._signals.restore(); job._signals.install()"""
        code, out, errors = self.stop(signal.SIGTERM, text=text)
        self.assertEqual((code, out), (143, "mine\n"), errors)


class PackageTest(unittest.TestCase):
    def test_structs_are_those_of_the_header(self):
        kinds = {"size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32, "double": ctypes.c_double,
                 "uint64_t": ctypes.c_uint64, "const char*": ctypes.c_char_p, "void*": ctypes.c_void_p,
                 "const int64_t*": ctypes.POINTER(ctypes.c_int64), "const float*": ctypes.POINTER(ctypes.c_float),
                 "const float* const*": ctypes.c_void_p,
                 "const sumac_tensor*": ctypes.POINTER(_structs.Tensor), "const sumac_state*": ctypes.POINTER(_structs.State)}
        ours = {"options": _structs.Options, "declaration": _structs.Declaration, "tensor": _structs.Tensor,
                "pieces": _structs.Pieces, "state": _structs.State, "job": _structs.JobIs, "turn": _structs.Turn, "metric": _structs.Metric}
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = dict(re.findall(r"typedef struct sumac_(\w+) \{(.*?)\} sumac_\1;", text, re.DOTALL))
        self.assertEqual(found.keys(), ours.keys())
        for name, body in found.items():
            fields = []
            for line in body.split(";")[:-1]:
                if "(*log)" in line:
                    fields.append(("log", _structs.LOG))
                    continue
                kind, field = re.fullmatch(r"\s*((?:const )?\w+\*?(?: const\*)?)\s+(\w+)", " ".join(line.split())).groups()
                fields.append((field, kinds[kind]))
            self.assertEqual([tuple(field) for field in ours[name]._fields_], fields, name)
        numbers = re.findall(r"SUMAC_(\w+) = (\d+)", text) + re.findall(r"#define SUMAC_(VERSION) (\d+)", text)
        self.assertGreater(len(numbers), 16)
        for name, number in numbers:
            self.assertEqual(getattr(_structs, name), int(number), name)

    def test_imports_neither_numpy_nor_torch(self):
        run = script("import sys, sumac; print('found', 'numpy' in sys.modules or 'torch' in sys.modules)",
                     is_fresh=True)
        self.assertEqual(run.lines, {"found": "False"}, run.errors)

    def test_says_where_the_library_is(self):
        here, missing, other = (Run("-m", "sumac", is_fresh=True, **given) for given in (
            {}, {"SUMAC_LIBRARY": "/nowhere/libsumac.so.1"}, {"SUMAC_LIBRARY": "/proc/self/exe"}))
        self.assertEqual(here.lines["library"], os.environ["SUMAC_LIBRARY"], here.errors)
        self.assertEqual((missing.code, other.code), (78, 78))
        self.assertIn("SUMAC_LIBRARY names '/nowhere/libsumac.so.1', which is not a file", missing.errors)
        self.assertIn("cannot load '/proc/self/exe'", other.errors)

    def test_a_library_of_another_version_is_refused(self):
        text = """
import ctypes, types
from sumac import _library
ctypes.CDLL = lambda path: types.SimpleNamespace(sumac_version=lambda: 99)
import sumac; sumac.join()"""
        run = script(text)
        self.assertEqual(run.code, 1)
        self.assertRegex(run.errors.splitlines()[-1], r"LibraryError: '.*' has version 99 of sumac.h, this package needs 1;"
                         " install the package and the library of one version of Sumac")

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(sumac VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f'__version__ = "{version}"', (ROOT / "python/sumac/__init__.py").read_text())

    def test_join_says_what_an_option_may_be(self):
        for options, message in {"parts=1025": "parts is 1025; join() takes a whole number from 1 to 1024",
                                 "batch_size=0": "batch_size is 0", "steps=1, epochs=1": "give one of them",
                                 "batch_size=2, parts=3": "has no 3 parts", "seed=-1": "seed is -1"}.items():
            with self.subTest(options):
                run = script(f"import sumac; sumac.join({options})")
                self.assertEqual(run.code, 1)
                self.assertIn(message, run.errors.splitlines()[-1])

    def test_seeds_are_those_of_the_definition(self):
        self.assertEqual(mix(0), 0xE220A8397B1DCDAF)  # the first number of SplitMix64 from 0
        self.assertEqual(mix(1, 2, 3, 0), 0x214D4C07ECFEAAC5)
        self.assertEqual(len({mix(seed, step, part, use) for seed in range(4) for step in range(4) for part in range(4)
                              for use in range(2)}), 128)

    def test_frames_of_packages_are_not_the_users(self):
        try:
            _ends.describe(None)
        except AttributeError as error:
            self.assertRegex(_ends.describe(error), r"^AttributeError: .* at turns_test.py:\d+$")


class BuffersTest(unittest.TestCase):
    """Tensors by DLPack, from a class of these tests: torch is not here."""

    def test_takes_every_buffer(self):
        import array

        import numpy
        for value, dtype, shape in ((array.array("f", [1, 2]), "F32", (2,)), (b"abc", "U8", (3,)),
                                    (memoryview(array.array("q", [1])), "I64", (1,)),
                                    (numpy.zeros((2, 3), numpy.float16), "F16", (2, 3)),
                                    (numpy.zeros((), numpy.bool_), "BOOL", ()), (numpy.zeros((0, 2)), "F64", (0, 2))):
            found = _buffers.view(value, "it")
            self.assertEqual((found.dtype, found.shape), (dtype, shape))
        self.assertEqual(_buffers.view(array.array("f", [1, 2]), "it").memory().tolist(), [1.0, 2.0])

    def test_refuses_what_it_cannot_use(self):
        import numpy
        fixed = numpy.zeros(2, numpy.float32)
        fixed.flags.writeable = False
        for value, options, message in (
                (numpy.zeros(2, ">f4"), {}, "format '>f'"), (numpy.zeros(2, numpy.complex64), {}, "format 'Zf'"),
                (fixed, {"writable": True}, "read-only"), (3, {}, "it is a int"),
                (numpy.zeros((2, 2), order="F"), {}, "row-major"), (Dlpack(device=2), {}, "it is on a CUDA GPU")):
            with self.subTest(message), self.assertRaisesRegex((TypeError, ValueError), re.escape(message)):
                _buffers.view(value, "it", **options)

    def test_shares_dlpack_tensors_and_gives_them_back(self):
        import numpy
        values = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        found = _buffers.view(Dlpack(values), "it")
        self.assertEqual((found.dtype, found.shape, found.address), ("F32", (2, 3), values.ctypes.data))
        self.assertEqual(found.memory().tolist(), values.tolist())
        count = sys.getrefcount(values)
        del found
        self.assertLess(sys.getrefcount(values), count)
        with self.assertRaisesRegex(ValueError, "row-major"):
            _buffers.view(Dlpack(values.T), "it")


class Dlpack:
    """A tensor that has DLPack and no buffer, as torch's."""

    def __init__(self, values=None, device=1):
        self.values, self.device = values, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        return self.values.__dlpack__()


if __name__ == "__main__":
    unittest.main(verbosity=1)
