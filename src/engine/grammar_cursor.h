// GrammarCursor: the tokens that a grammar allows a branch next, and those that it forces.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sampling/constraint.h"
#include "skald/types.h"
#include "text/marked_text.h"

namespace skald {

class Tokenizer;

class GrammarCursor {
 public:
  /// Constrains the text after `prompt`. `tokenizer` must outlive this; `n_vocab`: the size of a row of logits.
  GrammarCursor(std::shared_ptr<CompiledGrammar> grammar, const Tokenizer& tokenizer, int64_t n_vocab,
                std::span<const TokenId> prompt);

  /// The text begins so in the prompt, where some sentence does; else it begins after the prompt.
  void begin(std::string_view text) { constraint_.accept_text(text); }

  /// Returns a bit for each token of a row; valid until the next call. With `no_end` tokens that end the text are not in it
  /// where others are.
  std::span<const uint32_t> allowed(bool no_end);
  /// Takes a token of the text. Throws kInternal for one that is not allowed.
  void accept(TokenId token);
  /// Returns whether these tokens may come next, one after the other.
  bool allows(std::span<const TokenId> tokens) const;
  /// Returns whether the text is a sentence that nothing continues.
  bool is_over() const { return constraint_.is_over(); }

  /// Returns the next token, where only one text can follow and the tokenizer begins it so after the text before.
  std::optional<TokenId> forced() const;

 private:
  void force();
  MarkedText text_before(size_t& tokens) const;

  Constraint constraint_;
  const Tokenizer* tokenizer_;
  std::deque<TokenId> before_;  // the last tokens of prompt and text
  std::deque<TokenId> forced_;  // come next
  std::vector<uint32_t> mask_;
};

}  // namespace skald
