#include "stepping/log_probs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/error.h"
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

// Nothing where the device tells of fewer.
std::optional<std::vector<std::pair<TokenId, double>>> likeliest_of(const BestTokens& told, size_t n) {
  if (!told.finite || n == 0 || n > static_cast<size_t>(told.n)) return std::nullopt;
  return log_probs_of(told, told.tokens[0], n)->best;
}

void check_numbers(std::span<const float> logits) {
  for (size_t i = 0; i < logits.size(); ++i)
    if (std::isnan(logits[i]) || logits[i] == std::numeric_limits<float>::infinity())
      fail(Errc::kBadInput, "token {}: its logit is {}", i, std::isnan(logits[i]) ? "NaN" : "+inf");
}

// Other tokens become impossible.
std::vector<float> only_allowed(std::span<const float> logits, TokenMask allowed) {
  std::vector<float> out(logits.begin(), logits.end());
  for (size_t id = 0; id < out.size(); ++id)
    if (id / 32 >= allowed.size() || !(allowed[id / 32] >> (id % 32) & 1)) out[id] = -std::numeric_limits<float>::infinity();
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

std::vector<std::pair<TokenId, double>> likeliest(const Logits& logits, int64_t row, size_t n, const TokenMask* allowed) {
  if (const BestTokens* const told = allowed ? nullptr : logits.best(row))
    if (auto out = likeliest_of(*told, n)) return *std::move(out);
  const std::span<const float> all = logits.row(row);
  check_numbers(all);
  const double total = log_total(all);
  auto out = allowed ? top_log_probs(only_allowed(all, *allowed), n, total) : top_log_probs(all, n, total);
  std::erase_if(out, [](const auto& one) { return !std::isfinite(one.second); });
  return out;
}

}  // namespace skald
