#!/usr/bin/env bash
# Makes the container images of built programs:
#
#   docker/images.sh [--programs DIR] [--output DIR] [--registry NAME] [--base auto|registry|local|NAME]
#                    [--tool auto|docker|buildah] [--push] [IMAGE...]
#
#   --programs DIR   the built programs (default: build/release/bin)
#   --output DIR     gets sumac-IMAGE.tar for each image, as `docker load`, `podman load` and
#                    `ctr images import` read it (default: build/images)
#   --registry NAME  images are called NAME/sumac-operator:VERSION and so on (default: localhost)
#   --base           what they stand on: `registry`, the image pinned in docker/Dockerfile; `local`,
#                    docker/base.sh's; `auto` (default): the first, or the second if it cannot be had; a name
#                    with a digest or tag: that image, of Debian 12 with its C++ library
#   --tool           auto (default): docker with buildx if its daemon answers, else buildah
#   --push           pushes the images to the registry instead of writing archives
#   IMAGE            operator, worker, server, sumac (default: all)
#
# The version is the one in CMakeLists.txt, which is also the programs'. The same programs give the
# same digests. Prints the name of each image.
set -euo pipefail
export LC_ALL=C

fail() {
  echo "images.sh: $*" >&2
  exit 1
}

usage() {
  echo "images.sh: $*; see the head of docker/images.sh" >&2
  exit 2
}

programs=build/release/bin output=build/images registry=localhost base=auto tool=auto push=
images=()
while (($# > 0)); do
  case $1 in
    --programs | --output | --registry | --base | --tool)
      [[ -n ${2:-} ]] || usage "$1 needs a value"
      declare "${1#--}=$2"
      shift
      ;;
    --push) push=1 ;;
    operator | worker | server | sumac) images+=("$1") ;;
    *) usage "unknown argument '$1'" ;;
  esac
  shift
done
[[ $base =~ ^(auto|registry|local)$|[:@] ]] || usage "no base '$base'"
[[ $tool =~ ^(auto|docker|buildah)$ ]] || usage "no tool '$tool'"
[[ $registry =~ ^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$ ]] ||
  usage "'$registry' cannot start an image's name; give one such as registry.example/sumac"
((${#images[@]} > 0)) || images=(operator worker server sumac)

programs=$(realpath -m "$programs")
output=$(realpath -m "$output")
cd "$(dirname "$0")/.."

nameOf() { # nameOf IMAGE
  echo "$registry/sumac$([[ $1 == sumac ]] || echo "-$1"):$version"
}

# Where the sources are for everybody: the address of the clone's origin, unless that is a folder.
findSource() {
  local address
  address=$(git remote get-url origin 2>/dev/null) || true
  case $address in
    https://*@*) echo "https://${address#*@}" ;; # without a password
    https://* | ssh://* | git@*) echo "$address" ;;
    *) echo unknown ;;
  esac
}

chooseTool() {
  if [[ $tool != auto ]]; then
    command -v "$tool" >/dev/null || fail "there is no $tool"
  elif docker version >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1; then
    tool=docker
  elif command -v buildah >/dev/null; then
    tool=buildah
  else
    fail "no docker with buildx whose daemon answers, and no buildah; install one (in Debian: buildah)"
  fi
}

# buildah keeps what it makes in a folder of its own, which goes away at the end.
withBuildah() {
  buildah --root "$work/storage" --runroot "$work/run" --storage-driver "$storage" "$@"
}

build() { # build DOCKERFILE CONTEXT NAME OPTION...
  local dockerfile=$1 context=$2 name=$3
  shift 3
  case $tool in
    docker)
      SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH docker build --load --quiet --provenance=false \
        --build-arg SOURCE_DATE_EPOCH -f "$dockerfile" -t "$name" "$@" "$context" >"$log" 2>&1
      ;;
    buildah)
      withBuildah bud --layers --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" --format oci \
        --identity-label=false -f "$dockerfile" -t "$name" "$@" "$context" >"$log" 2>&1
      ;;
  esac || fail "$tool cannot build $name:" "$(grep -v '^$' "$log" | tail -n 1)"
}

pull() { # pull NAME: succeeds if the registry gave it
  case $tool in
    docker) timeout 300 docker pull --quiet "$1" ;;
    buildah) withBuildah --log-level error pull --quiet "$1" ;;
  esac >"$log" 2>&1
}

# Sets base_name to the image that all others stand on.
prepareBase() {
  local file
  base_name=$(sed -n 's/^ARG BASE=//p' docker/Dockerfile)
  if [[ $base == *[:@]* ]]; then base_name=$base; fi
  if [[ $base != local ]]; then
    if pull "$base_name"; then return; fi
    [[ $base == auto ]] || fail "cannot pull $base_name:" "$(tail -n 1 "$log")"
    echo "images.sh: cannot pull ${base_name%@*}: the base is docker/base.sh's" >&2
  fi
  file=$(docker/base.sh)
  mkdir "$work/base"
  cp "$file" "$work/base/base.tar"
  printf 'FROM scratch\nADD base.tar /\n' >"$work/base/Dockerfile"
  base_name=localhost/sumac-base:bookworm
  build "$work/base/Dockerfile" "$work/base" "$base_name"
}

export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
version=$(sed -n 's/^project(sumac VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
revision=$(git describe --always --abbrev=40 --exclude '*' --dirty 2>/dev/null) || revision=unknown
source=$(findSource)
[[ -x $programs/sumac ]] || fail "there is no $programs/sumac: make images builds it"
[[ $("$programs/sumac" --version) == "sumac $version" ]] ||
  fail "$programs has $("$programs/sumac" --version), the checkout is version $version: build again"
chooseTool

work=$(mktemp -d)
log=$work/log
# Files of other users, as buildah makes them for one who is not root, go with its help.
trap 'rm -rf "$work" 2>/dev/null || buildah unshare rm -rf "$work"' EXIT
# Overlay takes a quarter of the time, where the kernel lets this user mount.
storage=overlay
[[ $tool == docker ]] || withBuildah info >"$log" 2>&1 || storage=vfs
prepareBase
docker/files.sh "$programs" "$work/files"
mkdir "$work/empty"
for image in "${images[@]}"; do
  name=$(nameOf "$image")
  build docker/Dockerfile "$work/empty" "$name" --target "$image" --build-context "files=$work/files" \
    --build-arg "BASE=$base_name" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
    --build-arg "SOURCE=$source"
  if [[ -n $push ]]; then
    case $tool in
      docker) docker push --quiet "$name" ;;
      buildah) withBuildah push --quiet "$name" "docker://$name" ;;
    esac >"$log" 2>&1 || fail "cannot push $name:" "$(tail -n 1 "$log")"
  else
    mkdir -p "$output"
    file=$output/sumac-$image.tar
    rm -f "$file" "$file.new"
    case $tool in
      docker) docker save -o "$file.new" "$name" ;;
      buildah) withBuildah push --quiet "$name" "docker-archive:$file.new:$name" ;;
    esac >"$log" 2>&1 || fail "cannot write $file:" "$(tail -n 1 "$log")"
    mv "$file.new" "$file"
  fi
  echo "$name"
done
