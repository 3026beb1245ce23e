// A made-up vocabulary, for model files without a tokenizer of their own.
#pragma once

#include <cstdint>

#include "base/meta.h"

namespace skald {

/// Least number of tokens: three special ones, all bytes and the space.
constexpr int64_t kLeastSynthVocab = 3 + 256 + 1;

/// Sets the keys tokenizer.ggml.* of a SentencePiece-style vocabulary of `n` tokens: <unk>, <s>, </s>, the bytes and the
/// space, of which any text is made, and words without meaning. Engines that insist on a tokenizer take it. Needs n >=
/// kLeastSynthVocab.
void add_synth_vocab(Meta& meta, int64_t n);

}  // namespace skald
