"""Members that are lost before the job begins or after its last step end nothing; one whose trainer hangs does.

Usage: losing_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY holds up the fsync() of a worker (hold_fsync.c): its trainer stands still, its reactor does not.
"""

import json
import pathlib
import sys
import tempfile
import unittest

import pods
from pods import until

LIBRARY = pathlib.Path()
STEPS = 60
STALLED_SECONDS = 3


class LosingTest(unittest.TestCase):
    def make(self, servers=2, every_steps=STEPS, **policy):
        holder = tempfile.TemporaryDirectory(prefix="sumac-losing-")
        self.addCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        job = pods.Job(folder, servers, steps=STEPS)
        self.addCleanup(job.kill)
        document = json.loads(job.document.read_text())
        document["spec"]["checkpoint"]["everySteps"] = every_steps
        document["spec"]["runPolicy"] = policy
        job.document.write_text(json.dumps(document))
        job.hold = folder / "hold"
        return job

    def start_held(self, job, **environment):
        """Worker 0 is held up where it writes its first file, until job.hold is removed."""
        job.hold.touch()
        for pod in job.pods:
            is_held = pod is job.workers[0]
            held = {"LD_PRELOAD": LIBRARY, "SUMAC_TEST_HOLD": job.hold} if is_held else {}
            # The coordinator's lines go to its log.
            pod.start(SUMAC_PROGRESS_FD=1 if pod is job.coordinator else None, **held, **environment)

    def test_a_member_that_is_killed_before_all_have_joined_is_replaced(self):
        job = self.make()
        server, worker = job.servers[0], job.workers[0]
        server.start()
        worker.start()
        until(lambda: server.metric("sumac_server_members") == 2, "worker 0 to join")
        worker.process.kill()
        worker.process.wait()
        worker.start()
        # Else the others might join before it: then the roster has the one that was killed.
        until(worker.is_ready, "the second process to join")
        for pod in (job.workers[1], job.servers[1]):
            pod.start()
        for pod in job.pods:
            code, word = pod.end()
            self.assertEqual(code, 0, f"{pod.name}: {word}")

    def test_a_member_that_does_not_come_ends_the_others_and_is_named(self):
        job = self.make(joinSeconds=1)
        job.servers[0].start()
        code, word = job.servers[0].end()
        self.assertEqual(code, 75)
        self.assertIn("not all members joined within 1 s (spec.runPolicy.joinSeconds): server 1, worker 0, worker 1",
                      word)

    def lose_all_that_are_through(self, **environment):
        """All members are killed that are needed no more, while worker 0 is about to write the model."""
        jobs = [self.make(servers) for servers in (2, 0)]
        for job in jobs:
            self.start_held(job, **environment)
        for job in jobs:
            last = '"role":"server","index":1' if job.servers else '"role":"worker","index":1'
            until(lambda job=job, last=last: last in job.coordinator.log.read_text(), "the last step of all")
            for pod in [job.workers[1]] + job.servers[1:]:
                pod.process.kill()
                pod.process.wait()
        for job in jobs:
            self.await_losses(job, [job.workers[1]] + job.servers[1:])
            job.hold.unlink()
        for job in jobs:
            for pod in [job.workers[0]] + job.servers[:1]:
                code, word = pod.end()
                self.assertEqual(code, 0, f"{pod.name}: {word}")
        return [job.weights() for job in jobs]

    def await_losses(self, job, lost):
        lines = [f'"event":"lost","member":"{pod.name}"' for pod in lost]
        until(lambda: all(line in job.coordinator.log.read_text() for line in lines), "the loss")

    def test_members_that_are_killed_after_their_last_step_end_nothing(self):
        self.lose_all_that_are_through()

    def test_members_that_may_change_and_are_killed_after_their_last_step_end_nothing(self):
        with_servers, without = self.lose_all_that_are_through(SUMAC_ELASTIC="true")
        self.assertEqual(with_servers, without)

    def test_after_the_writer_was_killed_after_its_last_step_another_one_writes(self):
        job = self.make(servers=1)
        self.start_held(job, SUMAC_ELASTIC="true")
        until(lambda: '"role":"worker","index":1' in job.coordinator.log.read_text(), "the last step of all")
        writer, other = job.workers
        writer.process.kill()
        writer.process.wait()
        self.await_losses(job, [writer])
        for pod in (other, job.coordinator):
            code, word = pod.end()
            self.assertEqual(code, 0, f"{pod.name}: {word}")
        self.assertEqual(job.weights(), job.weights_of_one_process())

    def test_a_trainer_that_hangs_is_named_and_its_process_ends(self):
        jobs = [self.make(servers, every_steps=STEPS // 2, stalledAfterSeconds=STALLED_SECONDS) for servers in (2, 0)]
        for job in jobs:
            self.start_held(job)
        for job in jobs:
            for pod in job.pods:
                code, word = pod.end()
                self.assertEqual(code, 75, f"{pod.name}: {word}")
                self.assertIn(f"lost worker 0 (heartbeats, but no progress for {STALLED_SECONDS} s", word)
            self.assertIn("the trainer of worker 0 hangs, its process was ended", word_of(job.workers[0]))


def word_of(pod):
    return pod.word.read_text()


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    LIBRARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
