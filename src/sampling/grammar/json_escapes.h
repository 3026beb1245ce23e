// The escapes that JSON wants in a string, one for each character that cannot stand for itself.
#pragma once

#include <cstdint>
#include <string>

namespace skald {

/// The shortest escape of a character; empty for those that stand for themselves.
std::string json_escape(uint32_t code);

}  // namespace skald
