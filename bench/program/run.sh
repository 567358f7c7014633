#!/usr/bin/env bash
# make bench-torch: builds what is measured, installs PyTorch as tests/torch does, measures: bench/program/run.sh [OPTION...]
#
# Options go to bench/program/main.py: --only lenet5,lstm --rounds 7.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --log-level=WARNING --preset release
cmake --build --preset release -j "$(tools/jobs.sh)" --target sumac sumac_library sumac_kernels

python=$(tests/support/python_packages.sh torch)
exec "$python" bench/program/main.py --bin build/release/bin --library build/release/lib/sumac/libsumac.so.1 \
  --output build/bench/program.json "$@"
