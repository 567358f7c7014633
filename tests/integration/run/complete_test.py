"""A run whose result is complete is a success, whichever member is lost then.

Usage: complete_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY holds up worker 0 when its model is in place, and again when its result is (hold_result.c): till then no
other member ends.
"""

import os
import pathlib
import signal
import sys

import jobs
from jobs import children, finish, last_line, sumac, until

LIBRARY = pathlib.Path()


class CompleteTest(jobs.JobTest):
    def start(self):
        """Starts a job that is held up at its end."""
        fifo = self.folder / "hold"
        os.mkfifo(fifo)
        self.hold = os.open(fifo, os.O_RDWR)  # for reading, too: then nobody waits to open it
        self.addCleanup(os.close, self.hold)
        self.run_folder = self.folder / "run"
        variables = {"LD_PRELOAD": str(LIBRARY), "SUMAC_TEST_HOLD": str(fifo)}
        os.environ.update(variables)
        try:
            self.process = sumac(self.run_folder, "--set", "training.steps=4", *jobs.ONCE, "--workers", 2, "--servers", 1)
        finally:
            for name in variables:
                del os.environ[name]

    def await_hold(self, file):
        until(lambda: (self.run_folder / file).exists(), f"{file}, after which worker 0 is held up")

    def go_on(self):
        os.write(self.hold, b"x")

    def lose(self, member):
        os.kill(children(self.process.pid)[member], signal.SIGKILL)

    def succeeds(self, lost):
        """The run is a success, and tells who was lost when it was complete already."""
        self.assertIn(f"the job was complete when {lost} was lost", finish(self.process))
        self.assertEqual(last_line(self.run_folder)["state"], "Succeeded")

    def test_a_complete_run_is_a_success_when_a_worker_and_the_coordinator_are_lost(self):
        self.start()
        self.await_hold("model.safetensors")
        self.lose("worker 1")  # before the result: the job is completed without it
        self.go_on()
        self.await_hold("result.json")
        self.lose("server 0")
        self.go_on()
        self.succeeds(lost="server 0")

    def test_a_complete_run_is_a_success_when_the_worker_is_lost_that_wrote_the_result(self):
        self.start()
        self.await_hold("model.safetensors")
        self.go_on()
        self.await_hold("result.json")
        self.lose("worker 0")
        self.succeeds(lost="worker 0")


if __name__ == "__main__":
    LIBRARY = pathlib.Path(sys.argv.pop(2)).resolve()
    jobs.main()
