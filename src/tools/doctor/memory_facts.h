// The facts of the memory, but for its speed.
#pragma once

#include <string>

#include "tools/doctor/facts.h"

namespace skald {

/// `root` is where /proc and /sys begin; tests put files of their own there.
MemoryFacts memory_facts(const std::string& root = "");

}  // namespace skald
