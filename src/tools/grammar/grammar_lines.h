// The answers of `skald grammar`: which texts a grammar takes, which tokens may follow, and the cost of masks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/constraint.h"
#include "skald/grammar_params.h"
#include "text/tokenizer.h"

namespace skald {

class GrammarLines {
 public:
  /// Throws as read_grammar() and CompiledGrammar do. `tokenizer` may be null: then there are no masks. It must outlive
  /// this.
  GrammarLines(const GrammarParams& params, const Tokenizer* tokenizer, const std::function<void(std::string)>& warn);

  /// "accept", or "reject" and the byte where the text went wrong.
  std::string accepts(std::string_view text) const;
  /// {"allowed": [...], "stop": ...}, or {"allowed": null} where no sentence begins so.
  std::string mask_after(std::string_view text) const;
  /// {"compile_us": , "first_mask_us": , "mask_us": [...]}: of the texts that are sentences, before each of their tokens.
  std::string stats(const std::vector<std::string>& texts);

 private:
  double time_mask(const Constraint& at);
  std::vector<TokenId> tokens_of(std::string_view text) const;

  const Tokenizer* tokenizer_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  std::shared_ptr<CompiledGrammar> grammar_;
  std::vector<uint32_t> mask_;
  double compile_us_ = 0, first_mask_us_ = 0;
};

}  // namespace skald
