#!/usr/bin/env bash
# Makes the wheel of the Python package sumac: tools/wheel.sh LIBRARIES FOLDER
#
# LIBRARIES has libsumac.so.1 and the kernels, as build/release/lib/sumac. FOLDER gets
# sumac-VERSION-py3-none-manylinux_2_35_x86_64.whl, whose path is printed. The same libraries give the
# same bytes; SOURCE_DATE_EPOCH sets the time of what is inside.
#
#   sumac/              the package, libsumac.so.1, and the kernels that it finds beside itself
#   sumac.libs/         the shared libraries that libsumac needs and not every Linux of manylinux_2_35
#                       has, from this machine's Debian packages. Their names have a part of their
#                       hash, so that the loader never takes another library of the same process
#   ...dist-info/licenses/   ours, and those of all that is inside
#
# tools/pack_wheel.py writes the metadata, and refuses libraries that need a newer glibc.
set -euo pipefail
export LC_ALL=C

# manylinux_2_35 has what these packages have: the C and C++ libraries.
readonly allowed=" libc6 libgcc-s1 libstdc++6 "

fail() {
  echo "wheel.sh: $*" >&2
  exit 1
}

# shellcheck source=tools/libraries.sh
source "$(dirname "$0")/libraries.sh"

# Copies a licence, and the texts that it names instead of having them.
addLicence() { # addLicence PACKAGE
  local copyright text
  copyright=$(copyrightOf "$1")
  install -D -m 644 "$copyright" "$licences/$1.txt"
  while read -r text; do
    text=$(realpath "$text")
    [[ -e $text ]] || fail "there is no $text, which $copyright names"
    install -m 644 "$text" "$licences/$(basename "$text").txt"
  done < <(grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$copyright" | sort -u)
}

# Copies the libraries of packages under new names, which new_names has then.
copyLibraries() {
  local name path package hash
  while read -r name path; do
    path=$(realpath "$path")
    package=${package_of[$path]}
    [[ $allowed != *" $package "* ]] || continue
    hash=$(sha256sum "$path")
    new_names[$name]=${name%%.so*}-${hash:0:8}.so${name#*.so}
    install -D -m 755 "$path" "$work/sumac.libs/${new_names[$name]}"
    addLicence "$package"
    echo "${new_names[$name]}: $package $(dpkg-query -W -f='${Version}' "$package")"
  done <<<"$listed" >"$licences/LIBRARIES.txt"
}

# Makes a library load others by their new names, which lie in RPATH. One change at a time: with
# several, patchelf 0.14 leaves some names as they were.
pointAt() { # pointAt RPATH FILE
  local needed
  while read -r needed; do
    [[ -z ${new_names[$needed]:-} ]] || patchelf --replace-needed "$needed" "${new_names[$needed]}" "$2"
  done < <(patchelf --print-needed "$2")
  # RPATH comes before LD_LIBRARY_PATH.
  patchelf --force-rpath --set-rpath "$1" "$2"
}

addOurs() {
  local file
  for file in "${ours[@]}"; do
    install -D -m 755 "$libraries/$file" "$work/sumac/$file"
    strip --strip-unneeded "$work/sumac/$file"
  done
  pointAt "\$ORIGIN/../sumac.libs" "$work/sumac/libsumac.so.1"
  (cd python && find sumac -name '*.py' -exec install -D -m 644 {} "$work/{}" \;)
}

libraries=$(realpath "${1:?wheel.sh: which folder has the libraries}")
folder=$(realpath -m "${2:?wheel.sh: which folder gets the wheel}")
cd "$(dirname "$0")/.."

ours=(libsumac.so.1 libsumac_kernels_{baseline,avx2,avx512}.so)
for file in "${ours[@]}"; do
  [[ -e $libraries/$file ]] || fail "there is no $libraries/$file: make wheel builds it"
done
for tool in patchelf strip python3; do
  command -v "$tool" >/dev/null || fail "there is no $tool: tools/setup.sh package installs it"
done
listed=$(librariesOf "${ours[@]/#/$libraries/}")
mapfile -t paths < <(cut -d ' ' -f 2 <<<"$listed" | xargs realpath)
mapfile -t inside < <(printf '%s\n' "${headers[@]}" | grep -v /CLI/) # which only programs have
findPackages "${paths[@]}" "${inside[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^project(sumac VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
licences=$work/sumac-$version.dist-info/licenses
declare -A new_names=()
install -D -m 644 -t "$licences" LICENSE NOTICE
for file in "${inside[@]}"; do addLicence "${package_of[$file]}"; done
copyLibraries
for name in "${new_names[@]}"; do
  patchelf --set-soname "$name" "$work/sumac.libs/$name"
  pointAt "\$ORIGIN" "$work/sumac.libs/$name"
done
addOurs
mkdir -p "$folder"
tools/pack_wheel.py "$work" "$version" "$folder"
