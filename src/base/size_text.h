// A number of bytes, for people.
#pragma once

#include <cstdint>
#include <string>

namespace skald {

/// "1.25 MiB"; below a KiB "12 B".
std::string size_text(int64_t bytes);

}  // namespace skald
