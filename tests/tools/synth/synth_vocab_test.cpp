// The made-up vocabulary is one that a tokenizer can be made of, and any text survives it.
#include "tools/synth/synth_vocab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "text/tokenizer.h"
#include "text/vocab.h"

namespace skald {
namespace {

TEST(SynthVocab, HasAsManyDifferentPiecesAsAsked) {
  for (int64_t n : {kLeastSynthVocab, int64_t{1000}}) {
    Meta meta;
    add_synth_vocab(meta, n);
    const auto& pieces = meta.strings("tokenizer.ggml.tokens");
    EXPECT_EQ(static_cast<int64_t>(pieces.size()), n);
    EXPECT_EQ(std::set(pieces.begin(), pieces.end()).size(), pieces.size()) << "other engines insist on it";
    EXPECT_EQ(meta.floats("tokenizer.ggml.scores").size(), pieces.size());
    EXPECT_EQ(meta.ints("tokenizer.ggml.token_type").size(), pieces.size());
  }
}

TEST(SynthVocab, AnyTextIsMadeOfItsBytes) {
  Meta meta;
  add_synth_vocab(meta, 300);
  const auto tokenizer = Tokenizer::create(meta);
  for (const std::string text : {"Hello, world\n", "日本語 \xF0\x9F\x98\x80"}) {
    const auto ids = tokenizer->encode(text);
    EXPECT_EQ(ids.front(), 1) << "begins with <s>";
    EXPECT_THAT(ids, testing::Each(testing::Lt(kLeastSynthVocab)));
    EXPECT_EQ(tokenizer->decode(ids), text);
  }
}

}  // namespace
}  // namespace skald
