// The time of day, as answers and the log tell it.
#pragma once

#include <cstdint>
#include <string>

namespace skald::serve {

/// Returns the seconds since 1970.
int64_t unix_now();
/// "2026-11-26T17:40:00Z", of such seconds.
std::string rfc3339(int64_t unix_time);
/// "2026-11-26T17:40:00.123Z"
std::string rfc3339_now();

}  // namespace skald::serve
