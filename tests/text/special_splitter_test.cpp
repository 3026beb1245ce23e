// Added tokens by their rules: the ids are those that the package `tokenizers` gives.
#include "text/special_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::TinyPiece;
using ::testing::ElementsAre;
using Ids = std::vector<TokenId>;

constexpr PieceKind kControl = PieceKind::kControl, kUser = PieceKind::kUserDefined;

void set_rule(Meta& meta, const char* name, std::vector<int32_t> ids) {
  meta.set("tokenizer.ggml.added_tokens." + std::string(name), MetaArray{std::move(ids)});
}

// Bytes are tokens 0 to 255.
std::unique_ptr<Tokenizer> with_rules(const std::string& pre = "gpt-2") {
  Meta meta = test::bpe_meta(pre, {},
                             {{"<l>", kControl},
                              {"<r>", kControl},
                              {"<b>", kControl},
                              {"<w>", kControl},
                              {"<n>", kControl},
                              {"n><l", kUser},
                              {"  ", kUser},
                              {"wo", kUser},
                              {"\n", kUser}});
  set_rule(meta, "lstrip", {256, 258});
  set_rule(meta, "rstrip", {257, 258, 264});
  set_rule(meta, "single_word", {259, 263});
  set_rule(meta, "normalized", {260});
  return Tokenizer::create(meta);
}

TEST(SpecialSplitter, FollowsTheRulesOfAddedTokens) {
  const auto t = with_rules();
  const std::pair<const char*, Ids> cases[] = {
      {"a <l> b", {97, 256, 32, 98}},
      {"a<r>  \n\tb", {97, 257, 262, 264, 98}},
      {"x  <b> \xC2\xA0y", {120, 262, 258, 121}},
      {"a<w>", {97, 60, 119, 62}},
      {"<w> <w>!<w>", {259, 32, 259, 33, 259}},
      {"é<w> <w>é", {195, 169, 60, 119, 62, 32, 60, 119, 62, 195, 169}},
      {"<n><l>", {60, 261, 62}},  // normalized tokens come after the others
      {"<n> <r>", {260, 32, 257}},
      {"a  <l>  <r>    b", {97, 262, 256, 262, 257, 262, 262, 98}},
      {"wo two wow wo, wo_ wo", {263, 32, 116, 119, 111, 32, 119, 111, 119, 32, 263, 44, 32, 119, 111, 95, 32, 263}},
      {"<r> <l>", {257, 256}},
      {"\n \n  x", {264, 264, 262, 120}},
      {"  <b>  ", {262, 258, 262}},
      {"a\xE3\x80\x80<l>\xE2\x80\x83<r>\xE2\x80\xA8z", {97, 256, 226, 128, 131, 257, 122}},
      {"<r>     x", {257, 262, 262, 32, 120}},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(t->encode(text, {.add_special = false}), want) << text;
}

TEST(SpecialSplitter, RowsOfSpacesTakeNoLongerThanOthers) {
  const auto t = with_rules();
  const std::string feeds(1 << 20, '\n');
  EXPECT_EQ(t->encode(feeds, {.add_special = false}).size(), feeds.size());
  std::string lefts;
  for (int i = 0; i < 1 << 15; ++i) lefts += " \t <w><l>";
  EXPECT_GT(t->encode(lefts, {.add_special = false}).size(), 1U << 15);
}

TEST(SpecialSplitter, NormalizedTokensAreFoundInTheNormalizedText) {
  Meta meta = test::bpe_meta("qwen2", {}, {{"<n>", kControl}, {"e\xCC\x81", kUser}, {"<p>", kControl}});
  set_rule(meta, "normalized", {256, 257});
  const auto t = Tokenizer::create(meta);
  EXPECT_EQ(t->encode("é e\xCC\x81 e"), (Ids{257, 32, 257, 32, 101}));
  EXPECT_EQ(t->encode("<n>\xCC\xB8"), t->encode("<n\xE2\x89\xAF")) << "which is one character";
  EXPECT_EQ(t->encode("<p>\xCC\xB8").front(), 258);
}

TEST(SpecialSplitter, OfBertNormalizedTokensHaveNoCase) {
  Meta meta = test::bert_meta({{"▁a"}, {"[Foo]", kUser}, {"[Bar]", kUser}, {"中文", kUser}});
  set_rule(meta, "normalized", {5, 7});
  const auto t = Tokenizer::create(meta);
  const EncodeOptions bare{.add_special = false};
  EXPECT_EQ(t->encode("a[fOO]a", bare), (Ids{4, 5, 4}));
  EXPECT_EQ(t->encode("a[Fóo]a", bare), (Ids{4, 5, 4}));
  EXPECT_EQ(t->encode("a[Bar]a", bare), (Ids{4, 6, 4}));
  EXPECT_EQ(t->encode("a中文a", bare), (Ids{4, 7, 4}));
  EXPECT_NE(t->encode("a[bar]a", bare), (Ids{4, 6, 4}));
  set_rule(meta, "lstrip", {5});
  set_rule(meta, "rstrip", {5});
  EXPECT_EQ(Tokenizer::create(meta)->encode("[Foo] 中 [Foo]", bare), (Ids{5, 1, 5}))
      << "what is stripped is white space alone";
}

TEST(SpecialSplitter, ASpaceInFrontBelongsToNormalizedTokensWhereNormalizingPutsOneFirst) {
  Meta meta = test::spm_meta({{"▁"}, {"a"}, {"<n>", kControl}});
  set_rule(meta, "normalized", {261});
  meta.set("tokenizer.ggml.added_tokens.space_first", true);
  const auto t = Tokenizer::create(meta);
  const EncodeOptions bare{.add_special = false};
  EXPECT_THAT(test::pieces_of(*t, "<n>a <n>a", bare), ElementsAre("<n>", "a", "<n>", "a"));
  EXPECT_THAT(test::pieces_of(*t, " <n>", bare), ElementsAre("▁", "<n>"));
  EXPECT_THAT(test::pieces_of(*t, "a<n>", bare), ElementsAre("▁", "a", "<0x3C>", "<0x6E>", "<0x3E>"));
  set_rule(meta, "rstrip", {261});
  EXPECT_THAT(test::pieces_of(*Tokenizer::create(meta), "<n>\t a", bare), ElementsAre("<n>", "▁", "a"));
}

TEST(SpecialSplitter, PiecesBecomeNoTokenThatIsAWordOfItsOwn) {
  for (const bool alone : {false, true}) {
    Meta meta = test::spm_meta({{"▁"}, {"a"}, {"b"}, {"ab", kUser}});
    if (alone) set_rule(meta, "single_word", {262});
    const auto t = Tokenizer::create(meta);
    const auto pieces = test::pieces_of(*t, "ab aba", {.add_special = false});
    if (alone)
      EXPECT_THAT(pieces, ElementsAre("ab", "▁", "▁", "a", "b", "a"));
    else
      EXPECT_THAT(pieces, ElementsAre("ab", "▁", "▁", "ab", "▁", "a"));
  }
}

TEST(SpecialSplitter, UntrustedTextHasNoNormalizedControlTokens) {
  const auto t = with_rules();
  const TextPiece pieces[] = {{"<n>", true}, {"<n>", false}, {" <l>", false}};
  EXPECT_EQ(t->encode(pieces, {.add_special = false}), (Ids{260, 60, 110, 62, 32, 60, 108, 62}));
}

TEST(SpecialSplitter, RulesOfTokensThatAreNoneAreRefusedByTheirKey) {
  for (const int32_t id : {-1, 999}) {
    Meta meta = test::bpe_meta("gpt-2", {});
    set_rule(meta, "single_word", {id});
    const Error e = test::error_of([&] { Tokenizer::create(meta); });
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), testing::HasSubstr("tokenizer.ggml.added_tokens.single_word"));
  }
}

}  // namespace
}  // namespace skald
