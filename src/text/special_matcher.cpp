#include "text/special_matcher.h"

#include <algorithm>

namespace skald {

void SpecialMatcher::add(std::string_view piece, TokenId id) {
  constexpr size_t kLongest = 256;
  if (!piece.empty() && piece.size() <= kLongest) entries_.push_back({piece, id});
}

void SpecialMatcher::build() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.piece < b.piece; });
  std::vector<Entry> unique;
  for (const Entry& e : entries_) {
    if (!unique.empty() && unique.back().piece == e.piece) {
      unique.back() = e;
    } else {
      unique.push_back(e);
    }
  }
  entries_ = std::move(unique);
  first_byte_.fill(0);
  for (const Entry& e : entries_) ++first_byte_[static_cast<uint8_t>(e.piece[0]) + 1u];
  for (size_t b = 1; b < first_byte_.size(); ++b) first_byte_[b] += first_byte_[b - 1];
}

// Narrows the range of entries that agree with the text, byte by byte. An entry with no more bytes is a match and comes
// first in its range.
std::optional<SpecialMatcher::Match> SpecialMatcher::match_at(std::string_view text, size_t at, const Takes& takes) const {
  const auto first = static_cast<uint8_t>(text[at]);
  auto low = entries_.begin() + first_byte_[first], high = entries_.begin() + first_byte_[first + 1u];
  std::optional<Match> best;
  for (size_t length = 1; low != high; ++length) {
    if (low->piece.size() == length) {
      const Match match{at, at + length, low->id};
      if (!takes || takes(match)) best = match;
      ++low;
    }
    if (at + length >= text.size()) break;
    const auto byte = static_cast<uint8_t>(text[at + length]);
    const auto byte_of = [length](const Entry& e) { return static_cast<uint8_t>(e.piece[length]); };
    low = std::lower_bound(low, high, byte, [&](const Entry& e, uint8_t b) { return byte_of(e) < b; });
    high = std::upper_bound(low, high, byte, [&](uint8_t b, const Entry& e) { return b < byte_of(e); });
  }
  return best;
}

std::optional<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text, size_t from, const Takes& takes) const {
  if (entries_.empty()) return std::nullopt;
  for (size_t at = from; at < text.size(); ++at) {
    const auto byte = static_cast<uint8_t>(text[at]);
    if (first_byte_[byte] == first_byte_[byte + 1u]) continue;
    if (auto match = match_at(text, at, takes)) return match;
  }
  return std::nullopt;
}

}  // namespace skald
