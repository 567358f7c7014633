#!/usr/bin/env bash
# Makes the base of images where no registry is reached: docker/base.sh [--fresh] [FILE]
#
# Writes a root file system of Debian 12 as a tar to FILE (default: kept in the cache) and prints its
# path: the C and C++ libraries, time zones, certificates and the user 65532, as in
# gcr.io/distroless/cc-debian12; no shell and no package manager. The same packages give the same
# bytes. mmdebstrap fetches and verifies them: needs a Debian mirror (SUMAC_DEBIAN_MIRROR: another
# than mmdebstrap's). A base in the cache is used again until --fresh asks for a new one.
set -euo pipefail
export LC_ALL=C

readonly suite=bookworm
# gcc-12-base has the copyright of the libraries of GCC.
readonly packages=(
  base-files netbase tzdata ca-certificates libc6 gcc-12-base libgcc-s1 libstdc++6
)

fail() {
  echo "base.sh: $*" >&2
  exit 1
}

# What maintainer scripts would make; none of them runs.
addSettings() { # addSettings ROOT
  local etc=$1/etc
  cat >"$etc/passwd" <<'END'
root:x:0:0:root:/root:/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin
nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin
END
  cat >"$etc/group" <<'END'
root:x:0:
nobody:x:65534:
nonroot:x:65532:
END
  cat >"$etc/nsswitch.conf" <<'END'
passwd: files
group: files
hosts: files dns
services: files
END
  mkdir -p "$etc/ssl/certs" "$1/usr/lib/ssl" "$1/home/nonroot" "$1/tmp"
  cat "$1"/usr/share/ca-certificates/mozilla/*.crt >"$etc/ssl/certs/ca-certificates.crt"
  ln -s /etc/ssl/certs/ca-certificates.crt "$1/usr/lib/ssl/cert.pem"
  ln -s /etc/ssl/certs "$1/usr/lib/ssl/certs"
  chmod 1777 "$1/tmp"
}

# mmdebstrap calls this with its root, which has fetched packages, takes base.tar from it, and throws the
# rest away.
assemble() { # assemble ROOT
  local archives=$1/var/cache/apt/archives root=$1/base copyrights=$1/copyrights package found
  mkdir -p "$root/var/lib/dpkg/status.d"
  for package in "${packages[@]}"; do
    found=("$archives/${package}"_*.deb)
    [[ ${#found[@]} == 1 && -e ${found[0]} ]] || fail "the mirror gave no $package"
    dpkg-deb --extract "${found[0]}" "$root"
    # Scanners for known vulnerabilities read this folder.
    dpkg-deb --field "${found[0]}" >"$root/var/lib/dpkg/status.d/$package"
    mkdir -p "$copyrights/$package"
    cp -L "$root/usr/share/doc/$package/copyright" "$copyrights/$package/"
  done
  # Of documents, only copyrights stay; of programs, none.
  (cd "$root/usr/share" && rm -rf base-files doc gcc gdb lintian locale man)
  mv "$copyrights" "$root/usr/share/doc"
  find "$root"/{bin,sbin,usr/bin,usr/sbin} ! -type d -delete
  addSettings "$root"
  tar --create --sort=name --numeric-owner --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" \
    --format=gnu --directory "$root" --file "$1/base.tar" .
}

export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
here=$(cd "$(dirname "$0")" && pwd)
if [[ ${1:-} == --assemble ]]; then
  assemble "$2"
  exit
fi

fresh=
if [[ ${1:-} == --fresh ]]; then
  fresh=1
  shift
fi
file=${1:-}
if [[ -z $file ]]; then
  key=$(cat "$here/base.sh" <(dpkg --print-architecture) <(echo "$SOURCE_DATE_EPOCH") | sha256sum)
  file=${SUMAC_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac}/images/base-${key:0:16}.tar
  mkdir -p "$(dirname "$file")"
  # One at a time: the next finds it made.
  exec {lock}>"$file.lock"
  flock "$lock"
  if [[ -z $fresh && -e $file ]]; then
    echo "$file"
    exit
  fi
fi
command -v mmdebstrap >/dev/null ||
  fail "there is no mmdebstrap; install it, or let a registry be reached (docker/README.md)"
log=$(mktemp)
trap 'rm -f "$log" "$file.new.$$"' EXIT
printf -v include '%s,' "${packages[@]}"
mirror=()
if [[ -n ${SUMAC_DEBIAN_MIRROR:-} ]]; then mirror=("$SUMAC_DEBIAN_MIRROR"); fi
if ! mmdebstrap --quiet --variant=extract --include="${include%,}" --format=null \
  --extract-hook="'$here/base.sh' --assemble \"\$1\"" \
  --extract-hook="download /base.tar '$(realpath -m "$file.new.$$")'" \
  "$suite" /dev/null "${mirror[@]}" >"$log" 2>&1 </dev/null; then
  said=$(grep -m 1 '^base.sh: ' "$log" || grep -m 1 '^E: ' "$log" || tail -n 1 "$log")
  fail "mmdebstrap cannot make the base (does it reach a Debian mirror?): $said"
fi
mv "$file.new.$$" "$file"
echo "$file"
