"""`python -m sumac.mlflow RUN`: writes a run that has ended into MLflow, through the MLflow of this Python.

    python -m sumac.mlflow runs/mnist-20260101-120000 --experiment mnist

RUN is a folder of `sumac run`, or the output folder of a job in a cluster. MLflow gets its metrics by step, what fixes the
bits as parameters, how it ended as status and tags, and its files as artifacts. MLFLOW_TRACKING_URI says where MLflow is.

A run that is written again stays one run in MLflow: nothing is added that is there, and what a resumed run has done since is.
"""

import argparse
import datetime
import fcntl
import hashlib
import json
import os
import socket
import sys

PARAMETERS = ("job", "model", "batchSize", "logicalWorkers", "seed", "numerics")
TAGS = ("state", "topology", "algorithm", "workers", "servers", "threads", "kernels", "cpu", "version", "parametersSha256",
        "step", "exitCode", "message")
RESULTS = ("steps", "epochs", "samples", "loss", "validAccuracy", "testAccuracy", "validPerplexity", "testPerplexity",
           "noiseScale", "seconds", "samplesPerSecond", "computeSeconds", "sumWaitSeconds", "dataWaitSeconds")
STATUS = {"Succeeded": "FINISHED", "Stopped": "KILLED", "Failed": "FAILED"}
ARTIFACTS = ("job.yaml", "result.json", "metrics.jsonl", "curve.svg", "model.safetensors")
BATCH = 1000  # metrics of one request: what MLflow takes


class Refused(Exception):
    """A run that cannot be written; its text says why, and what to do."""


class Run:
    """What a folder tells. Raises Refused."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        if not os.path.isdir(self.folder):
            raise Refused(f"there is no folder '{folder}'; name a run, such as one in runs/")
        lines = self._read("metrics.jsonl")
        result = self._read("result.json")
        if lines is None and result is None:
            raise Refused(f"'{folder}' is no run: it has neither metrics.jsonl nor result.json; name a folder of `sumac run`,"
                          " or the output folder of a job")
        if self._is_locked() or result is None:
            raise Refused(f"the run in '{folder}' has not ended; wait for it, or if it was killed let it go on by `sumac run"
                          f" --resume {folder}`")
        self.result = self._parse(result, "result.json")
        if self.result.get("state") not in STATUS:
            raise Refused(f"result.json in '{folder}' has no state that this version knows; take the `sumac` package of the"
                          " version that trained")
        self.end = self._milliseconds(self.result.get("endTime"))
        self.points = self._points([self._parse(line, f"line {number} of metrics.jsonl")
                                    for number, line in enumerate((lines or "").splitlines(), 1)])
        self.content = hashlib.sha256(f"{result}{lines}".encode()).hexdigest()

    def _read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"cannot read {name} in '{self.folder}': {error}") from None

    def _parse(self, text, what):
        try:
            value = json.loads(text)
        except ValueError as error:
            raise Refused(f"{what} in '{self.folder}' is damaged: {error}") from None
        if not isinstance(value, dict):
            raise Refused(f"{what} in '{self.folder}' is damaged: it is no JSON object")
        return value

    def _is_locked(self):
        """`sumac run` holds its folder while it trains."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # a file system without locks
            return False
        finally:
            os.close(folder)
        return False

    def _milliseconds(self, when):
        try:
            return int(datetime.datetime.fromisoformat(when).timestamp() * 1000)
        except (TypeError, ValueError):
            raise Refused(f"result.json in '{self.folder}' has no endTime; it is damaged") from None

    def _points(self, events):
        """{(key, step): (value, time)}. Steps that were repeated appear twice: the later line counts."""
        events = [event for event in events if event.get("event") in ("progress", "evaluation")
                  and isinstance(event.get("step"), int)]
        last = max((event["seconds"] for event in events if is_number(event.get("seconds"))), default=0)
        points, seconds = {}, 0
        for event in events:
            if is_number(event.get("seconds")):
                seconds = event["seconds"]
            for key, value in event.items():
                if is_number(value) and key not in ("step", "totalSteps"):
                    points[key, event["step"]] = (float(value), self.end - int((last - seconds) * 1000))
        step = self.result.get("steps", self.result.get("step", 0))
        for key in RESULTS:
            if is_number(self.result.get(key)):
                points[f"result.{key}", step] = (float(self.result[key]), self.end)
        return points

    def known(self, names):
        return {name: str(self.result[name]) for name in names if name in self.result}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Writer:
    """Writes runs by a client of MLflow: `mlflow` is its module."""

    def __init__(self, mlflow):
        self._client = mlflow.MlflowClient()
        self._entities = mlflow.entities

    def write(self, run, experiment, name):
        """Writes what is missing; returns the run's identity in MLflow, and how many values were added: None where nothing
        was missing."""
        place = f"{socket.gethostname()}:{run.folder}"
        # Paths may have what MLflow's filters cannot quote.
        key = hashlib.sha256(place.encode()).hexdigest()
        number = self._experiment(experiment)
        runs = self._client.search_runs([number], filter_string=f"tags.`sumac.run` = '{key}'", max_results=1)
        found = runs[0] if runs else None
        if found is None:
            found = self._client.create_run(number, run_name=name or os.path.basename(run.folder),
                                            start_time=run.end - int(1000 * run.result.get("seconds", 0)),
                                            tags={"sumac.run": key, "sumac.folder": place})
        identity = found.info.run_id
        if found.data.tags.get("sumac.content") == run.content:
            return identity, None
        self._parameters(found, run)
        added = self._metrics(identity, run)
        for file in ARTIFACTS:
            if os.path.isfile(path := os.path.join(run.folder, file)):
                self._client.log_artifact(identity, path)
        for key, value in run.known(TAGS).items():
            self._client.set_tag(identity, f"sumac.{key}", value)
        self._client.set_terminated(identity, status=STATUS[run.result["state"]], end_time=run.end)
        # Last: a run that has it is whole.
        self._client.set_tag(identity, "sumac.content", run.content)
        return identity, added

    def _experiment(self, name):
        found = self._client.get_experiment_by_name(name)
        return found.experiment_id if found else self._client.create_experiment(name)

    def _parameters(self, found, run):
        for key, value in run.known(PARAMETERS).items():
            there = found.data.params.get(key)
            if there is None:
                self._client.log_param(found.info.run_id, key, value)
            elif there != value:
                raise Refused(f"MLflow's run {found.info.run_id} is of this folder, with {key} {there}; the folder has another"
                              f" training now, with {value}: delete that run in MLflow, then write again")

    def _metrics(self, identity, run):
        there = {key: {metric.step for metric in self._client.get_metric_history(identity, key)}
                 for key in {key for key, _ in run.points}}
        wanted = [self._entities.Metric(key, value, when, step)
                  for (key, step), (value, when) in sorted(run.points.items()) if step not in there[key]]
        for begin in range(0, len(wanted), BATCH):
            self._client.log_batch(identity, metrics=wanted[begin:begin + BATCH])
        return len(wanted)


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m sumac.mlflow", description="Writes a run that has ended into MLflow.",
                                     epilog="MLFLOW_TRACKING_URI says where MLflow is. A run that is written again stays"
                                            " one run; what is there is not added again.")
    parser.add_argument("run", metavar="RUN", help="a folder of `sumac run`, or the output folder of a job")
    parser.add_argument("--experiment", default="sumac", help="MLflow's experiment, which is made [sumac]")
    parser.add_argument("--name", help="of the run in MLflow [the folder's name]")
    given = parser.parse_args(words)
    try:
        run = Run(given.run)
        try:
            import mlflow
        except ImportError as error:
            raise Refused(f"cannot import mlflow in {sys.executable} ({error}); install it there: pip install mlflow") from None
        identity, added = Writer(mlflow).write(run, given.experiment, given.name)
    except Refused as error:
        print(f"sumac.mlflow: {error}", file=sys.stderr)
        return 1
    print(f"run {identity} has all of it already" if added is None else f"wrote {added} values to run {identity}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
