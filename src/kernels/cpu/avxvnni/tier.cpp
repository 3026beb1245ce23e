#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_avxvnni_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.avx_vnni && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_avxvnni;
const Tier tier_avxvnni{.name = "avxvnni", .rank = 15, .supported = supported, .fill = tier_avxvnni_fill};

}  // namespace skald
