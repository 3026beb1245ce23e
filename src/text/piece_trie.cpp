#include "text/piece_trie.h"

namespace skald {

void PieceTrie::add(std::string_view piece, TokenId id) {
  constexpr size_t kLongest = 256;
  if (!piece.empty() && piece.size() <= kLongest) entries_.emplace_back(piece, id);
}

// Level by level: a node stands for the range of sorted pieces that begin with its bytes.
void PieceTrie::build() {
  std::ranges::stable_sort(entries_, {}, &std::pair<std::string_view, TokenId>::first);
  struct Range {
    size_t begin, end;  // of entries_
  };
  nodes_.assign(1, {});
  std::vector<Range> ranges = {{0, entries_.size()}};  // of each node
  size_t level_end = 1, depth = 0;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (n == level_end) {
      level_end = nodes_.size();
      ++depth;
    }
    auto [at, end] = ranges[n];
    for (; at < end && entries_[at].first.size() == depth; ++at) nodes_[n].id = entries_[at].second;
    nodes_[n].children = static_cast<int32_t>(nodes_.size());
    while (at < end) {
      const char byte = entries_[at].first[depth];
      const size_t begin = at;
      while (at < end && entries_[at].first[depth] == byte) ++at;
      nodes_.push_back({.byte = static_cast<uint8_t>(byte)});
      ranges.push_back({begin, at});
      ++nodes_[n].count;
    }
  }
  for (int byte = 0; byte < 256; ++byte)
    first_byte_[static_cast<size_t>(byte)] = child(nodes_[0], static_cast<uint8_t>(byte));
  entries_ = {};
}

}  // namespace skald
