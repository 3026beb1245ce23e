// How right guesses were, in percent.
#pragma once

#include <string>
#include <string_view>

#include "skald/engine.h"

namespace skald {

/// Returns 0 where nothing was guessed.
double percent_right(int64_t right, int64_t guessed);
/// Gives the percentage at the first place of a step's guesses, the second, and so on: "100, 90, 75".
std::string percent_by_place(const DraftUse& use, std::string_view separator);

}  // namespace skald
