"""The product's promise, through every stop: a run that is stopped and resumed ends with the same bits
as one that was not, with other numbers of workers, servers and threads.

Usage: stops_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import re
import signal

import jobs
from jobs import (
    ENDLESS, LAYERS, LENET5, TEXT, children, digest, finish, has_checkpoint, run, sumac,
    until,
)


class StopsTest(jobs.JobTest):
    def stop_and_resume(self, stop, allowed, job=LENET5, after=100, more=60):
        """Stops an endless run of two workers when there is a checkpoint of step `after`, and lets
        three workers train `more` steps."""
        folder = self.folder / "run"
        every = ("--set", f"checkpoint.everySteps={after}")
        process = sumac(folder, *ENDLESS, *every, "--workers", 2, job=job)
        until(lambda: has_checkpoint(folder, step=after), "a checkpoint")
        stop(process)
        output = finish(process, allowed=allowed)
        self.assertIn("--resume", output)
        self.assertFalse((folder / "result.json").exists())
        stopped = int(re.search(r"from the checkpoint of step (\d+)", output).group(1))
        length = ("--set", f"training.steps={stopped + more}")
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
        self.stop_and_resume(self.signals(signal.SIGINT), (130,), TEXT, after=10, more=30)

    def test_of_text_are_the_same_after_a_worker_was_killed(self):
        self.stop_and_resume(self.kills("worker 1"), (75,), TEXT, after=10, more=30)

    def test_of_own_layers_are_the_same_after_ctrl_c(self):
        self.stop_and_resume(self.signals(signal.SIGINT), (130,), LAYERS, after=40)

    def test_of_own_layers_are_the_same_after_a_server_was_killed(self):
        self.stop_and_resume(self.kills("server 0"), (75,), LAYERS, after=40)


if __name__ == "__main__":
    jobs.main()
