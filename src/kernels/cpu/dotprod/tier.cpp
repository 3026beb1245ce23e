#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_dotprod_fill(KernelTable& table);

static bool supported() { return cpu_features().dot_products; }

extern const Tier tier_dotprod;
const Tier tier_dotprod{.name = "dotprod", .rank = 20, .supported = supported, .fill = tier_dotprod_fill};

}  // namespace skald
