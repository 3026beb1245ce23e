#include "text/spm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::pieces_of;
using test::spm_meta;
using test::TinyPiece;
using ::testing::ElementsAre;

constexpr PieceKind kNormal = PieceKind::kNormal;
constexpr EncodeOptions kBare = {.add_special = false};

std::vector<TinyPiece> letters_and(const std::vector<TinyPiece>& more) {
  std::vector<TinyPiece> out = {{"▁", kNormal, -9}, {"a", kNormal, -9}, {"b", kNormal, -9}, {"c", kNormal, -9}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
std::vector<TinyPiece> letters() { return letters_and({}); }

TEST(Spm, MergesByScore) {
  const auto t = Tokenizer::create(spm_meta(letters_and({{"ab", kNormal, -2}, {"bc", kNormal, -1}, {"▁ab", kNormal, -3}})));
  EXPECT_THAT(pieces_of(*t, "abc", kBare), ElementsAre("▁", "a", "bc"));
  EXPECT_THAT(pieces_of(*t, "ab", kBare), ElementsAre("▁ab"));
  EXPECT_THAT(pieces_of(*t, "ab"), ElementsAre("<s>", "▁ab"));
  EXPECT_THAT(pieces_of(*t, ""), ElementsAre("<s>"));
  EXPECT_THAT(pieces_of(*t, " ab", kBare), ElementsAre("▁", "▁ab"));
}

TEST(Spm, EqualScoresMergeFromTheLeft) {
  const auto t = Tokenizer::create(spm_meta(letters_and({{"ab", kNormal, -1}, {"bc", kNormal, -1}})));
  EXPECT_THAT(pieces_of(*t, "abcbc", kBare), ElementsAre("▁", "ab", "c", "bc"));
}

TEST(Spm, PiecesOverWordEnds) {
  const auto t = Tokenizer::create(spm_meta(letters_and({{"a▁", kNormal, -1}, {"a▁b", kNormal, -2}})));
  EXPECT_THAT(pieces_of(*t, "a b c", kBare), ElementsAre("▁", "a▁b", "▁", "c"));
}

TEST(Spm, CharactersThatAreOnlyPartsOfPieces) {
  const auto t = Tokenizer::create(spm_meta(letters_and({{"xy", kNormal, -1}})));
  EXPECT_THAT(pieces_of(*t, "xyx", kBare), ElementsAre("▁", "xy", "<0x78>"));
}

TEST(Spm, UnknownCharactersAndBrokenBytes) {
  const auto t = Tokenizer::create(spm_meta(letters()));
  EXPECT_THAT(pieces_of(*t, "é\xFF\xF0\x9F", kBare), ElementsAre("▁", "<0xC3>", "<0xA9>", "<0xFF>", "<0xF0>", "<0x9F>"));
  const std::string bytes = "a\xFF\x80 é";
  std::string back;
  for (TokenId id : t->encode(bytes, kBare)) back += t->piece_bytes(id);
  EXPECT_EQ(back, " " + bytes);
}

TEST(Spm, WithoutBytePiecesARowOfUnknownsIsOneToken) {
  const auto t = Tokenizer::create(test::vocab_meta(
      "llama", {{"<unk>", PieceKind::kUnknown}, {"<s>", PieceKind::kControl}, {"</s>", PieceKind::kControl}, {"▁"}, {"a"}}));
  EXPECT_THAT(pieces_of(*t, "éèaé é", kBare), ElementsAre("▁", "<unk>", "a", "<unk>", "▁", "<unk>"));
}

TEST(Spm, TypedControlTokensStayTextUnlessParsed) {
  // "</" and "s>" are pieces of real vocabularies too, and would merge to the control token.
  const auto t = Tokenizer::create(spm_meta(letters_and({{"</", kNormal, -1},
                                                         {"s>", kNormal, -2},
                                                         {"<", kNormal, -9},
                                                         {"/", kNormal, -9},
                                                         {"s", kNormal, -9},
                                                         {">", kNormal, -9}})));
  EXPECT_THAT(pieces_of(*t, "</s>", {.add_special = false, .parse_special = false}), ElementsAre("▁", "</", "s>"));
  EXPECT_THAT(pieces_of(*t, "a</s>b", kBare), ElementsAre("▁", "a", "</s>", "▁", "b"));
  EXPECT_EQ(pieces_of(*t, "<0x41>", kBare).size(), 7u);  // nor does a byte's name mean the byte
}

TEST(Spm, UserDefinedPiecesAreAlwaysFound) {
  const auto t = Tokenizer::create(spm_meta(letters_and({{"[x]", PieceKind::kUserDefined}})));
  EXPECT_THAT(pieces_of(*t, "a[x]b", {.add_special = false, .parse_special = false}),
              ElementsAre("▁", "a", "[x]", "▁", "b"));
}

TEST(Spm, SpacePrefix) {
  Meta meta = spm_meta(letters());
  meta.set("tokenizer.ggml.add_space_prefix", false);
  const auto bare = Tokenizer::create(meta);
  EXPECT_THAT(pieces_of(*bare, "a", kBare), ElementsAre("a"));
  EXPECT_EQ(bare->decode(bare->encode(" a")), " a");
  const auto t = Tokenizer::create(spm_meta(letters()));
  for (const char* text : {"", " ", "a", " a", "  a", "a b ", "▁"}) {
    const std::string want = std::string(text) == "▁" ? " " : text;  // the piece's own space
    EXPECT_EQ(t->decode(t->encode(text)), want);
  }
}

TEST(Spm, PhiSwallowsTheSpaceAfterSpecials) {
  Meta meta = spm_meta(letters_and({{"<|end|>", PieceKind::kControl}}));
  meta.set("general.name", "Phi-3-mini");
  const auto t = Tokenizer::create(meta);
  EXPECT_THAT(pieces_of(*t, "a<|end|> \n\tb<s> c", kBare), ElementsAre("▁", "a", "<|end|>", "▁", "b", "<s>", "▁", "▁", "c"));
  EXPECT_THAT(pieces_of(*t, "<|end|>\n", kBare), ElementsAre("<|end|>"));
}

TEST(Spm, AbsentScoresAreHarmless) {
  Meta meta;
  meta.set("tokenizer.ggml.model", "llama");
  meta.set("tokenizer.ggml.tokens", MetaArray{std::vector<std::string>{"<unk>", "<s>", "</s>", "▁", "a", "aa"}});
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "aaa", kBare), ElementsAre("▁", "aa", "a"));
}

}  // namespace
}  // namespace skald
