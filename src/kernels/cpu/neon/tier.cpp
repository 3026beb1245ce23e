#include "kernels/api/tier.h"

namespace skald {

void tier_neon_fill(KernelTable& table);

static bool supported() { return true; }

extern const Tier tier_neon;
const Tier tier_neon{.name = "neon", .rank = 10, .supported = supported, .fill = tier_neon_fill};

}  // namespace skald
