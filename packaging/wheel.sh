#!/usr/bin/env bash
# Makes the Python package wheels for all of Linux with glibc 2.28 or newer, of a build by cmake/toolchains/glibc-2.28*.cmake:
# for Debian 12's Python 3.11, and for 3.12 and all later ones (abi3), by the Python of packaging/python.sh in build/python-3.13.
# auditwheel names them by the oldest system that has their symbols.
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
PATH=$PWD/build/zig-venv/bin:$PATH auditwheel repair --plat auto --zip-compression-level 9 -w "$made/repaired" "$made"/*.whl
for wheel in "$made"/repaired/*.whl; do
  if [[ $wheel != *-manylinux_2_28_"$processor".whl ]]; then
    echo "wheel: $(basename "$wheel") is for other systems than manylinux_2_28_$processor" >&2
    exit 1
  fi
  mv "$wheel" "$2"
done
