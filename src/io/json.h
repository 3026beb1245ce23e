// JSON from files that are not trusted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skald {

/// JSON as Python writes it: the bare words NaN, Infinity and -Infinity become texts, which a reader of numbers rejects by
/// the name of the key.
std::string with_quoted_non_numbers(std::string_view text);

struct JsonLimits {
  int max_depth = 64;        // of arrays and objects in each other
  bool unique_keys = false;  // an object that has a key twice is an error; otherwise the last one counts
};

/// Throws kBadFile saying where the text is wrong, and which of the limits it breaks. Takes memory in proportion to the
/// text.
nlohmann::json parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace skald
