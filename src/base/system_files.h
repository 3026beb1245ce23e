// The small files of /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skald {

/// Returns the first line of a file; "" where there is none.
std::string first_line_of(const std::string& path);

/// Returns the bytes of a line "MemAvailable:   123 kB" of a file; nullopt where there is none.
std::optional<int64_t> kib_line_of(const std::string& path, const std::string& name);

/// Returns the word in brackets of "always [madvise] never"; "" where there is none.
std::string chosen_word(const std::string& line);

}  // namespace skald
