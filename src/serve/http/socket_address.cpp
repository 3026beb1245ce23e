#include "serve/http/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace skald::serve {
namespace {

// The bytes of an address as its own type, without casts between pointers.
template <class T>
T read_as(const sockaddr_storage& address) {
  T out;
  std::memcpy(&out, &address, sizeof(out));
  return out;
}

template <class Address>
std::string number_text(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  return ::inet_ntop(family, &address, text.data(), text.size()) ? text.data() : "?";
}

std::string unix_text(const sockaddr_storage& address, socklen_t size) {
  const auto at = read_as<sockaddr_un>(address);
  const size_t bytes = size > offsetof(sockaddr_un, sun_path) ? size - offsetof(sockaddr_un, sun_path) : 0;
  if (bytes == 0) return "unix";
  if (at.sun_path[0] == '\0') return "@" + std::string(at.sun_path + 1, bytes - 1);
  return {at.sun_path, strnlen(at.sun_path, bytes)};
}

}  // namespace

std::string address_text(const sockaddr_storage& address, socklen_t size) {
  if (address.ss_family == AF_INET) {
    const auto at = read_as<sockaddr_in>(address);
    return fmt::format("{}:{}", number_text(AF_INET, at.sin_addr), ntohs(at.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto at = read_as<sockaddr_in6>(address);
    return fmt::format("[{}]:{}", number_text(AF_INET6, at.sin6_addr), ntohs(at.sin6_port));
  }
  if (address.ss_family == AF_UNIX) return unix_text(address, size);
  return "?";
}

}  // namespace skald::serve
