// Characters whose upper, title or folded form is not what the plain mapping of one character to one says.
#pragma once

namespace skald::jinja {

/// The form in UTF-8; nullptr where the plain mapping holds.
const char* special_upper(char32_t c);
const char* special_title(char32_t c);
/// Beside lower case.
const char* special_fold(char32_t c);

}  // namespace skald::jinja
