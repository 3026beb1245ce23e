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

  /// Over a descriptor that somebody else closes. Null without memory.
  std::unique_ptr<Socket> socket(int fd) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace skald::serve
