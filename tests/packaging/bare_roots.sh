#!/usr/bin/env bash
# Unpacks the packages in bare roots of several Debians, where nothing is installed, and lets the program there run, chat,
# get and serve as nobody. The tarballs: in the oldest suite of Debian's mirrors, in Debian 12 and in a newer one. The .deb,
# and the last stage of the image: in Debian 12. The wheels: with the Python of Debian 12, and with Debian 13's. Needs root,
# debootstrap and the network; for another processor's packages qemu-user-static, which the kernel runs programs by (binfmt_misc).
# usage: tests/packaging/bare_roots.sh FOLDER_OF_PACKAGES PROGRAM   SUITES="bullseye bookworm trixie": of the tarballs
set -euo pipefail
if (($# != 2)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
# Mounts of a namespace of its own go away with it.
[[ ${BARE_NAMESPACE:-} ]] || BARE_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"

cd "$(dirname "$0")/../.."
shopt -s nullglob
tarballs=("$1"/skald-*-linux-*.tar.gz) debs=("$1"/skald_*.deb) wheels=("$1"/skald-*.whl) program=$2
if ((${#tarballs[@]} + ${#debs[@]} + ${#wheels[@]} == 0)); then
  echo "bare_roots: $1 holds no packages" >&2
  exit 2
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
roots=$PWD/build/bare-roots
mkdir -p "$roots"
work=$(mktemp -d "$roots/work.XXXXXX")
leave() {
  for mounted in proc sys dev; do umount -l "$work/root/$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap leave EXIT

held=0 failed=0
# holds NAME COMMAND...: counts whether the command succeeds.
holds() {
  local name=$1
  shift
  if ("$@") >"$work/log" 2>&1; then
    held=$((held + 1))
  else
    failed=$((failed + 1))
    printf '%s: fails\n%s\n' "$name" "$(tail -n 5 "$work/log" | cut -c1-300 | sed 's/^/    /')"
  fi
}

# comes FILE: waits up to 30 seconds for a file with content.
comes() {
  for _ in {1..300}; do
    [[ ! -s $1 ]] || return 0
    sleep 0.1
  done
  return 1
}

# debian_name PROCESSOR: Debian's name for it.
debian_name() {
  case $1 in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
  esac
}

# new_root SUITE PROCESSOR: a bare one in $work/root; what debootstrap made of the suite is kept.
new_root() {
  local bare=$roots/$1-$2
  if [[ $2 != $(uname -m) && ! -e /proc/sys/fs/binfmt_misc/qemu-$2 ]]; then
    echo "bare_roots: programs for $2 run by qemu-user-static, which is missing, or unknown to the kernel" >&2
    exit 1
  fi
  if [[ ! -e $bare.whole ]]; then
    rm -rf --one-file-system "$bare"
    debootstrap --variant=minbase --arch="$(debian_name "$2")" "$1" "$bare" "$mirror" >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
    touch "$bare.whole"
  fi
  # Other processors add in another order, which a longer text shows.
  tokens=$([[ $2 == $(uname -m) ]] && echo 24 || echo 16)
  for mounted in proc sys dev; do umount -l "$work/root/$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$work/root"
  cp -a "$bare" "$work/root"
  for mounted in proc sys dev; do mount --rbind "/$mounted" "$work/root/$mounted"; done
  cp /etc/resolv.conf "$work/root/etc/"
}
in_root() { chroot "$work/root" env -i PATH="$path" HOME=/tmp DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 "$@"; }
# In the background, the process is the program itself, which signals then reach.
start_as_nobody() { exec chroot --userspec=nobody:nogroup "$work/root" env -i PATH="$path" HOME=/tmp LANG=C.UTF-8 "$@"; }
as_nobody() { (start_as_nobody "$@"); }

# What the program of the build writes: its tiers are the same, and so are the bits.
writes_the_same() {
  local words=(run -p "Once upon a time" -n "$tokens" --temp 0)
  [[ $(as_nobody skald "${words[@]}") == "$("$program" "${words[@]}")" ]]
}
chats() { [[ $(printf 'Hello\nWho are you?\n' | as_nobody skald chat -n 8 | wc -w) -gt 4 ]]; }
tells_of_the_machine() { as_nobody skald doctor --roofline-seconds 0.05 --json | python3 -c 'import json, sys; json.load(sys.stdin)["choice"]["tier"]'; }
# An exception goes through the unwinder, which asks the system for its tables.
fails_in_words() {
  local said status=0
  said=$(as_nobody skald inspect /etc/passwd 2>&1) || status=$?
  [[ $status == 1 && $said == *"not a GGUF file"* ]]
}

# Answers a request, has its page, and ends when it is told to.
serves() {
  local address status=0
  rm -f "$work/root/tmp/address"
  start_as_nobody skald serve --host 127.0.0.1 --port 0 --address-file /tmp/address &
  local server=$!
  comes "$work/root/tmp/address"
  address=$(cat "$work/root/tmp/address")
  curl -fsS --retry 30 --retry-delay 1 "$address/v1/completions" -d '{"prompt": "Once upon a time", "max_tokens": 8}' | grep -q '"text"' || status=1
  curl -fsS "$address/" | grep -q '</html>' || status=2
  kill "$server" && wait "$server" || status=3
  return $status
}

# Asks a server of https on this machine: with the certificate that it has, which answers 404, and without.
trusts_who_it_should() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/root/tmp/certificate.pem" 2>/dev/null
  chmod 644 "$work/root/tmp/certificate.pem"
  python3 - "$work" <<'P' &
import http.server, ssl, sys
work = sys.argv[1]
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{work}/root/tmp/certificate.pem", f"{work}/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
open(f"{work}/port", "w").write(str(server.server_port))
server.serve_forever()
P
  local server=$! hub status=0
  comes "$work/port"
  hub=HF_ENDPOINT=https://localhost:$(cat "$work/port")
  as_nobody "$hub" SSL_CERT_FILE=/tmp/certificate.pem skald pull some/model >"$work/with" 2>&1 && status=1
  as_nobody "$hub" skald pull some/model >"$work/without" 2>&1 && status=2
  kill "$server"
  rm -f "$work/port"
  cat "$work/with" "$work/without"
  ((status == 0)) && grep -qiE '404|not found|no such' "$work/with" && grep -qi certificate "$work/without"
}

# Functions of no newer glibc, and no other library than its own.
needs_glibc_alone() {
  local binary=$work/root$1 newest
  newest=$(readelf -V "$binary" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  [[ $newest == GLIBC_2.28 || $(printf '%s\n' "$newest" GLIBC_2.28 | sort -V | tail -n 1) == GLIBC_2.28 ]] || return 1
  ! readelf -d "$binary" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|ld-linux-x86-64|ld-linux-aarch64)\.so'
}
has_its_papers() {
  local share=$work/root$1/share
  for name in man/man1/skald.1 bash-completion/completions/skald doc/skald/copyright \
    doc/skald/licences/{nlohmann-json3-dev,libcli11-dev,libjs-katex,libstdc++-12-dev} "${@:2}"; do
    [[ -s $share/$name ]] || { echo "no $name"; return 1; }
  done
}

run_all() {
  holds "$1: the version" as_nobody skald --version
  holds "$1: a text" writes_the_same
  holds "$1: a chat" chats
  holds "$1: an error" fails_in_words
  holds "$1: the machine" tells_of_the_machine
  holds "$1: https" trusts_who_it_should
  holds "$1: a server" serves
}

# check_tarball FILE SUITE
check_tarball() {
  local folder name processor
  folder=/opt/$(basename "$1" .tar.gz) processor=${1##*-linux-} processor=${processor%.tar.gz}
  name="tarball for $processor in $2"
  new_root "$2" "$processor"
  tar -xzf "$1" -C "$work/root/opt"
  path=$folder/bin:/usr/bin:/bin:/usr/sbin:/sbin
  holds "$name: its libraries" needs_glibc_alone "$folder/bin/skald"
  holds "$name: its papers" has_its_papers "$folder" \
    doc/skald/licences/{libssl-dev,libpcre2-dev,libutf8proc-dev,libedit-dev,libhiredis-dev,gmp,ncurses,curl,fmtlib,spdlog}
  run_all "$name"
}

# check_deb FILE
check_deb() {
  path=/usr/bin:/bin:/usr/sbin:/sbin
  new_root bookworm "$(uname -m)"
  cp "$1" "$work/root/tmp/skald.deb"
  in_root apt-get update -qq >/dev/null 2>&1
  holds ".deb: its installation" in_root apt-get install -y -qq --no-install-recommends /tmp/skald.deb
  holds ".deb: its papers" has_its_papers /usr
  holds ".deb: its service" test -s "$work/root/usr/lib/systemd/system/skald.service"
  run_all .deb
  holds ".deb: its removal" in_root apt-get remove -y -qq skald
  holds ".deb: nothing is left" test ! -e "$work/root/usr/bin/skald"
}

healthy() {
  start_as_nobody SKALD_HOST=127.0.0.1 SKALD_PORT=0 SKALD_ADDRESS_FILE=/tmp/skald-address HF_HOME=/var/cache/skald skald serve &
  local server=$! status=1
  for _ in {1..100}; do
    if as_nobody SKALD_ADDRESS_FILE=/tmp/skald-address skald-healthcheck; then status=0; break; fi
    sleep 0.1
  done
  kill "$server"
  wait "$server" || status=2
  return $status
}

# check_image DEB: the commands of the last stage, with what it mounts and copies, then its health check.
check_image() {
  local commands
  new_root bookworm "$(uname -m)"
  mkdir "$work/root/package"
  cp "$1" "$work/root/package/"
  cp packaging/healthcheck "$work/root/usr/local/bin/skald-healthcheck"
  commands=$(sed -n '/^FROM debian:bookworm-slim$/,$ p' packaging/Dockerfile | sed -n '/^RUN /,/[^\\]$/ { /^RUN --mount/d; p }')
  path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
  holds "image: its last stage" in_root PDF_PACKAGES= bash -ec "$commands"
  holds "image: its health check" healthy
  holds "image: a cache that nobody may write" as_nobody touch /var/cache/skald/file
}

# The index is trusted as this machine trusts it.
installs_the_wheel() { # FILE
  in_root apt-get update -qq && in_root apt-get install -y -qq --no-install-recommends python3-venv
  cp "$1" "$work/root/tmp/"
  cp /etc/ssl/certs/ca-certificates.crt "$work/root/tmp/authorities.crt"
  in_root python3 -m venv /opt/venv
  in_root PIP_CERT=/tmp/authorities.crt /opt/venv/bin/pip install -q "/tmp/${1##*/}"
}
in_python() { as_nobody python -c "import skald; $1"; }
generates_the_same() {
  local asked='skald.Model().generate("Once upon a time", max_tokens='$tokens', temperature=0)'
  [[ "Once upon a time$(in_python "print(''.join(piece.text for piece in $asked))")" == "$("$program" run -p "Once upon a time" -n "$tokens" --temp 0)" ]]
}
raises_an_error() {
  [[ $(as_nobody python -c '
import skald
try: skald.Model("/no/such.gguf")
except skald.Error as e: print(e.code)') == not_found ]]
}

# check_wheel FILE
check_wheel() {
  local suite=bookworm name=${1##*/}
  [[ $name == *-abi3-* ]] && suite=trixie
  name="wheel $(cut -d- -f3,5 <<<"${name%.whl}")"
  new_root "$suite" "$([[ $name == *aarch64 ]] && echo aarch64 || echo x86_64)"
  path=/opt/venv/bin:/usr/bin:/bin:/usr/sbin:/sbin
  holds "$name: its installation" installs_the_wheel "$1"
  holds "$name: a text" generates_the_same
  holds "$name: attention" in_python 'import numpy as np; q, k = np.ones((2, 64), "f"), np.ones((1, 9, 64), "f"); assert np.allclose(skald.ops.attention(q, k, k), 1)'
  holds "$name: an error" raises_an_error
  holds "$name: the command" writes_the_same
  holds "$name: a server" serves
}

for tarball in "${tarballs[@]}"; do
  for suite in ${SUITES:-bullseye bookworm trixie}; do check_tarball "$tarball" "$suite"; done
done
for deb in "${debs[@]}"; do
  check_deb "$deb"
  check_image "$deb"
done
for wheel in "${wheels[@]}"; do check_wheel "$wheel"; done

echo "$held of $((held + failed)) hold"
((failed == 0))
