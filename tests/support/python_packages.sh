#!/usr/bin/env bash
# python_packages.sh NAME: prints the Python of a virtual environment that has the packages that the
# folder NAME of tests requires. Installs them once for each list. From the environment:
#   SUMAC_TEST_VENVS  where the environments are [${XDG_CACHE_HOME:-~/.cache}/sumac/python]
set -euo pipefail
name=${1:?which folder of tests?}
requirements=$(dirname "${BASH_SOURCE[0]}")/../$name/requirements.txt
content=$(sha256sum < "$requirements")
venv=${SUMAC_TEST_VENVS:-${XDG_CACHE_HOME:-$HOME/.cache}/sumac/python}/$name-${content:0:16}

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  echo "tests/$name: python3 cannot make virtual environments: install Debian's python3-venv" >&2
  exit 1
fi
if ! [[ -e $venv/installed ]]; then
  echo "Installing into $venv" >&2
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" >&2
  touch "$venv/installed"
fi
echo "$venv/bin/python"
