// Classes of characters beyond Unicode's general categories.
#pragma once

namespace skald::jinja {

bool is_other_lower(char32_t c);    // lower case, but not of category Ll
bool is_other_upper(char32_t c);    // upper case, but not of category Lu
bool is_other_digit(char32_t c);    // a digit, but not of category Nd
bool is_other_numeric(char32_t c);  // a number, but not of category Nd, Nl or No

}  // namespace skald::jinja
