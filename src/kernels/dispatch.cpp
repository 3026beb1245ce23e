#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "kernels/api/tier.h"

namespace skald {

const std::vector<const Tier*>& tiers() {
  static const std::vector<const Tier*> sorted = [] {
    std::vector<const Tier*> all(tier_registry().begin(), tier_registry().end());
    std::ranges::sort(all, {}, &Tier::rank);
    return all;
  }();
  return sorted;
}

std::vector<const Tier*> tiers_up_to(std::string_view cap) {
  const auto named = [&](const Tier* t) { return t->name == cap; };
  if (!cap.empty() && std::ranges::none_of(tiers(), named)) {
    std::string known;
    for (const Tier* t : tiers()) known += (known.empty() ? "" : ", ") + std::string(t->name);
    fail(Errc::kBadInput, "SKALD_ISA: unknown tier '{}'; known: {}", cap, known);
  }
  std::vector<const Tier*> usable;
  for (const Tier* t : tiers()) {
    if (t->supported()) usable.push_back(t);
    if (t->name != cap) continue;
    if (!t->supported()) fail(Errc::kUnsupported, "SKALD_ISA: this CPU lacks {}", cap);
    break;
  }
  return usable;
}

KernelTable build_kernel_table(std::string_view cap, bool exact) {
  KernelTable table;
  for (const Tier* t : tiers_up_to(cap)) {
    if (exact && t->rounds) continue;
    t->fill(table);
    table.tier = t->name;
  }
  return table;
}

std::string_view isa_from_environment() {
  const char* value = std::getenv("SKALD_ISA");
  return value ? value : "";
}

}  // namespace skald
