#include "engine/drafts/past_texts.h"

#include <algorithm>
#include <utility>

namespace skald {

void PastTexts::add(std::string_view scope, std::span<const TokenId> text) {
  if (text.empty()) return;
  if (!use(scope)) scopes_.push_front({std::string(scope), {}, {}});
  if (std::ssize(scopes_) > kScopes) scopes_.pop_back();
  Scope& s = scopes_.front();
  if (std::ssize(s.now.tokens()) + std::ssize(text) > kTokens) s.before = std::exchange(s.now, {});
  s.now.append(text.last(std::min(text.size(), static_cast<size_t>(kTokens))));
}

PastTexts::Found PastTexts::find(std::string_view scope, std::span<const TokenId> text) {
  Found best;
  const Scope* const s = use(scope);
  if (!s) return best;
  for (const TextIndex* in : {&s->now, &s->before})
    if (const TextIndex::Match match = in->find(text); match.length > best.match.length) best = {in, match};
  return best;
}

PastTexts::Scope* PastTexts::use(std::string_view name) {
  const auto at = std::ranges::find(scopes_, name, &Scope::name);
  if (at == scopes_.end()) return nullptr;
  scopes_.splice(scopes_.begin(), scopes_, at);
  return &scopes_.front();
}

}  // namespace skald
