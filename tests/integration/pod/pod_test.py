"""Members of a job as pods: configured by their environment, started in any order, watched over HTTP.

Usage: pod_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import pods
from pods import until


class PodTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-pod-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def job(self, servers=2, **training):
        folder = self.folder / f"{servers}-servers"
        folder.mkdir()
        job = pods.Job(folder, servers, **training)
        self.addCleanup(job.kill)
        return job

    def ends(self, members):
        return {pod.name: pod.end() for pod in members}

    def test_members_find_each_other_in_any_order_and_report_their_status(self):
        job = self.job()
        for worker in job.workers:
            worker.start()
            until(lambda pod=worker: pod.get("/readyz")[0] == 503, f"{worker.name} to answer")
            self.assertEqual(worker.get("/healthz"), (200, "ok\n"))
        until(lambda: "no answer from the coordinator" in job.workers[0].get("/readyz")[1], "its data")
        job.servers[1].start()
        until(lambda: job.servers[1].get("/readyz")[0] == 503, "server 1 to answer")
        self.assertEqual(job.servers[1].get("/progress")[0], 404)
        job.coordinator.start()
        for pod in job.pods:
            until(pod.is_ready, f"{pod.name} to be ready")

        progress = until(job.coordinator.progress, "progress")

        total = job.steps
        self.assertEqual(progress["jobUid"], "uid-of-the-job")
        self.assertEqual(progress["attempt"], 0)
        self.assertEqual(progress["totalSteps"], total)
        self.assertEqual(progress["percentage"], 100 * progress["step"] // total)
        self.assertGreater(float(progress["loss"]), 0)
        self.assertGreater(float(progress["samplesPerSecond"]), 0)
        self.assertGreater(progress["estimatedRemainingSeconds"], 0)
        until(lambda: job.workers[1].metric("sumac_worker_steps_total") >= 2, "steps of worker 1")
        self.assertGreater(job.workers[1].metric("sumac_worker_samples_total"), 0)
        # Told by the next tick of each server's reactor.
        until(lambda: job.coordinator.metric("sumac_server_members") == 4, "four members")
        until(lambda: job.servers[1].metric("sumac_server_generation") == 1, "the first generation")

    def test_all_end_with_the_result_as_last_word(self):
        job = self.job(steps=50).start()
        ends = self.ends(job.pods)
        result = json.loads(ends["server 0"][1])
        self.assertEqual((result["state"], result["steps"]), ("Succeeded", 50))
        for name, end in ends.items():
            self.assertEqual(end, (0, ends["server 0"][1]), name)
        output = job.folder / "output"
        self.assertEqual(result["modelPath"], str(output / "model.safetensors"))
        for file in ("model.safetensors", "metrics.jsonl", "curve.svg"):
            self.assertGreater((output / file).stat().st_size, 0, file)
        kept = json.loads((output / "result.json").read_text())
        self.assertEqual({name: kept[name] for name in result if name != "event"},
                         {name: value for name, value in result.items() if name != "event"})

    def test_workers_that_only_wait_take_as_long_and_say_that_nothing_was_learned(self):
        job = self.job(steps=20)
        times = self.folder / "times"
        slowdown = 20
        for pod in job.pods:
            pod.start(SUMAC_EMULATE_COMPUTE=times, SUMAC_SLOWDOWN=slowdown)
        ends = self.ends(job.pods)
        self.assertEqual({code for code, _ in ends.values()}, {0}, ends)
        output = job.folder / "output"
        kept = json.loads((output / "result.json").read_text())
        for result in (json.loads(ends["server 0"][1]), kept):
            self.assertIs(result["emulated"], True)
            for learned in ("loss", "testAccuracy", "parametersSha256", "modelPath"):
                self.assertNotIn(learned, result)
        self.assertFalse((output / "model.safetensors").exists())
        self.assertEqual([path for path in (job.folder / "checkpoints").glob("step-*")], [])
        (file,) = times.glob("*.json")
        step = json.loads(file.read_text())
        self.assertGreaterEqual(kept["seconds"],
                                20 * slowdown * (step["gradientSeconds"] + step["updateSeconds"]))

    def test_when_one_is_asked_to_stop_all_keep_their_work_and_the_next_attempt_resumes(self):
        job = self.job().start()
        job.await_step(5)
        job.workers[1].process.send_signal(signal.SIGTERM)
        for name, end in self.ends(job.pods).items():
            self.assertEqual(end, (143, "worker 1 was asked to stop"), name)
        output = job.folder / "output"
        kept = json.loads((output / "result.json").read_text())
        self.assertEqual((kept["state"], kept["message"]), ("Stopped", "worker 1 was asked to stop"))
        self.assertGreaterEqual(kept["step"], 5)
        last = json.loads((output / "metrics.jsonl").read_text().splitlines()[-1])
        self.assertEqual(last, {"event": "end", **kept})
        self.assertIn("</svg>", (output / "curve.svg").read_text())

        job.start(attempt=1)
        job.await_step(1)
        self.assertIn("resuming", job.workers[0].log.read_text())
        self.assertFalse((output / "result.json").exists())
        self.assertEqual(job.coordinator.progress()["attempt"], 1)

    def kill(self, victim, servers=2):
        job = self.job(servers).start()
        job.await_step(2)  # then each worker has done step 1
        lost = next(pod for pod in job.pods if pod.name == victim)
        lost.process.kill()
        ends = self.ends(pod for pod in job.pods if pod is not lost)
        for name, (code, word) in ends.items():
            self.assertEqual(code, 75, name)
            self.assertIn(victim, word)
        for pod in job.workers:
            if pod is not lost:
                self.assertGreaterEqual(pod.last_step, 1, "its last step is for the operator")

    def test_when_a_worker_is_killed_all_others_end_with_75_and_name_it(self):
        self.kill("worker 1")

    def test_when_the_coordinator_is_killed_all_others_end_with_75_and_name_it(self):
        self.kill("server 0")

    def test_when_a_coordinator_that_is_a_worker_is_killed_all_others_end_with_75_and_name_it(self):
        self.kill("worker 0", servers=0)

    def test_when_a_sample_of_worker_0_cannot_be_read_it_writes_the_end_and_all_others_end_with_75(self):
        packed = self.folder / "images.sumac"
        subprocess.run([pods.PROGRAMS / "sumac", "data", "generate", "--format", "idx", "--output-dir", self.folder / "idx"],
                       check=True, capture_output=True)
        subprocess.run([pods.PROGRAMS / "sumac", "data", "pack", "--format", "idx", self.folder / "idx", packed],
                       check=True, capture_output=True)
        job = self.job()
        document = json.loads(job.document.read_text())
        document["spec"]["data"] = {"format": "packed", "path": str(packed)}
        job.document.write_text(json.dumps(document))
        for pod in job.pods:
            own = self.folder / f"{pod.name}.json"
            copy = self.folder / f"{pod.name}.sumac"
            shutil.copy(packed, copy)
            own.write_text(job.document.read_text().replace(str(packed), str(copy)))
            pod.start(SUMAC_JOB=own)
        job.await_step(1)
        os.truncate(self.folder / "worker 0.sumac", 10_000)
        why = "it was cut while it was read"
        ends = self.ends(job.pods)
        code, word = ends.pop("worker 0")
        self.assertEqual(code, 78, word)
        self.assertIn(why, word)
        for name, (code, word) in ends.items():
            self.assertEqual(code, 75, f"{name}: {word}")
            self.assertIn("worker 0 failed: cannot use", word)
        result = json.loads((job.folder / "output" / "result.json").read_text())
        self.assertEqual((result["state"], result["exitCode"]), ("Failed", 78))
        self.assertIn(why, result["message"])
        self.assertIn("</svg>", (job.folder / "output" / "curve.svg").read_text())

    def test_workers_without_servers_end_with_the_weights_that_servers_give(self):
        weights = set()
        for servers in (2, 0):
            job = self.job(servers, steps=50).start()
            ends = self.ends(job.pods)
            for name, end in ends.items():
                self.assertEqual(end, (0, ends["worker 0"][1]), name)
            weights.add(json.loads(ends["worker 0"][1])["parametersSha256"])
        self.assertEqual(len(weights), 1, weights)

    def test_worker_0_tells_the_progress_of_a_job_without_servers_and_all_stop_together(self):
        job = self.job(servers=0).start()
        job.await_step(5)
        self.assertEqual(job.coordinator.progress()["jobUid"], "uid-of-the-job")
        self.assertEqual(job.workers[1].get("/progress")[0], 404)
        for pod in job.pods:
            until(pod.is_ready, f"{pod.name} to be ready")
        job.workers[1].process.send_signal(signal.SIGTERM)
        for name, end in self.ends(job.pods).items():
            self.assertEqual(end, (143, "worker 1 was asked to stop"), name)

    def test_nobody_joins_the_coordinator_of_an_earlier_attempt(self):
        job = self.job(steps=50)
        old = job.coordinator.start(attempt=0).process
        self.addCleanup(lambda: (old.kill(), old.wait()))
        for pod in (*job.workers, job.servers[1]):
            pod.start(attempt=1)
        rejected = 'sumac_server_rejected_messages_total{reason="job"}'
        until(lambda: (job.coordinator.metric(rejected) or 0) >= 3, "their requests")
        self.assertEqual(job.coordinator.metric("sumac_server_members"), 1)
        for pod in (*job.workers, job.servers[1]):
            self.assertFalse(pod.is_ready(), pod.name)

        old.terminate()
        self.assertEqual(job.coordinator.end()[0], 143)
        job.coordinator.start(attempt=1)

        for name, (code, word) in self.ends(job.pods).items():
            self.assertEqual(code, 0, f"{name}: {word}")

    def test_who_has_another_token_is_not_heard(self):
        job = self.job(steps=50)
        other = self.folder / "other-token"
        other.write_text("another token")
        for pod in job.pods[1:]:
            pod.start()
        stranger = job.pods[0].start(SUMAC_JOB_TOKEN_FILE=other)
        rejected = 'sumac_server_rejected_messages_total{reason="job"}'
        until(lambda: (job.coordinator.metric(rejected) or 0) >= 1, "its request")
        until(lambda: job.coordinator.metric("sumac_server_members") == 3, "three members")
        self.assertFalse(stranger.is_ready())

        stranger.process.kill()
        stranger.process.wait()
        stranger.start()

        for name, (code, word) in self.ends(job.pods).items():
            self.assertEqual(code, 0, f"{name}: {word}")

    def test_stops_when_asked_to_while_waiting_for_the_others(self):
        job = self.job()
        worker, server = job.workers[0].start(), job.servers[1].start()
        coordinator = pods.Pod(job, "server", 0).start()  # not where the others look for it
        self.addCleanup(lambda: (coordinator.process.kill(), coordinator.process.wait()))
        for pod in (worker, server, coordinator):
            until(lambda pod=pod: pod.get("/healthz")[0] == 200, f"{pod.name} to answer")
            pod.process.terminate()
            code, word = pod.end()
            self.assertEqual(code, 143, pod.name)
            self.assertIn("asked to stop", word)

    def fails(self, pod, code, *words, **environment):
        ended, word = pod.start(**environment).end()
        self.assertEqual(ended, code, f"{environment}: {word}")
        for expected in words:
            self.assertIn(expected, word)
        self.assertLessEqual(len(word.encode()), 1024)

    def test_says_in_the_last_word_why_it_cannot_start(self):
        job = self.job()
        (self.folder / "file").touch()
        blocked = self.folder / "file" / "folder"
        worker, server = job.workers[0], job.coordinator
        for pod in (worker, server):
            self.fails(pod, 2, "--index", SUMAC_INDEX="many")
            self.fails(pod, 2, "--job", SUMAC_JOB=None)
            self.fails(pod, 78, "/nowhere/job.json", SUMAC_JOB="/nowhere/job.json")
            self.fails(pod, 78, "is not below", SUMAC_INDEX=7, SUMAC_COORDINATOR="tcp://127.0.0.1:1")
            self.fails(pod, 78, "--status-listen", "HOST:PORT", SUMAC_STATUS_LISTEN="here")
            self.fails(pod, 1, "203.0.113.1:1", SUMAC_STATUS_LISTEN="203.0.113.1:1")
            self.fails(pod, 78, "baseline", SUMAC_KERNELS="fastest")
        self.fails(worker, 2, "--coordinator", SUMAC_COORDINATOR=None)
        self.fails(worker, 78, "tcp://HOST:PORT", SUMAC_COORDINATOR="server-0")
        self.fails(worker, 1, str(blocked), SUMAC_CHECKPOINT=blocked)
        self.fails(worker, 1, str(blocked), SUMAC_OUTPUT=blocked)
        for pod in (server, worker):
            self.fails(pod, 1, "/nowhere/token", "SUMAC_JOB_TOKEN_FILE",
                       SUMAC_JOB_TOKEN_FILE="/nowhere/token")
        self.fails(server, 78, "all addresses", SUMAC_LISTEN="tcp://0.0.0.0:7070")
        self.fails(server, 1, "tcp://203.0.113.1:7070", SUMAC_LISTEN="tcp://203.0.113.1:7070")

    def test_waits_for_a_coordinator_whose_name_does_not_resolve_yet(self):
        worker = self.job().workers[0].start(SUMAC_COORDINATOR="tcp://nowhere.invalid:7070")
        until(lambda: "no answer from the coordinator" in worker.get("/readyz")[1], "its data")
        self.assertIsNone(worker.process.poll())
        self.assertIn("nowhere.invalid", worker.log.read_text())

    def test_names_missing_data(self):
        job = self.job()
        document = json.loads(job.document.read_text())
        document["spec"]["data"] = {"format": "idx", "path": "/nowhere"}
        job.document.write_text(json.dumps(document))
        self.fails(job.workers[0], 78, "/nowhere")


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
