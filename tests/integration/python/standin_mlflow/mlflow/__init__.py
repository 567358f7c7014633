"""A stand-in for MLflow: what sumac.mlflow uses of its client, in memory. mlflow_test.py runs with MLflow itself, too."""

import itertools
import re
import types

from . import entities

_experiments = {}
_runs = {}
_numbers = itertools.count(1)


class MlflowClient:
    def get_experiment_by_name(self, name):
        return _experiments.get(name)

    def create_experiment(self, name):
        _experiments[name] = types.SimpleNamespace(experiment_id=str(next(_numbers)), name=name)
        return _experiments[name].experiment_id

    def create_run(self, experiment_id, start_time=None, tags=None, run_name=None):
        number = f"run{next(_numbers)}"
        info = types.SimpleNamespace(run_id=number, experiment_id=experiment_id, status="RUNNING", start_time=start_time,
                                     end_time=None, run_name=run_name)
        data = types.SimpleNamespace(params={}, tags=dict(tags or {}), metrics={})
        _runs[number] = types.SimpleNamespace(info=info, data=data, history=[], artifacts=[])
        return _runs[number]

    def search_runs(self, experiment_ids, filter_string="", max_results=1000):
        key, value = re.fullmatch(r"tags\.`([\w.]+)` = '([0-9a-f]+)'", filter_string).groups()
        return [run for run in _runs.values() if run.info.experiment_id in experiment_ids
                and run.data.tags.get(key) == value][:max_results]

    def get_run(self, run_id):
        return _runs[run_id]

    def get_metric_history(self, run_id, key):
        return [metric for metric in _runs[run_id].history if metric.key == key]

    def log_batch(self, run_id, metrics=(), params=(), tags=()):
        if len(metrics) > 1000 or params or tags:
            raise ValueError("MLflow takes 1000 metrics at most")
        _runs[run_id].history += metrics

    def log_param(self, run_id, key, value):
        if _runs[run_id].data.params.setdefault(key, value) != value:
            raise ValueError("MLflow changes no parameter")

    def set_tag(self, run_id, key, value):
        _runs[run_id].data.tags[key] = value

    def log_artifact(self, run_id, local_path):
        with open(local_path, "rb") as file:
            file.read()
        path = local_path.rpartition("/")[2]
        if path not in _runs[run_id].artifacts:
            _runs[run_id].artifacts.append(path)

    def list_artifacts(self, run_id):
        return [types.SimpleNamespace(path=path) for path in sorted(_runs[run_id].artifacts)]

    def set_terminated(self, run_id, status=None, end_time=None):
        _runs[run_id].info.status, _runs[run_id].info.end_time = status, end_time
