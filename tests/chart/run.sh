#!/usr/bin/env bash
# Tests the chart and deploy/ with Helm, without a cluster.
#
#   tests/chart/run.sh [--update] [TEST]...
#
# --update writes the golden renders, the table of helm/sumac/README.md and deploy/ anew. Helm is $HELM,
# else the one of tests/kube/build.sh; without Go for that, exits with 77, and with CI=true fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

if [[ ${1:-} == --update ]]; then
  export SUMAC_UPDATE_GOLDEN=1
  shift
fi
if [[ -z ${HELM:-} ]]; then
  status=0
  kube=$("$root/tests/kube/build.sh" kube) || status=$?
  if ((status == 77)) && [[ ${CI:-} == true ]]; then
    echo "tests/chart: CI=true, so a missing Go is a failure" >&2
    exit 1
  fi
  ((status == 0)) || exit "$status"
  # The program runs as what it is called.
  links=$(mktemp -d)
  trap 'rm -rf "$links"' EXIT
  ln -s "$kube" "$links/helm"
  ln -s "$kube" "$links/kubectl"
  export HELM=$links/helm KUBECTL=$links/kubectl
fi
python3 "$here/chart_test.py" "$@"
