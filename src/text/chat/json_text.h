// Texts in JSON.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Returns whether it is this text. The library's == makes JSON of a literal, in a function that must not throw: where there
/// is no memory that ends the process.
template <class Json>
bool is_text(const Json& json, std::string_view text) {
  const auto* const own = json.template get_ptr<const std::string*>();
  return own && *own == text;
}

}  // namespace skald
