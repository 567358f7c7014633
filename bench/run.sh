#!/usr/bin/env bash
# make bench: builds what is measured, sets up the rivals, measures: bench/run.sh [OPTION...]
#
# Options go to bench/harness/main.py: --only lenet5-train --rounds 9 --cores 2,3. From the environment:
#   SUMAC_BENCH_RIVALS  none: Sumac runs alone, without a download of 7 GB [all]
#   SUMAC_BENCH_VENVS   where the rivals are installed [${XDG_CACHE_HOME:-~/.cache}/sumac/bench]
#   SUMAC_BENCH_PYTHON  Python 3.11, for the rivals [python3.11]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --log-level=WARNING --preset release
cmake --build --preset release -j "$(tools/jobs.sh)" --target sumac_bench sumac_kernels

rivals=()
if [[ ${SUMAC_BENCH_RIVALS:-all} != none ]]; then
  venvs=${SUMAC_BENCH_VENVS:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac/bench}
  bench/rivals/setup.sh "$venvs"
  bench/rivals/setup_pslite.sh "$venvs" || echo "run.sh: measuring without ps-lite" >&2
  rivals=(--venvs "$venvs")
fi
exec python3 bench/harness/main.py --bin build/release/bin --output build/bench "${rivals[@]}" "$@"
