// Lines on stderr about the program's reading of its command line and environment.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace skald {

/// Prints to stderr, with or without a reader: the work is not undone for that.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stderr);
}

/// "skald: LINE", on one line and without control characters. SKALD_LOG=error silences it.
void tell(std::string_view line);

}  // namespace skald
