# Sourced by the scripts beside it: which Go, its settings, and where built programs are kept.
# Sets kube_here, kube_cache; `haveGo` says whether there is a Go that will do, and why not.
# shellcheck shell=bash disable=SC2034

kube_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kube_cache=${SUMAC_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac}/kube
kube_skip=77 # the exit status that ctest reports as "skipped"

# The same settings for programs and tests, so that Go compiles each package once for both.
export CGO_ENABLED=0 GOFLAGS='-buildvcs=false -mod=readonly -trimpath'
export GOTOOLCHAIN=local GOWORK=off

haveGo() {
  local wanted found
  wanted=$(sed -n 's/^go //p' "$kube_here/go.mod")
  if ! command -v go >/dev/null; then
    found="there is none"
  else
    found=$(go env GOVERSION)
    found=${found#go}
    if [[ $(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1) == "$wanted" ]]; then
      return 0
    fi
    found="this is $found"
  fi
  cat >&2 <<END
tests/kube: the tests against a real Kubernetes need Go $wanted or newer; $found.
Nothing else does: all other tests run without. https://go.dev/dl has an archive for every
system: unpack it anywhere, put its bin folder into PATH, and run this again.
END
  return 1
}
