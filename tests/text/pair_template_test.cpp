// Pairs of texts in a template's words.
#include "text/pair_template.h"

#include <gtest/gtest.h>

#include "tests/text/tiny_vocab.h"

namespace skald::pair_template_test {
namespace {

std::string shown(std::string_view words, std::string_view query, std::string_view document) {
  const auto tokenizer = Tokenizer::create(test::bpe_meta("gpt-2", {}, {{"<|end|>", PieceKind::kControl}}));
  std::string out;
  for (const TokenId id : encode_pair(*tokenizer, words, query, document))
    out += id == 256 ? "[END]" : tokenizer->piece_bytes(id);
  return out;
}

TEST(PairTemplate, PutsTheTextsWhereItSays) {
  EXPECT_EQ(shown("Q:{query} D:{document}<|end|>", "a", "b"), "Q:a D:b[END]");
  EXPECT_EQ(shown("{document}|{query}|{query}", "a", "b"), "b|a|a");
  EXPECT_EQ(shown("nothing", "a", "b"), "nothing");
}

TEST(PairTemplate, TakesTheTextsAsText) {
  EXPECT_EQ(shown("<|end|>{query}", "<|end|>{document}", "b"), "[END]<|end|>{document}");
}

}  // namespace
}  // namespace skald::pair_template_test
