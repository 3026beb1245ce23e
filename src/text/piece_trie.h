// PieceTrie: which pieces a text begins with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "skald/types.h"

namespace skald {

class PieceTrie {
 public:
  /// `piece` must outlive build(). Empty pieces and those of more than 256 bytes are never found: the bound keeps hostile
  /// vocabularies from making the search slow.
  void add(std::string_view piece, TokenId id);
  /// Call once after the last add(); of equal pieces the one added last counts.
  void build();

  /// Calls f(length, id) for each piece that `text` begins with, the shortest first.
  template <class F>
  void for_each_prefix(std::string_view text, F&& f) const {
    if (text.empty()) return;
    int32_t at = first_byte_[static_cast<uint8_t>(text[0])];
    for (size_t length = 1; at >= 0; ++length) {
      const Node& node = nodes_[static_cast<size_t>(at)];
      if (node.id >= 0) f(length, node.id);
      at = length < text.size() ? child(node, static_cast<uint8_t>(text[length])) : -1;
    }
  }

 private:
  struct Node {
    int32_t children = 0;  // index of the first; they lie side by side, in the order of their bytes
    uint16_t count = 0;
    uint8_t byte = 0;
    TokenId id = -1;  // of the piece that ends here
  };
  int32_t child(const Node& node, uint8_t byte) const {
    const auto begin = nodes_.begin() + node.children, end = begin + node.count;
    const auto it = std::lower_bound(begin, end, byte, [](const Node& n, uint8_t b) { return n.byte < b; });
    return it != end && it->byte == byte ? static_cast<int32_t>(it - nodes_.begin()) : -1;
  }

  std::vector<std::pair<std::string_view, TokenId>> entries_;  // until build()
  std::vector<Node> nodes_;
  std::array<int32_t, 256> first_byte_{};  // index of the node of a piece's first byte; -1 where there is none
};

}  // namespace skald
