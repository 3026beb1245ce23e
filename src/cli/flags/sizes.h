// Sizes on the command line.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// Bytes: "4096", "16K", "16M", "4G", of 1024. Throws UsageError naming the flag.
int64_t parse_size(std::string_view flag, std::string_view text);

}  // namespace skald
