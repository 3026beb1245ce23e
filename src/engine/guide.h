// Guide: what a grammar lets a branch say next, and the tokens that it does not have to be asked for.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sampling/constraint.h"
#include "skald/types.h"

namespace skald {

class Tokenizer;

class Guide {
 public:
  /// `tokenizer` must outlive this; `n_vocab`: the size of a row of logits.
  Guide(std::shared_ptr<CompiledGrammar> grammar, const Tokenizer& tokenizer, int64_t n_vocab);

  /// A bit for each token of a row; valid until the next call. With `no_end` tokens that end the text are not in it where
  /// others are.
  std::span<const uint32_t> allowed(bool no_end);
  /// Takes a token of the text. Throws kInternal for one that is not allowed.
  void accept(TokenId token);
  /// Whether the text is a sentence that nothing continues.
  bool is_over() const { return constraint_.is_over(); }

  /// Tokens of the text that must follow `text`, as the tokenizer has them behind it: less the last one, which what comes
  /// then could change. Empty where nothing is forced, or the tokenizer cuts the text before elsewhere.
  std::vector<TokenId> forced(std::span<const TokenId> text) const;

 private:
  Constraint constraint_;
  const Tokenizer* tokenizer_;
  std::vector<uint32_t> mask_;
};

}  // namespace skald
