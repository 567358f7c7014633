"""The product's promise, through every stop: a run that is stopped and resumed ends with the same bits
as one that was not, with other numbers of workers, servers and threads.

Usage: stops_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import re
import signal

import jobs
from jobs import DEADLINE_SECONDS, DECENTRALIZED, ENDLESS, LAYERS, ONCE, TEXT, children, finish, has_checkpoint, sumac, until


class StopsTest(jobs.ResumeTest):
    @staticmethod
    def signals(number):
        return lambda process: process.send_signal(number)

    @staticmethod
    def kills(member, number=signal.SIGKILL):
        return lambda process: os.kill(children(process.pid)[member], number)

    def kill_and_resume(self, member, job, after, flags=(), **options):
        """The others notice; one that is late on a busy machine is ended by `sumac`."""
        def kill(process):
            others = children(process.pid).keys() - {member}
            self.kills(member)(process)
            process.wait(DEADLINE_SECONDS)
            logs = [(self.folder / "run" / f"{other.replace(' ', '-')}.log").read_text() for other in others]
            self.assertTrue(any(re.search(r'"ended" .*code=75 error="lost ', log) for log in logs), logs)

        return self.stop_and_resume(kill, (75,), job, after, flags=(*flags, *ONCE), **options)

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

    def test_of_text_are_the_same_after_ctrl_c_where_workers_sum(self):
        stop = self.signals(signal.SIGINT)
        self.stop_and_resume(stop, (130,), TEXT, after=10, more=30, flags=DECENTRALIZED)

    def test_of_text_are_the_same_after_a_worker_was_killed_that_sums(self):
        self.kill_and_resume("worker 1", TEXT, after=10, more=30, flags=DECENTRALIZED)

    def test_of_own_layers_are_the_same_after_the_coordinating_worker_was_asked_to_stop(self):
        stop = self.kills("worker 0", signal.SIGTERM)
        output = self.stop_and_resume(stop, (143,), LAYERS, after=40, flags=(*DECENTRALIZED, *ONCE))
        self.assertIn("worker 0 was asked to stop", output)

    def test_of_own_layers_are_the_same_after_the_coordinating_worker_was_killed(self):
        self.kill_and_resume("worker 0", LAYERS, after=40, flags=DECENTRALIZED)

    def test_of_own_layers_are_the_same_after_a_server_was_killed(self):
        self.kill_and_resume("server 0", LAYERS, after=40)


if __name__ == "__main__":
    jobs.main()
