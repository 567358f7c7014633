#!/usr/bin/env bash
# Runs the scenarios on a control plane of their own.
#
#   tests/kube/run.sh [--bin FOLDER] [--keep] [--patience TIME] [--node-after TIME] [SET] [PATTERN]...
#
# FOLDER has our programs (default: SUMAC_BIN_DIR, else build/dev/bin, for figures
# build/release/bin). PATTERN is a regular expression for names of scenarios. --node-after says how
# late a node appears for a job that grows. SET is one of
#
#   core, all           pods are played (default: all)
#   nodes, nodes-core   pods are containers on a real node: needs root and packages. With
#                       SUMAC_TEST_KUBECONFIG=FILE they run on that cluster instead, which pulls our
#                       images from SUMAC_TEST_REGISTRY; what needs a node of ours is skipped there
#   figures             no tests: measures jobs on a real node (docs/performance.md), and prints a
#                       table, of SUMAC_ROUNDS rounds (default: 5)
#   sizing              no tests: measures jobs that size themselves on a real node, beside fixed sizes
#
# Images come from SUMAC_IMAGES, or are made of our programs with docker/images.sh. Exits with 77
# where it cannot run: without Go, and for nodes without root or packages; with CI=true that is a
# failure.
set -euo pipefail
# shellcheck source=tests/kube/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

root=$(cd "$kube_here/../.." && pwd)
bin=${SUMAC_BIN_DIR:-}
set_name=all
pattern=
options=()
while (($# > 0)); do
  case $1 in
    --bin)
      bin=${2:?--bin needs a folder}
      shift
      ;;
    --keep) options+=(-keep) ;;
    --node-after)
      options+=(-node-after "${2:?--node-after needs a time such as 180s}")
      shift
      ;;
    --patience)
      options+=(-patience "${2:?--patience needs a time such as 30s}")
      shift
      ;;
    core | all | nodes | nodes-core | figures | sizing) set_name=$1 ;;
    *) pattern+=${pattern:+|}$1 ;;
  esac
  shift
done

# In CI a test that is skipped would not be missed.
cannotRun() {
  [[ ${CI:-} != true ]] || exit 1
  exit "$kube_skip"
}

# makeImages: makes images of our programs once for each state of them, and prints their folder.
makeImages() {
  local key folder lock
  key=$(cat "$bin"/sumac "$bin"/sumac-{operator,server,worker} "$root"/docker/* | sha256sum | cut -c 1-16)
  folder=$kube_cache/images/$key
  mkdir -p "$folder"
  exec {lock}>"$kube_cache/images/.lock"
  flock "$lock"
  if [[ ! -e $folder/done ]]; then
    find "$kube_cache/images" -mindepth 1 -maxdepth 1 -type d ! -path "$folder" -mtime +3 -exec rm -rf {} +
    "$root/docker/images.sh" --programs "$bin" --output "$folder" --registry sumac.test >&2 || return
    touch "$folder/done"
  fi
  exec {lock}>&-
  echo "$folder"
}

haveGo || cannotRun
if [[ -z $bin ]]; then
  bin=$root/build/dev/bin
  [[ $set_name != figures && $set_name != sizing ]] || bin=$root/build/release/bin
fi
bin=$(readlink -f "$bin")
if [[ ! -x $bin/sumac ]]; then
  echo "run.sh: there is no $bin/sumac: build our programs first (make test-cluster does)" >&2
  exit 1
fi
kube=$("$kube_here/build.sh" kube)
kwok=
helm3=
metrics_server=
[[ $set_name != nodes || -n ${SUMAC_TEST_KUBECONFIG:-} ]] || metrics_server=$("$kube_here/build.sh" metrics-server)
if [[ $set_name == all ]]; then
  kwok=$("$kube_here/build.sh" kwok)
  helm3=$("$kube_here/build.sh" helm3)
fi
if [[ $set_name == nodes* || $set_name == figures || $set_name == sizing ]]; then
  SUMAC_PAUSE=$(buildOurs pause)
  if [[ -z ${SUMAC_TEST_KUBECONFIG:-}${SUMAC_IMAGES:-} ]]; then
    SUMAC_IMAGES=$(makeImages)
  fi
  export SUMAC_PAUSE SUMAC_IMAGES SUMAC_MACHINES=$kube_cache/machines
  [[ $set_name != figures ]] || pattern='^TestFigures$'
  [[ $set_name != sizing ]] || pattern='^TestSizingFigures$'
  pattern=${pattern:-^TestNodes}
fi
cd "$kube_here/scenarios"

# The test program is started by itself: `go test` killed would leave it running.
tests=$kube_cache/tests/$(sha256sum <<<"$root" | cut -c 1-16)
mkdir -p "$tests"
exec {lock}>"$tests/.lock"
flock "$lock"
go vet ../...
go test -c -o "$tests/.scenarios.new" .
mv "$tests/.scenarios.new" "$tests/scenarios.$$"
exec {lock}>&-
trap 'rm -f "$tests/scenarios.$$" "$tests/output.$$"' EXIT

status=0
"$tests/scenarios.$$" -kube "$kube" -kwok "$kwok" -helm3 "$helm3" -metrics-server "$metrics_server" -bin "$bin" -root "$root" -set "$set_name" "${options[@]}" \
  -test.v -test.timeout 40m -test.parallel 8 ${pattern:+-test.run "$pattern"} |
  tee "$tests/output.$$" || status=$?
awk '/^ *--- PASS/ { pass++ } /^ *--- FAIL/ { fail++ } /^ *--- SKIP/ { skip++ }
     END { printf "%d scenarios passed, %d failed, %d skipped\n", pass, fail, skip }' "$tests/output.$$"
[[ $status != "$kube_skip" ]] || cannotRun
exit "$status"
