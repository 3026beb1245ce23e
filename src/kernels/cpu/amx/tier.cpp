#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_amx_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.amx && cpu.avx512 && cpu.avx512_vnni && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_amx;
const Tier tier_amx{.name = "amx", .rank = 50, .supported = supported, .fill = tier_amx_fill, .rounds = true};

}  // namespace skald
