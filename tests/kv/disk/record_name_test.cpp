#include "kv/disk/record_name.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace skald {
namespace {

std::vector<TokenId> tokens(int64_t n, TokenId first = 0) {
  std::vector<TokenId> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(RecordName, KeysFollowFromAllTokensBefore) {
  const PageKey root = root_key({}, "somebody");
  const std::vector<PageKey> keys = page_keys(root, tokens(200));
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys, page_keys(root, tokens(192)));
  std::vector<TokenId> other = tokens(200);
  other[70] = 1;
  const std::vector<PageKey> others = page_keys(root, other);
  EXPECT_EQ(others[0], keys[0]);
  EXPECT_NE(others[1], keys[1]);
  EXPECT_NE(others[2], keys[2]) << "its own tokens are the same, those before are not";
}

TEST(RecordName, ScopesAndFingerprintsShareNothing) {
  Sha256Sum other{};
  other[5] = std::byte{1};
  EXPECT_NE(root_key({}, "a"), root_key({}, "b"));
  EXPECT_NE(root_key({}, "a"), root_key(other, "a"));
  EXPECT_EQ(root_key(other, ""), root_key(other, ""));
}

TEST(RecordName, FileNamesLeadBack) {
  const PageKey key = root_key({}, "x");
  for (const int part : {RecordPart::kPage, RecordPart::kCheckpoint, 0, 7, 12}) {
    const RecordName name{key, {part}};
    EXPECT_EQ(record_named(file_name(name)), name) << file_name(name);
  }
}

TEST(RecordName, OtherFilesAreNotOurs) {
  const std::string digits(64, 'a');
  EXPECT_TRUE(record_named(digits + ".page"));
  for (const char* name : {"", "lock"}) EXPECT_FALSE(record_named(name)) << name;
  for (const char* ending : {"", ".pag", ".page.unfinished", ".window", ".window01", ".window-1", ".window99999"})
    EXPECT_FALSE(record_named(digits + ending)) << ending;
  for (const std::string& stem : std::vector{digits.substr(1), std::string(64, 'A'), digits.substr(1) + "g", "x" + digits})
    EXPECT_FALSE(record_named(stem + ".page")) << stem;
}

}  // namespace
}  // namespace skald
