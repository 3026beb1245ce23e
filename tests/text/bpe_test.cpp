#include "text/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/errors.h"
#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::bpe_meta;
using test::error_of;
using test::pieces_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Bpe, MergesByRankWithinWords) {
  const auto t = Tokenizer::create(bpe_meta("gpt-2", {{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"Ġ", "a"}}));
  EXPECT_THAT(pieces_of(*t, "abc"), ElementsAre("abc"));
  EXPECT_THAT(pieces_of(*t, "ab abc"), ElementsAre("ab", "Ġ", "abc"));  // "bc" and "abc" go before "Ġa"
  EXPECT_THAT(pieces_of(*t, " a"), ElementsAre("Ġa"));
  EXPECT_THAT(pieces_of(*t, ""), ElementsAre());
}

TEST(Bpe, EqualPairsMergeFromTheLeft) {
  const auto t = Tokenizer::create(bpe_meta("gpt-2", {{"a", "a"}}));
  EXPECT_THAT(pieces_of(*t, "aaaaa"), ElementsAre("aa", "aa", "a"));
}

TEST(Bpe, MergesThatLeadNowhereAreLeftOut) {
  Meta meta = bpe_meta("gpt-2", {{"a", "b"}});
  meta.set("tokenizer.ggml.merges", MetaArray{std::vector<std::string>{"a c", "? ?", "日 本", "a b"}});
  EXPECT_THAT(pieces_of(*Tokenizer::create(meta), "acab"), ElementsAre("a", "c", "ab"));
}

TEST(Bpe, WholeWordsWhereMergesAreIgnored) {
  const std::vector<test::TinyPiece> more = {{"Ġxyz"}};
  EXPECT_THAT(pieces_of(*Tokenizer::create(bpe_meta("llama-bpe", {{"x", "y"}}, more)), "q xyz"), ElementsAre("q", "Ġxyz"));
  EXPECT_THAT(pieces_of(*Tokenizer::create(bpe_meta("gpt-2", {{"x", "y"}}, more)), "q xyz"),
              ElementsAre("q", "Ġ", "xy", "z"));
}

TEST(Bpe, ControlPiecesAreNoWords) {
  const auto t = Tokenizer::create(bpe_meta("llama-bpe", {}, {{"stop", PieceKind::kControl}}));
  EXPECT_THAT(pieces_of(*t, "stop", {.parse_special = false}), ElementsAre("s", "t", "o", "p"));
  EXPECT_THAT(pieces_of(*t, "stop"), ElementsAre("stop"));
}

TEST(Bpe, AnyBytesComeBack) {
  const auto t = Tokenizer::create(bpe_meta("gpt-2", {{"Ã", "©"}, {"ÿ", "ÿ"}}));
  using std::literals::operator""s;
  const std::string bytes = "caf\xC3\xA9 \xFF\xFF\xFF \xF0\x9F \0 \x80z"s;
  std::string back;
  for (TokenId id : t->encode(bytes)) back += t->piece_bytes(id);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(t->encode("\xFF\xFF").size(), 1u);
}

TEST(Bpe, BytesWithoutPieces) {
  Meta meta = bpe_meta("gpt-2", {});
  std::vector<std::string> tokens = meta.strings("tokenizer.ggml.tokens");
  tokens[0xFF] = "gone";  // spelling ÿ
  tokens.push_back("ÿ");  // an added piece that is the letter, not the byte
  meta.set("tokenizer.ggml.tokens", MetaArray{tokens});
  std::vector<int32_t> kinds(256, 1);
  kinds.push_back(static_cast<int32_t>(PieceKind::kUserDefined));
  meta.set("tokenizer.ggml.token_type", MetaArray{kinds});
  const auto t = Tokenizer::create(meta);
  EXPECT_EQ(t->decode(t->encode("a\xFF"
                                "b")),
            "a\uFFFDb");
  EXPECT_EQ(t->decode(t->encode("ÿ")), "ÿ");
  EXPECT_EQ(t->encode("ÿ").size(), 1u);
}

TEST(Bpe, ErrorsNameTheKey) {
  Meta meta = bpe_meta("nonsense", {});
  Error e = error_of([&] { Tokenizer::create(meta); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("\"nonsense\""));
  EXPECT_THAT(e.what(), HasSubstr("llama-bpe"));

  for (const char* merge : {"ab", "", " ", "a", "a ", " a"}) {
    meta = bpe_meta("gpt-2", {});
    meta.set("tokenizer.ggml.merges", MetaArray{std::vector<std::string>{"a b", merge}});
    e = error_of([&] { Tokenizer::create(meta); });
    EXPECT_EQ(e.code(), Errc::kBadFile) << merge;
    EXPECT_THAT(e.what(), HasSubstr("tokenizer.ggml.merges: element 1"));
  }

  meta = test::vocab_meta("gpt2", {{"a"}});
  e = error_of([&] { Tokenizer::create(meta); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("tokenizer.ggml.merges"));
}

TEST(Bpe, ComposesCharactersWhereTheReferenceDoes) {
  const std::string text = "cafe\u0301\xFF", composed = "caf\u00E9\xFF";
  for (const char* pre : {"qwen2", "qwen35", "command-r", "mpt", "olmo"}) {
    const auto t = Tokenizer::create(bpe_meta(pre, {}));
    EXPECT_EQ(t->decode(t->encode(text)), "caf\u00E9\uFFFD") << pre;
    EXPECT_EQ(t->encode(text), t->encode(composed)) << pre;
  }
  const auto t = Tokenizer::create(bpe_meta("gpt-2", {}));
  EXPECT_EQ(t->decode(t->encode(text)), "cafe\u0301\uFFFD");
}

}  // namespace
}  // namespace skald
