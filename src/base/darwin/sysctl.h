// Figures of macOS by their names.
#pragma once

#include <cstdint>
#include <string>

namespace skald {

/// 0 where the system has no such number.
int64_t sysctl_number(const char* name);

/// "" where the system has no such text.
std::string sysctl_text(const char* name);

}  // namespace skald
