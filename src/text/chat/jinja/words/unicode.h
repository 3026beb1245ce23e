// Characters as Python's str sees them. Texts are UTF-8 in which surrogates may stand as three bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skald::jinja {

size_t count_chars(std::string_view text);
/// Returns the byte where character `index` begins.
size_t char_offset(std::string_view text, size_t index);
/// Returns the character at byte `at`, which is moved beyond it.
char32_t next_char(std::string_view text, size_t& at);
/// Returns the character that ends before byte `end`, which is moved to its beginning.
char32_t previous_char(std::string_view text, size_t& end);
void append_char(std::string& out, char32_t c);

/// str.isspace(), and \s of regular expressions.
bool is_space(char32_t c);
bool is_line_end(char32_t c);  // for splitlines()
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
inline bool is_alnum(char32_t c) { return is_alpha(c) || is_decimal(c) || is_digit(c) || is_numeric(c); }
bool is_lower(char32_t c);
bool is_upper(char32_t c);
bool is_title(char32_t c);
bool is_cased(char32_t c);
bool is_printable(char32_t c);
/// str.isidentifier().
bool is_identifier(std::string_view text);
/// Returns the value of a decimal digit of any script; -1 for other characters.
int decimal_value(char32_t c);

/// Returns the whole mappings, in which one character may become several.
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string title(std::string_view text);
std::string capitalize(std::string_view text);
std::string swapcase(std::string_view text);
std::string casefold(std::string_view text);

/// Python's repr() of a str.
std::string in_quotes(std::string_view text);

}  // namespace skald::jinja
