#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_sve512_fill(KernelTable& table);

static bool supported() { return cpu_features().sve_bytes == 64; }

extern const Tier tier_sve512;
const Tier tier_sve512{.name = "sve512", .rank = 26, .supported = supported, .fill = tier_sve512_fill};

}  // namespace skald
