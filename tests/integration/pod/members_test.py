"""Members come, go and are killed while a job trains on: it ends with the weights of one process.

Usage: members_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import sys
import tempfile
import time
import unittest

import pods
from pods import until


class MemberTest(unittest.TestCase):
    """For tests of jobs whose members change."""

    steps = None  # endless: see ends_as_one_process
    kind = pods.Pod
    further = 20  # steps, once an endless job was stopped

    def make(self, servers, **strategy):
        holder = tempfile.TemporaryDirectory(prefix="sumac-members-")
        self.addCleanup(holder.cleanup)
        return self.make_in(pathlib.Path(holder.name), servers, **strategy)

    def make_in(self, folder, servers, **strategy):
        length = {"steps": self.steps} if self.steps else {}
        job = pods.Job(folder, servers, self.kind, **length, logicalWorkers=8,
                       optimizer={"name": "sgd", "learningRate": "0.01", "momentum": "0.9"})
        self.addCleanup(job.kill)
        if strategy:
            document = json.loads(job.document.read_text())
            document["spec"]["strategy"] = strategy
            job.document.write_text(json.dumps(document))
        self.addCleanup(self.tell, job)
        return job

    def tell(self, job):
        """Where a test has failed."""
        if self._outcome.result.errors or self._outcome.result.failures:
            for pod in job.pods:
                if pod.process:
                    print(f"--- {pod.name}\n{pod.log.read_text()[-3000:]}")

    def start(self, pod, attempt=0, **environment):
        progress = 1 if pod is pod.job.coordinator else None
        pod.start(attempt, SUMAC_ELASTIC="true", SUMAC_PROGRESS_FD=progress, **environment)

    def add_worker(self, job, index):
        pod = pods.Pod(job, "worker", index)
        job.workers.append(pod)
        self.start(pod)
        return pod

    def events(self, job, kind):
        """That the coordinator's process has told of."""
        lines = job.coordinator.log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and f'"event":"{kind}"' in line]

    def replace(self, pod):
        """Kills a member, and starts another process of it: that is how its loss is noticed at once."""
        pod.process.kill()
        pod.process.wait()
        self.start(pod)

    def await_workers(self, job, workers):
        until(lambda: self.rosters(job)[-1]["workers"] == workers, f"a roster of {workers} workers")

    def rosters(self, job):
        return self.events(job, "roster")

    def all_complete(self, job, pods, expected):
        for pod in pods:
            code, word = pod.end()
            self.assertEqual(code, 0, f"{pod.name}: {word}")
        self.assertEqual(job.weights(), expected)

    def stop(self, job):
        """Ends an endless job with a checkpoint of its last step. Returns that."""
        job.coordinator.process.terminate()
        code, word = job.coordinator.end()
        self.assertEqual(code, 143, word)
        job.kill()  # they wait for another coordinator
        return job.newest_checkpoint()

    def ends_as_one_process(self, job, attempt=0):
        """Stops an endless job, starts it again for some more steps, and compares its weights."""
        job.shorten(self.stop(job) + self.further)
        job.workers = job.workers[:2]
        for pod in job.pods:
            self.start(pod, attempt)
        self.all_complete(job, job.pods, job.weights_of_one_process())

    def reference(self):
        """Of one worker and the same document otherwise."""
        if not hasattr(type(self), "expected"):
            type(self).expected = self.make(servers=0).weights_of_one_process()
        return type(self).expected


class MembersTest(MemberTest):
    def test_change_no_bit_with_servers(self):
        job = self.make(servers=2)
        for pod in job.pods:
            self.start(pod)
        job.await_step(1)
        third = self.add_worker(job, 2)
        self.await_workers(job, 3)
        second = job.workers[1]
        self.replace(second)
        until(lambda: len(self.rosters(job)) >= 3 and self.rosters(job)[-1]["workers"] == 3, "worker 1 to return")
        third.process.terminate()
        code, word = third.end()
        self.assertEqual(code, 143, word)
        self.await_workers(job, 2)
        workers = [one["workers"] for one in self.rosters(job)]
        self.assertEqual(workers[:2] + workers[-2:], [2, 3, 3, 2])
        self.ends_as_one_process(job)

    def lose_the_coordinator(self, servers, **strategy):
        job = self.make(servers, **strategy)
        for pod in job.pods:
            self.start(pod)
        job.await_step(1)
        first = job.coordinator
        self.replace(first)
        until(lambda: self.rosters(job), "the members to found again")
        self.assertEqual(self.rosters(job)[0]["term"], 2)
        job.await_step(self.rosters(job)[0]["startStep"] + 1)
        first.process.terminate()
        code, word = first.end()
        self.assertEqual(code, 143, word)
        self.start(first)
        until(lambda: self.rosters(job), "the members to found once more")
        self.assertEqual(self.rosters(job)[0]["term"], 3)
        self.ends_as_one_process(job)

    def test_outlive_a_server_that_coordinates(self):
        self.lose_the_coordinator(servers=2)

    def test_outlive_the_only_server(self):
        self.lose_the_coordinator(servers=1)

    def test_outlive_a_worker_that_coordinates(self):
        self.lose_the_coordinator(servers=0)


class FlappingTest(MemberTest):
    def test_a_worker_that_is_lost_again_and_again_is_taken_in_at_once_where_the_wait_is_0(self):
        """Else it waits a minute from its third loss."""
        job = self.make(servers=1)
        for pod in job.pods:
            self.start(pod, SUMAC_FLAPPING_SECONDS=0)
        job.await_step(1)
        second = job.workers[1]
        for _ in range(4):
            lost = time.monotonic()
            self.replace(second)
            until(second.is_ready, "worker 1 to be taken in")
            self.assertLess(time.monotonic() - lost, 60)
        self.ends_as_one_process(job)


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
