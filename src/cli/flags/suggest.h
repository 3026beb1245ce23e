// Words that may have been meant by a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skald {

/// How many letters to add, take away, change, or swap with their neighbour to make one word of the other.
size_t typing_distance(std::string_view a, std::string_view b);

/// The nearest of the known words, where no more than a third of its letters are wrong; empty: none is near.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace skald
