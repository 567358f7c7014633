#!/usr/bin/env bash
# make test-mlflow: tests/mlflow/run.sh LIBRARY
#
# Runs tests/integration/python/mlflow_test.py, which `make test` runs with a stand-in, with MLflow.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../support/python_packages.sh" mlflow)
exec "$python" "$here/../integration/python/mlflow_test.py" "$@"
