// The protocol of systemd: a socket that it has opened, and messages to it (sd_listen_fds(3), sd_notify(3)).
#pragma once

#include <optional>
#include <string_view>

namespace skald::serve {

/// Returns the listening socket that LISTEN_FDS and LISTEN_PID pass on; nullopt where they do not. Throws Error if there are
/// several.
std::optional<int> systemd_socket();

/// Sends "READY=1" or the like to NOTIFY_SOCKET, if it is set. Errors are ignored: the caller waits for no answer.
void notify(std::string_view state);

}  // namespace skald::serve
