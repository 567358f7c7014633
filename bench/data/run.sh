#!/usr/bin/env bash
# make bench-data: builds what is measured, installs Pillow, measures: bench/data/run.sh [OPTION...]
#
# Options go to bench/data/main.py: --only jpegs,waits --rounds 5. From the environment:
#   SUMAC_BENCH_VENVS   where Pillow is installed [${XDG_CACHE_HOME:-~/.cache}/sumac/bench]
#   SUMAC_BENCH_PYTHON  Python 3.11, for Pillow [python3.11]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --log-level=WARNING --preset release
cmake --build --preset release -j "$(tools/jobs.sh)" --target sumac sumac-worker sumac-server sumac_kernels \
  sumac-bench-pictures

requirements=bench/rivals/requirements-pillow.txt
venv=${SUMAC_BENCH_VENVS:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac/bench}/pillow
if ! cmp -s "$requirements" "$venv/installed.txt"; then
  echo "Installing into $venv"
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  "${SUMAC_BENCH_PYTHON:-python3.11}" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
fi
exec python3 bench/data/main.py --bin build/release/bin --pillow "$venv/bin/python" --output build/bench-data "$@"
