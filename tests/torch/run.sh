#!/usr/bin/env bash
# make test-torch: tests/torch/run.sh FOLDER_OF_PROGRAMS LIBRARY [TEST...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../support/python_packages.sh" torch)
exec "$python" "$here/torch_test.py" "$@"
