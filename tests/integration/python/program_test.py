#!/usr/bin/env python3
"""Programs in Python as jobs of several processes: the same bits for every number of workers and every exchange, and
what happens when one of them is killed, stopped or wrong.

    program_test.py FOLDER_OF_PROGRAMS LIBRARY
"""

import concurrent.futures
import json
import os
import pathlib
import signal
import sys
import time
import unittest

import members
from members import Job
from programs import FOLDER, HERE, Run, clean

if len(sys.argv) > 2:
    os.environ["SUMAC_LIBRARY"] = str(pathlib.Path(sys.argv.pop(2)).resolve())
    members.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
POOL = concurrent.futures.ThreadPoolExecutor(3)  # of jobs
SLOW = "slow=20"  # milliseconds a step


def tearDownModule():
    POOL.shutdown()
    clean()


def line_of(text):
    """The number of the line of linear.py that has a text."""
    lines = (HERE / "linear.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


class JobTest(unittest.TestCase):
    def job(self, *arguments, **options):
        made = Job(*arguments, **options)
        self.addCleanup(made.kill)
        return made

    def ends(self, job, *codes):
        found = job.codes()
        self.assertEqual(found, list(codes), "\n".join(member.errors for member in job.all))


def hash_of(program, words, options):
    """A whole job: the hash that all its workers printed, and the one in its result."""
    job = Job(program, *words, **options)
    try:
        codes = job.codes()
        errors = "\n".join(member.errors for member in job.all)
        return codes, {member.lines.get("weights") for member in job.all}, job.output, errors
    finally:
        job.kill()


class CodeTest(JobTest):
    """Of a job that brings its sources along."""

    def test_a_worker_with_other_sources_is_refused_and_the_next_one_takes_its_place(self):
        ours, theirs = {"lib/net.py": "x = 1\n", "train.py": ""}, {"lib/net.py": "x = 2\n", "train.py": ""}
        job = self.job("linear.py", workers=2, first_only=True, code=ours)
        folder = job.sources("other", theirs)
        wrong = job.worker(1, SUMAC_CODE=folder)
        self.assertEqual(wrong.end(), 78, wrong.errors)
        self.assertIn(f"worker 1: the sources in {folder} are not those of spec.program.code", wrong.errors)
        # Its document fits its sources; the coordinator compares it with the others'.
        job.content["spec"]["program"]["code"] = members.code_of(theirs)
        document = job.folder / "other.json"
        document.write_text(json.dumps(job.content))
        other = job.worker(1, SUMAC_CODE=folder, SUMAC_JOB=document)
        self.assertEqual(other.end(), 78, other.errors)
        self.assertIn("program.code: worker 1 has " + members.code_of(theirs)["sha256"], other.errors)
        right = job.worker(1)
        self.assertEqual([right.end(), *job.codes()], [0, 0], right.errors)

    def test_the_sources_are_those_of_the_current_folder_where_nothing_says_otherwise(self):
        job = self.job("linear.py", code={"train.py": "x = 1\n"}, SUMAC_CODE=".")
        self.assertEqual(job.codes(), [78])
        self.assertIn("train.py is missing", job.all[0].errors)


class BitsTest(unittest.TestCase):
    LINEAR = ({"workers": 1}, {"workers": 2}, {"workers": 3}, {"workers": 3, "servers": 1},
              {"workers": 2, "servers": 3}, {"workers": 3, "strategy": "scatterGather"})
    MODEL = ({"workers": 2, "verify": 3}, {"workers": 3, "strategy": "scatterGather", "verify": 2},
             {"workers": 4, "servers": 1})

    @classmethod
    def setUpClass(cls):
        cls.alone = {"linear.py": Run(HERE / "linear.py"), "model.py": Run(HERE / "model.py")}
        cls.unequal = Run(HERE / "model.py", "batch=51", "parts=5")
        cls.jobs = {f"{program} {options}": POOL.submit(hash_of, program, (), options)
                    for program, many in (("linear.py", cls.LINEAR), ("model.py", cls.MODEL)) for options in many}
        cls.jobs["model.py loaders"] = POOL.submit(hash_of, "model.py", ("loaders=1",), {"workers": 2})
        cls.other = [POOL.submit(hash_of, "model.py", (), {"workers": workers, "batch": 51, "parts": 5})
                     for workers in (2, 3, 5)]

    def check(self, future, alone):
        codes, hashes, _, errors = future.result()
        self.assertEqual(set(codes), {0}, errors)
        self.assertEqual(hashes, {alone.lines["weights"]}, errors)

    def test_every_number_of_workers_and_every_exchange_give_the_bits_of_a_program_alone(self):
        for name, future in self.jobs.items():
            with self.subTest(name):
                self.check(future, self.alone[name.split()[0]])

    def test_unequal_parts_do_too(self):
        for future in self.other:
            self.check(future, self.unequal)

    def test_the_result_has_the_hash_of_what_is_trained(self):
        _, hashes, output, _ = self.jobs["linear.py {'workers': 2}"].result()
        self.assertEqual({json.loads((output / "result.json").read_text())["parametersSha256"]}, hashes)
        self.assertTrue((output / "model.safetensors").is_file())


class LossesTest(JobTest):
    @classmethod
    def setUpClass(cls):
        cls.alone = Run(HERE / "linear.py", "steps=60")

    def test_a_killed_worker_is_named_and_another_number_of_workers_resumes(self):
        job = self.job("linear.py", SLOW, workers=2, steps=60)
        job.all[1].until(r"^step 12$")
        job.all[1].process.kill()
        self.assertEqual(job.all[0].end(), 75, job.all[0].errors)
        self.assertRegex(job.all[0].errors.splitlines()[-1], "worker 1")
        again = self.job("linear.py", workers=3, steps=60, folder=job.folder)
        self.ends(again, 0, 0, 0)
        self.assertEqual({member.lines["weights"] for member in again.all}, {self.alone.lines["weights"]})

    def test_a_killed_worker_comes_back_where_members_may_change(self):
        job = self.job("linear.py", SLOW, workers=2, steps=60, SUMAC_ELASTIC="true", SUMAC_FLAPPING_SECONDS=0)
        job.all[1].until(r"^step 12$")
        job.all[1].process.kill()
        job.all[1].end()
        back = job.worker(1)
        self.assertEqual([job.all[0].end(), back.end()], [0, 0], job.all[0].errors + back.errors)
        self.assertEqual({job.all[0].lines["weights"], back.lines["weights"]}, {self.alone.lines["weights"]})
        self.assertNotIn("step 1\n", back.out.read_text(encoding="utf-8"))

    def test_sigterm_while_a_worker_waits_in_c_stops_both_with_a_checkpoint(self):
        # Worker 1 takes a second for step 8: worker 0 waits for it in C.
        job = self.job("linear.py", SLOW, "late=8", workers=2, steps=60)
        job.all[1].until("^late$")
        begin = time.monotonic()
        job.all[0].process.send_signal(signal.SIGTERM)
        self.ends(job, 143, 143)
        self.assertLess(time.monotonic() - begin, 15)
        again = self.job("linear.py", workers=1, steps=60, folder=job.folder)
        self.ends(again, 0)
        self.assertEqual(again.all[0].lines["weights"], self.alone.lines["weights"])
        self.assertNotIn("step 5\n", again.all[0].out.read_text(encoding="utf-8"))


class FaultsTest(JobTest):
    def test_an_exception_ends_all_and_names_worker_and_line(self):
        job = self.job("linear.py", "raise=7", workers=3)
        self.ends(job, 75, 1, 75)
        for member in job.all:
            self.assertIn("ValueError: bad sample (in part", member.errors)
            self.assertIn(f"at linear.py:{line_of('raise ValueError')}", member.errors)
        self.assertIn("worker 1 failed: ", job.all[0].errors.splitlines()[-1])

    def test_a_gradient_that_is_no_number_ends_all(self):
        job = self.job("linear.py", "nan=7", workers=2)
        # Who sees it first tells the other.
        codes = job.codes()
        self.assertIn(codes, ([1, 1], [1, 75], [75, 1]), job.all[0].errors)
        for member, code in zip(job.all, codes):
            self.assertRegex(member.errors, r"the sum of step 7 is not finite: value 0 is -?nan")
            if code == 1:
                self.assertRegex(member.errors.splitlines()[-1], r" \(buffer 0 of what fn returns\)$")

    def test_storage_that_is_full_is_74_and_named(self):
        job = self.job("linear.py", "full=7", workers=2)
        self.assertEqual(job.all[1].end(), 74, job.all[1].errors)
        self.assertEqual(job.all[0].end(), 75)
        self.assertRegex(job.all[0].errors.splitlines()[-1], "worker 1 failed: OSError: .*No space left on device")

    def test_a_worker_with_other_data_or_another_program_is_refused_and_named(self):
        for word, difference in (("samples=700", "data.trainSamples"), ("line=2", "chosen")):
            with self.subTest(word):
                job = self.job("linear.py", workers=2, steps=60, first_only=True)
                other = job.worker(1, word)
                self.assertEqual(other.end(), 78, other.errors)
                self.assertRegex(other.errors.splitlines()[-1], f"{difference}: worker 1 has .*, the job has")

    def test_a_job_that_this_version_cannot_train_is_78(self):
        good = members.document(1, 0, 20, 4, 50, None, 0)
        program = {"program": {**good["spec"]["program"], "command": []}}
        given = {
            "of another version": ({**good, "apiVersion": "sumac.dev/v9"}, "sumac.dev/v9"),
            "without a command": ({**good, "spec": {**good["spec"], **program}}, "command"),
            "with a network, too": ({**good, "spec": {**good["spec"], "model": {"preset": "lenet5"}}}, "model"),
        }
        file = pathlib.Path(FOLDER.name) / "job.json"
        for name, (text, message) in given.items():
            with self.subTest(name):
                file.write_text(json.dumps(text))
                run = Run(HERE / "linear.py", SUMAC_JOB=str(file), SUMAC_INDEX="0", SUMAC_WORKERS="1")
                self.assertEqual(run.code, 78, run.errors)
                self.assertIn(message, run.errors.splitlines()[-1])
                self.assertIn(str(file), run.errors.splitlines()[-1])

    def test_a_worker_that_computes_other_bits_is_refused_and_named(self):
        job = self.job("model.py", "fault=time", workers=2)
        self.assertEqual(job.all[1].end(), 78, job.all[1].errors)
        self.assertRegex(job.all[1].errors, "fingerprint: worker 1 has .*, the job has")


if __name__ == "__main__":
    unittest.main()
