#!/usr/bin/env bash
# Makes the Python package wheels for all of Linux with glibc 2.28 or newer, of a build by cmake/toolchains/glibc-2.28*.cmake:
# for Debian 12's Python 3.11, and for 3.12 and all later ones (abi3), by the Python of packaging/python.sh in build/python-3.13.
# auditwheel compares their symbols with those that such a system has.
# usage: packaging/wheel.sh BUILD_FOLDER FOLDER [PROCESSOR]   x86_64, or aarch64
set -euo pipefail
if (($# < 2 || $# > 3)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
processor=${3:-x86_64}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for python in build/python-venv/bin/python build/python-3.13/installed/bin/python3.13; do
  # Python and scikit-build-core ask the environment for what they build.
  _PYTHON_HOST_PLATFORM=linux-$processor SETUPTOOLS_EXT_SUFFIX=.cpython-311-$processor-linux-gnu.so \
    "$python" -m pip wheel . --no-deps --no-build-isolation -q -w "$made" -C build-dir="$1"
done
for wheel in "$made"/*.whl; do
  PATH=$PWD/build/zig-venv/bin:$PATH auditwheel repair --plat "manylinux_2_28_$processor" --zip-compression-level 9 -w "$2" "$wheel"
done
