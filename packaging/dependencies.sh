#!/usr/bin/env bash
# Builds the libraries of which Debian has no static copy that stands alone and fits into a module, from Debian's sources:
# libcurl with HTTP and TLS only, fmt, spdlog, GMP, and ncurses' libtinfo. A second run builds what has changed in Debian alone.
# usage: packaging/dependencies.sh FOLDER
set -euo pipefail
if (($# != 1)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
prefix=$folder/installed

# Lists of source packages that are apart from the system's, which need no root.
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/sources"
mirror=http://deb.debian.org
printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s main\n' "$mirror/debian bookworm" \
  "$mirror/debian bookworm-updates" "$mirror/debian-security bookworm-security" >"$apt/sources.list"
apt_get() {
  apt-get -qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}

# unpack NAME OPTION...: the newest source of Debian 12, whose sums apt-get has compared, into $tree; fails if it is built already.
unpack() {
  local version
  version=$(apt_get source --print-uris "$1" | sed -n "s/^.* ${1}_\(.*\)\.dsc .*/\1/p")
  built="$version ${*:2}" tree=$apt/sources/$1/tree log=$folder/$1.log
  if [[ $(cat "$folder/$1.built" 2>/dev/null) == "$built" ]]; then return 1; fi
  echo "package: building $1 $version"
  rm -rf "$apt/sources/$1" "$folder/$1.build"
  mkdir -p "$apt/sources/$1" "$folder/$1.build"
  (cd "$apt/sources/$1" && apt_get source --download-only "$1" && dpkg-source --no-check -x ./*.dsc tree) >"$log" 2>&1 ||
    ends_with_log
}
ends_with_log() {
  tail -20 "$log" >&2
  exit 1
}
keep() {
  install -D -m 644 "$tree/debian/copyright" "$prefix/copyright/$1"
  echo "$built" >"$folder/$1.built"
}

# Both build a library NAME with its OPTIONs, of CMake and of configure.
by_cmake() {
  unpack "$@" || return 0
  cmake -G Ninja -S "$tree" -B "$folder/$1.build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$prefix" "${@:2}" >>"$log" 2>&1 &&
    cmake --build "$folder/$1.build" --target install -j "$jobs" >>"$log" 2>&1 || ends_with_log
  keep "$1"
}
by_configure() {
  unpack "$@" || return 0
  if [[ ! -e $tree/doc ]]; then # Debian's GMP is without its documents, whose licence is none of free software
    mkdir "$tree/doc"
    printf 'all install:\n' >"$tree/doc/Makefile.in"
  fi
  (cd "$folder/$1.build" && CFLAGS='-O2 -fPIC' "$tree/configure" --prefix="$prefix" --build=x86_64-linux-gnu --disable-shared "${@:2}" &&
    make -j "$jobs" && make install) >>"$log" 2>&1 || ends_with_log
  keep "$1"
}
jobs=${JOBS:-$(nproc)}

apt_get update
by_cmake fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
by_cmake spdlog -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
# The certificates' folder depends on the system: Skald looks for it when it runs.
by_cmake curl -DHTTP_ONLY=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DCURL_USE_OPENSSL=ON \
  -DOPENSSL_USE_STATIC_LIBS=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON -DCURL_ZLIB=OFF \
  -DCURL_USE_LIBSSH2=OFF -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF
by_configure gmp
by_configure ncurses --without-shared --without-debug --without-ada --without-cxx --without-cxx-binding --without-progs --without-tests \
  --without-manpages --with-termlib=tinfo --disable-db-install --with-default-terminfo-dir=/usr/share/terminfo \
  --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/lib/terminfo:/usr/share/terminfo
