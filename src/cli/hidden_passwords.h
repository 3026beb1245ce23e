// Passwords of URLs on the command line, which other users of the machine could read (ps).
#pragma once

#include <span>

namespace skald {

/// Overwrites the password of each argument that is, or ends in, a URL with one: "redis://user:xxxxxx@host".
void hide_passwords(std::span<char* const> arguments);

}  // namespace skald
