#!/usr/bin/env bash
# Builds the rival ps-lite: bench/rivals/setup_pslite.sh FOLDER [CHECKOUT]
#
# FOLDER/pslite/pslite-all-reduce, from CHECKOUT, or from GitHub at the pinned commit. Needs Debian's
# protobuf-compiler, libprotobuf-dev and libzmq3-dev. Half a minute; done already, it does nothing.
# make bench goes on without it and says so in its table.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: setup_pslite.sh FOLDER [CHECKOUT]}/pslite
checkout=${2:-$folder/source}
commit=15b8adf17e9871ff6112c80e4b290fa38c2b4656
program=$folder/pslite-all-reduce

if [[ $program -nt $here/pslite_all_reduce.cc ]]; then exit 0; fi
mkdir -p "$folder/generated"
if [[ $# -eq 1 && ! -d $checkout ]]; then
  # Under another name until it is whole: whoever interrupts this gets a new one next time.
  rm -rf "$checkout.part"
  git clone --quiet https://github.com/dmlc/ps-lite "$checkout.part"
  git -C "$checkout.part" checkout --quiet "$commit"
  mv "$checkout.part" "$checkout"
fi
echo "Building $program"
protoc -I"$checkout/src" --cpp_out="$folder/generated" "$checkout/src/meta.proto"
g++ -O3 -march=native -std=c++17 -w -I"$checkout/include" -I"$checkout/src" \
  -I"$folder/generated" -o "$program.part" "$here/pslite_all_reduce.cc" "$checkout"/src/*.cc \
  "$folder/generated/meta.pb.cc" -lprotobuf -lzmq -lpthread
mv "$program.part" "$program"
