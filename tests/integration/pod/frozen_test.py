"""A worker stands still for ever while the others send it what its lanes do not hold: they go on without it.

Usage: frozen_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import signal
import sys
import unittest

import members_test
import pods
from pods import until

MOST_SECONDS = 5  # from the moment that it is missed to the next step
LANE_BYTES = 8 << 20  # that a lane holds, exchange/link/lane_end.h
OUTPUTS = 2800
PIXELS = 28 * 28


class FrozenTest(members_test.MemberTest):
    further = 3

    def make_in(self, folder, servers, **strategy):
        job = super().make_in(folder, servers, **strategy)
        assert 4 * OUTPUTS * PIXELS > LANE_BYTES
        document = json.loads(job.document.read_text())
        document["spec"]["model"] = {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "outputs": OUTPUTS}, {"type": "relu"},
            {"type": "dense", "outputs": 10}, {"type": "softmaxCrossEntropy"}]}
        job.document.write_text(json.dumps(document))
        return job

    def freeze(self, servers, **strategy):
        job = self.make(servers, **strategy)
        frozen = job.workers[1]
        for pod in job.pods:
            self.start(pod, SUMAC_ORPHAN_SECONDS=1 if pod is frozen else None)
        job.await_step(1)
        frozen.process.send_signal(signal.SIGSTOP)
        change = until(lambda: self.events(job, "change"), "the others to go on")[0]
        self.assertRegex(change["cause"], "worker 1")
        self.assertEqual(change["workers"], 1)
        self.assertLessEqual(change["redone"], 1)
        self.assertLessEqual(change["pauseSeconds"], MOST_SECONDS)
        frozen.process.send_signal(signal.SIGCONT)
        code, word = frozen.end()
        self.assertEqual(code, 75, word)
        self.ends_as_one_process(job)

    def test_a_worker_that_sums_and_stands_still_for_ever_is_lost_alone(self):
        self.freeze(servers=0, exchange="allReduce", algorithm="direct")

    def test_a_worker_that_stands_still_for_ever_is_lost_alone(self):
        self.freeze(servers=1)


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
