#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_avx512vnni_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.avx512 && cpu.avx512_vnni && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_avx512vnni;
const Tier tier_avx512vnni{
    .name = "avx512vnni", .rank = 30, .supported = supported, .fill = tier_avx512vnni_fill, .rounds = true};

}  // namespace skald
