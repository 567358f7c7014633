#!/usr/bin/env bash
# Pins the images that docker/Dockerfile starts from to the digests that their tags have now;
# docker/pin.sh --check only compares, and fails if one differs. Needs crane, skopeo or docker.
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
different=
for name in BASE BUILDER; do
  pinned=$(sed -n "s/^ARG $name=//p" Dockerfile)
  image=${pinned%@*}
  digest=$(digestOf "$image") || fail "cannot ask the registry for $image"
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || fail "the registry gave no digest for $image: '$digest'"
  if [[ $pinned == "$image@$digest" ]]; then
    echo "$pinned, as pinned"
    continue
  fi
  different=1
  echo "$image@$digest, was ${pinned#*@}"
  if [[ ${1:-} != --check ]]; then
    sed -i "s|^ARG $name=.*|ARG $name=$image@$digest|" Dockerfile
  fi
done
[[ -z $different || ${1:-} != --check ]] || fail "docker/Dockerfile is out of date: run docker/pin.sh"
