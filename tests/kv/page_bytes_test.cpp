// Pages as bytes: which records a prompt needs, how large they are, and which bytes are refused.
#include "kv/page_bytes.h"

#include <gtest/gtest.h>

namespace skald::page_bytes_test {
namespace {

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 2, .d_v = 2},
                     kWindow = {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 66};
constexpr RecordPart kPage = {}, kOfWindow = {1}, kCheckpoint = {RecordPart::kCheckpoint};

void append(KvSequence& s, int64_t n, KeyOrigin origin = {}) {
  ASSERT_TRUE(s.reserve(s.length() + n));
  s.set_length(s.length() + n, origin);
}

class PageBytes : public testing::Test {
 protected:
  int64_t page_bytes(size_t group) const { return cache_.pool(group).page_bytes(); }

  KvCache cache_{make_kv_spec({kAll, kWindow}, {}, 1000), {.max_keys = 1000, .max_rows = 500, .sinks = 4, .rollback = 200}};
};

// The token at position 192 sees from position 127 on: one key of the second page.
TEST_F(PageBytes, OfWindowsAreThoseThatTheNextTokenSees) {
  EXPECT_EQ(parts_of(cache_, 128, 192), (std::vector<RecordPart>{kPage, kOfWindow}));
  EXPECT_EQ(parts_of(cache_, 64, 192), (std::vector<RecordPart>{kPage, kOfWindow}));
  EXPECT_EQ(parts_of(cache_, 64, 256), std::vector<RecordPart>{kPage});
}

TEST_F(PageBytes, HaveSinksOfWindowsWithTheOtherKeys) {
  EXPECT_EQ(parts_of(cache_, 0, 64), std::vector<RecordPart>{kPage});
  constexpr int64_t kOrigin = 16;  // bytes, of each group's page
  EXPECT_EQ(payload_bytes(cache_, kPage, 0), page_bytes(0) + page_bytes(1) + 2 * kOrigin);
  EXPECT_EQ(payload_bytes(cache_, kPage, 64), page_bytes(0) + kOrigin);
  EXPECT_EQ(payload_bytes(cache_, kOfWindow, 64), page_bytes(1) + kOrigin);
}

TEST_F(PageBytes, OfAnotherSizeAreRefused) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(64));
  const auto n = static_cast<size_t>(payload_bytes(cache_, kPage, 0));
  for (const size_t bytes : {n - 1, n + 1, size_t{0}})
    EXPECT_FALSE(SequenceBytes::write(s, kPage, std::vector<std::byte>(bytes))) << bytes;
  EXPECT_TRUE(SequenceBytes::write(s, kPage, std::vector<std::byte>(n)));
}

TEST_F(PageBytes, ThatWereNotMadeAsAPromptAreNone) {
  KvSequence s(cache_);
  append(s, 100);
  append(s, 28, {.generated = true});
  EXPECT_TRUE(read_page(cache_, s.share(0, 64), kPage));
  EXPECT_FALSE(read_page(cache_, s.share(64, 128), kPage));
}

TEST_F(PageBytes, SayWhichKeysWereGenerated) {
  constexpr ReusePolicy kAny = {.keys = ReusePolicy::Keys::kAll};
  KvSequence s(cache_), other(cache_);
  append(s, 100);
  append(s, 28, {.generated = true, .policy = 7});
  for (int64_t first = 0; first < 128; first += kPageKeys) {
    ASSERT_TRUE(other.reserve(first + kPageKeys));
    for (const RecordPart part : {kPage, kOfWindow})
      if (part == kPage || first > 0) {
        const auto bytes = read_page(cache_, s.share(first, first + kPageKeys), part, kAny);
        ASSERT_TRUE(bytes);
        EXPECT_TRUE(SequenceBytes::write(other, part, *bytes));
      }
    SequenceBytes::end_page(other);
  }
  EXPECT_EQ(other.length(), 128);
  for (const auto& group : other.share(64, 128).groups) {
    const PageOrigin& origin = group.pages[0].origin();
    EXPECT_EQ(origin.generated, ~PageOrigin::first(100 - 64));
    EXPECT_EQ(origin.policy, 7u);
  }
}

TEST(CheckpointBytes, OfStatesThatAreHalfDoneAreNone) {
  KvCache cache(make_kv_spec({RecurrentState{8}}, {}, 1000), {.max_keys = 1000});
  KvSequence s(cache);
  append(s, 64);
  const auto whole = SequenceBytes::read_checkpoint(s);
  ASSERT_TRUE(whole);
  EXPECT_EQ(std::ssize(*whole), payload_bytes(cache, kCheckpoint, 0));
  ASSERT_TRUE(s.reserve(100));
  EXPECT_FALSE(SequenceBytes::read_checkpoint(s));
}

}  // namespace
}  // namespace skald::page_bytes_test
