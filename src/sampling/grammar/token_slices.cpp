#include "sampling/grammar/token_slices.h"

#include <algorithm>

#include "text/utf8.h"

namespace skald {

namespace {

using Alphabets = std::array<CodePoints, kTokenAlphabets>;

const Alphabets& alphabets() {
  static const Alphabets all = [] {
    const CodePoints lower = {{'a', 'z'}}, letters = {{'A', 'Z'}, {'a', 'z'}};
    const CodePoints words = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    const CodePoints spaced = {{' ', ' '}, {'-', '.'}, {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    // What a JSON string spells as itself.
    const CodePoints plain = {{' ', '!'}, {'#', '['}, {']', '~'}};
    CodePoints unicode = plain;
    unicode.push_back({0x80, kLastCodePoint});
    return Alphabets{lower, letters, words, spaced, plain, normalized(unicode)};
  }();
  return all;
}

bool has(const CodePoints& set, uint32_t code) {
  return std::ranges::any_of(set, [&](const CodePointRange& range) { return range.first <= code && code <= range.last; });
}

}  // namespace

std::span<const Utf8Range> token_alphabet(size_t alphabet) {
  static const std::array<std::vector<Utf8Range>, kTokenAlphabets> spelled = [] {
    std::array<std::vector<Utf8Range>, kTokenAlphabets> out;
    for (size_t i = 0; i < out.size(); ++i) {
      for_each_utf8_range(alphabets()[i], [&](const Utf8Range& range) { out[i].push_back(range); });
    }
    return out;
  }();
  return spelled[alphabet];
}

TokenSlice slice_of(std::string_view text) {
  if (text.size() > kMaxSliceBytes) return {kLongTokens, 0};
  TokenSlice out{0, 0};
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.kind != Utf8Kind::kChar) return {kOtherTokens, 0};
    const uint32_t code = utf8_code(text, at, step.length);
    while (out.slice < kTokenAlphabets && !has(alphabets()[out.slice], code)) ++out.slice;
    if (out.slice == kTokenAlphabets) return {kOtherTokens, 0};
    at += static_cast<size_t>(step.length);
    ++out.characters;
  }
  return out.characters > kMaxSliceCharacters ? TokenSlice{kLongTokens, 0} : out;
}

}  // namespace skald
