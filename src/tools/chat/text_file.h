// Text files that a chat reads.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Returns the text of a file. Throws Error naming it: kNotFound where it cannot be read; kBadInput for a directory, a file
/// of another kind, one of more than 16 MiB, and one that is not UTF-8 text.
std::string read_text_file(const std::string& path);

/// Returns a file as a part of a message: its name, and its text as a code block.
std::string as_part_of_message(const std::string& path, std::string_view text);

}  // namespace skald
