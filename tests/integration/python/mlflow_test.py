#!/usr/bin/env python3
"""sumac.mlflow: what MLflow has of a run afterwards. With the MLflow of this Python, where it has one (make test-mlflow:
on a database of SQLite), else with a stand-in.

    mlflow_test.py LIBRARY
"""

import contextlib
import fcntl
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

from programs import FOLDER, HERE, ROOT, Run, clean

os.environ["SUMAC_LIBRARY"] = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""
os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{FOLDER.name}/mlflow.db"
if importlib.util.find_spec("mlflow") is None:
    sys.path.insert(0, str(HERE / "standin_mlflow"))
sys.path.insert(0, str(ROOT / "python"))

import mlflow  # noqa: E402
from sumac import mlflow as writer  # noqa: E402

RESULT = {"schemaVersion": 1, "state": "Succeeded", "job": "mnist", "model": "program", "batchSize": 64, "logicalWorkers": 8,
          "workers": 2, "servers": 0, "numerics": "avx2/1", "seed": 1, "steps": 3, "loss": 0.5, "testAccuracy": 0.75,
          "parametersSha256": "d93b", "endTime": "2026-11-28T00:41:55Z", "seconds": 4.5}
END_MS = 1795826515000
STOPPED = {"schemaVersion": 1, "state": "Stopped", "job": "mnist", "step": 2, "exitCode": 143, "message": "SIGTERM",
           "endTime": "2026-11-28T00:41:50Z"}


def setUpModule():
    # Artifacts of a database lie below the folder where MLflow is used.
    os.chdir(FOLDER.name)


def tearDownModule():
    clean()


def progress(step, loss, seconds):
    return {"event": "progress", "step": step, "totalSteps": 3, "epoch": 1, "loss": loss, "seconds": seconds}


def folder_of(*events, result=RESULT, name=None):
    """A run's folder as `sumac run` leaves it."""
    folder = pathlib.Path(name or tempfile.mkdtemp(dir=FOLDER.name, prefix="it's a \"run\" "))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (folder / "job.yaml").write_text("kind: TrainingJob\n")
    if result:
        (folder / "result.json").write_text(json.dumps(result))
    return folder


def write(folder, *words):
    """The exit code of a call, and what it says."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = writer.main([str(folder), *words])
    return code, said.getvalue()


class WriteTest(unittest.TestCase):
    def setUp(self):
        self.client = mlflow.MlflowClient()

    def written(self, folder, *words):
        code, said = write(folder, *words)
        self.assertEqual(code, 0, said)
        return self.client.get_run(said.split("run ")[1].split()[0])

    def values(self, run, key):
        return sorted((metric.step, metric.value) for metric in self.client.get_metric_history(run.info.run_id, key))

    def test_a_run_has_its_values_by_step_its_settings_its_end_and_its_files(self):
        folder = folder_of(progress(1, 2.0, 1.5), progress(3, 1.0, 3.5), {"event": "evaluation", "epoch": 1, "step": 3,
                                                                          "testAccuracy": 0.75}, {"event": "result", **RESULT})
        run = self.written(folder, "--experiment", "first", "--name", "one")
        self.assertEqual(self.values(run, "loss"), [(1, 2.0), (3, 1.0)])
        self.assertEqual(self.values(run, "testAccuracy"), [(3, 0.75)])
        self.assertEqual(self.values(run, "result.loss"), [(3, 0.5)])
        self.assertEqual(run.data.params, {"job": "mnist", "model": "program", "batchSize": "64", "logicalWorkers": "8",
                                           "seed": "1", "numerics": "avx2/1"})
        self.assertEqual((run.info.status, run.info.end_time, run.info.run_name), ("FINISHED", END_MS, "one"))
        self.assertEqual(run.info.start_time, END_MS - 4500)
        times = [metric.timestamp for metric in self.client.get_metric_history(run.info.run_id, "loss")]
        self.assertEqual(sorted(times), [END_MS - 2000, END_MS])
        tags = run.data.tags
        self.assertEqual((tags["sumac.parametersSha256"], tags["sumac.workers"]), ("d93b", "2"))
        self.assertTrue(tags["sumac.folder"].endswith(str(folder.resolve())))
        self.assertEqual([file.path for file in self.client.list_artifacts(run.info.run_id)],
                         ["job.yaml", "metrics.jsonl", "result.json"])

    def test_a_run_that_is_written_twice_is_there_once(self):
        folder = folder_of(progress(1, 2.0, 1.0))
        first = self.written(folder)
        code, said = write(folder)
        self.assertEqual((code, said), (0, f"run {first.info.run_id} has all of it already\n"))
        self.assertEqual(self.values(first, "loss"), [(1, 2.0)])

    def test_a_resumed_run_gets_what_is_new(self):
        folder = folder_of(progress(1, 2.0, 1.0), progress(2, 1.5, 2.0), {"event": "end", **STOPPED}, result=STOPPED)
        first = self.written(folder)
        self.assertEqual((first.info.status, first.data.tags["sumac.message"]), ("KILLED", "SIGTERM"))
        folder_of(progress(1, 2.0, 1.0), progress(2, 1.5, 2.0), progress(3, 1.0, 1.0), name=folder)
        second = self.written(folder)
        self.assertEqual(second.info.run_id, first.info.run_id)
        self.assertEqual(self.values(second, "loss"), [(1, 2.0), (2, 1.5), (3, 1.0)])
        self.assertEqual((second.info.status, second.data.params["batchSize"]), ("FINISHED", "64"))

    def test_of_a_step_that_came_twice_the_later_line_counts(self):
        run = self.written(folder_of(progress(1, 9.0, 1.0), progress(1, 2.0, 1.0)))
        self.assertEqual(self.values(run, "loss"), [(1, 2.0)])

    def test_another_training_in_the_folder_is_refused(self):
        folder = folder_of(progress(1, 2.0, 1.0))
        first = self.written(folder)
        folder_of(progress(1, 3.0, 1.0), result={**RESULT, "batchSize": 32}, name=folder)
        code, said = write(folder)
        self.assertEqual(code, 1)
        self.assertIn(f"{first.info.run_id} is of this folder, with batchSize 64; the folder has another training now, with 32",
                      said)

    def test_more_values_than_one_request_takes(self):
        run = self.written(folder_of(*(progress(step, step, step) for step in range(1, 700))))
        self.assertEqual(len(self.values(run, "loss")), 699)
        self.assertEqual(len(self.values(run, "epoch")), 699)

    def test_a_real_run(self):
        output = pathlib.Path(FOLDER.name) / "output"
        trained = Run(HERE / "linear.py", f"output={output}")
        self.assertEqual(trained.code, 0, trained.errors)
        run = self.written(output)
        steps = [step for step, _ in self.values(run, "loss")]
        self.assertEqual((steps[-1], sorted(set(steps))), (20, steps))
        self.assertEqual(run.data.tags["sumac.parametersSha256"], trained.lines["weights"])
        self.assertIn("model.safetensors", [file.path for file in self.client.list_artifacts(run.info.run_id)])


class RefusedTest(unittest.TestCase):
    def refused(self, folder, *messages):
        code, said = write(folder)
        self.assertEqual(code, 1)
        self.assertEqual(said.count("\n"), 1, said)
        for message in messages:
            self.assertIn(message, said)

    def test_what_is_no_run(self):
        folder = folder_of()
        self.refused(folder / "none", "there is no folder", "name a run")
        self.refused(tempfile.mkdtemp(dir=FOLDER.name), "is no run: it has neither metrics.jsonl nor result.json")

    def test_a_run_that_goes_on(self):
        self.refused(folder_of(progress(1, 2.0, 1.0), result=None), "has not ended", "--resume")
        folder = folder_of(progress(1, 2.0, 1.0))
        lock = os.open(folder, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.refused(folder, "has not ended")

    def test_damaged_files(self):
        folder = folder_of(progress(1, 2.0, 1.0))
        for name, text, message in (("result.json", "{", "result.json in"), ("result.json", "[]", "no JSON object"),
                                    ("result.json", '{"state": "Odd"}', "no state that this version knows"),
                                    ("result.json", '{"state": "Failed"}', "no endTime"),
                                    ("result.json", "\xff", "cannot read result.json"),
                                    ("metrics.jsonl", '{}\n{"event', "line 2 of metrics.jsonl")):
            with self.subTest(name + text):
                folder_of(progress(1, 2.0, 1.0), name=folder)
                (folder / name).write_bytes(text.encode("latin-1"))
                self.refused(folder, message)

    def test_a_python_without_mlflow(self):
        run = Run("-c", "import sys; sys.modules['mlflow'] = None; from sumac import mlflow;"
                  "sys.exit(mlflow.main(sys.argv[1:]))", folder_of(progress(1, 2.0, 1.0)))
        self.assertEqual(run.code, 1)
        self.assertIn(f"cannot import mlflow in {sys.executable}", run.errors)
        self.assertIn("pip install mlflow", run.errors)


if __name__ == "__main__":
    unittest.main()
