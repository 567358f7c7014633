#!/usr/bin/env bash
# make test-tensorboard: tests/tensorboard/run.sh FOLDER_OF_PROGRAMS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../support/python_packages.sh" tensorboard)
exec "$python" "$here/tensorboard_test.py" "$@"
