"""No step allocates: the same job with other numbers of steps has the same counts of allocations. Its members may change,
as in every such `sumac run`, unless a test says otherwise.

Usage: allocation_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY counts the calls of malloc and its like by kind of thread (count_allocations.c).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path()
LIBRARY = pathlib.Path()
FEW, MANY = 110, 240  # steps; both cross an epoch's end and a comparison of weights
SLACK = 1  # calls: closing ZeroMQ's sockets, the main thread needs a piece of memory more or less


def counts(job, folder, steps, *arguments, variables=None):
    """{kind of thread: counts by function} of the first worker."""
    prefix = folder / f"counts-{steps}"
    environment = dict(os.environ, LD_PRELOAD=str(LIBRARY), SUMAC_COUNT_ALLOCATIONS=str(prefix),
                       **(variables or {}))
    command = [PROGRAMS / "sumac", "run", HERE / job, "--output-dir", folder / f"run-{steps}",
               "--set", f"training.steps={steps}", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    files = list(folder.glob(f"{prefix.name}.sumac-worker.*"))
    found = [counts_of(file) for file in files]
    # sumac asks sumac-worker for the memory of a worker first: that process has one thread.
    workers = [each for each in found if sum(each["other"]) > 0]
    if len(workers) != 1:
        raise AssertionError(f"expected the counts of one worker, found {found}")
    return workers[0]


def counts_of(file):
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0]: tuple(map(int, words[1:])) for words in lines}


class AllocationTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-allocation-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def no_step_allocates(self, job, *arguments, variables=None):
        few = counts(job, self.folder, FEW, *arguments, variables=variables)
        many = counts(job, self.folder, MANY, *arguments, variables=variables)
        self.assertGreater(sum(few["main"]), 0, "nothing was counted")
        self.assertGreater(sum(many["other"]), sum(few["other"]), "the reactor allocates, uncounted")
        for kind in ("main", "compute", "prefetch"):
            pairs = zip(few[kind], many[kind])
            self.assertLessEqual(
                max(abs(a - b) for a, b in pairs), SLACK,
                f"{kind}: {FEW} steps have {few[kind]}, {MANY} steps {many[kind]}",
            )

    def test_of_lenet5_allocates(self):
        self.no_step_allocates("lenet5.yaml")

    def test_of_lenet5_whose_members_may_not_change_allocates(self):
        self.no_step_allocates("lenet5.yaml", "--restarts", 0)

    def test_of_lenet5_with_two_threads_allocates(self):
        self.no_step_allocates("lenet5.yaml", "--set", "training.threads=2")

    def test_of_lenet5_allocates_while_health_and_metrics_are_served(self):
        self.no_step_allocates("lenet5.yaml", variables={"SUMAC_STATUS_LISTEN": "127.0.0.1:0"})

    def test_of_a_text_network_allocates(self):
        self.no_step_allocates("text.yaml")


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    LIBRARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
