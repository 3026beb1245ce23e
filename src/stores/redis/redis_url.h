// RedisAddress: a database of a Redis or Valkey server, and who asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "stores/store_url.h"

namespace skald {

struct RedisAddress {
  bool tls = false;
  std::string host = {}, socket = {};  // a path of a UNIX socket; empty: there is a host
  int port = 6379;
  int64_t database = 0;
  std::string user = {}, password = {};
  std::string prefix = "skald:";           // of names
  std::chrono::seconds expire{24 * 3600};  // without a use

  /// Returns it without user and password.
  std::string label() const;
};

/// Of redis://[[user]:password@]host[:port][/database], rediss:// with TLS, or unix:///path?db=NUMBER. Parameters: "expire",
/// in seconds, and "prefix". Throws kBadInput.
RedisAddress redis_address(StoreUrl url, const std::string& password);

}  // namespace skald
