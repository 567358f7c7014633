"""One worker at a time writes a job's folders, whoever is lost, stands still or comes back; where members change.

Usage: writer_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import shutil
import sys
import unittest

import members_test
import pods
from pods import until


class Writers(members_test.MemberTest):
    steps = 100_000  # endless, with a line for each 250th
    epochs = 5  # of 10 steps, from one evaluation to the next
    samples = 64  # of each evaluation

    def make_in(self, folder, servers, **strategy):
        job = super().make_in(folder, servers, **strategy)
        document = json.loads(job.document.read_text())
        document["spec"]["checkpoint"]["everySteps"] = 50
        document["spec"]["training"]["evaluation"]["everyEpochs"] = self.epochs
        document["spec"]["data"]["generated"]["testSamples"] = self.samples
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

    def told_once(self, job):
        """Each step is, in order. Returns the evaluations'."""
        steps = {kind: [line["step"] for line in self.metrics(job) if line["event"] == kind]
                 for kind in ("progress", "evaluation")}
        for kind, of_kind in steps.items():
            self.assertEqual(of_kind, sorted(set(of_kind)), kind)
        return steps["evaluation"]

    def has_all_evaluations(self, job):
        """Each that was due is told, and none twice; one that the stop broke off when the job went on."""
        every = 10 * self.epochs
        *told, last = self.told_once(job)
        self.assertEqual([step - step % every for step in told], [*range(every, job.steps, every)], told)
        self.assertEqual(last, job.steps)

    def has_evaluated(self, job):
        metrics = job.folder / "output/metrics.jsonl"
        return metrics.exists() and '"event":"evaluation"' in metrics.read_text()

    def ends_as_one_process(self, job, attempt=0):
        super().ends_as_one_process(job, attempt)
        self.assertEqual(job.newest_checkpoint(), job.steps)

    def kill(self, job, pod, rosters):
        pod.process.kill()
        pod.process.wait()
        until(lambda: len(self.rosters(job)) >= rosters, f"{pod.name} to be missed")


class WriterTest(Writers):
    def test_without_a_volume_says_so_and_trains_on(self):
        """As of a claim that one node alone may mount: worker 0's."""
        job = self.make(servers=2)
        first, second = job.workers
        nowhere = {"SUMAC_CHECKPOINT": job.folder / "nowhere", "SUMAC_OUTPUT": job.folder / "nowhere"}
        for pod in job.pods:
            self.start(pod, **(nowhere if pod is second else {}))
        until(lambda: self.has_evaluated(job), "an evaluation")
        self.kill(job, first, 2)
        said = until(lambda: self.events(job, "noCheckpointVolume"), "worker 1 to say so")
        self.assertIn("worker 1", said[0]["message"])
        self.assertIn(str(job.folder / "nowhere"), said[0]["message"])
        job.await_step(job.coordinator.progress()["step"] + 1)
        self.start(first)
        self.await_workers(job, 2)
        until(lambda: self.writer(job)["generation"] >= 3, "worker 0 to write")
        self.ends_as_one_process(job)
        told = self.told_once(job)
        self.assertEqual((told[0], told[-1]), (50, job.steps))
        self.assertEqual(self.writer(job)["worker"], 0)
        self.assertFalse((job.folder / "nowhere").exists())

    def test_of_a_job_that_runs_twice_only_the_later_one_goes_on(self):
        """Its pods live on behind a network that is cut, and reach the volume."""
        before = self.make(servers=2)
        self.start_job(before)
        until(lambda: self.has_evaluated(before), "an evaluation")
        after = self.make_in(before.folder, servers=2)
        self.start_job(after, attempt=1)
        ends = [pod.end() for pod in before.pods]
        self.assertEqual({code for code, _ in ends}, {75})
        self.assertIn("names another writer, worker 0 of attempt 1, term 1, generation 1", ends[1][1])
        self.assertIn("worker 0 of attempt 0, term 1, generation 1", ends[1][1])
        self.ends_as_one_process(after, attempt=1)
        self.has_all_evaluations(after)

    def test_of_the_same_attempt_goes_on_where_all_were_lost(self):
        job = self.make(servers=2)
        self.start_job(job)
        until(lambda: self.has_evaluated(job), "an evaluation")
        job.kill()
        self.start_job(job)
        until(lambda: self.writer(job)["term"] == 2, "worker 0 to write again")
        self.ends_as_one_process(job)
        self.has_all_evaluations(job)
        self.assertEqual(self.writer(job)["term"], 3)


    def test_that_finds_a_newer_checkpoint_than_its_job_began_with_goes_on_from_that(self):
        """Another process has completed it since this one looked."""
        job = self.make(servers=0)
        checkpoints = job.folder / "checkpoints"
        self.start_job(job)
        until(lambda: list(checkpoints.glob("step-*")), "a checkpoint")
        job.kill()
        newest = job.newest_checkpoint()
        checkpoints.rename(job.folder / "away")
        first, second = job.workers
        self.start(first)
        until(lambda: "compute threads" in first.log.read_text(), "worker 0 to have looked")
        for one in (job.folder / "away").glob("step-*"):
            shutil.copytree(one, checkpoints / one.name)
        nowhere = job.folder / "nowhere"
        self.start(second, SUMAC_CHECKPOINT=nowhere, SUMAC_OUTPUT=nowhere)
        until(lambda: len(self.rosters(job)) >= 2, "a roster that starts after the checkpoint")
        self.assertEqual([one["startStep"] for one in self.rosters(job)[:2]], [0, newest])
        self.assertIn("newer checkpoint", self.rosters(job)[1]["cause"])
        job.await_step(newest + 1)
        self.ends_as_one_process(job)
        self.told_once(job)


class EvaluationTest(Writers):
    steps = 150
    epochs = 10
    samples = 50000  # that take so long that the writer is killed meanwhile

    def test_goes_on_where_the_one_before_was_killed_in_an_evaluation(self):
        job = self.make(servers=2)
        self.start_job(job)
        until(lambda: self.writer(job).get("worker") == 0, "worker 0 to write")
        job.await_step(100)
        self.kill(job, job.workers.pop(0), 2)
        self.assertEqual(self.rosters(job)[1]["startStep"], 100)
        until(lambda: self.writer(job)["worker"] == 1, "worker 1 to write")
        self.all_complete(job, job.pods, self.reference())
        self.assertEqual(self.told_once(job), [100, 150])


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
