#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_zen5_fill(KernelTable& table);

// The first of AMD's cores with AVX-VNNI.
static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.amd && cpu.avx_vnni && cpu.avx512 && cpu.avx512_vnni && cpu.avx512_bf16 && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_zen5;
const Tier tier_zen5{.name = "zen5", .rank = 45, .supported = supported, .fill = tier_zen5_fill, .rounds = true};

}  // namespace skald
