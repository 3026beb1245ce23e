#include "text/unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/errors.h"
#include "tests/text/tiny_vocab.h"

namespace skald::unigram_test {
namespace {

using test::pieces_of;
using test::TinyPiece;
using test::unigram_meta;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr PieceKind kNormal = PieceKind::kNormal;
constexpr EncodeOptions kBare = {.add_special = false};

TEST(Unigram, TheLikeliestCutWins) {
  const auto t = Tokenizer::create(unigram_meta({{"▁", kNormal, -2},
                                                 {"a", kNormal, -3},
                                                 {"b", kNormal, -3},
                                                 {"ab", kNormal, -5},
                                                 {"ba", kNormal, -7},
                                                 {"bab", kNormal, -6}}));
  EXPECT_THAT(pieces_of(*t, "ab", kBare), ElementsAre("▁", "ab"));
  EXPECT_THAT(pieces_of(*t, "ba", kBare), ElementsAre("▁", "b", "a"));      // -6 against -7
  EXPECT_THAT(pieces_of(*t, "abab", kBare), ElementsAre("▁", "a", "bab"));  // -9 against -10
  EXPECT_THAT(pieces_of(*t, "ab  ab ", kBare), ElementsAre("▁", "ab", "▁", "ab"));
  EXPECT_THAT(pieces_of(*t, "a"), ElementsAre("▁", "a", "</s>"));
  EXPECT_THAT(pieces_of(*t, " ", kBare), IsEmpty());
}

// Against every cut of short texts.
TEST(Unigram, AgreesWithTryingAll) {
  std::mt19937 random(17);
  std::vector<TinyPiece> pieces = {{"▁", kNormal, -9}, {"a", kNormal, -9}, {"b", kNormal, -9}, {"c", kNormal, -9}};
  for (const char* p : {"ab", "ba", "abc", "cc", "bca", "▁a", "▁ab", "ca"})
    pieces.push_back({p, kNormal, -8 - static_cast<float>(random() % 1000) / 100});
  const auto t = Tokenizer::create(unigram_meta(pieces));
  const Vocab& v = t->vocab();
  const auto score = [&](TokenId id) { return static_cast<double>(v.scores[static_cast<size_t>(id)]); };
  const auto best = [&](auto&& self, std::string_view rest) -> double {
    if (rest.empty()) return 0;
    double out = -1e9;
    for (TokenId id = 3; id < v.size(); ++id) {
      const std::string& piece = v.pieces[static_cast<size_t>(id)];
      if (rest.starts_with(piece)) out = std::max(out, score(id) + self(self, rest.substr(piece.size())));
    }
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    std::string word(1 + random() % 9, 'a');
    for (char& c : word) c = "abc"[random() % 3];
    double got = 0;
    for (TokenId id : t->encode(word, kBare)) got += score(id);
    ASSERT_NEAR(got, best(best, "▁" + word), 1e-9) << word;
  }
}

TEST(Unigram, WordsAreCutAsTheWholeTextIs) {
  std::vector<TinyPiece> pieces = {{"▁", kNormal, -3},  {"a", kNormal, -3},  {"b", kNormal, -3}, {"▁▁", kNormal, -4},
                                   {"▁a", kNormal, -4}, {"ab", kNormal, -5}, {"bb", kNormal, -7}};
  Meta by_words = unigram_meta(pieces);
  pieces.push_back({"x▁x", kNormal, -6});  // never occurs, but keeps words from being taken one by one
  Meta whole = unigram_meta(pieces);
  for (Meta* meta : {&by_words, &whole}) meta->set("tokenizer.ggml.remove_extra_whitespaces", false);
  const auto t = Tokenizer::create(by_words), u = Tokenizer::create(whole);
  std::mt19937 random(19);
  for (int round = 0; round < 1000; ++round) {
    std::string text(random() % 30, ' ');
    for (char& c : text) c = "ab é"[random() % 4];  // and halves of a character
    ASSERT_EQ(t->encode(text), u->encode(text)) << text;
  }
}

TEST(Unigram, ARowOfUnknownsIsOneToken) {
  const auto t = Tokenizer::create(unigram_meta({{"▁", kNormal, -2}, {"a", kNormal, -3}}));
  EXPECT_THAT(pieces_of(*t, "éèa\xFFé é", kBare), ElementsAre("▁", "<unk>", "a", "<unk>", "▁", "<unk>"));
  EXPECT_EQ(t->decode(t->encode("aéa")), "a ⁇ a");
  EXPECT_EQ(t->decode(t->encode("aéa"), /*special=*/true), "a<unk>a</s>");
}

TEST(Unigram, AnUnknownCharacterIsTenLessLikelyThanAnyPiece) {
  const std::vector<TinyPiece> pieces = {{"▁", kNormal, -1}, {"a", kNormal, -1}, {"éa", kNormal, -5}};
  EXPECT_THAT(pieces_of(*Tokenizer::create(unigram_meta(pieces)), "éa", kBare), ElementsAre("▁", "éa"));
  std::vector<TinyPiece> more = pieces;
  more.push_back({"▁é", PieceKind::kUnused, 0});  // takes no part
  EXPECT_THAT(pieces_of(*Tokenizer::create(unigram_meta(more)), "éa", kBare), ElementsAre("▁", "éa"));
}

TEST(Unigram, BytesForWhatIsUnknown) {
  Meta meta = test::spm_meta({{"▁", kNormal, -2}, {"a", kNormal, -3}});
  meta.set("tokenizer.ggml.model", "t5");
  meta.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  meta.set("tokenizer.ggml.add_space_prefix", true);
  const auto t = Tokenizer::create(meta);
  EXPECT_THAT(pieces_of(*t, "aé\xFF", kBare), ElementsAre("▁", "a", "<0xC3>", "<0xA9>", "<0xFF>"));
  EXPECT_EQ(t->decode(t->encode("aé", kBare)), "aé");
}

TEST(Unigram, SpecialTokens) {
  const auto t = Tokenizer::create(unigram_meta(
      {{"▁", kNormal, -2}, {"a", kNormal, -3}, {"<x>", PieceKind::kUserDefined}, {"<pad>", PieceKind::kControl}}));
  EXPECT_THAT(pieces_of(*t, "a<x>a<pad>", kBare), ElementsAre("▁", "a", "<x>", "▁", "a", "<pad>"));
  EXPECT_THAT(pieces_of(*t, "<x><pad>", {.add_special = false, .parse_special = false}),
              ElementsAre("<x>", "▁", "<unk>", "a", "<unk>"));
}

TEST(Unigram, StrangeScoresAreHarmless) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto t =
      Tokenizer::create(unigram_meta({{"▁", kNormal, -inf}, {"a", kNormal, inf}, {"b", kNormal, -inf}, {"ab", kNormal, 3}}));
  for (const char* text : {"abab", "b b", "aa", "ba", "xbax"}) EXPECT_FALSE(t->encode(text, kBare).empty()) << text;
  Meta none;
  none.set("tokenizer.ggml.model", "t5");
  none.set("tokenizer.ggml.tokens", MetaArray{std::vector<std::string>{"<pad>", "</s>", "<unk>", "a", "aa"}});
  EXPECT_THAT(pieces_of(*Tokenizer::create(none), "aaxa"), ElementsAre("aa", "<unk>", "a", "</s>"));
}

}  // namespace
}  // namespace skald::unigram_test
