#include "engine/drafts/text_index.h"

#include <algorithm>
#include <bit>

namespace skald {

static constexpr int kMostPlaces = 64;  // that a search looks at

void TextIndex::append(std::span<const TokenId> tokens) {
  const int64_t from = std::ssize(tokens_);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  before_.resize(tokens_.size());
  if (tokens_.size() > latest_.size()) return grow();
  for (int64_t at = std::max(from, kLeastMatch); at < std::ssize(tokens_); ++at) add_place(at);
}

TextIndex::Match TextIndex::find(std::span<const TokenId> text) const {
  Match best;
  if (std::ssize(text) < kLeastMatch || latest_.empty()) return best;
  int64_t at = latest_[bucket(text, std::ssize(text))];
  for (int tries = 0; at > 0 && tries < kMostPlaces && best.length < kMostMatch; ++tries) {
    const int64_t most = std::min({at, std::ssize(text), kMostMatch});
    int64_t length = 0;
    while (length < most &&
           tokens_[static_cast<size_t>(at - 1 - length)] == text[text.size() - 1 - static_cast<size_t>(length)])
      ++length;
    if (length >= kLeastMatch && length > best.length) best = {at, length};
    at = before_[static_cast<size_t>(at)];
  }
  return best;
}

// Fibonacci hashing; Knuth, The Art of Computer Programming, volume 3, section 6.4.
size_t TextIndex::bucket(std::span<const TokenId> tokens, int64_t end) const {
  uint64_t hash = 0;
  for (const TokenId token : tokens.subspan(static_cast<size_t>(end - kLeastMatch), kLeastMatch))
    hash = (hash ^ static_cast<uint64_t>(token)) * 0x9e3779b97f4a7c15;
  return hash >> (64 - std::countr_zero(latest_.size()));
}

void TextIndex::add_place(int64_t at) {
  int32_t& latest = latest_[bucket(tokens_, at)];
  before_[static_cast<size_t>(at)] = latest;
  latest = static_cast<int32_t>(at);
}

void TextIndex::grow() {
  latest_.assign(std::bit_ceil(std::max<size_t>(64, 2 * tokens_.size())), 0);
  for (int64_t at = kLeastMatch; at < std::ssize(tokens_); ++at) add_place(at);
}

}  // namespace skald
