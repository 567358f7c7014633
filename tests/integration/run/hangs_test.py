"""A stop ends, whoever hangs, and costs no bits. What time it takes at most is tested where the time is the test's: in
tests/unit/cli/run/supervisor_test.cc.

Usage: hangs_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import signal

import jobs
from jobs import DECENTRALIZED, ENDLESS, LAYERS, TEXT, children, finish, has_checkpoint, sumac, until


class HangsTest(jobs.ResumeTest):
    @staticmethod
    def halts(member, number):
        """A member that hangs: it takes no signal but the one that kills."""
        def stop(process):
            os.kill(children(process.pid)[member], signal.SIGSTOP)
            process.send_signal(number)
        return stop

    def halt_and_resume(self, member, is_missed=True, **options):
        """The stop ends, names the member and has a checkpoint of its own."""
        output = self.stop_and_resume(self.halts(member, signal.SIGINT), (130,), **options)
        if is_missed:
            self.assertIn(f"lost {member} (no heartbeat for 3 s)", output)
        self.assertIn(f"{member} did not end and was killed", output)

    def test_keep_the_bits_where_a_worker_hangs_that_sums(self):
        self.halt_and_resume("worker 1", flags=DECENTRALIZED)

    def test_keep_the_bits_where_the_worker_that_writes_hangs(self):
        self.halt_and_resume("worker 0", job=LAYERS, after=40)

    def test_keep_the_bits_where_a_server_hangs(self):
        # One that has just sent its sums of the last step is not missed: workers need nothing more of it.
        self.halt_and_resume("server 1", is_missed=False, job=TEXT, after=10, more=30, flags=("--servers", 2))

    def test_end_where_the_coordinator_hangs(self):
        jobs_of = {}
        for coordinator, strategy in (("server 0", ()), ("worker 0", DECENTRALIZED)):
            folder = self.folder / coordinator
            jobs_of[coordinator] = sumac(folder, *ENDLESS, *strategy, "--workers", 2)
        for coordinator, process in jobs_of.items():
            until(lambda folder=self.folder / coordinator: has_checkpoint(folder), "a checkpoint")
            self.halts(coordinator, signal.SIGTERM)(process)
        for coordinator, process in jobs_of.items():
            output = finish(process, allowed=(143,))
            self.assertIn(f"{coordinator} did not end and was killed", output)
            self.assertIn("--resume", output)


if __name__ == "__main__":
    jobs.main()
