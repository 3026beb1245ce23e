// Addresses of Redis servers.
#include "stores/redis/redis_url.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace skald::redis_url_test {
namespace {

RedisAddress address(const std::string& url, const std::string& password = "") {
  return redis_address(read_store_url(url), password);
}

TEST(RedisUrl, NamesServerDatabaseAndUser) {
  const RedisAddress all = address("rediss://me:p%40ss@host.example:7000/3?expire=60&prefix=a:");
  EXPECT_TRUE(all.tls);
  EXPECT_EQ(all.host, "host.example");
  EXPECT_EQ(all.port, 7000);
  EXPECT_EQ(all.database, 3);
  EXPECT_EQ(all.user, "me");
  EXPECT_EQ(all.password, "p@ss");
  EXPECT_EQ(all.expire.count(), 60);
  EXPECT_EQ(all.prefix, "a:");
  EXPECT_EQ(all.label(), "rediss://host.example:7000/3");
  const RedisAddress least = address("redis://[::1]");
  EXPECT_EQ(least.host, "[::1]");
  EXPECT_EQ(least.port, 6379);
  EXPECT_EQ(least.label(), "redis://[::1]:6379/0");
}

TEST(RedisUrl, NamesASocket) {
  const RedisAddress socket = address("unix:///run/Redis/a.sock?db=2");
  EXPECT_EQ(socket.socket, "run/Redis/a.sock");
  EXPECT_EQ(socket.database, 2);
  EXPECT_EQ(socket.label(), "unix:///run/Redis/a.sock?db=2");
}

TEST(RedisUrl, TakesThePasswordOfAFileFirst) {
  EXPECT_EQ(address("redis://:old@host", "new").password, "new");
  EXPECT_EQ(address("redis://me@host", "new").user, "me");
}

TEST(RedisUrl, RefusesWhatItCannotMeanWithoutShowingIt) {
  for (const char* url : {"redis://me:secret@", "redis://me:secret@host/x", "redis://:secret@host?expire=0", "unix://secret",
                          "redis://:secret@host?timeout=secret", "redis://secret@host", "redis://:secret@host:99999999"})
    try {
      address(url);
      ADD_FAILURE() << url;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::kBadInput);
      EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace skald::redis_url_test
