"""One worker at a time writes a job's folders, whoever is lost, stands still or comes back; where members change.

Usage: writer_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import sys
import unittest

import members_test
import pods
from pods import until


class WriterTest(members_test.MemberTest):
    steps = 300

    def make_in(self, folder, servers, **strategy):
        job = super().make_in(folder, servers, **strategy)
        document = json.loads(job.document.read_text())
        document["spec"]["checkpoint"]["everySteps"] = 50
        document["spec"]["training"]["evaluation"]["everyEpochs"] = 5
        job.document.write_text(json.dumps(document))
        return job

    def start_job(self, job, attempt=0, **environment):
        for pod in job.pods:
            self.start(pod, attempt, **environment)

    def writer(self, job):
        path = job.folder / "output/writer"
        return json.loads(path.read_text()) if path.exists() else {}

    def metrics(self, job):
        return [json.loads(line) for line in (job.folder / "output/metrics.jsonl").read_text().splitlines()]

    def ends(self, job, expected):
        for pod in job.pods:
            code, word = pod.end()
            self.assertEqual(code, expected, f"{pod.name}: {word}")

    def ends_whole(self, job, evaluations=None):
        """With the reference's bits, and each step told once; at least these evaluations, else all."""
        self.ends(job, 0)
        self.assertEqual(job.weights(), self.reference())
        for kind in ("progress", "evaluation"):
            steps = [line["step"] for line in self.metrics(job) if line["event"] == kind]
            self.assertEqual(steps, sorted(set(steps)), kind)
        every = [line["step"] for line in self.metrics(job) if line["event"] == "evaluation"]
        if evaluations:
            self.assertLessEqual(set(evaluations), set(every))
        else:
            self.assertEqual(every, [*range(50, self.steps + 1, 50)])
        self.assertTrue(list((job.folder / "checkpoints").glob(f"step-{self.steps}-*")))

    def kill(self, job, pod, rosters):
        pod.process.kill()
        pod.process.wait()
        until(lambda: len(self.rosters(job)) >= rosters, f"{pod.name} to be missed")

    def test_goes_on_where_the_one_before_was_killed_in_an_evaluation(self):
        job = self.make(servers=2)
        document = json.loads(job.document.read_text())
        document["spec"]["data"]["generated"]["testSamples"] = 10000  # it takes long
        job.document.write_text(json.dumps(document))
        self.start_job(job)
        job.await_step(100)
        self.assertEqual(self.writer(job)["worker"], 0)
        self.kill(job, job.workers[0], 2)
        self.assertEqual(self.rosters(job)[1]["startStep"], 100)
        until(lambda: self.writer(job)["worker"] == 1, "worker 1 to write")
        job.workers.pop(0)
        self.ends_whole(job)

    def test_without_a_volume_says_so_and_trains_on(self):
        """As of a claim that one node alone may mount: worker 0's."""
        job = self.make(servers=2)
        first, second = job.workers
        nowhere = {"SUMAC_CHECKPOINT": job.folder / "nowhere", "SUMAC_OUTPUT": job.folder / "nowhere"}
        for pod in job.pods:
            self.start(pod, **(nowhere if pod is second else {}))
        job.await_step(60)
        self.kill(job, first, 2)
        said = until(lambda: self.events(job, "noCheckpointVolume"), "worker 1 to say so")
        self.assertIn("worker 1", said[0]["message"])
        self.assertIn(str(job.folder / "nowhere"), said[0]["message"])
        step = job.coordinator.progress()["step"]
        job.await_step(step + 20)
        self.start(first)
        self.ends_whole(job, evaluations=(50, 300))
        self.assertEqual(self.writer(job)["worker"], 0)
        self.assertFalse((job.folder / "nowhere").exists())

    def test_of_a_job_that_runs_twice_only_the_later_one_goes_on(self):
        """Its pods live on behind a network that is cut, and reach the volume."""
        before = self.make(servers=2)
        self.start_job(before)
        before.await_step(60)
        after = self.make_in(before.folder, servers=2)
        self.start_job(after, attempt=1)
        ends = [pod.end() for pod in before.pods]
        self.assertEqual({code for code, _ in ends}, {75})
        self.assertIn("names another writer, worker 0 of attempt 1, term 1, generation 1", ends[1][1])
        self.assertIn("worker 0 of attempt 0, term 1, generation 1", ends[1][1])
        self.ends_whole(after)

    def test_of_the_same_attempt_goes_on_where_all_were_lost(self):
        job = self.make(servers=2)
        self.start_job(job)
        job.await_step(60)
        job.kill()
        self.start_job(job)
        self.ends_whole(job)
        self.assertEqual(self.writer(job)["term"], 2)


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
