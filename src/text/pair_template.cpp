#include "text/pair_template.h"

#include <algorithm>
#include <utility>

namespace skald {

std::vector<TokenId> encode_pair(const Tokenizer& tokenizer, std::string_view words, std::string_view query,
                                 std::string_view document) {
  const std::pair<std::string_view, std::string_view> places[] = {{"{query}", query}, {"{document}", document}};
  std::vector<TextPiece> pieces;
  while (!words.empty()) {
    const auto* const next =
        std::ranges::min_element(places, {}, [&](const auto& place) { return words.find(place.first); });
    const size_t at = words.find(next->first);
    pieces.push_back({words.substr(0, at)});
    if (at == std::string_view::npos) break;
    pieces.push_back({next->second, /*trusted=*/false});
    words.remove_prefix(at + next->first.size());
  }
  return tokenizer.encode(pieces, {.add_special = false});
}

}  // namespace skald
