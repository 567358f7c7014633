"""The product's promise: the same bits for any number of workers, servers and threads, and through
every stop.

Usage: bits_test.py PROGRAMS_FOLDER [TEST...]
"""

import hashlib
import os
import re
import signal

import jobs
from jobs import ENDLESS, HERE, children, finish, has_checkpoint, has_progress, run, sumac, until

LENET5 = HERE / "lenet5.yaml"
TEXT = HERE / "text.yaml"  # recurrent state
LAYERS = HERE / "layers.yaml"  # batchNorm and dropout


def digest(folder):
    """Of the model's file: it has batchNorm's statistics too, which no weight depends on."""
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


class BitsTest(jobs.JobTest):
    def same_bits(self, job, shapes, *arguments):
        """Trains with each of (workers, servers, threads)."""
        bits = {}
        for workers, servers, threads in shapes:
            folder = self.folder / f"{workers}-{servers}-{threads}"
            result = run(
                folder, *arguments, "--set", f"training.threads={threads}",
                "--workers", workers, "--servers", servers, job=job,
            )
            self.assertEqual((result["workers"], result["servers"]), (workers, servers))
            scores = [result.get(name) for name in
                      ("loss", "testAccuracy", "validPerplexity", "testPerplexity")]
            bits[workers, servers, threads] = (result["parametersSha256"], scores, digest(folder))
        self.assertEqual(len(set(map(str, bits.values()))), 1, bits)

    def test_of_images_do_not_depend_on_workers_and_servers_with_4_parts(self):
        shapes = [(workers, servers, 1) for workers in (1, 2, 3, 4) for servers in (1, 2, 3)]
        self.same_bits(LENET5, shapes, "--set", "training.logicalWorkers=4")

    def test_of_images_do_not_depend_on_workers_and_servers_with_8_parts(self):
        shapes = [(workers, servers, 1) for workers in (1, 2, 3, 4) for servers in (1, 2, 3)]
        self.same_bits(LENET5, shapes, "--set", "training.logicalWorkers=8")

    def test_of_images_do_not_depend_on_threads(self):
        shapes = [(1, 1, 1), (1, 1, 2), (2, 2, 2), (1, 1, "auto")]
        self.same_bits(LENET5, shapes, "--set", "training.batchSize=128")
        log = (self.folder / "1-1-auto" / "worker-0.log").read_text()
        self.assertRegex(log, "compute threads.*auto=true")

    def test_of_text_do_not_depend_on_workers_servers_and_threads(self):
        self.same_bits(TEXT, [(1, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 1), (1, 2, 2), (2, 1, 2)])

    def test_of_own_layers_do_not_depend_on_workers_servers_and_threads(self):
        self.same_bits(LAYERS, [(1, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 1), (1, 2, 2), (2, 1, 2)])

    def stop_and_resume(self, stop, allowed, job=LENET5, after=100):
        """Stops an endless run of two workers after at least `after` steps, and lets three workers
        train 60 steps more."""
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2, job=job)
        until(lambda: has_progress(folder, step=after), "progress")
        if 75 in allowed:  # those that are killed write no checkpoint at the end
            until(lambda: has_checkpoint(folder), "a checkpoint")
        stop(process)
        output = finish(process, allowed=allowed)
        self.assertIn("--resume", output)
        self.assertFalse((folder / "result.json").exists())
        stopped = int(re.search(r"from the checkpoint of step (\d+)", output).group(1))
        length = ("--set", f"training.steps={stopped + 60}")
        others = ("--workers", 3, "--servers", 2, "--set", "training.threads=2")
        finish(sumac(folder, *length, *others, job=job))
        for name in ("result.json", "model.safetensors"):
            self.assertTrue((folder / name).exists(), name)
        whole = run(self.folder / "whole", *length, "--workers", 2, job=job)
        self.assertEqual(*(digest(self.folder / each) for each in ("whole", "run")))
        self.assertIn(whole["parametersSha256"], (folder / "result.json").read_text())

    @staticmethod
    def signals(number):
        return lambda process: process.send_signal(number)

    @staticmethod
    def kills(member):
        return lambda process: os.kill(children(process.pid)[member], signal.SIGKILL)

    def test_are_the_same_after_ctrl_c(self):
        self.stop_and_resume(self.signals(signal.SIGINT), (130,))

    def test_are_the_same_after_sigterm(self):
        self.stop_and_resume(self.signals(signal.SIGTERM), (143,))

    def test_are_the_same_after_a_hangup(self):
        self.stop_and_resume(self.signals(signal.SIGHUP), (143,))

    def test_of_text_are_the_same_after_ctrl_c(self):
        self.stop_and_resume(self.signals(signal.SIGINT), (130,), TEXT, after=30)

    def test_of_text_are_the_same_after_a_worker_was_killed(self):
        self.stop_and_resume(self.kills("worker 1"), (75,), TEXT, after=30)

    def test_of_own_layers_are_the_same_after_ctrl_c(self):
        self.stop_and_resume(self.signals(signal.SIGINT), (130,), LAYERS, after=40)

    def test_of_own_layers_are_the_same_after_a_server_was_killed(self):
        self.stop_and_resume(self.kills("server 0"), (75,), LAYERS, after=40)


if __name__ == "__main__":
    jobs.main()
