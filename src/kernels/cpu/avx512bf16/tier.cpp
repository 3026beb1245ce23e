#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_avx512bf16_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.avx512 && cpu.avx512_vnni && cpu.avx512_bf16 && cpu.avx2 && cpu.fma && cpu.f16c;
}

extern const Tier tier_avx512bf16;
const Tier tier_avx512bf16{
    .name = "avx512bf16", .rank = 40, .supported = supported, .fill = tier_avx512bf16_fill, .rounds = true};

}  // namespace skald
