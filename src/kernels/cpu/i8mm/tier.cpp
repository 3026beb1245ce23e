#include "kernels/api/tier.h"
#include "base/cpu_features.h"

namespace skald {

void tier_i8mm_fill(KernelTable& table);

static bool supported() {
  const CpuFeatures cpu = cpu_features();
  return cpu.dot_products && cpu.matrix_int8 && cpu.bf16;
}

extern const Tier tier_i8mm;
const Tier tier_i8mm{.name = "i8mm", .rank = 30, .supported = supported, .fill = tier_i8mm_fill, .rounds = true};

}  // namespace skald
