#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_avx2_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_avx2;
const Tier tier_avx2{.name = "avx2", .rank = 10, .supported = supported, .fill = tier_avx2_fill};

}  // namespace skald
