#include "text/dry_breakers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kMostBytes = 40, kMostTail = 20;

// Whether the piece, from `at` on, is a beginning of the text, and not all of it.
bool ends_with_beginning(std::string_view piece, size_t at, std::string_view text) {
  const std::string_view end = piece.substr(at);
  return end.size() < text.size() && text.starts_with(end);
}

}  // namespace

std::vector<std::vector<TokenId>> dry_breakers(const Tokenizer& tokenizer, std::string_view text) {
  if (text.empty()) fail(Errc::kBadInput, "sampling.dry_breakers: the text is empty");
  text = text.substr(0, kMostBytes);
  std::map<size_t, std::vector<TokenId>> tails;  // of the text from there on
  const auto tail = [&](size_t from) -> const std::vector<TokenId>& {
    const auto [it, made] = tails.try_emplace(from);
    if (made) {
      it->second = tokenizer.encode(text.substr(from), {.add_special = false, .parse_special = false});
      it->second.resize(std::min(it->second.size(), kMostTail));
    }
    return it->second;
  };
  std::vector<std::vector<TokenId>> out;
  for (TokenId id = 0; id < tokenizer.vocab().size(); ++id) {
    const std::string_view piece = tokenizer.piece_bytes(id);
    if (piece.find(text) != std::string_view::npos) {
      out.push_back({id});
      continue;
    }
    const size_t first = piece.size() > text.size() ? piece.size() - text.size() : 0;
    for (size_t at = piece.find(text[0], first); at != std::string_view::npos; at = piece.find(text[0], at + 1)) {
      if (!ends_with_beginning(piece, at, text)) continue;
      std::vector<TokenId> sequence = {id};
      std::ranges::copy(tail(piece.size() - at), std::back_inserter(sequence));
      if (out.empty() || out.back() != sequence) out.push_back(std::move(sequence));
    }
  }
  return out;
}

}  // namespace skald
