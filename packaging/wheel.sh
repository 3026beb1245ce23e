#!/usr/bin/env bash
# Makes the Python package a wheel for all of Linux with glibc 2.28 or newer, of a build by cmake/toolchains/glibc-2.28.cmake.
# auditwheel compares its symbols with those that such a system has.
# usage: packaging/wheel.sh BUILD_FOLDER FOLDER
set -euo pipefail
if (($# != 2)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
build/python-venv/bin/pip wheel . --no-deps --no-build-isolation -q -w "$made" -C build-dir="$1"
PATH=$PWD/build/zig-venv/bin:$PATH auditwheel repair --plat manylinux_2_28_x86_64 --zip-compression-level 9 -w "$2" "$made"/*.whl
