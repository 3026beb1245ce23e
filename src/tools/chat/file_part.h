// Files as parts of a chat's messages.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Returns a file as a part of a message: its name, and its text as a code block.
std::string as_part_of_message(const std::string& path, std::string_view text);

}  // namespace skald
