#!/usr/bin/env bash
# Builds what packages are linked with: the libraries of which Debian has no static copy that stands alone and fits into a
# module, from Debian's sources (libcurl with HTTP and TLS only, fmt, spdlog, GMP, and ncurses' libtinfo), and a view of
# glibc 2.28 for the linker. A second run builds what has changed alone.
# usage: packaging/dependencies.sh FOLDER [TRIPLE]   of GNU: x86_64-linux-gnu, or aarch64-linux-gnu by its cross compiler
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/sources.sh
if (($# < 1 || $# > 2)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
triple=${2:-$triple}
from_sources bookworm "$1"

# glibc's functions of 2.28, as Zig's stubs, and those of newer_glibc.c; and the linker, which is Zig's.
mkdir -p "$prefix/glibc"
zig=$(echo "$PWD"/build/zig-venv/lib/python3*/site-packages/ziglang/zig)
echo 'int main(void) { return 0; }' >"$folder/main.c"
# It tells what it links with.
ZIG_VERBOSE_LINK=1 ZIG_GLOBAL_CACHE_DIR=$folder/zig ZIG_LOCAL_CACHE_DIR=$folder/zig \
  "$zig" cc -target "$triple.2.28" -O2 -pie "$folder/main.c" -o "$folder/main" 2>&1 | tr ' ' '\n' |
  grep -E '/o/.*/(Scrt1\.o|lib[a-z]*\.so\.[0-9]|libc_nonshared\.a)$' | sort -u | xargs cp -t "$prefix/glibc"
for library in m pthread dl rt util resolv; do
  ln -sf "$(basename "$prefix/glibc/lib$library".so.?)" "$prefix/glibc/lib$library.so"
done
"$triple-gcc" -O2 -fPIC -c cmake/toolchains/newer_glibc.c -o "$prefix/glibc/newer_glibc.o"
echo 'INPUT(newer_glibc.o libc.so.6 libc_nonshared.a AS_NEEDED(libpthread.so.0 libdl.so.2 libld.so.2))' >"$prefix/glibc/libc.so"
printf '#!/bin/sh\nexec %s ld.lld "$@"\n' "$zig" >"$prefix/glibc/ld.lld"
chmod +x "$prefix/glibc/ld.lld"

cross=()
if [[ $triple != x86_64-* ]]; then cross=(-DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/arm64_compiler.cmake"); fi
by_cmake fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF "${cross[@]}"
by_cmake spdlog -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF "${cross[@]}"
# The certificates' folder depends on the system: Skald looks for it when it runs.
by_cmake curl -DHTTP_ONLY=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DCURL_USE_OPENSSL=ON \
  -DOPENSSL_USE_STATIC_LIBS=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON -DCURL_ZLIB=OFF \
  -DCURL_USE_LIBSSH2=OFF -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF "${cross[@]}"
export CFLAGS='-O2 -fPIC'
by_configure gmp --disable-shared
by_configure ncurses --without-shared --without-debug --without-ada --without-cxx --without-cxx-binding --without-progs --without-tests \
  --without-manpages --with-termlib=tinfo --disable-db-install --with-default-terminfo-dir=/usr/share/terminfo \
  --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/lib/terminfo:/usr/share/terminfo
