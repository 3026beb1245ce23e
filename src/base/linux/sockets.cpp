#include "base/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>

namespace skald {

int open_socket(int family, int type) { return ::socket(family, type | SOCK_CLOEXEC, 0); }

int open_quick_socket(int family, int type) { return ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int accept_socket(int listening, sockaddr_storage& peer, socklen_t& size) {
  return ::accept4(listening, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

bool connect_pair(std::array<int, 2>& ends) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
}

// bind() makes the file with the socket's own mode.
bool bind_private(int fd, const sockaddr* at, socklen_t size) {
  return ::fchmod(fd, 0600) == 0 && ::bind(fd, at, size) == 0;
}

void probe_peer(int fd, const PeerProbes& probes) {
  const auto set = [fd](int level, int name, int value) { ::setsockopt(fd, level, name, &value, sizeof(value)); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, probes.after);
  set(IPPROTO_TCP, TCP_KEEPINTVL, probes.every);
  set(IPPROTO_TCP, TCP_KEEPCNT, probes.count);
  if (probes.unread > 0) set(IPPROTO_TCP, TCP_USER_TIMEOUT, probes.unread);
}

bool peer_has_left(int fd) {
  pollfd state = {.fd = fd, .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace skald
