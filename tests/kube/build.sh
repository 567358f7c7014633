#!/usr/bin/env bash
# Builds the programs of Kubernetes that the tests run, and prints the folder that they are in.
#
#   tests/kube/build.sh [kube|kwok|helm3|metrics-server]...    (default: kube)
#
# kube is etcd, API server, controller manager, scheduler, kubelet, proxy, DNS server, kubectl and
# helm (4) in one; kwok plays many nodes; helm3 is Helm 3; metrics-server is what a
# HorizontalPodAutoscaler asks. Each is built once for each state of its sources, outside the tree:
# from an empty cache this takes ten minutes on two cores, 2.5 GB of memory and the network;
# metrics-server four minutes more.
set -euo pipefail
# shellcheck source=tests/kube/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

# The module of a program, and the package in it.
moduleOf() { if [[ $1 == kube ]]; then echo .; else echo "tools/$1"; fi; }
packageOf() {
  case $1 in
    kube) echo ./cmd/kube ;;
    kwok) echo . ;;
    helm3) echo helm.sh/helm/v3/cmd/helm ;;
    metrics-server) echo sigs.k8s.io/metrics-server/cmd/metrics-server ;;
  esac
}

# Kubernetes reports the version that is stamped into it.
linkFlags() {
  local version place flags="-s -w"
  version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes 2>/dev/null || true)
  if [[ -n $version ]]; then
    for place in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
      flags+=" -X $place.gitVersion=$version -X $place.gitTreeState=clean"
      flags+=" -X $place.gitMajor=1 -X $place.gitMinor=$(cut -d. -f2 <<<"$version")"
    done
  fi
  # Helm 3 takes a cluster that it does not ask for one of this version.
  version=$(go list -m -f '{{.Version}}' helm.sh/helm/v3 2>/dev/null || true)
  if [[ -n $version ]]; then
    version=$(go list -m -f '{{.Version}}' k8s.io/client-go)
    for place in helm.sh/helm/v3/pkg/chartutil helm.sh/helm/v3/pkg/lint/rules; do
      flags+=" -X $place.k8sVersionMajor=1 -X $place.k8sVersionMinor=$(cut -d. -f2 <<<"$version")"
    done
  fi
  echo "$flags"
}

# build NAME: makes NAME in the cache, and prints its path.
build() {
  local name=$1 package flags key folder
  cd "$kube_here/$(moduleOf "$name")"
  package=$(packageOf "$name")
  flags=$(linkFlags)
  key=$({
    echo "$GOFLAGS $CGO_ENABLED $flags"
    go env GOVERSION GOOS GOARCH
    cat go.mod go.sum
    [[ ! -d $package ]] || cat "$package"/*.go
  } | sha256sum | cut -c 1-16)
  folder=$kube_cache/$name-$key
  if [[ ! -x $folder/$name ]]; then
    mkdir -p "$folder"
    echo "tests/kube: building $name into $folder; minutes the first time" >&2
    # One builder at a time; the name appears when the file is whole.
    exec {lock}>"$folder/.lock"
    flock "$lock"
    if [[ ! -x $folder/$name ]]; then
      go build -p "${JOBS:-$(nproc)}" -ldflags "$flags" -o "$folder/.$name.new" "$package" >&2
      mv "$folder/.$name.new" "$folder/$name"
    fi
    exec {lock}>&-
  fi
  echo "$folder/$name"
}

haveGo || exit "$kube_skip"
for name in "${@:-kube}"; do
  case $name in
    kube | kwok | helm3 | metrics-server) (build "$name") ;;
    *)
      echo "build.sh: unknown program '$name'; kube, kwok, helm3 or metrics-server" >&2
      exit 2
      ;;
  esac
done
