// Tiers: one folder of kernels/cpu per instruction set; a machine's kernel table is painted from the worst to the best.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/api/kernel_table.h"

namespace skald {

struct Tier {
  const char* name;     // "avx2", as SKALD_ISA names it
  int rank;             // later tiers paint over earlier ones
  bool (*supported)();  // by this CPU
  void (*fill)(KernelTable&);
  bool rounds = false;  // some products of floats are computed from fewer bits of them
};

/// Returns all tiers of this build, worst first. (tier_registry() is the generated list of them.)
const std::vector<const Tier*>& tiers();
std::span<const Tier* const> tier_registry();

/// Returns the tiers that this CPU supports, up to and including `cap` (empty: no cap), worst first.
/// Throws kBadInput naming the known tiers for an unknown cap, kUnsupported for one that this CPU lacks.
std::vector<const Tier*> tiers_up_to(std::string_view cap = {});

/// Makes the table of tiers_up_to(cap), each painted over those before. `exact`: of those that do not round floats.
KernelTable build_kernel_table(std::string_view cap = {}, bool exact = false);

/// Returns the cap that the environment variable SKALD_ISA asks for; empty when unset.
std::string_view isa_from_environment();

}  // namespace skald
