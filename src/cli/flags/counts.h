// Lists of counts on the command line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skald {

/// "4096"; "4k", of 1024, or "1m", of 1024 * 1024; or "1k..128k": doubled from the first to the last, which ends the list
/// also where doubling does not meet it. Throws UsageError naming what is none of these.
std::vector<int64_t> parse_counts(std::string_view text);

}  // namespace skald
