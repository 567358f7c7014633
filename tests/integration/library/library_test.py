"""A program in C trains with libsumac: the same weights with any number of workers, however they add,
stop, die, come and go.

Usage: library_test.py PROGRAMS_FOLDER LINEAR LIBRARY [TEST...]

LINEAR is linear.c beside this file: a worker that the environment configures, as `sumac run` does it.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path()
LINEAR = pathlib.Path()
LIBRARY = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already, on however busy a machine


def until(condition, what):
    """Waits until `condition` returns something true, and returns that."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited {DEADLINE_SECONDS} s for {what}")


class Member:
    """A process of a job, with what it says in a file."""

    def __init__(self, job, role, index, name, environment):
        self.said = job.folder / f"{name}.out"
        self.log = job.folder / f"{name}.log"
        self.word = job.folder / f"{name}.word"
        first = job.coordinator is None
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("SUMAC_", "LINEAR_"))}
        clean.update({
            "SUMAC_JOB": str(job.document), "SUMAC_INDEX": str(index), "SUMAC_JOB_TOKEN": "token of the job",
            "SUMAC_LISTEN": "tcp://127.0.0.1:0", "SUMAC_TERMINATION_FILE": str(self.word),
        })
        if role == "worker":
            clean.update({"SUMAC_OUTPUT": str(job.folder / "output"),
                          "SUMAC_CHECKPOINT": str(job.folder / "checkpoints")})
        if not first:
            clean["SUMAC_COORDINATOR"] = job.coordinator
        clean.update(environment)
        read, write = os.pipe()
        if first:
            clean["SUMAC_READY_FD"] = str(write)
        program = LINEAR if role == "worker" else PROGRAMS / "sumac-server"
        with open(self.said, "wb") as out, open(self.log, "wb") as log:
            self.process = subprocess.Popen([program], env=clean, stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                            pass_fds=[write] if first else [])
        os.close(write)
        if first:
            with os.fdopen(read) as lines:
                job.coordinator = lines.readline().strip()
        else:
            os.close(read)

    def text(self):
        return self.said.read_text() + self.log.read_text()

    def step(self):
        steps = re.findall(r"^step (\d+)", self.said.read_text(), re.MULTILINE)
        return int(steps[-1]) if steps else 0

    def loaded(self):
        return [int(step) for step in re.findall(r"^load (\d+)", self.said.read_text(), re.MULTILINE)]

    def await_step(self, step):
        until(lambda: self.step() >= step or self.process.poll() is not None, f"step {step}")

    def end(self):
        """(exit status, reason)."""
        code = self.process.wait(timeout=DEADLINE_SECONDS)
        found = re.search(r"^end \d+ -?\d+ (.*)", self.said.read_text(), re.MULTILINE)
        return code, found[1] if found else self.text()

    def weights(self):
        return re.search(r"^weights (\w+)", self.said.read_text(), re.MULTILINE)[1]


class Job:
    def __init__(self, folder, steps=60, servers=0, algorithm="direct", workers=2):
        self.folder = folder
        self.document = folder / "job.json"
        self.coordinator = None
        self.servers = servers
        spec = {
            "program": {"command": ["linear"], "verify": 0},
            "training": {"batchSize": 20, "steps": steps, "seed": 5, "logicalWorkers": 8},
            "worker": {"replicas": workers},
            "checkpoint": {"path": "/checkpoints", "everySteps": 20},
            "security": {"transport": "none"},
        }
        if servers > 0:
            spec["server"] = {"replicas": servers}
        else:
            spec["strategy"] = {"exchange": "allReduce", "algorithm": algorithm}
        self.document.write_text(json.dumps({"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
                                             "metadata": {"name": "linear"}, "spec": spec}))
        self.members = []

    def start(self, workers, attempt=0, **environment):
        """All members; returns the workers."""
        self.coordinator = None
        self.attempt = {"SUMAC_ATTEMPT": str(attempt), "SUMAC_WORKERS": str(workers), **environment}
        for index in range(self.servers):
            self.add("server", index, f"server-{index}-{attempt}")
        return [self.add("worker", index, f"worker-{index}-{attempt}") for index in range(workers)]

    def add(self, role, index, name, **environment):
        self.members.append(Member(self, role, index, name, {**self.attempt, **environment}))
        return self.members[-1]

    def sha256(self):
        return json.loads((self.folder / "output" / "result.json").read_text())["parametersSha256"]

    def kill(self):
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.process.wait()


class LibraryTest(unittest.TestCase):
    known = {}

    def make(self, **options):
        holder = tempfile.TemporaryDirectory(prefix="sumac-library-")
        self.addCleanup(holder.cleanup)
        job = Job(pathlib.Path(holder.name), **options)
        self.addCleanup(job.kill)
        self.addCleanup(self.tell, job)
        return job

    def tell(self, job):
        """Where a test has failed."""
        if self._outcome.result.errors or self._outcome.result.failures:
            for member in job.members:
                print(f"--- {member.said.stem}\n{member.text()[-2000:]}")

    def expected(self, steps):
        """The weights of a program that is alone, and their hash."""
        if steps not in self.known:
            with tempfile.TemporaryDirectory(prefix="sumac-library-") as folder:
                clean = {key: value for key, value in os.environ.items() if not key.startswith("SUMAC_")}
                said = subprocess.run([LINEAR], env={**clean, "LINEAR_STEPS": str(steps), "SUMAC_OUTPUT": folder},
                                      check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                result = json.loads((pathlib.Path(folder) / "result.json").read_text())
            self.known[steps] = re.search(r"^weights (\w+)", said, re.MULTILINE)[1], result["parametersSha256"]
        return self.known[steps]

    def all_complete(self, job, workers, steps):
        weights, sha256 = self.expected(steps)
        for worker in workers:
            code, reason = worker.end()
            self.assertEqual(code, 0, reason)
            self.assertEqual(worker.weights(), weights, worker.said.stem)
        self.assertEqual(job.sha256(), sha256)
        self.assertEqual(hashlib.sha256(self.tensors(job.folder / "output" / "model.safetensors")["weights"]).hexdigest(),
                         sha256)

    def tensors(self, path):
        """The bytes of each tensor in a file of the safetensors format."""
        content = path.read_bytes()
        begin = 8 + int.from_bytes(content[:8], "little")
        head = json.loads(content[8:begin])
        head.pop("__metadata__")
        return {name: content[begin:][slice(*tensor["data_offsets"])] for name, tensor in head.items()}

    def test_a_checkpoint_has_every_tensor_and_the_text(self):
        job = self.make()
        self.all_complete(job, job.start(2), 60)
        folder = job.folder / "checkpoints" / "step-40-1"
        self.assertEqual(list(self.tensors(folder / "model.safetensors")), ["weights"])
        others = self.tensors(folder / "optimizer.safetensors")
        self.assertEqual(list(others), ["momentum", "steps"])
        self.assertEqual(int.from_bytes(others["steps"], "little"), 40)
        self.assertEqual((folder / "program.json").read_text(), '{"made": "by linear.c"}')

    def test_any_number_of_workers_trains_the_same_weights(self):
        for workers in (1, 2, 3, 5):
            with self.subTest(workers=workers):
                job = self.make(workers=workers)
                self.all_complete(job, job.start(workers), 60)

    def test_any_way_to_exchange_trains_the_same_weights(self):
        for options in ({"algorithm": "scatterGather"}, {"algorithm": "halvingDoubling"}, {"servers": 1},
                        {"servers": 3}):
            with self.subTest(options):
                job = self.make(workers=3, **options)
                self.all_complete(job, job.start(3), 60)

    def test_a_job_that_was_stopped_goes_on_with_another_number_of_workers(self):
        job = self.make(steps=400)
        workers = job.start(2)
        workers[1].await_step(30)
        workers[0].process.terminate()
        for worker in workers:
            code, reason = worker.end()
            self.assertEqual(code, 143, reason)
            self.assertIn("asked to stop", reason)
        stopped_at = workers[0].step()
        self.assertEqual(workers[1].step(), stopped_at)
        workers = job.start(3, attempt=1)
        self.all_complete(job, workers, 400)
        self.assertEqual([worker.loaded() for worker in workers], [[stopped_at]] * 3)

    def test_a_job_whose_worker_was_killed_goes_on_from_its_checkpoint(self):
        for servers in (0, 2):
            with self.subTest(servers=servers):
                job = self.make(steps=400, servers=servers, workers=3)
                workers = job.start(3)
                workers[2].await_step(30)
                workers[2].process.kill()
                for worker in workers[:2]:
                    code, reason = worker.end()
                    self.assertEqual(code, 75, reason)
                    self.assertIn("worker 2", reason)
                workers = job.start(2, attempt=1)
                self.all_complete(job, workers, 400)
                self.assertTrue(workers[0].loaded())

    def test_members_come_and_go_while_the_others_train_on(self):
        job = self.make(steps=1500)
        workers = job.start(2, SUMAC_ELASTIC="true")
        workers[0].await_step(30)
        third = job.add("worker", 2, "worker-2-0")
        third.await_step(31)
        self.assertEqual(len(third.loaded()), 1)
        workers[1].process.kill()
        workers[1].process.wait()
        workers[1] = job.add("worker", 1, "worker-1-b")
        workers[1].await_step(third.loaded()[0] + 1)
        third.process.terminate()
        code, reason = third.end()
        self.assertEqual(code, 143, reason)
        self.assertEqual(workers[0].loaded(), [])
        self.all_complete(job, workers, 1500)

    def test_a_sum_that_is_not_finite_ends_the_job(self):
        job = self.make()
        ends = [worker.end() for worker in job.start(2, LINEAR_NAN_AT="30")]
        for _, reason in ends:
            self.assertIn("the sum of step 30 is not finite: value 431 is nan", reason)
        # Both find it; who does so later may hear of the other first.
        self.assertIn(1, [code for code, _ in ends])
        self.assertLessEqual({code for code, _ in ends}, {1, 75})
        self.assertTrue((job.folder / "checkpoints" / "step-20-1" / "manifest.json").exists())

    def test_a_program_that_fails_ends_the_job_with_its_words(self):
        job = self.make(steps=400)
        workers = job.start(1, SUMAC_WORKERS="2")
        workers.append(job.add("worker", 1, "worker-1-0", LINEAR_FAIL_AT="30"))
        code, reason = workers[1].end()
        self.assertEqual((code, reason), (1, "ValueError: the data are wrong (linear.c:1)"))
        code, reason = workers[0].end()
        self.assertEqual((code, reason), (75, "worker 1 failed: ValueError: the data are wrong (linear.c:1)"))
        self.assertIn("ValueError", workers[1].word.read_text())

    def test_programs_that_differ_do_not_train_together(self):
        for differs, named in (({"LINEAR_LINES": "torch=2.14\n"}, "torch"), ({"LINEAR_SAMPLES": "401"}, "Samples")):
            with self.subTest(named):
                job = self.make()
                job.start(1, SUMAC_WORKERS="2", LINEAR_LINES="torch=2.15\n")
                other = job.add("worker", 1, "worker-1-0", **differs)
                code, reason = other.end()
                self.assertEqual(code, 78, reason)
                self.assertIn(named, reason)
                self.assertIn("worker 1", reason)

    def test_another_program_does_not_go_on_from_a_checkpoint(self):
        job = self.make()
        self.all_complete(job, job.start(1), 60)
        (worker,) = job.start(1, attempt=1, LINEAR_LINES="torch=2.14\n")
        code, reason = worker.end()
        self.assertEqual(code, 78, reason)
        self.assertIn("declared.torch", reason)

    def test_the_library_exports_its_functions_alone(self):
        symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout.split("\n")
        names = sorted(line.split()[2].split("@")[0] for line in symbols if line and " A " not in line)
        header = (pathlib.Path(__file__).resolve().parents[3] / "libsumac" / "sumac.h").read_text()
        declared = re.findall(r"^SUMAC_API [^(]*?(sumac_\w+)\(", header, re.MULTILINE)
        self.assertEqual(names, sorted(declared))
        self.assertLessEqual(len(names), 25)

    def test_the_library_leaves_its_process_alone(self):
        wanted = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True, stdout=subprocess.PIPE,
                                text=True).stdout
        names = {line.split()[-1].split("@")[0] for line in wanted.splitlines()}
        # Boost.Asio has pthread_sigmask(): signals do not reach a thread before it has begun.
        forbidden = {"signal", "sigaction", "sigprocmask", "mallopt", "setrlimit", "exit", "_exit",
                     "quick_exit", "abort", "fork", "_ZSt13set_terminatePFvvE"}
        self.assertEqual(names & forbidden, set())


if __name__ == "__main__":
    PROGRAMS, LINEAR, LIBRARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
