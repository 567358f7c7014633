# Sourced by the scripts beside it: which Go, its settings, and where built programs are kept.
# Sets kube_here, kube_cache; `haveGo` says whether there is a Go that will do, and why not;
# `buildOurs` builds a small program of this module.
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

# buildOurs NAME: builds cmd/NAME of this tree where it has changed, and prints its path.
buildOurs() {
  local folder lock
  folder=$kube_cache/tests/$(sha256sum <<<"$kube_here" | cut -c 1-16)
  mkdir -p "$folder"
  exec {lock}>"$folder/.lock.$1"
  flock "$lock"
  (cd "$kube_here" && go build -ldflags '-s -w' -o "$folder/.$1.new" "./cmd/$1" >&2)
  # One that runs keeps its file.
  if ! cmp -s "$folder/.$1.new" "$folder/$1"; then
    cp "$folder/.$1.new" "$folder/.$1.copy"
    mv "$folder/.$1.copy" "$folder/$1"
  fi
  exec {lock}>&-
  echo "$folder/$1"
}
