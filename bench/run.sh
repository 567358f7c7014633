#!/usr/bin/env bash
# Runs the benchmarks of docs/performance.md with the programs that `make build` built.
#   SUMAC_BENCH_BIN     folder of the programs [build/release/bin]
#   SUMAC_BENCH_DATA    folder of MNIST's four files [data/mnist]
#   SUMAC_BENCH_PYTHON  a Python that has PyTorch, to run it by turns with Sumac [none]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=${SUMAC_BENCH_BIN:-build/release/bin}
data=${SUMAC_BENCH_DATA:-data/mnist}
if [[ ! -d $data ]]; then
  echo "bench/run.sh: no folder $data: put MNIST's four files there or set SUMAC_BENCH_DATA" >&2
  exit 1
fi
if [[ ! -x $bin/sumac ]]; then
  echo "bench/run.sh: no $bin/sumac: run make build or set SUMAC_BENCH_BIN" >&2
  exit 1
fi
exec python3 bench/engine/lenet5_compare.py --sumac "$bin/sumac" --data "$data" \
  ${SUMAC_BENCH_PYTHON:+--python "$SUMAC_BENCH_PYTHON"}
