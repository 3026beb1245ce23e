// Characters whose upper, title or folded form differs from the plain mapping of one character to one.
#pragma once

namespace skald::jinja {

/// Returns the form in UTF-8; nullptr where the plain mapping holds.
const char* special_upper(char32_t c);
const char* special_title(char32_t c);
/// Beside lower case.
const char* special_fold(char32_t c);

}  // namespace skald::jinja
