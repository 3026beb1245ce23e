// One spelling for regular expressions that differ in the spelling of characters and the order within brackets.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Returns a pattern in Oniguruma's dialect with characters beyond ASCII as \x{..}, without escapes that mean nothing, and
/// with the items of classes in order. Patterns with the same form match the same; a broken pattern has some form, too.
std::string regex_form(std::string_view pattern);

/// Returns the form of a pattern that matches `text` and nothing else.
std::string regex_form_of_text(std::string_view text);

}  // namespace skald
