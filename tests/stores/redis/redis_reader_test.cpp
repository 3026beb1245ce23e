// Replies of Redis that come in any pieces, or are none.
#include "stores/redis/redis_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "kv/disk/record_store.h"

namespace skald::redis_reader_test {
namespace {

void feed(RedisReader& reader, std::string_view text) { reader.feed(std::as_bytes(std::span(text))); }

TEST(RedisReader, ReadsRepliesByteByByte) {
  RedisReader reader;
  std::vector<RedisReply> got;
  const std::string text("$5\r\nab\r\nc\r\n:42\r\n$-1\r\n+PONG\r\n-ERR no\r\n$0\r\n\r\n");
  for (const char c : text) {
    feed(reader, {&c, 1});
    if (auto reply = reader.next()) got.push_back(std::move(*reply));
  }
  using Kind = RedisReply::Kind;
  ASSERT_EQ(got.size(), 6u);
  EXPECT_EQ(got[0].text(), "ab\r\nc");
  EXPECT_EQ(got[1].integer, 42);
  EXPECT_EQ(got[2].kind, Kind::kNone);
  EXPECT_EQ(got[3].kind, Kind::kStatus);
  EXPECT_TRUE(got[4].is_error("ERR"));
  EXPECT_EQ(got[5].kind, Kind::kString);
}

TEST(RedisReader, RefusesWhatNoCommandIsAnsweredWith) {
  for (const char* text : {"hello\r\n", "*2\r\n:1\r\n:2\r\n", "*1000000000\r\n", ",1.5\r\n", "#t\r\n",
                           "$99999999999999999999\r\n", "$-7\r\n"}) {
    RedisReader reader;
    feed(reader, text);
    EXPECT_THROW(static_cast<void>(reader.next()), StoreDown) << text;
  }
}

}  // namespace
}  // namespace skald::redis_reader_test
