#include "stepping/pick.h"

#include <optional>

namespace skald {

TokenId pick(Sampler& sampler, const Logits& logits, int64_t row, const TokenMask* allowed) {
  if (const BestTokens* const best = allowed ? nullptr : logits.best(row)) {
    const auto n = static_cast<size_t>(best->n);
    if (const std::optional<TokenId> token = sampler.pick_of_best({best->tokens, n}, {best->logits, n}, logits.cols()))
      return *token;
  }
  return sampler.pick(logits.row(row), allowed);
}

}  // namespace skald
