#!/usr/bin/env bash
# Adds to an installation what is not ours: tools/bundle.sh FOLDER [--libraries]
#
# Always the licences of the headers that are compiled into the programs. With --libraries also the
# shared libraries that the programs and libsumac.so.1 need, all but glibc's, from this machine's
# Debian packages into lib/sumac, with their licences: the installation then runs on any Linux with
# this glibc or a newer one. Where lib/sumac is missing, the message of the system's loader has its path.
set -euo pipefail
export LC_ALL=C

fail() {
  echo "bundle.sh: $*" >&2
  exit 1
}

# shellcheck source=tools/libraries.sh
source "$(dirname "$0")/libraries.sh"

addLicence() { # addLicence PACKAGE
  install -D -m 644 "$(copyrightOf "$1")" "$licences/$1"
}

addLibraries() {
  local name path package
  while read -r name path; do
    package=${package_of[$(realpath "$path")]}
    [[ $package != libc6 ]] || continue
    install -D -m 644 "$path" "$libraries/$name"
    # RPATH comes before LD_LIBRARY_PATH.
    patchelf --force-rpath --set-rpath "\$ORIGIN" "$libraries/$name"
    addLicence "$package"
    echo "$name: $package $(dpkg-query -W -f='${Version}' "$package")"
  done <<<"$listed" >"$licences/LIBRARIES"
}

# Makes programs load their libraries from lib/sumac. The first that they load is named by its path,
# which the loader's message has where the folder is missing. That cannot be one with versions of
# symbols: the loader finds those by their plain names.
pointPrograms() {
  local program first
  first=$(basename "$libraries"/libyaml-cpp.so.*)
  for program in "${programs[@]}"; do
    patchelf --force-rpath --set-rpath "\$ORIGIN/../lib/sumac" "$program"
    patchelf --remove-needed "$first" "$program"
    patchelf --add-needed "\$ORIGIN/../lib/sumac/$first" "$program"
  done
}

# The library of other programs loads what it needs from where it lies.
pointLibrary() {
  patchelf --force-rpath --set-rpath "\$ORIGIN" "$library"
}

folder=$(realpath "${1:?bundle.sh: which folder has the installation}")
programs=("$folder"/bin/sumac{,-operator,-worker,-server})
libraries=$folder/lib/sumac
library=$libraries/libsumac.so.1
licences=$folder/share/doc/sumac/licences

listed=$(librariesOf "${programs[@]}" "$library")
mapfile -t paths < <(cut -d ' ' -f 2 <<<"$listed" | xargs realpath)
findPackages "${paths[@]}" "${headers[@]}"
mkdir -p "$licences"
for header in "${headers[@]}"; do addLicence "${package_of[$header]}"; done
if [[ ${2:-} == --libraries ]]; then
  addLibraries
  pointPrograms
  pointLibrary
fi
