#include "text/sentence_normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/text/tiny_charsmap.h"

namespace skald {
namespace {

SentenceNormalizer normalizer(bool prefix, bool merge, const std::map<std::string, std::string>& map = {},
                              bool keep_broken = false) {
  Meta meta;
  meta.set("tokenizer.ggml.add_space_prefix", prefix);
  meta.set("tokenizer.ggml.remove_extra_whitespaces", merge);
  if (!map.empty()) meta.set("tokenizer.ggml.precompiled_charsmap", test::byte_array(test::charsmap_bytes(map)));
  return {meta, keep_broken};
}

TEST(SentenceNormalizer, Spaces) {
  EXPECT_EQ(normalizer(true, true).normalize("  a  b "), "▁a▁b");
  EXPECT_EQ(normalizer(true, true).normalize("   "), "");
  EXPECT_EQ(normalizer(false, true).normalize("  a  b "), "a▁b");
  EXPECT_EQ(normalizer(true, false).normalize(" a  b "), "▁▁a▁▁b▁");
  EXPECT_EQ(normalizer(false, false).normalize(" a\n"), "▁a\n");
}

TEST(SentenceNormalizer, ReplacesCharacters) {
  const auto n = normalizer(true, true, {{"\n", " "}, {"ﬁ", "fi"}, {"\x01", ""}, {"¨", " ̈"}});
  EXPECT_EQ(n.normalize("a\n\n ﬁ\x01x\n"), "▁a▁fix");
  EXPECT_EQ(n.normalize("\x01"), "");
  EXPECT_EQ(n.normalize("a ¨"), "▁a▁\u0308");  // the replacement's own space is one too many
}

TEST(SentenceNormalizer, BrokenBytes) {
  EXPECT_EQ(normalizer(false, false).normalize("a\xFF\xE2\x82"), "a\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(normalizer(false, false, {}, /*keep_broken=*/true).normalize("a\xFF\xE2\x82"), "a\xFF\xE2\x82");
}

TEST(SentenceNormalizer, ErrorsNameTheKey) {
  Meta meta;
  meta.set("tokenizer.ggml.precompiled_charsmap", MetaArray{std::vector<uint8_t>{1, 2}});
  Error e = test::error_of([&] { SentenceNormalizer(meta, false); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), ::testing::HasSubstr("tokenizer.ggml.precompiled_charsmap"));
  meta.set("tokenizer.ggml.precompiled_charsmap", MetaArray{std::vector<int32_t>{1, 2, 3, 256}});
  e = test::error_of([&] { SentenceNormalizer(meta, false); });
  EXPECT_THAT(e.what(), ::testing::HasSubstr("256 is not a byte"));
  meta.set("tokenizer.ggml.precompiled_charsmap", MetaArray{std::vector<int8_t>{0, 0, 0, 0}});
  EXPECT_EQ(SentenceNormalizer(meta, false).normalize("a"), "a");
}

TEST(SentenceNormalizer, TextsDoNotGrowWithoutBound) {
  const auto n = normalizer(true, false, {{"a", std::string(1000, 'x')}, {"ﷺ", "صلى الله عليه وسلم"}});
  EXPECT_EQ(test::error_of([&] { n.normalize("aa"); }).code(), Errc::kBadInput);
  std::string longest;  // of the characters that there are
  while (longest.size() < 3000) longest += "ﷺ";
  EXPECT_GT(n.normalize(longest).size(), 30000u);
}

}  // namespace
}  // namespace skald
