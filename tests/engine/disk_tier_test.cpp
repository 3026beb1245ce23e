// The disk tier by itself: how far a prompt's records lead, and which of them are erased.
#include "engine/disk_tier.h"

#include <gtest/gtest.h>

#include "tests/engine/some_tokens.h"
#include "tests/support/temp_dir.h"

namespace skald::disk_tier_test {
namespace {

using test::some;
using test::Tokens;

constexpr RecordPart kPage = {}, kWindow = {0}, kCheckpoint = {RecordPart::kCheckpoint};

/// Layers with a window of 100 keys, and such as keep all keys.
class Disk : public testing::Test {
 protected:
  RecordName name(size_t page, RecordPart part) { return {tier_.keys("", prompt_)[page], part}; }
  void write(size_t page, RecordPart part) {
    tier_.write(name(page, part), std::span(prompt_).subspan(page * kPageKeys, kPageKeys), DiskReads::Payload(10));
  }
  std::vector<Piece> find() { return tier_.find("", prompt_, 0); }

  test::TempDir dir_;
  KvCache cache_{make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100},
                               AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}},
                              {}, 1000),
                 {.max_keys = 1000}};
  PageStore store_{dir_.path("s"), int64_t{1} << 30};
  DiskTier tier_{store_, cache_, Sha256Sum{}, [] {}};
  const Tokens prompt_ = some(256, 1);
};

TEST_F(Disk, LeadsToWhereAllIsThereThatTheNextTokenSees) {
  for (size_t page = 0; page < 4; ++page) write(page, kPage);
  EXPECT_TRUE(find().empty()) << "no window is there";
  write(3, kWindow);
  EXPECT_TRUE(find().empty()) << "half of the window is there";
  write(2, kWindow);
  EXPECT_EQ(find(), pieces_of(cache_, 0, 4));
  EXPECT_EQ(find().size(), 6u);
}

TEST_F(Disk, LeadsNoFurtherThanItsPages) {
  for (const size_t page : {0u, 1u, 3u})
    for (const RecordPart part : {kPage, kWindow}) write(page, part);
  EXPECT_EQ(find(), pieces_of(cache_, 0, 2));
}

TEST_F(Disk, ErasesAllPartsOfAPage) {
  for (const size_t page : {0u, 1u})
    for (const RecordPart part : {kPage, kWindow, kCheckpoint}) write(page, part);
  tier_.erase("", prompt_, 1);
  for (const RecordPart part : {kPage, kWindow, kCheckpoint}) {
    EXPECT_TRUE(tier_.has(name(0, part))) << part.number;
    EXPECT_FALSE(tier_.has(name(1, part))) << part.number;
  }
}

}  // namespace
}  // namespace skald::disk_tier_test
