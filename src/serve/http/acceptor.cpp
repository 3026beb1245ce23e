#include "serve/http/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/sockets.h"
#include "serve/http/connection.h"
#include "serve/http/socket_address.h"

namespace skald::serve {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAcceptor = "serve: a new connection";
constexpr int kAcceptedAtOnce = 64;  // then it is the others' turn
constexpr auto kPause = 100ms;       // where there are no descriptors left
constexpr size_t kTurnedAway = 256;  // connections over the limit that are told so

// An error that says nothing of the listening socket: accept(2) passes errors of the new connection on.
bool is_passing(int error) {
  return error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM && error != EBADF && error != EINVAL;
}

// Events leave at once, and clients that have vanished without a word are found out. Probes find one that owes nothing; one
// that takes no bytes is found when `timeout` is over.
void set_up(int fd, double timeout) {
  constexpr int kProbeAfter = 60, kProbeEvery = 15, kProbes = 4;  // seconds
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  constexpr double kMost = 1e6;  // of seconds that fit as milliseconds
  probe_peer(fd, {.after = kProbeAfter,
                  .every = kProbeEvery,
                  .count = kProbes,
                  .unread = timeout > 0 && timeout < kMost ? static_cast<int>(timeout * 1000) : 0});
}

}  // namespace

Acceptor::Acceptor(std::shared_ptr<Network> network, int listening, bool is_unix)
    : network_(std::move(network)), watch_(network_->loop, Descriptor(listening)), unix_(is_unix) {}

void Acceptor::on_readable() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    if (accept_one()) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    if (is_passing(errno)) continue;
    if (!std::exchange(short_of_files_, true))
      log(LogLevel::kWarn, "cannot accept connections for now: {}", std::strerror(errno));
    return watch_.wake_by(HttpClock::now() + kPause, shared_from_this());
  }
  start();
}

bool Acceptor::accept_one() {
  sockaddr_storage peer = {};
  socklen_t size = sizeof(peer);
  Descriptor fd(accept_socket(watch_.fd(), peer, size));
  if (fd.get() < 0) return false;
  short_of_files_ = false;
  if (!unix_) set_up(fd.get(), network_->options.timeout);
  guarded(kAcceptor, [&] { welcome(std::move(fd), unix_ ? "unix" : address_text(peer, size)); });
  return true;
}

void Acceptor::welcome(Descriptor fd, std::string peer) {
  const auto most = static_cast<size_t>(network_->options.max_connections), there = static_cast<size_t>(network_->count());
  if (there >= most + kTurnedAway) return;
  auto socket = network_->tls ? network_->tls->socket(fd.get()) : plain_socket(fd.get());
  if (!socket) return;
  const auto connection =
      std::make_shared<Connection>(network_, Watch(network_->loop, std::move(fd)), std::move(socket), std::move(peer));
  try {
    if (there >= most)
      connection->turn_away();
    else
      connection->start();
  } catch (...) {
    connection->on_failure();
  }
}

// The next client may have more luck.
void Acceptor::on_failure() {
  log_failure(kAcceptor);
  start();
}

}  // namespace skald::serve
