// Tokenizer files carry Oniguruma expressions; this turns one into an equal expression for PCRE2.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Replaces `\s` and `\S` (PCRE2 counts U+180E as white space) and completes `\p{..}` by newer characters. `\S` must stand
/// outside of brackets; brackets do not nest.
std::string to_pcre2(std::string_view pattern);

}  // namespace skald
