#include "engine/guide.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "text/tokenizer.h"

namespace skald {

static constexpr size_t kTokensBefore = 8;   // a forced text: they decide how it is cut
static constexpr size_t kMostForced = 1024;  // bytes

Guide::Guide(std::shared_ptr<CompiledGrammar> grammar, const Tokenizer& tokenizer, int64_t n_vocab,
             std::span<const TokenId> prompt)
    : constraint_(std::move(grammar)),
      tokenizer_(&tokenizer),
      before_(prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), kTokensBefore)), prompt.end()),
      mask_(static_cast<size_t>(std::max<int64_t>(n_vocab, std::ssize(tokenizer.vocab().pieces)) + 31) / 32) {}

std::span<const uint32_t> Guide::allowed(bool no_end) {
  std::ranges::fill(mask_, 0u);
  if (no_end) {
    constraint_.allowed_texts(mask_);
    if (std::ranges::any_of(mask_, [](uint32_t word) { return word != 0; })) return mask_;
  }
  constraint_.allowed(mask_);
  return mask_;
}

// What is forced behind a token is found out when nothing was before it.
void Guide::accept(TokenId token) {
  if (!constraint_.accept(token)) fail(Errc::kInternal, "the grammar does not allow token {}, which was chosen", token);
  before_.push_back(token);
  if (before_.size() > kTokensBefore) before_.pop_front();
  if (forced_.empty())
    force();
  else
    forced_.pop_front();
}

std::optional<TokenId> Guide::forced() const { return forced_.empty() ? std::nullopt : std::optional(forced_.front()); }

// Tokens of the text that must follow, as the tokenizer has them behind the ordinary text before it: less the last one,
// which what comes then could change. None where the tokenizer cuts the text before elsewhere.
void Guide::force() {
  const std::string must = constraint_.forced(kMostForced);
  if (must.size() < 2) return;
  const auto is_ordinary = [this](TokenId id) {
    return id < tokenizer_->vocab().size() && !tokenizer_->text_of(id, /*special=*/false).empty();
  };
  const auto first = std::find_if_not(before_.rbegin(), before_.rend(), is_ordinary).base();
  std::string whole;
  for (auto id = first; id != before_.end(); ++id) whole += tokenizer_->text_of(*id, /*special=*/false);
  whole += must;
  const std::vector<TokenId> ids = tokenizer_->encode(whole, {.add_special = false, .parse_special = false});
  const auto n_before = static_cast<size_t>(before_.end() - first);
  if (ids.size() <= n_before + 1 || !std::equal(first, before_.end(), ids.begin())) return;
  const std::span<const TokenId> next(ids.begin() + static_cast<std::ptrdiff_t>(n_before), ids.end() - 1);
  Constraint at = constraint_;
  if (std::ranges::all_of(next, [&](TokenId id) { return at.accept(id); })) forced_.assign(next.begin(), next.end());
}

}  // namespace skald
