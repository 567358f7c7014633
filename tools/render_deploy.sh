#!/usr/bin/env bash
# Renders deploy/ from the chart, so that `kubectl apply -k deploy` and `helm install` give the same.
#
#   tools/render_deploy.sh [FOLDER]    (default: deploy)
#
# Only what the chart has is written: the kustomizations, namespace.yaml and the registry's line are not.
# Helm is $HELM, else that of the tests (tests/kube/build.sh); without Go for that, exits with 77.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-deploy}
release=sumac-system        # a namespace that kustomize puts in
registry=registry.invalid   # a value that the schema takes; deploy/registry puts in the real one
unset_registry=__REGISTRY_IS_NOT_SET__

if [[ -n ${HELM:-} ]]; then
  helm=("$HELM")
else
  kube=$(tests/kube/build.sh kube)
  helm=("$kube" helm)
fi

# render TEMPLATE FILE [--set VALUE]...: one template without what is Helm's own.
render() {
  local template=$1 file=$2
  shift 2
  mkdir -p "$folder/$(dirname "$file")"
  {
    echo "# Rendered from helm/sumac/templates/$template by tools/render_deploy.sh: edit that."
    "${helm[@]}" template sumac helm/sumac --namespace "$release" --set image.registry="$registry" \
      --show-only "templates/$template" "$@" |
      sed -E -e '/^# Source: /d' -e '1{/^---$/d}' \
        -e '/^ *(app\.kubernetes\.io\/(instance|managed-by): (sumac|Helm)|helm\.sh\/chart: .*)$/d' \
        -e "/^  namespace: \"?$release\"?$/d" -e "s/, namespace: \"?$release\"?\\}/}/" \
        -e "s/$registry/$unset_registry/" |
      cat -s
  } >"$folder/$file"
}

render operator-rights.yaml rbac/operator.yaml
render user-roles.yaml rbac/users.yaml
render operator-rights.yaml namespaced/role.yaml --set "watchNamespaces={$release}"
render service-account.yaml operator/service_account.yaml
render lease-rights.yaml operator/lease.yaml
render job-defaults.yaml operator/job_defaults.yaml
render deployment.yaml operator/deployment.yaml
render disruption-budget.yaml operator/disruption_budget.yaml
render network-policy.yaml operator/network_policy.yaml
