#!/usr/bin/env python3
"""Checks what make bench computes and writes, with fake numbers and programs."""

import functools
import json
import math
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH / "harness"))

import comparing  # noqa: E402
import entries  # noqa: E402
import exchange_entries  # noqa: E402
import exchange_programs  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402


def candidate(name, *rates, stock=True):
    return {"name": name, "version": "1.0", "stock": stock, **report.spread(rates)}


def result(**changes):
    entry = report.result("net-train", "samples/s", report.spread([100, 120, 90]),
                          [candidate("a", 50), candidate("b", 40, 60, 80, stock=False)],
                          {"name": "peak", "value": 400.0})
    return {**entry, **changes}


class Spread(unittest.TestCase):
    def test_is_the_median_with_the_least_and_the_most(self):
        one = report.spread([5, 1, 9, 2, 3])

        self.assertEqual((one["value"], one["least"], one["most"]), (3, 1, 9))

    def test_of_an_even_number_of_runs_lies_between_the_two_in_the_middle(self):
        self.assertEqual(report.spread([1, 10, 4, 2])["value"], 3)

    def test_of_no_runs_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "no runs"):
            report.spread([])


class Result(unittest.TestCase):
    def test_has_the_best_rival_and_the_best_rewritten_one(self):
        entry = result()

        self.assertEqual(entry["ours"], 100)
        self.assertEqual(entry["rival"], {"name": "a", "version": "1.0", "value": 50})
        self.assertEqual(entry["rewrittenRival"], {"name": "b", "version": "1.0", "value": 60})
        self.assertEqual(entry["limit"], {"name": "peak", "value": 400.0})

    def test_of_a_time_takes_the_shortest(self):
        entry = report.result("exchange-64KiB", "us", report.spread([10]),
                              [candidate("a", 30), candidate("b", 20)],
                              {"name": "echo", "value": 5.0})

        self.assertEqual(entry["rival"]["name"], "b")
        self.assertEqual(report.ratio(entry["ours"], entry["rival"]["value"], "us"), 2)

    def test_passes_over_who_is_no_rival(self):
        entry = report.result("net-train", "samples/s", report.spread([100]),
                              [candidate("ours, otherwise", 200, stock=None), candidate("a", 50)],
                              {"name": "peak", "value": 400.0})

        self.assertEqual(entry["rival"]["name"], "a")
        self.assertIsNone(entry["rewrittenRival"])

    def test_passes_over_a_rival_that_failed(self):
        broken = {"name": "c", "version": "", "stock": True, "error": "no such file"}

        self.assertEqual(report.best([broken, candidate("a", 1)], "samples/s")["name"], "a")
        self.assertIsNone(report.best([broken], "samples/s"))


class Format(unittest.TestCase):
    def assert_refused(self, pattern, *results):
        with self.assertRaisesRegex(ValueError, pattern):
            report.to_json(list(results))

    def test_is_a_list_of_entries_with_five_keys_and_more(self):
        read = json.loads(report.to_json([result(), result(name="other")]))

        self.assertEqual([entry["name"] for entry in read], ["net-train", "other"])
        for key in ("name", "unit", "ours", "rival", "limit"):
            self.assertIn(key, read[0])

    def test_refuses_an_entry_that_lacks_a_key(self):
        for key in ("unit", "ours", "rival", "limit"):
            entry = result()
            del entry[key]
            self.assert_refused(f"net-train: lacks {key}", entry)

    def test_refuses_what_is_no_rate(self):
        for value in (0, -1, None, True, "1", math.nan, math.inf):
            self.assert_refused("net-train: ours", result(ours=value))
        self.assert_refused("net-train: rival", result(
            rival={"name": "a", "version": "1", "value": math.nan}))
        self.assert_refused("net-train: limit", result(limit={"name": "peak"}))

    def test_refuses_a_rival_without_its_version(self):
        self.assert_refused("rival has no version", result(
            rival={"name": "a", "version": "", "value": 1}))

    def test_admits_an_entry_without_rivals(self):
        report.to_json([result(rival=None, rewrittenRival=None)])

    def test_ties_microseconds_to_names_that_end_in_a_size(self):
        report.to_json([result(name="exchange-64KiB", unit="us"),
                        result(name="push-sum-248kB", unit="us")])
        self.assert_refused("belongs to names", result(unit="us"))
        self.assert_refused("belongs to names", result(name="exchange-64KiB"))

    def test_refuses_no_entries_and_two_of_one_name(self):
        self.assert_refused("must be a list")
        self.assert_refused("two entries", result(), result())

    def test_tables_have_every_figure(self):
        broken = {"name": "c", "version": "", "stock": True, "error": "no such file"}
        entry = result()
        entry["candidates"] = [*entry["candidates"], broken]

        text = report.to_markdown([entry])

        self.assertIn("| `net-train` | samples/s | 100 (90 to 120) | 2.00 | 1.67 | 400 | 25 % |",
                      text)
        self.assertIn("| `net-train` | a (1.0) **(rival)** | 50 (50 to 50) | 2.00 |", text)
        self.assertIn("not measured: no such file", text)


class Entries(unittest.TestCase):
    def test_are_those_that_were_asked_for(self):
        self.assertEqual({entry.name for entry in entries.ENTRIES}, {
            "lenet5-train", "lenet5-train-v8", "lenet5-train-2threads", "cifar10-quick-train",
            "ptb-lstm-train", "ptb-lstm-train-v4", "ptb-lstm-train-2threads"})

    def test_count_operations_as_documented(self):
        self.assertEqual(entries.FLOP["lenet5"], 2 * 1_131_960)
        self.assertEqual(400 * entries.FLOP["ptb-lstm-small"], 6_336_000_000)
        self.assertEqual(entries.FLOP["cifar10-quick"], 69_209_856)

    def test_have_somebody_to_compare_with(self):
        for entry in entries.ENTRIES:
            self.assertTrue(entry.rivals or entry.versus, entry.name)
            names = [rival.name for rival in entry.rivals]
            self.assertEqual(len(set(names)), len(names), entry.name)


class ExchangeEntries(unittest.TestCase):
    def test_are_those_that_were_asked_for(self):
        jobs = {"lenet5-job-central", "lenet5-job-decentralised", "lenet5-job-direct"}
        self.assertEqual({entry.name for entry in exchange_entries.COMPARISONS}, {
            "push-sum-248kB", "push-sum-64MB",
            *(f"all-reduce-{size}" for size in exchange_entries.SIZES),
            *jobs, *("curve-" + job for job in jobs), "lenet5-job-1x1", "ptb-job-decentralised"})

    def test_tie_microseconds_to_names_that_end_in_a_size(self):
        for entry in exchange_entries.COMPARISONS:
            self.assertEqual(entry.unit == "us", bool(report.SIZE.search(entry.name)), entry.name)

    def test_a_job_gives_each_worker_its_share(self):
        job = exchange_entries.PTB_JOB

        self.assertEqual(job.engine().batch, 10)
        self.assertIn("batchSize: 20", job.document())
        self.assertIn("topology: decentralized", job.document())


class Made:
    """A Makers whose programs say what rates they have, or that they fail."""

    def __init__(self, rates):
        self.rates = rates

    def __getattr__(self, name):
        return lambda *_: Fake(name, self.rates.get(name))


class Fake(programs.Program):
    def __init__(self, name, rate):
        super().__init__([0], 1, {}, None)
        if rate == "absent":
            raise programs.Failed(f"no {name}")
        self.rate, self.version = rate, "1"

    def measure(self, seconds):
        if self.rate == "breaks":
            raise programs.Failed("broke")
        return self.rate, 0


class Comparing(unittest.TestCase):
    def compare(self, **rates):
        entry = exchange_entries.all_reduce("4kB")
        options = mock.Mock(rounds=2, seconds=0)
        with mock.patch.object(comparing, "Makers", lambda *_: Made(rates)), \
                mock.patch("sys.stderr"):
            return comparing.Comparing(options, [0, 1], None, lambda *_: None).run(entry)

    def test_the_rival_is_the_best_of_the_others(self):
        one = self.compare(exchange=50, bare=40, gloo=100, pslite=90)

        report.check([one])
        self.assertEqual((one["ours"], one["limit"]["value"], one["rival"]["value"]), (50, 40, 90))

    def test_rivals_that_are_absent_or_break_are_named(self):
        one = self.compare(exchange=50, bare=40, gloo="breaks", pslite="absent")

        errors = {each["name"]: each["error"] for each in one["candidates"] if "error" in each}
        self.assertEqual(errors, {"Gloo, tcp (torch.distributed)": "broke",
                                  "ps-lite, one server, tcp": "no pslite"})
        self.assertIsNone(one["rival"])

    def test_fails_where_ours_does_not_run(self):
        with self.assertRaisesRegex(programs.Failed, "broke"):
            self.compare(exchange="breaks", bare=40, gloo=1, pslite=1)


class AesGcm(unittest.TestCase):
    def test_adds_the_time_of_all_bytes_to_the_clear_step(self):
        job = exchange_entries.LENET5_JOBS["lenet5-job-direct"]
        clear = mock.Mock(job=job, rates=[128_000.0])  # 1 ms a step
        clear.bytes_per_step.return_value = 1_000_000
        program = exchange_programs.AesGcm(clear, [0, 1], None)
        speed = b"+H:65536\n+F:25:AES-256-GCM:1000000000.00\n"

        with mock.patch.object(exchange_programs, "run_to_end", lambda *_: speed):
            rate, _ = program.measure(1)

        # 2 x 1 MB at 1 GB/s on two cores: 1 ms more.
        self.assertAlmostEqual(rate, 64_000.0)


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = pathlib.Path(self.folder.name, "log")
        self.cores = sorted(os.sched_getaffinity(0))[:1]

    def served(self, code):
        start = (f"import sys; sys.path.insert(0, {str(BENCH / 'rivals')!r}); import os, rounds; "
                 "rounds.WARM_UP_SECONDS = 0; ")
        program = programs.Served([sys.executable, "-c", start + code], {"MARK": "7"}, self.cores,
                                  1, self.log)
        self.addCleanup(program.stop)
        return program

    def test_a_rival_answers_runs_with_rates(self):
        program = self.served("rounds.serve(lambda: None, lambda: 1.0, 10, os.environ['MARK'])")

        program.run(0.01)
        program.run(0.01)

        self.assertEqual(program.version, "7")
        self.assertEqual(len(program.rates), 2)
        self.assertGreater(min(program.rates), 10)

    def test_a_rival_whose_loss_is_no_number_has_no_rate(self):
        program = self.served("rounds.serve(lambda: None, lambda: float('nan'), 10, '1')")

        with self.assertRaisesRegex(programs.Failed, "not a number"):
            program.run(0.01)

    def test_a_rival_that_cannot_start_says_why(self):
        with self.assertRaisesRegex(programs.Failed, "exit status 1: no such library"):
            self.served("sys.exit('no such library')")

    def test_a_program_that_is_not_there_fails_by_name(self):
        with self.assertRaisesRegex(programs.Failed, "/no/such/program"):
            programs.Served(["/no/such/program"], {}, self.cores, 1, self.log)

    def test_a_program_of_ours_is_started_for_each_run(self):
        answer = "import json; print(json.dumps({'rate': 3.5, 'version': '0.1'}))"
        program = programs.Once(lambda seconds: [sys.executable, "-c", answer], "rate",
                                self.cores, 1, self.log)

        program.run(1)

        self.assertEqual(program.rates, [3.5])
        self.assertEqual(program.about["version"], "0.1")

    def test_settings_of_the_caller_do_not_reach_the_programs(self):
        with mock.patch.dict(os.environ, {"OPENBLAS_CORETYPE": "Nehalem"}):
            env = programs.environment(2, {"MALLOC_ARENA_MAX": "1"})

        self.assertNotIn("OPENBLAS_CORETYPE", env)
        self.assertEqual((env["OMP_NUM_THREADS"], env["MALLOC_ARENA_MAX"]), ("2", "1"))


class RunTogether(unittest.TestCase):
    def test_a_program_that_does_not_end_leaves_no_process(self):
        with tempfile.TemporaryDirectory() as folder:
            program = programs.Program(sorted(os.sched_getaffinity(0))[:1], 1, {},
                                       pathlib.Path(folder) / "log")
            alive, others_end = os.pipe()
            os.set_inheritable(others_end, True)
            command = ["sh", "-c", "sleep 100 & sleep 100"]
            with mock.patch.object(subprocess, "Popen",
                                   functools.partial(subprocess.Popen, close_fds=False)):
                with self.assertRaisesRegex(programs.Failed, "did not end"):
                    programs.run_together(program, [(command, program.cores)] * 2, timeout=0.1)
            os.close(others_end)
            with os.fdopen(alive) as ends:
                # At its end when the last of them is gone.
                self.assertTrue(select.select([ends], [], [], 20)[0], "a process is left")


if __name__ == "__main__":
    unittest.main()
