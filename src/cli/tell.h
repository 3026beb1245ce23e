// Lines on stderr about what the program makes of its command line and environment.
#pragma once

#include <string_view>

namespace skald {

/// "skald: LINE", on one line and without control characters. SKALD_LOG=error silences it.
void tell(std::string_view line);

}  // namespace skald
