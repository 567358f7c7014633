#!/usr/bin/env bash
# tools/format.sh check|fix: checks or fixes the format of every C++ file, with clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  check) options=(--dry-run -Werror) ;;
  fix) options=(-i) ;;
  *)
    echo "usage: tools/format.sh check|fix" >&2
    exit 2
    ;;
esac

folders=()
for folder in base kernels job exchange kube engine operator worker server libsumac planner experiment cli tests bench; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
mapfile -t files < <(find "${folders[@]}" -name '*.h' -o -name '*.cc' | sort)
clang-format-14 --style=file "${options[@]}" "${files[@]}"
