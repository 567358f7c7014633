#!/usr/bin/env bash
# make bench-operator: Sumac's operator beside Kubeflow's training-operator and a bare loop of
# creates: bench/operator/run.sh [OPTION...]
#
# Options go to the program: -only sumac -runs 5 -jobs 200. Needs Go; from an empty cache building
# Kubernetes, KWOK and the rival takes a quarter of an hour on two cores. From the environment:
#   SUMAC_BENCH_RIVALS  none: training-operator is left out [all]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/kube/environment.sh
. "$root/tests/kube/environment.sh"
haveGo || exit "$kube_skip"

rival=github.com/kubeflow/training-operator
rival_version=v1.9.0
rivals=${kube_cache%/kube}/bench/operator

cmake -S "$root" --log-level=WARNING --preset release
cmake --build "$root/build/release" -j "$("$root/tools/jobs.sh")" --target sumac sumac-operator
kube=$("$root/tests/kube/build.sh" kube)
kwok=$("$root/tests/kube/build.sh" kwok)

arguments=(-kube "$kube" -kwok "$kwok" -bin "$root/build/release/bin" -root "$root")
if [[ ${SUMAC_BENCH_RIVALS:-all} != none ]]; then
  folder=$rivals/$rival_version
  if [[ ! -x $folder/training-operator.v1 ]]; then
    mkdir -p "$folder"
    GOFLAGS=-buildvcs=false GOBIN=$folder go install -ldflags "-s -w" \
      "$rival/cmd/training-operator.v1@$rival_version"
  fi
  source=$(cd / && GOFLAGS='' go mod download -json "$rival@$rival_version" |
    sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  arguments+=(-peer "$folder/training-operator.v1" -peer-crds "$source/manifests/base/crds")
fi

mkdir -p "$root/build/bench"
cd "$here"
go build -o "$root/build/bench/operator" .
exec "$root/build/bench/operator" "${arguments[@]}" -output "$root/build/bench/operator.json" "$@"
