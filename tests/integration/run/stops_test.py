"""The product's promise, through every stop: a run that is stopped and resumed ends with the same bits
as one that was not, with other numbers of workers, servers and threads.

Usage: stops_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import re
import signal
import time

import jobs
from jobs import (
    ENDLESS, LAYERS, LENET5, TEXT, children, digest, finish, has_checkpoint, run, sumac,
    until,
)


class StopsTest(jobs.JobTest):
    def stop_and_resume(self, stop, allowed, job=LENET5, after=100, more=60, flags=()):
        """Stops an endless run of two workers when there is a checkpoint of step `after`, and lets
        three workers train `more` steps. Returns what the first run printed."""
        folder = self.folder / "run"
        every = ("--set", f"checkpoint.everySteps={after}")
        process = sumac(folder, *ENDLESS, *every, "--workers", 2, *flags, job=job)
        until(lambda: has_checkpoint(folder, step=after), "a checkpoint")
        stop(process)
        output = finish(process, allowed=allowed)
        self.stopped = time.monotonic()
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
        return output

    @staticmethod
    def signals(number):
        return lambda process: process.send_signal(number)

    @staticmethod
    def kills(member):
        return lambda process: os.kill(children(process.pid)[member], signal.SIGKILL)

    @staticmethod
    def halts(member, number):
        """A member that hangs: it takes no signal but the one that kills."""
        def stop(process):
            os.kill(children(process.pid)[member], signal.SIGSTOP)
            process.send_signal(number)
        return stop

    def halt_and_resume(self, member, **options):
        """The stop ends in time, names the member and has a checkpoint of its own."""
        began = []

        def stop(process):
            self.halts(member, signal.SIGINT)(process)
            began.append(time.monotonic())

        output = self.stop_and_resume(stop, (130,), **options)
        self.assertLess(self.stopped - began[0], 15)
        self.assertIn(f"lost {member} (no heartbeat for 3 s)", output)
        self.assertIn(f"{member} did not end and was killed", output)

    def test_are_the_same_after_a_stop_in_which_a_worker_hangs(self):
        self.halt_and_resume("worker 1")

    def test_are_the_same_after_a_stop_in_which_the_worker_that_writes_hangs(self):
        self.halt_and_resume("worker 0", job=LAYERS, after=40)

    def test_are_the_same_after_a_stop_in_which_a_server_hangs(self):
        self.halt_and_resume("server 1", job=TEXT, after=10, more=30, flags=("--servers", 2))

    def test_end_in_time_although_the_coordinator_hangs(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2)
        until(lambda: has_checkpoint(folder), "a checkpoint")
        self.halts("server 0", signal.SIGTERM)(process)
        began = time.monotonic()
        output = finish(process, allowed=(143,))
        self.assertLess(time.monotonic() - began, 15)
        self.assertIn("server 0 did not end and was killed", output)
        self.assertIn("--resume", output)

    def test_do_not_hide_that_the_checkpoint_could_not_be_written(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2)
        until(lambda: has_checkpoint(folder), "a checkpoint")
        (folder / "checkpoints").rename(folder / "moved")
        (folder / "checkpoints").write_text("in the way of a folder")
        process.send_signal(signal.SIGINT)
        output = finish(process, allowed=(1,))
        self.assertIn("worker 0 failed", output)
        self.assertIn(str(folder / "checkpoints"), output)

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
