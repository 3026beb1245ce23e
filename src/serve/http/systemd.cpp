#include "serve/http/systemd.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/sockets.h"

namespace skald::serve {

std::optional<int> systemd_socket() {
  constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
  const char *pid = std::getenv("LISTEN_PID"), *count = std::getenv("LISTEN_FDS");
  if (!count || (pid && pid != std::to_string(::getpid()))) return std::nullopt;
  if (std::string_view(count) == "0") return std::nullopt;
  if (std::string_view(count) != "1") fail(Errc::kBadInput, "LISTEN_FDS={}: want one socket", count);
  return kFirst;
}

void notify(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  const size_t size = path ? std::strlen(path) : 0;
  if (size < 2 || size >= sizeof(at.sun_path)) return;
  std::memcpy(at.sun_path, path, size);
  if (at.sun_path[0] == '@') at.sun_path[0] = '\0';  // an abstract name
  const int fd = open_socket(AF_UNIX, SOCK_DGRAM);
  if (fd < 0) return;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  ::sendto(fd, state.data(), state.size(), kNoSignal, reinterpret_cast<const sockaddr*>(&at), bytes);
  ::close(fd);
}

}  // namespace skald::serve
