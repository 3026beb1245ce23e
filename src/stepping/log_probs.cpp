#include "stepping/log_probs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "sampling/log_prob.h"

namespace skald {
namespace {

// Nothing where the token or some of n are not among the best ones.
std::optional<TokenLogProbs> log_probs_of(const BestTokens& told, TokenId token, size_t n) {
  const std::span best(told.tokens, static_cast<size_t>(told.n));
  const auto at = std::ranges::find(best, token);
  if (at == best.end() || n > best.size()) return std::nullopt;
  const double total = static_cast<double>(told.top) + std::log(static_cast<double>(told.total));
  const auto of = [&](size_t i) { return static_cast<double>(told.logits[i]) - total; };
  TokenLogProbs out{.token = of(static_cast<size_t>(at - best.begin()))};
  for (size_t i = 0; i < n; ++i) out.best.emplace_back(best[i], of(i));
  return out;
}

}  // namespace

TokenLogProbs log_probs(const Logits& logits, int64_t row, TokenId token, size_t n) {
  if (const BestTokens* const told = logits.best(row))
    if (std::optional<TokenLogProbs> out = log_probs_of(*told, token, n)) return *std::move(out);
  const std::span<const float> all = logits.row(row);
  const double total = log_total(all);
  return {static_cast<double>(all[static_cast<size_t>(token)]) - total, top_log_probs(all, n, total)};
}

}  // namespace skald
