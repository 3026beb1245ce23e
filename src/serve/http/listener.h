// Sockets that listen.
#pragma once

#include <string>

#include "serve/http.h"

namespace skald::serve {

/// Listens on options.host and port, or on options.listening. A UNIX socket has mode 0600; a stale one is replaced.
class Listener {
 public:
  /// Throws Error naming the address.
  explicit Listener(const HttpOptions& options);
  /// Closes, and removes a UNIX socket that it made.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int fd() const { return fd_; }
  /// Hands the descriptor over to the caller, who closes it.
  int take();
  /// "127.0.0.1:8080", "[::1]:8080" or "/path.sock".
  const std::string& address() const { return address_; }
  bool is_unix() const { return unix_; }

 private:
  void open_tcp(const std::string& host, int port);
  void open_unix(const std::string& path);
  void adopt(int fd);

  int fd_ = -1;
  bool unix_ = false;
  std::string address_ = {}, made_ = {};  // made_: the path of a UNIX socket to remove
  unsigned long device_ = 0, inode_ = 0;  // of made_
};

}  // namespace skald::serve
