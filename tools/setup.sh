#!/usr/bin/env bash
# Installs the Debian packages that building needs; touches no network when all are there.
# usage: tools/setup.sh [--bench] [--format] [--lint]
set -euo pipefail

# The one list of packages.
packages=(g++ cmake ninja-build ccache pkg-config python3
  nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev libpcre2-dev libutf8proc-dev libgmp-dev
  libedit-dev libcurl4-openssl-dev libssl-dev libboost-dev libgtest-dev libgmock-dev)
bench_packages=(libbenchmark-dev)
format_packages=(clang-format)
lint_packages=(clang-format clang-tidy-16) # clang before 15 lacks std::source_location

for option in "$@"; do
  case $option in
    --bench) packages+=("${bench_packages[@]}") ;;
    --format) packages+=("${format_packages[@]}") ;;
    --lint) packages+=("${lint_packages[@]}") ;;
    *)
      echo "setup: unknown option $option; usage: tools/setup.sh [--bench] [--format] [--lint]" >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; what these packages hold is needed: ${packages[*]}" >&2
  exit 0 # CMake names whatever is missing
fi

# Prints those of its arguments that are not installed.
missing_of() {
  local package
  for package in "$@"; do
    if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then echo "$package"; fi
  done
}

mapfile -t missing < <(missing_of "${packages[@]}")
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing, and installing them takes root or sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
