// Attention of few rows, f16, in several cuts.
#include "bench/gpu/sweep/variants.h"
#include "kernels/gpu/attention_parts_kernel.inl"

namespace skald::gpu {

template <class... Tunings>
static std::vector<PartsVariant> variants_of() {
  return {{HalvesF16::kId, cut_of_parts<Tunings>(), launch_parts<HalvesF16, kPartsColumns, Tunings>}...};
}

template <>
std::vector<PartsVariant> parts_variants<simt::Target>() {
  return variants_of<Usual<kPartsColumns>, PartsTuning<4, 2, 16>, PartsTuning<4, 2, 32>, PartsTuning<4, 2, 128>,
                     PartsTuning<4, 2, 256>, PartsTuning<4, 1, 64>, PartsTuning<2, 1, 64>, PartsTuning<2, 2, 64>,
                     PartsTuning<2, 3, 64>, PartsTuning<2, 4, 128>, PartsTuning<1, 4, 128>, PartsTuning<1, 6, 256>,
                     PartsTuning<8, 1, 32>, PartsTuning<8, 1, 64>>();
}

}  // namespace skald::gpu
