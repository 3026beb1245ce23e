#include "engine/guide.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "text/tokenizer.h"

namespace skald {

// So many tokens before a forced text decide how it is cut.
static constexpr size_t kTokensBefore = 8;
static constexpr size_t kMostForced = 1024;  // bytes

Guide::Guide(std::shared_ptr<CompiledGrammar> grammar, const Tokenizer& tokenizer, int64_t n_vocab)
    : constraint_(std::move(grammar)),
      tokenizer_(&tokenizer),
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

void Guide::accept(TokenId token) {
  if (!constraint_.accept(token)) fail(Errc::kInternal, "the grammar does not allow token {}, which was chosen", token);
}

std::vector<TokenId> Guide::forced(std::span<const TokenId> text) const {
  const std::string must = constraint_.forced(kMostForced);
  if (must.size() < 2) return {};
  // The ordinary text before it, as far as it counts.
  const Vocab& vocab = tokenizer_->vocab();
  size_t from = text.size();
  while (from > 0 && text.size() - from < kTokensBefore && text[from - 1] < vocab.size() &&
         !tokenizer_->text_of(text[from - 1], /*special=*/false).empty())
    --from;
  const std::span<const TokenId> before = text.subspan(from);
  std::string whole;
  for (const TokenId id : before) whole += tokenizer_->text_of(id, /*special=*/false);
  whole += must;
  std::vector<TokenId> ids = tokenizer_->encode(whole, {.add_special = false, .parse_special = false});
  if (ids.size() <= before.size() + 1 || !std::ranges::equal(before, std::span(ids).first(before.size()))) return {};
  ids.erase(ids.begin(), ids.begin() + std::ssize(before));
  ids.pop_back();
  Constraint at = constraint_;
  for (const TokenId id : ids)
    if (!at.accept(id)) return {};
  return ids;
}

}  // namespace skald
