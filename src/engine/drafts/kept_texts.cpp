#include "engine/drafts/kept_texts.h"

#include <algorithm>
#include <utility>

namespace skald {

static int64_t shared_tokens(std::span<const TokenId> a, std::span<const TokenId> b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

void KeptTexts::keep(std::string_view scope, ReadText text) {
  if (std::ssize(text.tokens()) < kPageKeys) return;
  std::erase_if(kept_, [&](const Kept& k) {
    return k.scope == scope && shared_tokens(k.text.tokens(), text.tokens()) == std::ssize(k.text.tokens());
  });
  kept_.push_front({std::string(scope), std::move(text)});
  if (std::ssize(kept_) > most_) kept_.pop_back();
}

std::optional<ReadText> KeptTexts::find(std::string_view scope, std::span<const TokenId> prompt) {
  auto best = kept_.end();
  int64_t longest = kPageKeys - 1;
  for (auto at = kept_.begin(); at != kept_.end(); ++at) {
    const int64_t shared = at->scope == scope ? shared_tokens(at->text.tokens(), prompt) : 0;
    if (shared <= longest) continue;
    best = at;
    longest = shared;
  }
  if (best == kept_.end()) return std::nullopt;
  kept_.splice(kept_.begin(), kept_, best);
  return kept_.front().text.fork();
}

bool KeptTexts::forget_oldest() {
  if (kept_.empty()) return false;
  kept_.pop_back();
  return true;
}

}  // namespace skald
