// NextTokens: how a branch's tokens are chosen: by its sampler, among those that its grammar allows, or as they are forced.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/grammar_cursor.h"
#include "sampling/sampler.h"
#include "stepping/logits.h"

namespace skald {

/// A copy goes on as the original does: so a guess may go ahead of a text.
class NextTokens {
 public:
  /// `ignores_end`: tokens that end the text are chosen only where nothing else is allowed.
  NextTokens(Sampler sampler, std::optional<GrammarCursor> grammar, bool ignores_end)
      : sampler_(std::move(sampler)), grammar_(std::move(grammar)), ignores_end_(ignores_end) {}

  /// Chooses from a row of logits, or what is forced. Throws as Sampler::pick().
  TokenId choose(const Logits& logits, int64_t row);
  /// Returns the n likeliest tokens of a row that may come next, or the one that a caller forces, with their
  /// log-probabilities. Throws as skald::likeliest().
  std::vector<std::pair<TokenId, double>> likeliest(const Logits& logits, int64_t row, size_t n);
  /// Returns the next token, where only one can follow.
  std::optional<TokenId> forced() const;
  /// Takes a token, chosen or not. Returns whether nothing may follow it.
  bool accept(TokenId token);
  /// Forces tokens after those that are forced, unless the grammar does not allow them: it goes first.
  void force(std::span<const TokenId> tokens);

  uint64_t seed() const { return sampler_.seed(); }
  void reseed(uint64_t seed) { sampler_.reseed(seed); }

 private:
  Sampler sampler_;
  std::optional<GrammarCursor> grammar_;
  std::deque<TokenId> forced_;
  bool ignores_end_;
};

}  // namespace skald
