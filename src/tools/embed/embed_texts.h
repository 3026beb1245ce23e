// The texts of a file that become vectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Returns the texts between separators. A separator at the end of the file ends the last text, and so does a line feed
/// there where the separator is another one. Throws kBadInput naming the first text that is empty by its place from 1 on.
std::vector<std::string> cut_texts(std::string_view file, std::string_view separator);

}  // namespace skald
