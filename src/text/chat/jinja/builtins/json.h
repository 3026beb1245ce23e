// Values as JSON, byte for byte as Python's json.dumps() writes it.
#pragma once

#include <optional>
#include <string>

#include "text/chat/jinja/values/show.h"

namespace skald::jinja {

struct JsonStyle {
  bool ascii = false, sort_keys = false;
  std::optional<std::string> indent;  // of one level; without: all on one line
  std::string between_items = ", ", after_key = ": ";
};

/// Throws Failure (kType) for values that JSON does not have.
Shown json_text(const Value& value, const JsonStyle& style, Budget& budget);

}  // namespace skald::jinja
