#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_scalar_fill(KernelTable& table);

static bool supported() { return true; }

extern const Tier tier_scalar;
const Tier tier_scalar{.name = "scalar", .rank = 0, .supported = supported, .fill = tier_scalar_fill};

}  // namespace skald
