// The graphics cards of a machine, whether or not a driver or a backend knows them.
#pragma once

#include <string>
#include <vector>

namespace skald {

/// Returns their makers, each once: "NVIDIA", "AMD" or "Intel". `root` is where /sys begins; tests put files of their own
/// there.
std::vector<std::string> display_makers(const std::string& root = "");

}  // namespace skald
