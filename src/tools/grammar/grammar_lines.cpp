#include "tools/grammar/grammar_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "sampling/grammar/read_grammar.h"

namespace skald {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) { return std::chrono::duration<double, std::micro>(Clock::now() - begin).count(); }

}  // namespace

GrammarLines::GrammarLines(const GrammarParams& params, const Tokenizer* tokenizer,
                           const std::function<void(std::string)>& warn)
    : tokenizer_(tokenizer) {
  if (tokenizer_) {
    vocabulary_ = GrammarVocabulary::of(*tokenizer_);
    mask_.resize(vocabulary_->words());
  }
  const Clock::time_point begin = Clock::now();
  grammar_ = std::make_shared<CompiledGrammar>(read_grammar(params, warn), vocabulary_);
  compile_us_ = us_since(begin);
  if (tokenizer_) first_mask_us_ = time_mask(Constraint(grammar_));
}

std::string GrammarLines::accepts(std::string_view text) const {
  Constraint at(grammar_);
  const size_t taken = at.accept_text(text);
  if (taken == text.size() && at.may_stop()) return "accept";
  return fmt::format("reject {}", taken);
}

std::string GrammarLines::mask_after(std::string_view text) const {
  Constraint at(grammar_);
  if (at.accept_text(text) < text.size()) return "{\"allowed\": null}";
  std::vector<uint32_t> mask(vocabulary_->words());
  at.allowed_texts(mask);
  std::string ids;
  for (size_t i = 0; i < vocabulary_->tokens(); ++i) {
    if (mask[i / 32] >> i % 32 & 1) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", i);
  }
  return fmt::format("{{\"allowed\": [{}], \"stop\": {}}}", ids, at.may_stop());
}

double GrammarLines::time_mask(const Constraint& at) {
  const Clock::time_point begin = Clock::now();
  at.allowed_texts(mask_);
  return us_since(begin);
}

// As the tokenizer has them; where it changes the text (a space in front, say), the longest tokens that fit.
std::vector<TokenId> GrammarLines::tokens_of(std::string_view text) const {
  std::vector<TokenId> ids = tokenizer_->encode(text, {.add_special = false, .parse_special = false});
  std::string spelled;
  for (const TokenId id : ids) spelled += vocabulary_->text(id);
  if (spelled == text) return ids;
  ids.clear();
  std::unordered_map<std::string_view, TokenId> known;
  for (size_t i = 0; i < vocabulary_->tokens(); ++i) known.emplace(vocabulary_->text(static_cast<TokenId>(i)), i);
  while (!text.empty()) {
    size_t length = std::min(text.size(), vocabulary_->depth());
    while (length > 0 && !known.contains(text.substr(0, length))) --length;
    if (length == 0) fail(Errc::kUnsupported, "no token begins as \"{}\"", text.substr(0, 20));
    ids.push_back(known.at(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return ids;
}

std::string GrammarLines::stats(const std::vector<std::string>& texts) {
  std::string masks;
  for (const std::string& text : texts) {
    if (accepts(text) != "accept") continue;
    Constraint at(grammar_);
    for (const TokenId id : tokens_of(text)) {
      masks += fmt::format("{}{:.2f}", masks.empty() ? "" : ", ", time_mask(at));
      if (!at.accept(id)) fail(Errc::kInternal, "a token of a sentence is not allowed: {}", id);
    }
  }
  return fmt::format("{{\"compile_us\": {:.1f}, \"first_mask_us\": {:.1f}, \"mask_us\": [{}]}}", compile_us_, first_mask_us_,
                     masks);
}

}  // namespace skald
