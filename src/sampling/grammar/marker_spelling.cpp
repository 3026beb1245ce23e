#include "sampling/grammar/marker_spelling.h"

#include <algorithm>

namespace skald {

MarkerSpelling::MarkerSpelling(const Vocab& vocab) : vocab_(&vocab) {
  for (TokenId id = 0; id < vocab.size(); ++id) {
    const bool special = vocab.is_special(id) || vocab.kind(id) == PieceKind::kUserDefined;
    if (special) specials_.add(vocab.pieces[static_cast<size_t>(id)], id);
  }
  specials_.build();
}

MarkerSpelling::Spelled MarkerSpelling::spelled(std::string_view marker) const {
  Spelled out;
  size_t at = 0;
  while (const auto found = specials_.find(marker, at)) {
    out.text += marker.substr(at, found->begin - at);
    if (vocab_->is_end(found->id)) return {std::move(out.text), true};
    if (is_control(found->id)) out.text += kControlByte;
    out.text += marker.substr(found->begin, found->end - found->begin);
    at = found->end;
  }
  out.text += marker.substr(at);
  return out;
}

std::optional<TokenId> MarkerSpelling::control_at(std::string_view text) const {
  if (!vocab_) return {};
  const auto found = specials_.find(text, 0, [this](const SpecialMatcher::Match& m) { return is_control(m.id); });
  return found && found->begin == 0 ? std::optional(found->id) : std::nullopt;
}

std::string shown(std::string_view spelled) {
  std::string out(spelled);
  std::erase(out, kControlByte);
  return out;
}

}  // namespace skald
