#!/usr/bin/env bash
# Builds the libraries of which Debian has no static copy that stands alone, from Debian's sources: libcurl with HTTP and TLS
# only, fmt and spdlog. A second run builds what has changed in Debian alone.
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

# build NAME OPTION...: unpacks the newest source of Debian 12, whose sums apt-get has compared, and installs what CMake makes of it.
build() {
  local name=$1 version source
  shift
  version=$(apt_get source --print-uris "$name" | sed -n "s/^.* ${name}_\(.*\)\.dsc .*/\1/p")
  if [[ $(cat "$folder/$name.built" 2>/dev/null) == "$version $*" ]]; then return; fi
  echo "package: building $name $version"
  source=$apt/sources/$name
  rm -rf "$source" "$folder/$name.build"
  mkdir -p "$source"
  (cd "$source" && apt_get source --download-only "$name" && dpkg-source --no-check -x ./*.dsc tree) \
    >"$folder/$name.log" 2>&1 || { tail -5 "$folder/$name.log" >&2; exit 1; }
  cmake -G Ninja -S "$source/tree" -B "$folder/$name.build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$prefix" "$@" >>"$folder/$name.log" 2>&1
  cmake --build "$folder/$name.build" --target install -j "${JOBS:-$(nproc)}" >>"$folder/$name.log" 2>&1 ||
    { tail -20 "$folder/$name.log" >&2; exit 1; }
  install -D -m 644 "$source/tree/debian/copyright" "$prefix/copyright/$name"
  echo "$version $*" >"$folder/$name.built"
}

apt_get update
build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
build spdlog -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
# The certificates' folder depends on the system: Skald looks for it when it runs.
build curl -DHTTP_ONLY=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DCURL_USE_OPENSSL=ON \
  -DOPENSSL_USE_STATIC_LIBS=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON -DCURL_ZLIB=OFF \
  -DCURL_USE_LIBSSH2=OFF -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF
