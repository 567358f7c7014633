#!/usr/bin/env bash
# Runs shellcheck on every shell script of this project.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t scripts < <(find . \( -path ./build -o -path ./runs -o -path ./.git \) -prune \
  -o -name '*.sh' -print | sort)
shellcheck .ci/run "${scripts[@]}"
