// Prompts of made-up tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "skald/types.h"

namespace skald::test {

using Tokens = std::vector<TokenId>;

/// Gives `n` ids below 50, the same for a seed.
inline Tokens some(int64_t n, uint64_t seed) {
  Rng rng(seed);
  Tokens out;
  for (int64_t i = 0; i < n; ++i) out.push_back(static_cast<TokenId>(rng.next() % 50));
  return out;
}

inline Tokens operator+(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace skald::test
