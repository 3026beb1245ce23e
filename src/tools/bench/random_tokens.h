// Random token ids for benchmarks: times hardly depend on which tokens they are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "skald/engine.h"

namespace skald {

/// `tokens` become n ids below n_vocab.
inline void draw_tokens(Rng& rng, int64_t n_vocab, int64_t n, std::vector<TokenId>& tokens) {
  tokens.resize(static_cast<size_t>(n));
  for (TokenId& t : tokens) t = static_cast<TokenId>(rng.next() % static_cast<uint64_t>(n_vocab));
}

}  // namespace skald
