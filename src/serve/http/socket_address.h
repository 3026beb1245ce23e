// Addresses of sockets as text.
#pragma once

#include <sys/socket.h>

#include <string>

namespace skald::serve {

/// "127.0.0.1:8080", "[::1]:8080", the path of a UNIX socket, or "unix" where it has none.
std::string address_text(const sockaddr_storage& address, socklen_t size);

}  // namespace skald::serve
