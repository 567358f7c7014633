#!/usr/bin/env bash
# Tests the chart and deploy/ with Helm, without a cluster.
#
#   tests/chart/run.sh [--update|--helm3] [TEST]...
#
# --update writes the golden renders, the table of helm/sumac/README.md and deploy/ anew. Helm is $HELM,
# else Helm 4, with --helm3 Helm 3, of tests/kube/build.sh; without Go for that, exits with 77, and with
# CI=true fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

name=kube # also a helm, version 4
case ${1:-} in
  --update) export SUMAC_UPDATE_GOLDEN=1 ;;
  --helm3) name=helm3 ;;
esac
[[ ${1:-} != --* ]] || shift
if [[ -z ${HELM:-} ]]; then
  status=0
  built=$("$root/tests/kube/build.sh" kube "$name") || status=$?
  if ((status == 77)) && [[ ${CI:-} == true ]]; then
    echo "tests/chart: CI=true, so a missing Go is a failure" >&2
    exit 1
  fi
  ((status == 0)) || exit "$status"
  # The program runs as what it is called.
  links=$(mktemp -d)
  trap 'rm -rf "$links"' EXIT
  ln -s "$(head -n 1 <<<"$built")" "$links/kubectl"
  ln -s "$(tail -n 1 <<<"$built")" "$links/helm"
  export HELM=$links/helm KUBECTL=$links/kubectl
fi
python3 "$here/chart_test.py" "$@"
