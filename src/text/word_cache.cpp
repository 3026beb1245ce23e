#include "text/word_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace skald {

WordCache::WordCache(size_t text_bytes) : entries_(std::bit_ceil(std::clamp<size_t>(text_bytes / 16, 1, 16384))) {}

size_t WordCache::slot(std::string_view word) const {
  std::array<uint64_t, kMaxBytes / 8> parts{};
  std::memcpy(parts.data(), word.data(), word.size());
  uint64_t hash = word.size();
  for (uint64_t part : parts) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash) & (entries_.size() - 1);
}

bool WordCache::append(std::string_view word, std::vector<TokenId>& out) const {
  if (word.empty() || word.size() > kMaxBytes) return false;
  const Entry& e = entries_[slot(word)];
  if (std::string_view(e.word.data(), e.bytes) != word) return false;
  out.insert(out.end(), e.ids.begin(), e.ids.begin() + e.count);
  return true;
}

void WordCache::put(std::string_view word, std::span<const TokenId> ids) {
  if (word.empty() || word.size() > kMaxBytes || ids.size() > kMaxIds) return;
  Entry& e = entries_[slot(word)];
  std::ranges::copy(word, e.word.begin());
  std::ranges::copy(ids, e.ids.begin());
  e.bytes = static_cast<uint16_t>(word.size());
  e.count = static_cast<uint16_t>(ids.size());
}

}  // namespace skald
