// Files with a JSON string per line: texts that may hold line feeds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Lines of white space alone are left out. Throws kBadFile naming the line that is no JSON string.
std::vector<std::string> texts_of_lines(std::string_view file);

}  // namespace skald
