#include "sampling/grammar/token_trie.h"

#include <algorithm>

namespace skald {

TokenTrie TokenTrie::of(std::vector<std::pair<std::string_view, TokenId>> texts) {
  // Bytes count as unsigned; equal beginnings come together, shorter texts first.
  std::ranges::sort(texts);
  TokenTrie out;
  out.first_.fill(kNone);
  std::vector<uint32_t> path;  // nodes of the last text
  const auto close = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) out.nodes_[path.back()].end = static_cast<uint32_t>(out.nodes_.size());
  };
  std::string_view last;
  for (const auto& [text, token] : texts) {
    size_t shared = 0;
    while (shared < last.size() && shared < text.size() && last[shared] == text[shared]) ++shared;
    close(shared);
    for (size_t i = shared; i < text.size(); ++i) {
      path.push_back(static_cast<uint32_t>(out.nodes_.size()));
      if (i == 0) out.first_[static_cast<uint8_t>(text[0])] = path[0];
      out.nodes_.push_back({0, -1, static_cast<uint16_t>(i + 1), static_cast<uint8_t>(text[i])});
    }
    out.nodes_[path.back()].token = token;
    out.depth_ = std::max(out.depth_, text.size());
    last = text;
  }
  close(0);
  return out;
}

}  // namespace skald
