"""The product's promise, through every stop: a run that is stopped and resumed ends with the same bits
as one that was not, with other numbers of workers, servers and threads.

Usage: stops_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import signal

import jobs
from jobs import ENDLESS, LAYERS, TEXT, children, finish, has_checkpoint, sumac, until


class StopsTest(jobs.ResumeTest):
    @staticmethod
    def signals(number):
        return lambda process: process.send_signal(number)

    @staticmethod
    def kills(member):
        return lambda process: os.kill(children(process.pid)[member], signal.SIGKILL)

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
