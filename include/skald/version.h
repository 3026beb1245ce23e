// The version, compiler and instruction sets of this build.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace skald {

struct BuildInfo {
  std::string version;                    // "0.1.0"
  std::string commit;                     // "1a2b3c4", with "+" where files had been changed; "unknown" outside of git
  std::string compiler;                   // "GCC 12.2.0"
  std::vector<std::string> tiers;         // instruction sets that kernels were compiled for, as SKALD_ISA names them
  std::vector<std::string> usable_tiers;  // those that this machine has
};

BuildInfo build_info();

}  // namespace skald
#pragma GCC visibility pop
