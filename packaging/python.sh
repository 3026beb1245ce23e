#!/usr/bin/env bash
# Builds the Python of Debian 13 from its source, for packaging/wheel.sh: the interface of C that all later ones keep is that of
# 3.12, and Debian 12 has 3.11. It has the modules that wheels are made with, and no others.
# usage: packaging/python.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/sources.sh
if (($# != 1)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
from_sources trixie "$1"
export CFLAGS=-O1
by_configure python3.13 --without-ensurepip --disable-test-modules --without-doc-strings
# pip, scikit-build-core and nanobind are of Python alone: it takes those of the other version.
mkdir -p "$prefix/lib/python3.13/dist-packages"
echo "$PWD"/build/python-venv/lib/python3.*/site-packages >"$prefix/lib/python3.13/dist-packages/modules.pth"
