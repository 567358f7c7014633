"""Who waits for whom is told, over HTTP and to SIGUSR1; and a slow worker is never taken for a lost one.

Usage: stuck_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY holds up the fsync() of a worker (hold_fsync.c): its trainer stands still, its reactor does not.
"""

import json
import pathlib
import re
import signal
import sys
import tempfile
import unittest

import pods
from pods import until

LIBRARY = pathlib.Path()
STEPS = 60
LONG_SECONDS = 10.5  # beyond every deadline for silence, and the first warning


def waits(pod):
    """{member waited for: the rest of the entry} of a pod's /stuck."""
    status, text = pod.get("/stuck")
    return {each.pop("for"): each for each in json.loads(text)["waits"]} if status == 200 else {}


class StuckTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-stuck-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def start_slow(self, servers):
        """A job whose worker 0 is held up in its first checkpoint, until `hold` is removed."""
        job = pods.Job(self.folder, servers, steps=STEPS)
        self.addCleanup(job.kill)
        document = json.loads(job.document.read_text())
        document["spec"]["checkpoint"]["everySteps"] = STEPS // 2
        job.document.write_text(json.dumps(document))
        self.hold = self.folder / "hold"
        self.hold.touch()
        for pod in job.pods:
            is_held = pod is job.workers[0]
            pod.start(**({"LD_PRELOAD": LIBRARY, "SUMAC_TEST_HOLD": self.hold} if is_held else {}))
        return job

    def said(self, pod, pattern):
        return re.findall(pattern, pod.log.read_text())

    def check_worker(self, job, owner):
        """Worker 1 names worker 0, whose checkpoint holds up the step after it."""
        until(lambda: "summed by" in waits(job.workers[1]).get("worker 0", {"what": ""})["what"],
              "worker 1 to name worker 0")
        found = waits(job.workers[1])
        self.assertEqual(list(found), ["worker 0"])
        entry = found["worker 0"]
        self.assertEqual((entry["who"], entry["step"]), ("worker 1", STEPS // 2 + 1))
        self.assertRegex(entry["what"],
                         rf"^contribution of the parts \[0,2\) to range \d+, summed by {owner}$")
        self.assertGreaterEqual(entry["seconds"], 3)
        job.workers[1].process.send_signal(signal.SIGUSR1)
        line = rf'info "waiting" .*for="worker 0" step={entry["step"]} what="contribution of .*seconds='
        until(lambda: self.said(job.workers[1], line), "the answer to SIGUSR1")

    def check_long_wait(self, job):
        line = 'warn "waiting for long" .*for="worker 0"'
        until(lambda: waits(job.workers[1])["worker 0"]["seconds"] >= LONG_SECONDS, "a long wait")
        until(lambda: self.said(job.workers[1], line), "the warning")
        self.assertEqual(len(self.said(job.workers[1], line)), 1)

    def check_end(self, job):
        """Nobody lost the slow one."""
        for pod in job.pods:
            self.assertEqual(self.said(pod, "giving up a lane"), [], pod.name)
        self.hold.unlink()
        for pod in job.pods:
            code, word = pod.end()
            self.assertEqual(code, 0, f"{pod.name}: {word}")

    def test_a_slow_worker_is_named_by_the_others_and_not_lost(self):
        job = self.start_slow(servers=2)
        self.check_worker(job, "server [01]")
        self.assertEqual(waits(job.workers[0]), {})
        for server in job.servers:
            found = until(lambda server=server: waits(server), f"{server.name} to name whom it waits for")
            self.assertEqual(list(found), ["worker 0"])
            self.assertEqual(found["worker 0"]["who"], server.name)
        for pod in (job.workers[0], job.servers[0]):
            pod.process.send_signal(signal.SIGUSR1)
        until(lambda: self.said(job.workers[0], 'info "waiting for nobody"'), "the answer to SIGUSR1")
        until(lambda: self.said(job.servers[0], 'info "waiting" .*for="worker 0"'), "the server's answer")
        self.check_long_wait(job)
        self.check_end(job)

    def test_a_slow_worker_is_named_without_servers(self):
        job = self.start_slow(servers=0)
        self.check_worker(job, "worker [01]")
        self.check_end(job)


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    LIBRARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
