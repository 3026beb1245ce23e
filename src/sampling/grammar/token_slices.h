// Alphabets of characters that most tokens are made of. Where a grammar takes every text of an alphabet, as inside of a JSON
// string, no token of it needs a look.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sampling/grammar/code_points.h"

namespace skald {

/// Each alphabet holds the one before it.
inline constexpr size_t kTokenAlphabets = 6;
/// A slice for each alphabet: tokens of its characters that belong to no smaller one; one of other tokens; one of long ones.
inline constexpr size_t kTokenSlices = kTokenAlphabets + 2;
inline constexpr size_t kOtherTokens = kTokenAlphabets, kLongTokens = kTokenAlphabets + 1;
/// Characters and bytes of the tokens that are not long.
inline constexpr size_t kMaxSliceCharacters = 24, kMaxSliceBytes = 32;

/// The encodings of an alphabet's characters.
std::span<const Utf8Range> token_alphabet(size_t alphabet);

struct TokenSlice {
  size_t slice;
  size_t characters;  // in an alphabet's slice
};
TokenSlice slice_of(std::string_view text);

}  // namespace skald
