#include "serve/batch/batch_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "tests/support/errors.h"

namespace skald::serve::batch_shard_test {
namespace {

TEST(BatchShard, EachRequestIsOfOneShard) {
  for (int64_t requests = 0; requests < 40; ++requests) {
    for (int64_t count = 1; count < 60; ++count) {
      int64_t next = 0, least = requests, most = 0;
      for (BatchShard shard{.index = 0, .count = count}; shard.index < count; ++shard.index) {
        ASSERT_EQ(shard.first(requests), next) << shard.index << "/" << count << " of " << requests;
        next = shard.end(requests);
        least = std::min(least, next - shard.first(requests));
        most = std::max(most, next - shard.first(requests));
      }
      ASSERT_EQ(next, requests) << count;
      ASSERT_LE(most - least, 1) << count << " of " << requests;
    }
  }
}

TEST(BatchShard, TheLastOfManyEndsWithALongInput) {
  constexpr int64_t kRequests = 9'000'000'000'000;
  EXPECT_EQ((BatchShard{BatchShard::kMost - 1, BatchShard::kMost}.end(kRequests)), kRequests);
}

TEST(BatchShard, NamesItsFiles) {
  const BatchShard shard{.index = 2, .count = 8};
  EXPECT_EQ(shard.file("answers.jsonl"), "answers.2-of-8.jsonl");
  EXPECT_EQ(shard.file("/a.b/answers"), "/a.b/answers.2-of-8");
  EXPECT_EQ(shard.file("a/x.tar.gz"), "a/x.tar.2-of-8.gz");
}

TEST(BatchShard, IsReadFromAText) {
  const BatchShard shard = read_batch_shard("7/8");
  EXPECT_EQ(shard.index, 7);
  EXPECT_EQ(shard.count, 8);
}

TEST(BatchShard, TextsThatNameNoneAreRefused) {
  for (const char* text : {"", "/", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/-2", " 1/2", "0/0", "0/1000001",
                           "99999999999999999999/2", "0x1/2"}) {
    const Error error = test::error_of([&] { read_batch_shard(text); });
    EXPECT_EQ(error.code(), Errc::kBadInput) << text;
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
  EXPECT_THAT(test::error_of([] { read_batch_shard("8/8"); }).what(), testing::HasSubstr("counted from 0"));
}

}  // namespace
}  // namespace skald::serve::batch_shard_test
