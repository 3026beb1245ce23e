# Functions of scripts that build programs and libraries of Debian's sources.
jobs=${JOBS:-$(nproc)}
triple=x86_64-linux-gnu # they are built for it

# from_sources SUITE FOLDER: of that suite of Debian, into FOLDER/installed. Lists of packages are apart from the system's,
# which needs no root.
from_sources() {
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
  prefix=$folder/installed apt=$folder/apt
  mkdir -p "$apt/lists/partial" "$apt/sources"
  local mirror=http://deb.debian.org
  printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s main\n' "$mirror/debian $1" \
    "$mirror/debian $1-updates" "$mirror/debian-security $1-security" >"$apt/sources.list"
  apt_get update
}
apt_get() {
  apt-get -qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}

# unpack NAME OPTION...: the suite's newest source, whose sums apt-get has compared, into $tree; fails if it is built already.
unpack() {
  local version
  version=$(apt_get source --print-uris "$1" | sed -n "s/^.* ${1}_\(.*\)\.dsc .*/\1/p")
  built="$version ${*:2}" tree=$apt/sources/$1/tree log=$folder/$1.log
  if [[ $(cat "$folder/$1.built" 2>/dev/null) == "$built" ]]; then return 1; fi
  echo "package: building $1 $version for $triple"
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

# Both build NAME with its OPTIONs, of CMake and of configure.
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
  if [[ $1 == gmp ]]; then # Debian's is without its documents, whose licence is none of free software
    mkdir "$tree/doc"
    printf 'all install:\n' >"$tree/doc/Makefile.in"
  fi
  (cd "$folder/$1.build" && "$tree/configure" --prefix="$prefix" --build=x86_64-linux-gnu --host="$triple" "${@:2}" &&
    make -j "$jobs" && make install) >>"$log" 2>&1 || ends_with_log
  keep "$1"
}
