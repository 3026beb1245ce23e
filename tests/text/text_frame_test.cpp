// The tokens around a text and a pair of texts, as Hugging Face's tokenizers of these kinds put them.
#include "text/text_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/text/tiny_vocab.h"

namespace skald::text_frame_test {
namespace {

using Pieces = std::vector<std::string>;

/// A vocabulary with the words a, b and c.
class Frame {
 public:
  explicit Frame(const Meta& meta) : tokenizer_(Tokenizer::create(meta)), frame_(*tokenizer_) {}

  Pieces one(std::string_view text, int64_t most = 0) const { return pieces(frame_.one(text, most)); }
  Pieces pair(std::string_view a, std::string_view b, int64_t most = 0) const { return pieces(frame_.pair(a, b, most)); }
  int64_t second(std::string_view a, std::string_view b) const { return frame_.pair(a, b).second; }

 private:
  Pieces pieces(const FramedText& text) const {
    Pieces out;
    for (const TokenId id : text.tokens) out.push_back(tokenizer_->vocab().pieces[static_cast<size_t>(id)]);
    return out;
  }
  std::unique_ptr<Tokenizer> tokenizer_;
  TextFrame frame_;
};

Meta bert() { return test::bert_meta({{"\u2581a"}, {"\u2581b"}, {"\u2581c"}, {"\u2581["}, {"cls"}, {"]"}}); }
Meta unigram() { return test::unigram_meta({{"\u2581a", PieceKind::kNormal, -1}, {"\u2581b", PieceKind::kNormal, -1}}); }

TEST(TextFrame, OfBertHasTypesAndOneSeparator) {
  const Frame frame(bert());
  EXPECT_EQ(frame.one("a"), (Pieces{"[CLS]", "\u2581a", "[SEP]"}));
  EXPECT_EQ(frame.pair("a b", "c"), (Pieces{"[CLS]", "\u2581a", "\u2581b", "[SEP]", "\u2581c", "[SEP]"}));
  EXPECT_EQ(frame.second("a b", "c"), 4);
}

TEST(TextFrame, OfRobertaHasTwoSeparatorsAndNoTypes) {
  Meta meta = unigram();
  meta.set("tokenizer.ggml.bos_token_id", uint32_t{1});
  meta.set("tokenizer.ggml.add_bos_token", true);
  const Frame frame(meta);
  EXPECT_EQ(frame.one("a"), (Pieces{"<s>", "\u2581a", "</s>"}));
  EXPECT_EQ(frame.pair("a", "b"), (Pieces{"<s>", "\u2581a", "</s>", "</s>", "\u2581b", "</s>"}));
  EXPECT_EQ(frame.second("a", "b"), -1);
}

TEST(TextFrame, OfT5EndsEachText) {
  EXPECT_EQ(Frame(unigram()).pair("a", "b"), (Pieces{"\u2581a", "</s>", "\u2581b", "</s>"}));
}

TEST(TextFrame, OfDecodersBeginsEachText) {
  Meta meta = test::spm_meta({{"\u2581a"}, {"\u2581b"}});
  EXPECT_EQ(Frame(meta).pair("a", "b"), (Pieces{"<s>", "\u2581a", "<s>", "\u2581b"}));
  meta.set("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(Frame(meta).pair("a", "b"), (Pieces{"<s>", "\u2581a", "</s>", "<s>", "\u2581b", "</s>"}));
  EXPECT_EQ(Frame(test::bpe_meta("gpt-2", {})).pair("a", "b"), (Pieces{"a", "b"}));
}

TEST(TextFrame, TakesNamesOfSpecialTokensAsText) {
  const Pieces pieces = Frame(bert()).one("[CLS]");
  EXPECT_EQ(std::ranges::count(pieces, "[CLS]"), 1);
  EXPECT_GT(pieces.size(), 3u);
}

TEST(TextFrame, CutsATextBeforeItsEnd) {
  const Frame frame(bert());
  EXPECT_EQ(frame.one("a b c", 4), (Pieces{"[CLS]", "\u2581a", "\u2581b", "[SEP]"}));
  EXPECT_EQ(frame.one("a b c", 5).size(), 5u);
  EXPECT_EQ(frame.one("a b c", 1), (Pieces{"[CLS]", "[SEP]"}));
}

// As the strategy longest_first does.
TEST(TextFrame, CutsTheLongerTextOfAPairFirst) {
  const Frame frame(bert());
  EXPECT_EQ(frame.pair("a", "b b b b", 6), (Pieces{"[CLS]", "\u2581a", "[SEP]", "\u2581b", "\u2581b", "[SEP]"}));
  EXPECT_EQ(frame.pair("a a a a", "b", 6), (Pieces{"[CLS]", "\u2581a", "\u2581a", "[SEP]", "\u2581b", "[SEP]"}));
  EXPECT_EQ(frame.pair("a a a", "b b b b", 8),
            (Pieces{"[CLS]", "\u2581a", "\u2581a", "[SEP]", "\u2581b", "\u2581b", "\u2581b", "[SEP]"}));
  EXPECT_EQ(frame.pair("a", "b", 8).size(), 5u);
}

}  // namespace
}  // namespace skald::text_frame_test
