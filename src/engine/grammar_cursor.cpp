#include "engine/grammar_cursor.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "sampling/grammar/marker_spelling.h"
#include "text/tokenizer.h"

namespace skald {

static constexpr size_t kTokensBefore = 8;   // a forced text: they decide how it is cut
static constexpr size_t kMostForced = 1024;  // bytes

static bool is_control(const Tokenizer& tokenizer, TokenId id) {
  return tokenizer.vocab().contains(id) && tokenizer.vocab().kind(id) == PieceKind::kControl;
}

GrammarCursor::GrammarCursor(std::shared_ptr<CompiledGrammar> grammar, const Tokenizer& tokenizer, int64_t n_vocab,
                             std::span<const TokenId> prompt)
    : constraint_(std::move(grammar)),
      tokenizer_(&tokenizer),
      before_(prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), kTokensBefore)), prompt.end()),
      mask_(static_cast<size_t>(std::max<int64_t>(n_vocab, std::ssize(tokenizer.vocab().pieces)) + 31) / 32) {}

std::span<const uint32_t> GrammarCursor::allowed(bool no_end) {
  std::ranges::fill(mask_, 0u);
  if (no_end) {
    constraint_.allowed_texts(mask_);
    if (std::ranges::any_of(mask_, [](uint32_t word) { return word != 0; })) return mask_;
  }
  constraint_.allowed(mask_);
  return mask_;
}

// Tokens that are forced after this one are looked for when none was forced before.
void GrammarCursor::accept(TokenId token) {
  if (!constraint_.accept(token)) fail(Errc::kInternal, "the grammar does not allow token {}, which was chosen", token);
  before_.push_back(token);
  if (before_.size() > kTokensBefore) before_.pop_front();
  if (!forced_.empty() && forced_.front() == token) return forced_.pop_front();
  forced_.clear();
  force();
}

bool GrammarCursor::allows(std::span<const TokenId> tokens) const {
  Constraint at = constraint_;
  return std::ranges::all_of(tokens, [&](TokenId id) { return at.accept(id); });
}

std::optional<TokenId> GrammarCursor::forced() const {
  return forced_.empty() ? std::nullopt : std::optional(forced_.front());
}

// The last tokens as text: from the last one on that text before it says nothing about.
MarkedText GrammarCursor::text_before(size_t& tokens) const {
  const auto is_ordinary = [this](TokenId id) {
    return id < tokenizer_->vocab().size() && !tokenizer_->text_of(id, /*special=*/false).empty();
  };
  auto first = std::find_if_not(before_.rbegin(), before_.rend(), is_ordinary).base();
  if (first != before_.begin() && is_control(*tokenizer_, *std::prev(first))) --first;
  tokens = static_cast<size_t>(before_.end() - first);
  MarkedText out;
  for (auto id = first; id != before_.end(); ++id) {
    const bool control = is_control(*tokenizer_, *id);
    out.append(tokenizer_->text_of(*id, /*special=*/control), /*trusted=*/control);
  }
  return out;
}

// Tokens of the text that must follow, as the tokenizer has them after the text before: less the last one, which later text
// could change. None where the tokenizer cuts the text before elsewhere.
void GrammarCursor::force() {
  const std::string must = constraint_.forced(kMostForced);
  if (must.size() < 2) return;
  size_t n_before = 0;
  MarkedText whole = text_before(n_before);
  for (std::string_view rest = must; !rest.empty();) {
    const size_t text = std::min(rest.find(kControlByte), rest.size());
    whole.append(rest.substr(0, text), /*trusted=*/false);
    rest.remove_prefix(text);
    if (rest.empty()) break;
    const std::optional<TokenId> control = constraint_.vocabulary().markers().control_at(rest.substr(1));
    if (!control) break;
    const std::string& name = tokenizer_->piece_bytes(*control);
    whole.append(name, /*trusted=*/true);
    rest.remove_prefix(1 + name.size());
  }
  std::vector<TokenId> ids = tokenizer_->encode(whole, {.add_special = false});
  if (!ids.empty() && !is_control(*tokenizer_, ids.back())) ids.pop_back();
  const auto begin = before_.end() - static_cast<std::ptrdiff_t>(n_before);
  if (ids.size() <= n_before || !std::equal(begin, before_.end(), ids.begin())) return;
  const std::span<const TokenId> next(ids.begin() + static_cast<std::ptrdiff_t>(n_before), ids.end());
  if (allows(next)) forced_.assign(next.begin(), next.end());
}

}  // namespace skald
