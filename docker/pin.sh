#!/usr/bin/env bash
# Writes the digests that the tags in docker/bases.env have in their registries now into that file;
# docker/pin.sh --check only compares, and fails if one differs. Needs docker, skopeo or crane.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"

fail() {
  echo "pin.sh: $*" >&2
  exit 1
}

digestOf() { # digestOf IMAGE: of the index, which has an image for each kind of machine
  if command -v crane >/dev/null; then
    crane digest "$1"
  elif command -v skopeo >/dev/null; then
    skopeo inspect --raw "docker://$1" | sha256sum | sed 's/^\([0-9a-f]*\).*/sha256:\1/'
  elif command -v docker >/dev/null; then
    docker buildx imagetools inspect "$1" | sed -n 's/^Digest: *//p'
  else
    fail "there is no crane, skopeo or docker to ask the registry with"
  fi
}

[[ ${1:-} == "" || ${1:-} == --check ]] || fail "unknown argument '$1'"
# shellcheck source=docker/bases.env
. ./bases.env
different=
for name in BASE BUILDER; do
  image_variable=${name}_IMAGE digest_variable=${name}_DIGEST
  image=${!image_variable} pinned=${!digest_variable}
  digest=$(digestOf "$image") || fail "cannot ask the registry for $image"
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || fail "the registry gave no digest for $image: '$digest'"
  if [[ $digest == "$pinned" ]]; then
    echo "$image: $digest, as pinned"
    continue
  fi
  different=1
  echo "$image: $digest, was $pinned"
  if [[ ${1:-} != --check ]]; then
    sed -i "s/^${name}_DIGEST=.*/${name}_DIGEST=$digest/" bases.env
  fi
done
[[ -z $different || ${1:-} != --check ]] || fail "bases.env is out of date: run docker/pin.sh"
