#!/usr/bin/env bash
# Makes the virtual environments of the rivals: bench/rivals/setup.sh FOLDER
#
# FOLDER/torch and FOLDER/mxnet, from the pinned requirements beside this script; 7 GB, most of it
# CUDA's libraries, which PyTorch's wheels depend on. Does nothing, and needs no network, when both
# are as the requirements say. NumPy of MXNet's time wants Python 3.11 at most, PyTorch at least:
# SUMAC_BENCH_PYTHON names another one than python3.11.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: setup.sh FOLDER}
python=${SUMAC_BENCH_PYTHON:-python3.11}

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  echo "setup.sh: $python cannot make virtual environments: install Debian's python3.11-venv," \
    "or name a Python 3.11 in SUMAC_BENCH_PYTHON" >&2
  exit 1
fi
for rival in torch mxnet; do
  requirements=$here/requirements-$rival.txt
  venv=$folder/$rival
  cmp -s "$requirements" "$venv/installed.txt" && continue
  echo "Installing into $venv"
  rm -rf "$venv"
  mkdir -p "$folder"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
done
