// The formats of JSON Schema that are enforced, as regular languages.
#pragma once

#include <optional>
#include <string_view>

#include "sampling/grammar/regex_set.h"
#include "sampling/grammar/schema/string_language.h"

namespace skald {

/// Strings of the format `name`; nullopt for one that is not known.
std::optional<RegexId> format_language(RegexSet& regexes, StringLanguage& strings, std::string_view name);

}  // namespace skald
