// TokenTrie: the texts of tokens as a trie in one flat array, in the order in which a walk meets them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "skald/types.h"

namespace skald {

class TokenTrie {
 public:
  struct Node {
    uint32_t end;    // the node after its last descendant
    TokenId token;   // whose text ends here; negative: none
    uint16_t depth;  // bytes from the root
    uint8_t byte;
  };

  /// Of texts of 1 to kMaxText bytes, each once.
  static TokenTrie of(std::vector<std::pair<std::string_view, TokenId>> texts);
  static constexpr size_t kMaxText = 65'000;

  /// Without the root: the first node is a child of it, and a node's children lie after it.
  const std::vector<Node>& nodes() const { return nodes_; }
  static constexpr uint32_t kNone = ~uint32_t{0};
  /// The node of texts that begin with a byte.
  uint32_t first(uint8_t byte) const { return first_[byte]; }
  /// Bytes of the longest text.
  size_t depth() const { return depth_; }

 private:
  std::vector<Node> nodes_;
  std::array<uint32_t, 256> first_{};
  size_t depth_ = 0;
};

}  // namespace skald
