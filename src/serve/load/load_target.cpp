#include "serve/load/load_target.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/sockets.h"

namespace skald::serve {
namespace {

constexpr int kConnectWithin = 10000;  // milliseconds
constexpr int kHttpPort = 80, kHttpsPort = 443, kMostPort = 65535;

[[noreturn]] void refuse(std::string_view url, const char* why) { fail(Errc::kBadInput, "{}: {}", url, why); }

// "/api" becomes "/api/v1".
std::string base_of(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.ends_with("/v1") ? std::string(path) : std::string(path) + "/v1";
}

void read_authority(std::string_view text, LoadTarget& out) {
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) refuse(out.url, "want ] after the address");
    out.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const size_t colon = text.find(':');
    out.host = text.substr(0, colon);
    port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  }
  if (out.host.empty()) refuse(out.url, "want a host");
  out.port = out.tls ? kHttpsPort : kHttpPort;
  if (port.empty()) return;
  const char* const end = port.data() + port.size();
  const auto [at, error] = std::from_chars(port.data() + 1, end, out.port);
  if (port[0] != ':' || error != std::errc{} || at != end || out.port < 1 || out.port > kMostPort)
    refuse(out.url, "want a port from 1 to 65535");
}

bool answers(int fd) {
  pollfd state{.fd = fd, .events = POLLOUT, .revents = 0};
  int error = ETIMEDOUT;
  socklen_t size = sizeof(error);
  if (::poll(&state, 1, kConnectWithin) > 0) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0;
}

struct FreeAddresses {
  void operator()(addrinfo* first) const { ::freeaddrinfo(first); }
};

}  // namespace

std::string LoadTarget::authority() const {
  if (host.empty()) return "localhost";
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (tls ? kHttpsPort : kHttpPort) ? name : fmt::format("{}:{}", name, port);
}

LoadTarget parse_load_target(std::string_view url) {
  LoadTarget out{.url = std::string(url)};
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') refuse(url, "a URL has no spaces and no control characters");
  if (constexpr std::string_view kUnix = "unix:"; url.starts_with(kUnix)) {
    out.path = url.substr(kUnix.size());
    if (out.path.empty() || out.path.size() >= sizeof(sockaddr_un::sun_path)) refuse(url, "want the path of a UNIX socket");
    return out;
  }
  const size_t scheme = url.find("://");
  const std::string_view name = url.substr(0, scheme);
  if (scheme == std::string_view::npos || (name != "http" && name != "https"))
    refuse(url, "want http://HOST:PORT, https://HOST or unix:PATH");
  out.tls = name == "https";
  const std::string_view rest = url.substr(scheme + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  if (rest.find_first_of("?#") != std::string_view::npos) refuse(url, "want no query after the path");
  if (rest.substr(0, slash).find('@') != std::string_view::npos) refuse(url, "want no password in it; see --api-key");
  read_authority(rest.substr(0, slash), out);
  out.base = base_of(rest.substr(slash));
  return out;
}

LoadAddress::LoadAddress(const LoadTarget& target) {
  if (target.host.empty()) {
    sockaddr_un at = {};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, target.path.data(), target.path.size());
    family_ = AF_UNIX;
    bytes_.assign(reinterpret_cast<const char*>(&at), sizeof(at));
    const int fd = connect();
    const bool there = fd >= 0 && answers(fd);
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (!there) fail(Errc::kDevice, "{}: {}", target.url, std::strerror(error));
    return;
  }
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  const int failed = ::getaddrinfo(target.host.c_str(), std::to_string(target.port).c_str(), &wanted, &found);
  if (failed != 0) fail(Errc::kDevice, "{}: {}", target.url, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, FreeAddresses> all(found);
  int error = 0;
  for (const addrinfo* at = found; at; at = at->ai_next) {
    family_ = at->ai_family;
    bytes_.assign(reinterpret_cast<const char*>(at->ai_addr), at->ai_addrlen);
    const int fd = connect();
    const bool there = fd >= 0 && answers(fd);
    error = errno;
    if (fd >= 0) ::close(fd);
    if (there) return;
  }
  fail(Errc::kDevice, "{}: {}", target.url, std::strerror(error));
}

int LoadAddress::connect() const {
  const int fd = open_quick_socket(family_, SOCK_STREAM);
  if (fd < 0) return -1;
  const int on = 1;
  if (family_ != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (::connect(fd, reinterpret_cast<const sockaddr*>(bytes_.data()), static_cast<socklen_t>(bytes_.size())) == 0 ||
      errno == EINPROGRESS)
    return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace skald::serve
