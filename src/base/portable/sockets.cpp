#include "base/sockets.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/no_sigpipe.h"

namespace skald {
namespace {

// A program that another thread starts in between inherits the socket: POSIX has no better way.
int settled(int fd) {
  if (fd < 0) return fd;
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  quieten(fd);
  return fd;
}

int quick(int fd) {
  if (fd >= 0) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

int open_socket(int family, int type) { return settled(::socket(family, type, 0)); }

int open_quick_socket(int family, int type) { return quick(open_socket(family, type)); }

int accept_socket(int listening, sockaddr_storage& peer, socklen_t& size) {
  return quick(settled(::accept(listening, reinterpret_cast<sockaddr*>(&peer), &size)));
}

bool connect_pair(std::array<int, 2>& ends) {
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return false;
  for (const int end : ends) settled(end);
  return true;
}

// Files that other threads make meanwhile are private, too.
bool bind_private(int fd, const sockaddr* at, socklen_t size) {
  const mode_t before = ::umask(0177);
  const bool bound = ::bind(fd, at, size) == 0;
  const int error = errno;
  ::umask(before);
  errno = error;
  return bound;
}

void probe_peer(int fd, const PeerProbes&) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

bool peer_has_left(int fd) {
  char byte = 0;
  const ssize_t got = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace skald
