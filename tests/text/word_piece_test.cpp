#include "text/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::bert_meta;
using test::pieces_of;
using ::testing::ElementsAre;

constexpr EncodeOptions kBare = {.add_special = false};

TEST(WordPiece, LongestPieceFirst) {
  const auto t = Tokenizer::create(bert_meta({{"▁un"}, {"▁unaff"}, {"aff"}, {"able"}, {"a"}, {"b"}, {"▁a"}, {"▁,"}}));
  EXPECT_THAT(pieces_of(*t, "unaffable", kBare), ElementsAre("▁unaff", "able"));
  EXPECT_THAT(pieces_of(*t, "UNABLE a,áb", kBare), ElementsAre("▁un", "able", "▁a", "▁,", "▁a", "b"));
}

TEST(WordPiece, AWordWithAnyUnknownPartIsUnknown) {
  const auto t = Tokenizer::create(bert_meta({{"▁a"}, {"b"}, {"▁x"}}));
  EXPECT_THAT(pieces_of(*t, "abc x", kBare), ElementsAre("[UNK]", "▁x"));
  EXPECT_THAT(pieces_of(*t, "b ab", kBare), ElementsAre("[UNK]", "▁a", "b"));  // "b" begins no word
  EXPECT_THAT(pieces_of(*t, "? ?", kBare), ElementsAre("[UNK]", "[UNK]"));
  EXPECT_THAT(pieces_of(*t, "a" + std::string(99, 'b'), kBare), ::testing::SizeIs(100));
  EXPECT_THAT(pieces_of(*t, "a" + std::string(100, 'b'), kBare), ElementsAre("[UNK]"));  // BERT's limit
}

TEST(WordPiece, MarksTheEndsOfTheText) {
  Meta meta = bert_meta({{"▁a"}});
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "a"), ElementsAre("[CLS]", "▁a", "[SEP]"));
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), ""), ElementsAre("[CLS]", "[SEP]"));
  meta.set("tokenizer.ggml.add_bos_token", false);
  meta.set("tokenizer.ggml.add_sep_token", false);
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "a"), ElementsAre("▁a"));
}

TEST(WordPiece, SpecialTokens) {
  const auto t = Tokenizer::create(bert_meta({{"▁a"}, {"▁["}, {"▁]"}, {"▁sep"}, {"▁sepa"}}));
  EXPECT_THAT(pieces_of(*t, "a[SEP]a", kBare), ElementsAre("▁a", "[SEP]", "▁a"));
  EXPECT_THAT(pieces_of(*t, "a[SEP]a", {.add_special = false, .parse_special = false}),
              ElementsAre("▁a", "▁[", "▁sep", "▁]", "▁a"));
}

TEST(WordPiece, CaseAndAccentsAsTheFileSays) {
  Meta meta = bert_meta({{"▁é"}, {"▁É"}, {"▁e"}, {"▁E"}});
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "É E", kBare), ElementsAre("▁e", "▁e"));
  meta.set("tokenizer.ggml.normalizer.lowercase", false);
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "É E", kBare), ElementsAre("▁É", "▁E"));
  meta.set("tokenizer.ggml.normalizer.strip_accents", true);
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "É E", kBare), ElementsAre("▁E", "▁E"));
  meta.set("tokenizer.ggml.normalizer.lowercase", true);
  meta.set("tokenizer.ggml.normalizer.strip_accents", false);
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "É E", kBare), ElementsAre("▁é", "▁e"));
}

TEST(WordPiece, Decodes) {
  const auto t = Tokenizer::create(bert_meta({{"▁un"}, {"able"}, {"▁a"}}));
  EXPECT_EQ(t->decode(t->encode("unable  a x")), "unable a");
  EXPECT_EQ(t->decode(t->encode("unable a x"), /*special=*/true), "[CLS] unable a[UNK][SEP]");
}

}  // namespace
}  // namespace skald
