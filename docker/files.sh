#!/usr/bin/env bash
# Lays out what goes into the images: docker/files.sh PROGRAMS FOLDER
#
# PROGRAMS has the built programs, with libsumac.so.1 and the kernels in PROGRAMS/../lib/sumac, as in
# build/release/bin.
# FOLDER gets, for each image, IMAGE/libraries and IMAGE/product, which lie in the image's root.
#
#   libraries   the shared libraries that the image's programs need and the base does not have, from
#               this machine's Debian packages, with their copyrights and entries for scanners
#   product     our programs, kernels, data, licences; for workers the wheel of the Python package
#
# Only images for the Debian of this machine work: the base must be of the same release.
set -euo pipefail
export LC_ALL=C

# Every base for C++ programs has these.
readonly base_packages=" libc6 libgcc-s1 libstdc++6 "

fail() {
  echo "files.sh: $*" >&2
  exit 1
}

# shellcheck source=tools/libraries.sh
source "$(dirname "$0")/../tools/libraries.sh"

# Writes a file for each package into `statuses`: what dpkg knows of it.
findStatuses() {
  # shellcheck disable=SC2016 # awk's variables
  dpkg-query --status "${package_of[@]}" |
    awk -v RS= -v folder="$statuses" '{
      file = folder "/" $2
      gsub(/\nStatus:[^\n]*/, "")
      print > file
      close(file)
    }'
}

addCopyright() { # addCopyright PACKAGE FOLDER
  local copyright
  copyright=$(copyrightOf "$1")
  install -D -m 644 "$copyright" "$2$copyright"
}

addLibraries() { # addLibraries FOLDER PROGRAM...
  local folder=$1 listed name path package
  shift
  mkdir -p "$folder/var/lib/dpkg/status.d"
  listed=$(librariesOf "${@/#/$programs/}")
  while read -r name path; do
    path=$(realpath "$path")
    package=${package_of[$path]}
    [[ $base_packages != *" $package "* ]] || continue
    # /usr/lib is right in bases where /lib is a folder, too.
    install -D -m 644 "$path" "$folder/usr/lib/$multiarch/$name"
    addCopyright "$package" "$folder"
    cp "$statuses/$package" "$folder/var/lib/dpkg/status.d/"
  done <<<"$listed"
}

addKernels() { # addKernels FOLDER
  local variant library
  for variant in baseline avx2 avx512; do
    library=libsumac_kernels_$variant.so
    [[ -e $programs/../lib/sumac/$library ]] ||
      fail "there is no $programs/../lib/sumac/$library: make images builds it"
    install -D -m 644 "$programs/../lib/sumac/$library" "$1/usr/local/lib/sumac/$library"
  done
}

addShared() { # addShared FOLDER NAME: a folder below examples/, or its YAML files
  mkdir -p "$1/usr/local/share/sumac"
  case $2 in
    data) cp -R examples/data "$1/usr/local/share/sumac/data" ;;
    examples) install -D -m 644 -t "$1/usr/local/share/sumac/examples" examples/*.yaml ;;
  esac
}

# For images of programs in Python, whose Dockerfiles copy it from here.
addWheel() { # addWheel FOLDER
  tools/wheel.sh "$programs/../lib/sumac" "$1/usr/local/share/sumac/wheels" >/dev/null
}

addLicences() { # addLicences FOLDER
  local header
  install -D -m 644 -t "$1/usr/share/doc/sumac" LICENSE NOTICE
  for header in "${headers[@]}"; do addCopyright "${package_of[$header]}" "$1"; done
}

# One time and fixed rights for everything: the same programs give the same image.
settle() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:-0}" {} +
}

layOut() { # layOut IMAGE PROGRAM...
  local product=$folder/$1/product image=$1 program
  shift
  for program in "$@"; do
    install -D -m 755 "$programs/$program" "$product/usr/local/bin/$program"
  done
  [[ $image == operator ]] || addKernels "$product"
  case $image in worker | sumac) addShared "$product" data ;; esac
  [[ $image != worker ]] || addWheel "$product"
  if [[ $image == sumac ]]; then
    addShared "$product" examples
    ln -s sumac "$product/usr/local/bin/kubectl-sumac"
    ln -s sumac "$product/usr/local/bin/kubectl_complete-sumac"
  fi
  addLicences "$product"
  addLibraries "$folder/$image/libraries" "$@"
  settle "$folder/$image"
}

programs=$(realpath "${1:?files.sh: which folder has the programs}")
folder=$(realpath -m "${2:?files.sh: which folder is to be filled}")
cd "$(dirname "$0")/.."
multiarch=$(realpath /usr/lib/*-linux-gnu*/libc.so.6)
multiarch=$(basename "$(dirname "$multiarch")")

for program in sumac sumac-operator sumac-worker sumac-server; do
  [[ -x $programs/$program ]] || fail "there is no $programs/$program: make images builds it"
done
listed=$(librariesOf "$programs"/sumac{,-operator,-worker,-server} | cut -d ' ' -f 2 | xargs realpath)
mapfile -t paths <<<"$listed"
for header in "${headers[@]}"; do
  [[ -e $header ]] || fail "there is no $header, whose licence must be in the images"
done
findPackages "${paths[@]}" "${headers[@]}"
statuses=$(mktemp -d)
trap 'rm -rf "$statuses"' EXIT
findStatuses

rm -rf "$folder"
layOut operator sumac-operator
layOut worker sumac-worker
layOut server sumac-server
layOut sumac sumac sumac-worker sumac-server
