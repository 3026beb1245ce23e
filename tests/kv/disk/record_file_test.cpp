#include "kv/disk/record_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skald::record_file_test {
namespace {

const RecordName kName{root_key({}, "x"), {}};

struct File {
  std::vector<TokenId> tokens = std::vector<TokenId>(64, 7);
  std::vector<std::byte> payload = std::vector<std::byte>(300, std::byte{5});

  std::vector<std::byte> bytes() const {
    const RecordHead head = record_head(kName, tokens, payload);
    std::vector<std::byte> out(head.begin(), head.end());
    out.insert(out.end(), payload.begin(), payload.end());
    return out;
  }
};

TEST(RecordFile, GivesThePayloadBack) {
  const File file;
  const std::vector<std::byte> bytes = file.bytes();
  const auto payload = record_payload(bytes, kName, file.tokens);
  ASSERT_TRUE(payload);
  EXPECT_TRUE(std::ranges::equal(*payload, file.payload));
}

TEST(RecordFile, AnyChangedBitIsSeen) {
  const File file;
  std::vector<std::byte> bytes = file.bytes();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ASSERT_FALSE(record_payload(bytes, kName, file.tokens)) << bit;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

TEST(RecordFile, OtherLengthsAreSeen) {
  const File file;
  std::vector<std::byte> bytes = file.bytes();
  for (size_t n = 0; n < bytes.size(); ++n) ASSERT_FALSE(record_payload(std::span(bytes).first(n), kName, file.tokens)) << n;
  bytes.emplace_back();
  EXPECT_FALSE(record_payload(bytes, kName, file.tokens));
}

TEST(RecordFile, OfAnotherPagePartOrTokensItIsNot) {
  const File file;
  const std::vector<std::byte> bytes = file.bytes();
  EXPECT_FALSE(record_payload(bytes, {root_key({}, "y"), {}}, file.tokens));
  EXPECT_FALSE(record_payload(bytes, {kName.key, {RecordPart::kCheckpoint}}, file.tokens));
  std::vector<TokenId> other = file.tokens;
  other.back() = 8;
  EXPECT_FALSE(record_payload(bytes, kName, other));
}

}  // namespace
}  // namespace skald::record_file_test
