// Text files that users name.
#pragma once

#include <string>

namespace skald {

/// Returns the text of a file. Throws Error naming it: kNotFound where it cannot be read; kBadInput for a directory, a file
/// of another kind, one of more than 16 MiB, and one that is not UTF-8 text.
std::string read_text_file(const std::string& path);

}  // namespace skald
