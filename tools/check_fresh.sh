#!/usr/bin/env bash
# tools/check_fresh.sh [BASE]: runs `make run`, `make install`, `make package` and `make wheel` on a
# fresh Debian when a build or set-up file differs from the commit BASE (without BASE: always), to see that set-up
# installs all that they need and the compiler warns of nothing; then the packages on another one,
# without a compiler.
#
# ../shared/tools/fresh-debian makes the fresh Debian, from the last commit; it needs root. Where it
# does not exist, the check is skipped. Where it exists and cannot run, CI=true makes that a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

base=${1:-}
tool=../shared/tools/fresh-debian
set_up_files=(
  '*CMakeLists.txt' '*.cmake' CMakePresets.json Makefile 'tools/setup*' tools/jobs.sh
  tools/check_fresh.sh tools/check_package.sh tools/bundle.sh tools/libraries.sh tools/wheel.sh
  tools/pack_wheel.py '.ci/*'
)

if [[ -n $base ]]; then
  changed=$(git diff --name-only "$base" -- "${set_up_files[@]}")
  if [[ -z $changed ]]; then
    echo "check_fresh.sh: skipped: no build or set-up file changed since $base"
    exit 0
  fi
  echo "check_fresh.sh: changed since $base: ${changed//$'\n'/, }"
fi
if [[ ! -e $tool ]]; then
  echo "check_fresh.sh: skipped: there is no $tool"
  exit 0
fi
if ! "$tool" true; then
  if [[ ${CI:-} == true ]]; then
    echo "check_fresh.sh: failed: $tool cannot run here (it needs root and a network)" >&2
    exit 1
  fi
  echo "check_fresh.sh: skipped: $tool cannot run here (it needs root and a network)"
  exit 0
fi
packages=$(mktemp)
said=$(mktemp)
trap 'rm -f "$packages" "$said"' EXIT
# A fresh Debian keeps nothing: the packages leave it by standard output.
"$tool" '{
  make run && make run RUN_ARGS="--workers 1" && make run RUN_ARGS="--workers 4 --servers 2" &&
  make run RUN_FILE=examples/lenet5-decentralized.yaml &&
  make install && sumac run /usr/local/share/sumac/examples/lenet5-fashion-mini.yaml &&
  make package && make wheel; } >&2 && tar c -C build/release/packages .' 2>&1 >"$packages" | tee "$said" >&2
if grep -E ':[0-9]+: warning: ' "$said" >&2; then
  echo "check_fresh.sh: failed: the compiler warned on a fresh Debian, as above" >&2
  exit 1
fi
"$tool" tools/check_package.sh <"$packages"
