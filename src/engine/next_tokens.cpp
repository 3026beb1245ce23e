#include "engine/next_tokens.h"

#include "stepping/log_probs.h"
#include "stepping/pick.h"

namespace skald {

TokenId NextTokens::choose(const Logits& logits, int64_t row) {
  if (const std::optional<TokenId> next = forced()) return *next;
  if (!grammar_) return pick(sampler_, logits, row);
  const TokenMask allowed = grammar_->allowed(ignores_end_);
  return pick(sampler_, logits, row, &allowed);
}

// What only a grammar forces is one of several ways to write its text: a search takes the likeliest.
std::vector<std::pair<TokenId, double>> NextTokens::likeliest(const Logits& logits, int64_t row, size_t n) {
  if (!forced_.empty()) return {{forced_.front(), log_probs(logits, row, forced_.front(), 0).token}};
  if (!grammar_) return skald::likeliest(logits, row, n, nullptr);
  const TokenMask allowed = grammar_->allowed(ignores_end_);
  return skald::likeliest(logits, row, n, &allowed);
}

std::optional<TokenId> NextTokens::forced() const {
  if (!forced_.empty()) return forced_.front();
  return grammar_ ? grammar_->forced() : std::nullopt;
}

bool NextTokens::accept(TokenId token) {
  sampler_.accept(token);
  if (!forced_.empty()) forced_.pop_front();
  if (!grammar_) return false;
  grammar_->accept(token);
  return grammar_->is_over();
}

void NextTokens::force(std::span<const TokenId> tokens) {
  if (!grammar_ || grammar_->allows(tokens)) forced_.insert(forced_.end(), tokens.begin(), tokens.end());
}

}  // namespace skald
