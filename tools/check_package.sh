#!/usr/bin/env bash
# Uses the packages of `make package` and the wheel of `make wheel`, which come as an archive on
# standard input, on a machine without a compiler: tools/check_package.sh <PACKAGES.tar. Installs one
# of them, as root: it is for the fresh Debian of tools/check_fresh.sh.
set -euo pipefail

fail() {
  echo "check_package.sh: $*" >&2
  exit 1
}

# Trains the README's first job in a new folder: train SUMAC SHARED. Prints what the weights are.
train() {
  mkdir -p "$work/an empty folder"
  cd "$work/an empty folder"
  "$1" run "$2/examples/lenet5-fashion-mini.yaml" --output-dir out >&2
  sed -n '/parametersSha256/p' out/result.json
  cd "$work"
  rm -r "$work/an empty folder"
}

# The system's loader finds all that the library needs, where FOLDER is given with other libraries than
# glibc's in there: loads LIBRARY [FOLDER].
loads() {
  local found
  found=$(LD_TRACE_LOADED_OBJECTS=1 /lib64/ld-linux-x86-64.so.2 "$1") || fail "cannot load $1"
  [[ $found != *"not found"* ]] || fail "$1 needs what is not here: $found"
  [[ -z ${2:-} || $found == *"libzmq.so.5 => $2/"* ]] || fail "$1 does not take libzmq from $2: $found"
}

for tool in cc g++ cmake; do
  ! command -v "$tool" >/dev/null || fail "this machine has $tool: it cannot show that none is needed"
done
work="$(mktemp -d)/any folder"
mkdir "$work"
cd "$work"
tar x

echo "== the archive"
tar xzf sumac-*.tar.gz
root=$(echo "$work"/sumac-*-x86_64)
unpacked=$(train "$root/bin/sumac" "$root/share/sumac")
loads "$root/lib/sumac/libsumac.so.1" "$root/lib/sumac"
mkdir copy
cp -r "$root/bin" copy
said=$(copy/bin/sumac --version 2>&1) && fail "programs without libraries ran"
[[ $said == *"$work/copy/bin/../lib/sumac/"* ]] || fail "does not say where it looked: $said"

echo "== the package for Debian"
apt-get update -qq
apt-get install -yqq ./sumac_*.deb >/dev/null
installed=$(train sumac /usr/share/sumac)
loads /usr/lib/sumac/libsumac.so.1
[[ $installed == "$unpacked" ]] || fail "the packages train other weights: $installed, $unpacked"
for file in man/man1/sumac-run.1 bash-completion/completions/sumac zsh/vendor-completions/_sumac \
  doc/sumac/licences/libeigen3-dev; do
  [[ -s /usr/share/$file ]] || fail "there is no /usr/share/$file"
done
echo "both packages train the same weights: $installed"

echo "== Python"
# Trains examples/program/train_numpy.py in a new folder by a command. Prints what the weights are.
trainProgram() {
  mkdir "$work/program"
  cd "$work/program"
  "$@" "$work/train.py" >&2
  sed -n '/parametersSha256/p' out/result.json
  cd "$work"
  rm -r "$work/program"
}
run=(run --workers 2 --parts 8 --batch 64 --epochs 10 --output-dir out --)
apt-get install -yqq python3-venv python3-numpy >/dev/null
python3 -m venv --system-site-packages wheel
wheel/bin/pip install --quiet --no-index sumac-*.whl
python=$work/wheel/bin/python
sed 's/epochs=10)/epochs=10, output="out")/' /usr/share/sumac/examples/program/train_numpy.py >train.py
export DATA=/usr/share/sumac/data/fashion-mnist-mini OPENBLAS_NUM_THREADS=1
archive=$(trainProgram "$root/bin/sumac" "${run[@]}" /usr/bin/python3)
package=$(trainProgram sumac "${run[@]}" /usr/bin/python3)
alone=$(trainProgram "$python")
# `sumac run` adds its own package and library, which are not to be tried here.
two=$(trainProgram sumac "${run[@]}" env -u PYTHONPATH -u SUMAC_LIBRARY "$python")
[[ -n $alone && $alone == "$two" && $alone == "$package" && $alone == "$archive" ]] ||
  fail "wheel alone, with two workers, package, archive train other weights: $alone, $two, $package, $archive"
[[ $("$python" -m sumac) == *"$work/wheel/lib"*/libsumac.so.1* ]] || fail "does not use the wheel's library"
echo "archive, package and wheel train the same weights: $alone"
