#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/errors.h"
#include "tests/text/tiny_vocab.h"
#include "text/utf8.h"

namespace skald {
namespace {

using test::bpe_meta;
using test::spm_meta;

// Byte b is id b.
std::unique_ptr<Tokenizer> bytes_tokenizer() {
  return Tokenizer::create(bpe_meta("gpt-2", {}, {{"<|end|>", PieceKind::kControl}, {"<tool>", PieceKind::kUserDefined}}));
}

TEST(Detokenizer, HoldsBackUnfinishedCharacters) {
  const auto t = bytes_tokenizer();
  Detokenizer d(*t);
  EXPECT_EQ(d.push('a'), "a");
  EXPECT_EQ(d.push(0xF0), "");
  EXPECT_EQ(d.push(0x9F), "");
  EXPECT_EQ(d.push(0x98), "");
  EXPECT_EQ(d.push(0x80), "😀");
  EXPECT_EQ(d.flush(), "");
}

TEST(Detokenizer, BrokenBytesShowAsSoonAsTheyAreKnown) {
  const auto t = bytes_tokenizer();
  Detokenizer d(*t);
  EXPECT_EQ(d.push(0xFF), "\uFFFD");
  EXPECT_EQ(d.push(0xE2), "");
  EXPECT_EQ(d.push('x'), "\uFFFDx");
  EXPECT_EQ(d.push(0xE2), "");
  EXPECT_EQ(d.push(0x82), "");
  EXPECT_EQ(d.push(0xC3), "\uFFFD");  // which begins anew
  EXPECT_EQ(d.push(0xA9), "é");
  EXPECT_EQ(d.push(0xF0), "");
  EXPECT_EQ(d.flush(), "\uFFFD");
  EXPECT_EQ(d.push('y'), "y");
}

TEST(Detokenizer, SpecialTokens) {
  const auto t = bytes_tokenizer();
  Detokenizer hidden(*t), shown(*t, /*special=*/true);
  EXPECT_EQ(hidden.push(256), "");
  EXPECT_EQ(shown.push(256), "<|end|>");
  EXPECT_EQ(hidden.push(257), "<tool>");
  EXPECT_EQ(test::error_of([&] { hidden.push(258); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([&] { hidden.push(-1); }).code(), Errc::kBadInput);
}

TEST(Detokenizer, FirstSpaceOfSentencePiece) {
  const auto t = Tokenizer::create(spm_meta({{"▁"}, {"▁a"}}));  // 259, 260
  Detokenizer start(*t), goes_on(*t, false, /*continues=*/true), named(*t, /*special=*/true);
  EXPECT_EQ(start.push(1), "");  // BOS is no text
  EXPECT_EQ(start.push(259), "");
  EXPECT_EQ(start.push(260), " a");
  EXPECT_EQ(goes_on.push(260), " a");
  EXPECT_EQ(named.push(1), "<s>");
  EXPECT_EQ(named.push(260), " a");
}

TEST(Detokenizer, UnknownTokensShow) {
  const auto unigram = Tokenizer::create(test::unigram_meta({{"▁"}, {"a"}})), bert = Tokenizer::create(test::bert_meta({}));
  Detokenizer d(*unigram), named(*unigram, /*special=*/true), words(*bert);
  EXPECT_EQ(d.push(4), "a");
  EXPECT_EQ(d.push(0), " ⁇ ");
  EXPECT_EQ(named.push(0), "<unk>");
  EXPECT_EQ(words.push(1), "");
}

TEST(Detokenizer, GivesWhatDecodeGives) {
  const auto bpe = bytes_tokenizer();
  const auto spm = Tokenizer::create(spm_meta({{"▁"}, {"▁a"}, {"é"}, {"😀", PieceKind::kUserDefined}}));
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const Tokenizer& t = round % 2 ? *bpe : *spm;
    const bool special = random() % 2;
    std::vector<TokenId> ids(random() % 12);
    for (TokenId& id : ids) {
      id = static_cast<TokenId>(random() % static_cast<unsigned>(t.vocab().size()));
      if (random() % 2) id = static_cast<TokenId>((t.vocab().model == "llama" ? 3 : 0) + (random() % 2 ? 0xE2 : 0x82));
    }
    Detokenizer d(t, special);
    std::string streamed;
    for (TokenId id : ids) {
      const std::string_view part = d.push(id);
      std::string valid;
      append_valid_utf8(valid, part);
      ASSERT_EQ(valid, part);
      streamed += part;
    }
    streamed += d.flush();
    ASSERT_EQ(streamed, t.decode(ids, special));
  }
}

}  // namespace
}  // namespace skald
