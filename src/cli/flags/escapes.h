// Escapes in a text of the command line, where a shell makes typing the characters themselves hard.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// `text` with \n, \r, \t, \', \", \\ and \xHH (two hexadecimal digits: a byte) as what they stand for. A backslash before
/// anything else stays.
std::string unescaped(std::string_view text);

}  // namespace skald
