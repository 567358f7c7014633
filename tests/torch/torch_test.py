#!/usr/bin/env python3
"""Trains networks of PyTorch by sumac.torch in many ways, and compares the bits with those of the program alone and of
DistributedDataParallel.

    torch_test.py FOLDER_OF_PROGRAMS LIBRARY [TEST...]     run by run.sh
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/integration/python"), str(HERE), str(ROOT / "python")]

import members  # noqa: E402
from pairs import pairwise  # noqa: E402
from programs import FOLDER, clean, environment  # noqa: E402

PATH = {"PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"}
NETWORKS = ["lenet", "resnet", "lstm", "transformer"]
RUNS = pairwise(network=NETWORKS, workers=[1, 2, 3, 5, 8], exchange=["direct", "scatterGather", "1 server", "3 servers"],
                parts=[8, 5], batch=[64, 50], optimizer=["sgd", "adamw"], loaders=[0, 2])
STEPS = 50
SAMPLES = """
import sumac
job = sumac.join(batch_size=64, parts=2, steps={steps})
found = []
def part(part):
    found.append(" ".join(map(str, part.samples)))
    return 0.0, __import__("array").array("f", [0])
for _ in job.exchange(part, values=1, samples=320, state={{}}): pass
print("\\n".join(found))
"""

tearDownModule = clean


def alone(**words):
    """The lines that networks.py prints."""
    command = [sys.executable, HERE / "networks.py", *(f"{name}={value}" for name, value in words.items())]
    done = subprocess.run(command, env=environment(**PATH), capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return dict(line.split() for line in done.stdout.splitlines() if line.startswith(("weights", "trained")))


class TorchTest(unittest.TestCase):
    known = {}

    def alone(self, **words):
        key = tuple(sorted(words.items()))
        if key not in self.known:
            self.known[key] = alone(**words)
        return self.known[key]

    def job(self, *words, exchange="direct", **options):
        servers = int(exchange[0]) if "server" in exchange else 0
        made = members.Job(HERE / "networks.py", *words, servers=servers, strategy=None if servers else exchange,
                           **PATH, **options)
        self.addCleanup(made.kill)
        return made

    def test_all_pairs_of_values_have_the_bits_of_the_program_alone(self):
        for run in RUNS:
            with self.subTest(**run):
                words = {name: run[name] for name in ("network", "optimizer")}
                job = self.job(*(f"{name}={value}" for name, value in words.items()), f"loaders={run['loaders']}",
                               workers=min(run["workers"], run["parts"]), exchange=run["exchange"], parts=run["parts"],
                               batch=run["batch"], steps=STEPS, verify=20)
                self.assertEqual(set(job.codes()), {0}, "\n".join(member.errors for member in job.all))
                expected = self.alone(**words, parts=run["parts"], batch=run["batch"], steps=STEPS)
                for member in job.all:
                    self.assertEqual(member.lines["weights"], expected["weights"])

    def test_threads_give_other_bits_which_are_the_same_again(self):
        one = self.alone(network="resnet", steps=STEPS)
        two = [alone(network="resnet", steps=STEPS, threads=2) for _ in range(2)]
        self.assertEqual(two[0], two[1])
        self.assertNotEqual(two[0], one)

    def test_two_parts_on_two_workers_have_the_bits_of_two_ranks_of_gloo(self):
        done = subprocess.run([sys.executable, "-c", SAMPLES.format(steps=STEPS)], env=environment(**PATH),
                              capture_output=True, text=True, check=True, timeout=600)
        folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
        (folder / "samples").write_text(done.stdout, encoding="utf-8")
        for network in NETWORKS:
            with self.subTest(network):
                words = [f"network={network}", f"store={folder / network}", f"samples={folder / 'samples'}"]
                ranks = [subprocess.Popen([sys.executable, HERE / "networks.py", *words, f"ddp={rank}"],
                                          env=environment(**PATH), stdout=subprocess.PIPE, text=True) for rank in (0, 1)]
                found = [dict(line.split() for line in rank.communicate(timeout=600)[0].splitlines()) for rank in ranks]
                job = self.job(f"network={network}", "still=1", workers=2, parts=2, batch=64, steps=STEPS)
                self.assertEqual(job.codes(), [0, 0], job.all[0].errors)
                for rank, member in zip(found, job.all):
                    self.assertEqual(rank["trained"], member.lines["trained"])

    def test_members_come_and_go(self):
        """Also before Adam's first step, and as a part is computed."""
        words = ["network=resnet", "optimizer=adamw"]
        expected = self.alone(network="resnet", optimizer="adamw", steps=200)
        job = self.job(*words, "slow=1", workers=3, parts=8, batch=64, steps=200, SUMAC_ELASTIC="true",
                       SUMAC_FLAPPING_SECONDS=0)
        for step in (1, 60, 120):
            job.all[2].until(f"^step {step}$")
            job.all[2].process.kill()
            job.all[2].end()
            job.all[2] = job.worker(2)
        self.assertEqual(set(job.codes()), {0}, "\n".join(member.errors for member in job.all))
        for member in job.all:
            self.assertEqual(member.lines["weights"], expected["weights"])

    def test_a_stop_leaves_a_checkpoint_that_another_number_of_workers_resumes(self):
        expected = self.alone(network="lstm", optimizer="adamw", steps=200)
        job = self.job("network=lstm", "optimizer=adamw", "slow=1", workers=3, parts=8, batch=64, steps=200)
        job.all[1].until("^step 42$")
        job.all[1].process.send_signal(signal.SIGTERM)
        self.assertEqual(job.codes(), [143] * 3, job.all[1].errors)
        again = self.job("network=lstm", "optimizer=adamw", workers=2, parts=8, batch=64, steps=200, folder=job.folder)
        self.assertEqual(again.codes(), [0, 0], again.all[0].errors)
        self.assertEqual(again.all[1].lines["weights"], expected["weights"])

    def test_other_weights_and_another_optimizer_are_refused_by_name(self):
        for word, difference in (("init=4", "fingerprint"), ("optimizer=adamw", "optimizer")):
            with self.subTest(difference):
                job = self.job("network=lenet", workers=2, first_only=True)
                other = job.worker(1, word)
                self.assertEqual(other.end(), 78, other.errors)
                self.assertIn(f"{difference}: worker 1 has", other.errors)


if __name__ == "__main__":
    members.DEADLINE_SECONDS = 600  # importing PyTorch in nine processes takes long on few cores
    members.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    os.environ["SUMAC_LIBRARY"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
