// A client's socket: TCP, UNIX or TLS over either. Nothing here blocks.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace skald::serve {

struct IoResult {
  enum class Kind { kDone, kWantRead, kWantWrite, kEnd, kFailed };
  Kind kind;
  size_t bytes = 0;  // kDone
};

class Socket {
 public:
  virtual ~Socket() = default;

  /// Does the exchange before the first byte; kDone at once where there is none.
  virtual IoResult handshake() = 0;
  /// kEnd: the client sends no more.
  virtual IoResult read(std::span<char> into) = 0;
  /// Sends a part of the pieces, in one system call where it can.
  virtual IoResult write(std::span<const std::string_view> pieces) = 0;
  /// Tells the client that no more comes.
  virtual void finish() = 0;
};

/// Over a descriptor that the caller closes.
std::unique_ptr<Socket> plain_socket(int fd);

}  // namespace skald::serve
