#include "serve/http/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/sockets.h"
#include "serve/http/socket_address.h"

namespace skald::serve {
namespace {

std::string error_text(int error) { return std::strerror(error); }

struct AddressInfo {
  addrinfo* first = nullptr;
  ~AddressInfo() {
    if (first) ::freeaddrinfo(first);
  }
};

// Whether it listens; errno says why not.
bool try_listen(int fd, const addrinfo& at) {
  const int on = 1;
  return ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 && ::bind(fd, at.ai_addr, at.ai_addrlen) == 0 &&
         ::listen(fd, SOMAXCONN) == 0;
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof(at.sun_path))
    fail(Errc::kBadInput, "{}: want a path of at most {} bytes for a UNIX socket", path, sizeof(at.sun_path) - 1);
  std::memcpy(at.sun_path, path.data(), path.size());
  return at;
}

// Removes a UNIX socket on which no process listens. Throws for anything else that is there.
void remove_stale(const std::string& path, const sockaddr_un& at) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) fail(Errc::kDevice, "cannot listen on {}: it exists and is no socket", path);
  const int fd = open_quick_socket(AF_UNIX, SOCK_STREAM);
  if (fd < 0) fail(Errc::kDevice, "cannot open a socket: {}", error_text(errno));
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0;
  const int error = errno;
  ::close(fd);
  if (connected || error == EAGAIN) fail(Errc::kDevice, "cannot listen on {}: another process does", path);
  if (error != ECONNREFUSED) fail(Errc::kDevice, "cannot listen on {}: {}", path, error_text(error));
  ::unlink(path.c_str());
}

}  // namespace

Listener::Listener(const HttpOptions& options) {
  try {
    if (options.listening >= 0)
      adopt(options.listening);
    else if (options.host.ends_with(".sock"))
      open_unix(options.host);
    else
      open_tcp(options.host, options.port);
    sockaddr_storage at = {};
    socklen_t size = sizeof(at);
    if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      fail(Errc::kDevice, "the listening socket has no address: {}", error_text(errno));
    unix_ = at.ss_family == AF_UNIX;
    address_ = address_text(at, size);
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

Listener::~Listener() {
  if (fd_ >= 0) ::close(fd_);
  struct stat found = {};
  if (!made_.empty() && ::lstat(made_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_)
    ::unlink(made_.c_str());
}

int Listener::take() { return std::exchange(fd_, -1); }

void Listener::open_tcp(const std::string& host, int port) {
  const std::string where =
      host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
  if (port < 0 || port > 65535) fail(Errc::kBadInput, "cannot listen on {}: want a port of 0 to 65535", where);
  addrinfo wanted = {};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  AddressInfo found;
  const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found.first);
  if (failed != 0) fail(Errc::kDevice, "cannot listen on {}: {}", where, ::gai_strerror(failed));
  int error = 0;
  for (const addrinfo* at = found.first; at; at = at->ai_next) {
    fd_ = open_quick_socket(at->ai_family, SOCK_STREAM);
    if (fd_ >= 0 && try_listen(fd_, *at)) return;
    error = errno;
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  fail(Errc::kDevice, "cannot listen on {}: {}", where, error_text(error));
}

void Listener::open_unix(const std::string& path) {
  const sockaddr_un at = unix_address(path);
  remove_stale(path, at);
  fd_ = open_quick_socket(AF_UNIX, SOCK_STREAM);
  struct stat made = {};
  if (fd_ < 0 || !bind_private(fd_, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) || ::lstat(path.c_str(), &made) != 0)
    fail(Errc::kDevice, "cannot listen on {}: {}", path, error_text(errno));
  made_ = path;
  device_ = made.st_dev;
  inode_ = made.st_ino;
  if (::listen(fd_, SOMAXCONN) != 0) fail(Errc::kDevice, "cannot listen on {}: {}", path, error_text(errno));
}

void Listener::adopt(int fd) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens)
    fail(Errc::kDevice, "descriptor {} is no listening socket", fd);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  fd_ = fd;
}

}  // namespace skald::serve
