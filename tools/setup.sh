#!/usr/bin/env bash
# Installs the Debian packages that are missing: tools/setup.sh [run|package|dev|page]
#
#   run      what building and running the programs needs (make build, make run, make install)
#   package  that, and what makes packages (make package, make wheel)
#   dev      what `run` has, and what the tests and checks need (default)
#   page     that, and the browser that `make test-page` opens pages with
#
# Needs no network, no root and no time when nothing is missing. With SUMAC_SKIP_SETUP=1 it installs
# nothing and only looks at the tools: for systems where the packages came by another way.
# Whatever is wrong is said in one line on stderr: what is missing, and what to do.
set -euo pipefail
export LC_ALL=C

readonly supported="Debian 12"
readonly cmake_wanted=3.25 gcc_wanted=12

profile=${1:-dev}
packages=(
  g++ cmake make ninja-build pkg-config
  libzmq3-dev cppzmq-dev libyaml-cpp-dev libeigen3-dev nlohmann-json3-dev libfmt-dev libspdlog-dev
  libcli11-dev zlib1g-dev libzip-dev libpng-dev libjpeg62-turbo-dev libssl-dev
  libcurl4-openssl-dev libcpprest-dev libboost-dev prometheus-cpp-dev
)
case $profile in
  run) ;;
  package) packages+=(dpkg-dev file patchelf python3) ;;
  dev | page)
    packages+=(
      libboost-test-dev librapidcheck-dev
      # patchelf makes the wheel, which a test tries.
      clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 shellcheck ccache patchelf python3 python3-numpy
      # A real node for tests (tests/kube/cluster), and images.
      containernetworking-plugins nftables conntrack iproute2 buildah mmdebstrap
    )
    # Docker's own containerd conflicts with Debian's, which would remove it: what is there is used.
    for program in containerd runc; do
      command -v "$program" >/dev/null || packages+=("$program")
    done
    [[ $profile != page ]] || packages+=(chromium fonts-dejavu-core)
    ;;
  *)
    echo "setup.sh: unknown profile '$profile'; use run, package, dev or page" >&2
    exit 2
    ;;
esac

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

# The name of this system, as "Debian GNU/Linux 12 (bookworm)".
systemName() {
  local name
  name=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "${SUMAC_OS_RELEASE:-/etc/os-release}" \
    2>/dev/null) || true
  echo "${name:-unknown}"
}

# isOlder FOUND WANTED
isOlder() { [[ $1 != "$2" && $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

checkWritable() {
  local folder=$PWD/build
  [[ -d $folder ]] || folder=$PWD
  [[ -w $folder ]] && return
  # shellcheck disable=SC2016 # for the user's shell
  fail "cannot write to '$folder', where make builds; copy the checkout and build there:" \
    'd=$(mktemp -d)/sumac; cp -r . "$d"; chmod -R u+w "$d"; rm -rf "$d/build"; make -C "$d" run'
}

findMissing() {
  local package installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null) || true
  for package in "${packages[@]}"; do
    grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
  done
}

# The first error in what apt-get said.
firstError() { grep -m 1 '^E:' <<<"$1" || head -n 1 <<<"$1"; }

install() {
  local command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  local otherwise="or, if they came by another way, set SUMAC_SKIP_SETUP=1"
  local as_root=() said update_error=
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null ||
      fail "missing packages, and neither root nor sudo to install them; run as root:" \
        "$command; $otherwise"
    # Without a terminal nobody can type a password.
    sudo -n true 2>/dev/null || { : </dev/tty; } 2>/dev/null ||
      fail "missing packages, and sudo wants a password; run as root: $command; $otherwise"
    as_root=(sudo)
  fi

  echo "Installing ${missing[*]}"
  # What was fetched earlier may do even when the update fails.
  said=$("${as_root[@]}" apt-get update -qq -o APT::Update::Error-Mode=any 2>&1 </dev/null) ||
    update_error=$(firstError "$said")
  said=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-remove \
    --no-install-recommends -o DPkg::Lock::Timeout=120 "${missing[@]}" 2>&1 </dev/null) ||
    fail "cannot install the missing packages on $(systemName) (supported: $supported):" \
      "${update_error:-$(firstError "$said")}; check the network and apt's sources, then run as" \
      "root: $command; $otherwise"
}

checkTool() { # checkTool NAME FOUND WANTED
  [[ -n $2 ]] || fail "there is no $1; Sumac needs $1 $3 or newer (supported: $supported)"
  ! isOlder "$2" "$3" ||
    fail "$1 $2 is too old; Sumac needs $3 or newer, as in $supported (this is $(systemName))"
}

checkTools() {
  local compiler=${CXX:-c++} found
  found=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p') || true
  checkTool cmake "$found" "$cmake_wanted"
  command -v ninja >/dev/null || fail "there is no ninja; install Ninja (in Debian: ninja-build)"
  found=$("$compiler" --version 2>/dev/null) || true
  [[ $found != *clang* ]] || return 0 # its oldest version is not known
  found=$("$compiler" -dumpfullversion 2>/dev/null) || true
  checkTool g++ "$found" "$gcc_wanted"
}

cd -P "$(dirname "$0")/.."
checkWritable
if [[ ${SUMAC_SKIP_SETUP:-} != 1 ]]; then
  if ! command -v dpkg-query || ! command -v apt-get; then
    fail "this system ($(systemName)) has no apt-get (supported: $supported); install what" \
      "corresponds to: ${packages[*]}; then set SUMAC_SKIP_SETUP=1"
  fi >/dev/null
  missing=()
  findMissing
  ((${#missing[@]} == 0)) || install
fi
checkTools
