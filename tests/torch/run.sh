#!/usr/bin/env bash
# make test-torch: tests/torch/run.sh FOLDER_OF_PROGRAMS LIBRARY [TEST...]
#
# Installs the requirements beside this script into a virtual environment, once for each content, and
# runs torch_test.py there. From the environment:
#   SUMAC_TORCH_VENVS  where the environments are [${XDG_CACHE_HOME:-~/.cache}/sumac/torch]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
requirements=$here/requirements.txt
content=$(sha256sum "$requirements")
venv=${SUMAC_TORCH_VENVS:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac/torch}/${content:0:16}

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  echo "run.sh: python3 cannot make virtual environments: install Debian's python3-venv" >&2
  exit 1
fi
if ! [[ -e $venv/installed ]]; then
  echo "Installing into $venv"
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
  touch "$venv/installed"
fi
exec "$venv/bin/python" "$here/torch_test.py" "$@"
