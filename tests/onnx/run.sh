#!/usr/bin/env bash
# make test-onnx: tests/onnx/run.sh FOLDER_OF_PROGRAMS [NAME...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../support/python_packages.sh" onnx)
exec "$python" "$here/onnx_test.py" "$@"
