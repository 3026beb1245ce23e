#include "stores/redis/redis_url.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "stores/store_kind.h"

namespace skald {
namespace {

constexpr int64_t kMostDatabases = 1 << 20, kLongestExpire = int64_t{10} * 365 * 24 * 3600;

}  // namespace

std::string RedisAddress::label() const {
  if (!socket.empty()) return fmt::format("unix:///{}?db={}", socket, database);
  return fmt::format("{}://{}:{}/{}", tls ? "rediss" : "redis", host, port, database);
}

RedisAddress redis_address(StoreUrl url, const std::string& password) {
  RedisAddress out{.tls = url.scheme == "rediss",
                   .host = url.host,
                   .user = url.user,
                   .password = password.empty() ? url.password : password};
  std::string database = url.take("db");
  if (url.scheme == "unix") {
    out.socket = url.path;
    if (out.socket.empty() || !out.host.empty()) fail(Errc::kBadInput, "want unix:///path/of/the/socket");
  } else {
    if (out.host.empty()) fail(Errc::kBadInput, "it has no host");
    if (!url.path.empty()) database = url.path;
    if (url.port) out.port = url.port;
  }
  if (!database.empty()) out.database = number_of("the database's number", database, 0, kMostDatabases);
  if (const std::string expire = url.take("expire"); !expire.empty())
    out.expire = std::chrono::seconds(number_of("expire", expire, 1, kLongestExpire));
  if (const std::string prefix = url.take("prefix"); !prefix.empty()) out.prefix = prefix;
  if (!out.user.empty() && out.password.empty()) fail(Errc::kBadInput, "it has a user and no password");
  url.check_taken();
  return out;
}

}  // namespace skald
