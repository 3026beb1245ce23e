// The facts of the file system that a folder is in.
#pragma once

#include <string>

#include "tools/doctor/facts.h"

namespace skald {

/// `use` says what is kept in `folder`, which need not be there. `root` is where /proc begins; tests put files of their own
/// there.
DiskFacts disk_facts(const std::string& use, const std::string& folder, const std::string& root = "");

}  // namespace skald
