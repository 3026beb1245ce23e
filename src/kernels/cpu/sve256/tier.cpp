#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_sve256_fill(KernelTable& table);

static bool supported() { return cpu_features().sve_bytes == 32; }

extern const Tier tier_sve256;
const Tier tier_sve256{.name = "sve256", .rank = 25, .supported = supported, .fill = tier_sve256_fill};

}  // namespace skald
