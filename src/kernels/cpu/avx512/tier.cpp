#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_avx512_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.avx512 && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_avx512;
const Tier tier_avx512{.name = "avx512", .rank = 20, .supported = supported, .fill = tier_avx512_fill};

}  // namespace skald
