#!/usr/bin/env bash
# Which shared libraries programs need, from which Debian packages they come, and what those are
# licensed under. For docker/files.sh and tools/bundle.sh, which source it. They define fail().

# Libraries of headers are inside our programs: their licences come along.
# shellcheck disable=SC2034 # of those who source this
readonly headers=(
  /usr/include/CLI/CLI.hpp /usr/include/boost/version.hpp /usr/include/eigen3/Eigen/Core
  /usr/include/nlohmann/json.hpp /usr/include/zmq.hpp
)

# Sets package_of[PATH] for each PATH: its Debian package.
declare -A package_of
findPackages() {
  local path package names=()
  # A package names its files in /lib or in /usr/lib, which are one. The query fails for the other name.
  for path in "$@"; do names+=("/usr${path#/usr}" "${path#/usr}"); done
  while read -r package path; do
    # As "libssl3:amd64: /usr/lib/..."; lines of diversions are of another form.
    [[ $package == *: && $path == /* ]] || continue
    package=${package%:}
    package_of[/usr${path#/usr}]=${package%%:*}
  done < <(dpkg-query --search "${names[@]}" 2>/dev/null)
  for path in "$@"; do
    package=${package_of[/usr${path#/usr}]:-}
    [[ -n $package ]] || fail "no Debian package has $path: its licence is unknown"
    package_of[$path]=$package
  done
}

# Prints where the licence of a package is; it must be there.
copyrightOf() {
  local copyright=/usr/share/doc/$1/copyright
  [[ -e $copyright ]] || fail "there is no $copyright, which must come along"
  echo "$copyright"
}

# The libraries that programs need, theirs too, as "NAME PATH" lines.
librariesOf() {
  local file found
  for file in "$@"; do
    found=$(ldd "$file") || fail "cannot tell the libraries of $file"
    [[ $found != *"not found"* ]] ||
      fail "$file needs a library that is not here:" "$(grep -m 1 'not found' <<<"$found")"
    awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' <<<"$found"
  done | sort -u
}
