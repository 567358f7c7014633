#!/usr/bin/env bash
# Installs the Debian packages that are missing: tools/setup.sh [run|dev]
#
#   run   what the three programs need
#   dev   that, and what tests and checks need (default)
#
# Does nothing, and needs no network, when all of them are installed.
set -euo pipefail

profile=${1:-dev}
packages=(
  g++ cmake make ninja-build pkg-config
  libzmq3-dev cppzmq-dev libyaml-cpp-dev libeigen3-dev nlohmann-json3-dev libspdlog-dev
  libcli11-dev zlib1g-dev libssl-dev libcpprest-dev libboost-dev prometheus-cpp-dev
)
case $profile in
  run) ;;
  dev)
    packages+=(
      libboost-test-dev librapidcheck-dev
      clang-14 clang-format-14 clang-tidy-14 shellcheck ccache python3
    )
    ;;
  *)
    echo "setup.sh: unknown profile '$profile'; use run or dev" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: not a Debian system; install what corresponds to: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: neither root nor sudo; ask somebody to install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq </dev/null
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
