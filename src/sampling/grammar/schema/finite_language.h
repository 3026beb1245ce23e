// Regular languages of a few texts, listed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sampling/grammar/regex_set.h"

namespace skald {

/// All texts of the language; nullopt if there are more than `most`, or they are too long to look at.
std::optional<std::vector<std::string>> finite_texts(RegexSet& regexes, RegexId language, size_t most);

}  // namespace skald
