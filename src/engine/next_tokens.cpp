#include "engine/next_tokens.h"

#include "stepping/pick.h"

namespace skald {

TokenId NextTokens::choose(const Logits& logits, int64_t row) {
  if (const std::optional<TokenId> next = forced()) return *next;
  if (!grammar_) return pick(sampler_, logits, row);
  const TokenMask allowed = grammar_->allowed(ignores_end_);
  return pick(sampler_, logits, row, &allowed);
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
