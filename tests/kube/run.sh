#!/usr/bin/env bash
# Runs the scenarios on a control plane of their own.
#
#   tests/kube/run.sh [--bin FOLDER] [--keep] [--patience TIME] [core|all|PATTERN]...
#
# FOLDER has our programs (default: SUMAC_BIN_DIR, else build/dev/bin). PATTERN is a regular
# expression for names of scenarios. Exits with 77 when there is no Go to build them with.
set -euo pipefail
# shellcheck source=tests/kube/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

root=$(cd "$kube_here/../.." && pwd)
bin=${SUMAC_BIN_DIR:-$root/build/dev/bin}
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
    --patience)
      options+=(-patience "${2:?--patience needs a time such as 30s}")
      shift
      ;;
    core | all) set_name=$1 ;;
    *) pattern+=${pattern:+|}$1 ;;
  esac
  shift
done

haveGo || exit "$kube_skip"
bin=$(readlink -f "$bin")
if [[ ! -x $bin/sumac ]]; then
  echo "run.sh: there is no $bin/sumac: build our programs first (make test-cluster does)" >&2
  exit 1
fi
kube=$("$kube_here/build.sh" kube)
kwok=
if [[ $set_name == all ]]; then
  kwok=$("$kube_here/build.sh" kwok)
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
trap 'rm -f "$tests/scenarios.$$"' EXIT

status=0
"$tests/scenarios.$$" -kube "$kube" -kwok "$kwok" -bin "$bin" -root "$root" -set "$set_name" "${options[@]}" \
  -test.v -test.timeout 40m -test.parallel 8 ${pattern:+-test.run "$pattern"} |
  awk '{ print; fflush() } /^ *--- PASS/ { pass++ } /^ *--- FAIL/ { fail++ } /^ *--- SKIP/ { skip++ }
       END { printf "%d scenarios passed, %d failed, %d skipped\n", pass, fail, skip }' || status=$?
exit "$status"
