// TLS by OpenSSL, over sockets that do not block.
#pragma once

#include <memory>
#include <string>

#include "serve/http/socket.h"

namespace skald::serve {

/// A server's key and certificate.
class Tls {
 public:
  /// Files in PEM. Throws Error naming the one that is missing or wrong.
  Tls(const std::string& key, const std::string& certificate);
  ~Tls();

  /// Over a descriptor that the caller closes. Null without memory.
  std::unique_ptr<Socket> socket(int fd) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// A client's side.
class TlsClient {
 public:
  /// `verify`: servers must have a certificate for their name that one of the system's authorities vouches for.
  explicit TlsClient(bool verify);
  ~TlsClient();

  /// To a server of this name or address, over a descriptor that the caller closes. Null without memory.
  std::unique_ptr<Socket> socket(int fd, const std::string& host) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  bool verify_;
};

/// Returns the error of the last call that failed on this thread.
std::string tls_error();

}  // namespace skald::serve
