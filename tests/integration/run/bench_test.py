#!/usr/bin/env python3
"""Runs `sumac bench exchange`: real members that exchange synthetic values.

    bench_test.py FOLDER_OF_PROGRAMS
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 120  # ends only a test that has failed already, on however busy a machine


class Bench(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-bench-test-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.scratch = self.folder / "tmp"  # where the command has its files
        self.scratch.mkdir()

    def start(self, *arguments, programs=None):
        env = {**os.environ, "TMPDIR": str(self.scratch)}
        if programs:
            env["SUMAC_PROGRAMS_DIR"] = str(programs)
        process = subprocess.Popen([PROGRAMS / "sumac", "bench", "exchange", *arguments], env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_bench(self, *arguments, status=0, programs=None):
        process = self.start(*arguments, programs=programs)
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
        self.assertEqual(process.returncode, status, err)
        self.assertEqual(list(self.scratch.iterdir()), [], "left behind")
        return out, err

    def test_measures_every_algorithm_and_finds_the_sums_exact(self):
        out, _ = self.run_bench("--sizes", "4kB,248kB", "--workers", "3", "--servers", "2", "--steps", "20",
                                "-o", "json")

        cells = json.loads(out)["cells"]
        self.assertEqual([(cell["bytes"], cell["algorithm"]) for cell in cells],
                         [(size, name) for size in (4_000, 248_000)
                          for name in ("centralized", "decentralized", "direct")])
        for cell in cells:
            self.assertEqual((cell["workers"], cell["steps"], cell["sums"]), (3, 20, "exact"))
            self.assertLessEqual(cell["leastSeconds"], cell["p50Seconds"])
            self.assertLessEqual(cell["p50Seconds"], cell["mostSeconds"])
        central, shared, direct = cells[3:]
        self.assertGreater(central["sentBytesPerStep"], 248_000)
        # A worker sends two thirds of its vector and its third of the sum twice; direct all, twice.
        for cell, size in ((central, 248_000), (shared, 4 / 3 * 248_000), (direct, 2 * 248_000)):
            self.assertLess(abs(cell["sentBytesPerStep"] / size - 1), 0.2, cell)

    def test_measures_rings_and_halving_where_they_are_asked_for(self):
        out, _ = self.run_bench("--sizes", "4kB", "--workers", "4", "--algorithms", "halvingDoubling,ring", "--steps", "20")

        for name in ("halvingDoubling", "ring"):
            self.assertRegex(out, rf"4 kB +{name} +\d.* exact\n")

    def test_encrypts_where_it_is_asked_to(self):
        out, _ = self.run_bench("--sizes", "4kB", "--algorithms", "direct", "--steps", "20", "--transport",
                                "curve")

        self.assertRegex(out, r"SIZE +ALGORITHM .*\n4 kB +direct +\d.* exact\n$")

    def test_the_job_for_a_cluster_makes_workers_measure(self):
        document, _ = self.run_bench("--sizes", "4kB", "--algorithms", "direct", "--workers", "1",
                                     "--steps", "20", "--print-job")
        job, message = self.folder / "job.yaml", self.folder / "message"
        job.write_text(document)
        env = {**os.environ, "SUMAC_EXCHANGE_ONLY": "true"}  # as in the template of its pods
        subprocess.run([PROGRAMS / "sumac-worker", "--job", job, "--index", "0",
                        "--listen", "tcp://127.0.0.1:0", "--termination-file", message], env=env,
                       check=True, stderr=subprocess.DEVNULL, timeout=DEADLINE_SECONDS)

        self.assertIn("{name: SUMAC_EXCHANGE_ONLY, value: \"true\"}", document)
        self.assertEqual(json.loads(message.read_text())["bytes"], 4_004)

        _, err = self.run_bench("--sizes", "4kB,8kB", "--print-job", status=2)
        self.assertIn("one size and one algorithm", err)

    def test_a_member_that_fails_is_named_with_its_reason(self):
        programs = self.folder / "programs"
        programs.mkdir()
        version = subprocess.check_output([PROGRAMS / "sumac", "--version"], text=True).split()[1]
        for name in ("sumac-worker", "sumac-server"):
            (programs / name).write_text(f"#!/bin/sh\n[ $1 != --version ] || exec echo {name} {version}\n"
                                         "echo no luck >&2\nexit 1\n")
            (programs / name).chmod(0o755)

        out, err = self.run_bench("--sizes", "4kB", "--algorithms", "direct", status=1,
                                  programs=programs)

        self.assertEqual(out, "")
        self.assertIn("error: 4 kB, direct: worker 0 failed", err)
        self.assertIn("no luck", err)

    def test_ctrl_c_ends_it_without_leftovers(self):
        process = self.start("--sizes", "4kB", "--algorithms", "direct", "--steps", "1000000")
        self.assertEqual(process.stderr.readline(), "1/1  4 kB, direct\n")

        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE_SECONDS)

        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_says_what_is_wrong_with_the_command_line(self):
        for arguments, message in ((("--sizes", "4K"), "`4K` is no size"),
                                   (("--sizes", "4001"), "multiple of 8 bytes"),
                                   (("--algorithms", "tree"), "unknown algorithm `tree`"),
                                   (("--workers", "3", "--algorithms", "halvingDoubling"), "needs 2, 4, 8"),
                                   (("--workers", "0"), "--workers"), (("4kB",), "4kB")):
            _, err = self.run_bench(*arguments, status=2)
            self.assertIn(message, err)


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
