// EvalText: the material of tasks: a model's own vocabulary, and the user's text if there is one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "loading/loaded_model.h"
#include "skald/types.h"
#include "text/tokenizer.h"

namespace skald {

class EvalText {
 public:
  using Tokens = std::vector<TokenId>;

  /// The form of a question: the end of a text that a base model goes on with, or a question in a chat.
  enum class Form : uint8_t { kText, kChat };

  /// Throws as a model without a tokenizer.
  explicit EvalText(const LoadedModel& model, const std::optional<std::string>& given = {}, Form form = Form::kText);

  bool in_chat() const { return form_ == Form::kChat; }

  /// Without tokens that begin or end texts.
  Tokens encode(std::string_view text) const;
  std::string decode(std::span<const TokenId> ids) const { return tokenizer_.decode(ids); }
  /// Returns the tokens before every text: one or none. In a chat this is the template's.
  const Tokens& begin() const { return begin_; }

  /// Returns the user's text, without begin(); null where there is none.
  const Tokens* given() const { return given_ ? &*given_ : nullptr; }

  /// Lower-case words that are one token after a space, in an order drawn from `rng`, n of them, all different. Throws
  /// kUnsupported for a vocabulary that has fewer, or fewer than 100.
  std::vector<std::string> some_words(size_t n, Rng& rng) const;

 private:
  const Tokenizer& tokenizer_;
  Form form_;
  Tokens begin_;
  std::optional<Tokens> given_;
  std::vector<std::string> words_;
};

/// Below n.
size_t draw(Rng& rng, size_t n);
/// Of 7 digits.
std::string draw_number(Rng& rng);

}  // namespace skald
