// Sockets that do not wait, that programs started later do not inherit, and that raise no signals.
#pragma once

#include <sys/socket.h>

#include <array>

namespace skald {

/// Returns a socket that programs started later do not inherit; less than 0, with errno, where there is none.
int open_socket(int family, int type);
/// Returns one whose calls do not wait, likewise.
int open_quick_socket(int family, int type);

/// Accepts a connection, whose calls do not wait and which programs started later do not inherit. Returns less than 0, with
/// errno, where there is none.
int accept_socket(int listening, sockaddr_storage& peer, socklen_t& size);

/// Makes two stream sockets that are connected to each other. Returns whether it could; errno says why not.
bool connect_pair(std::array<int, 2>& ends);

/// Binds a UNIX socket whose file no other user may open at any moment. Returns whether it could; errno says why not.
bool bind_private(int fd, const sockaddr* at, socklen_t size);

/// The flag of send() with which a peer that has left raises no SIGPIPE; 0 where those of open_socket() and its kin never
/// do.
extern const int kNoSignal;

/// When a TCP connection without a word is given up, as far as the system follows it.
struct PeerProbes {
  int after, every, count;  // seconds; probes
  int unread;               // milliseconds in which a peer takes no bytes; 0: the system's choice
};
void probe_peer(int fd, const PeerProbes& probes);

/// Returns whether the peer has closed its side, or the connection is reset, without reading from it. Linux tells so however
/// much has come before and is not read, others once all is read.
bool peer_has_left(int fd);

}  // namespace skald
