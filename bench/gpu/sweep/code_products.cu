// Products with weights of q8_0 and q4_k in several cuts.
#include "kernels/gpu/code_products.inl"

#include "bench/gpu/sweep/variants.h"

namespace skald::gpu {

template <class Format, class... Tunings>
static void add_variants(std::vector<ProductVariant>& all) {
  (all.push_back({Format::kId, cut_of_product<Tunings>(), launch_few<Format, 1, Tunings>}), ...);
}

template <>
std::vector<ProductVariant> code_variants<simt::Target>() {
  std::vector<ProductVariant> all;
  add_variants<fragments_of_q8_0, Usual<fragments_of_q8_0, 1>, ProductTuning<1, 1, 2, 2>, ProductTuning<1, 2, 1, 2>,
               ProductTuning<1, 1, 1, 1>, ProductTuning<1, 1, 4, 1>, ProductTuning<1, 2, 1, 1>, ProductTuning<1, 4, 1, 1>,
               ProductTuning<2, 1, 1, 1>, ProductTuning<2, 2, 1, 1>, ProductTuning<1, 1, 1, 3>>(all);
  add_variants<fragments_of_q4_k, Usual<fragments_of_q4_k, 1>, ProductTuning<1, 1, 2, 1>, ProductTuning<1, 2, 1, 1>,
               ProductTuning<2, 1, 1, 1>, ProductTuning<1, 1, 1, 2>>(all);
  return all;
}

}  // namespace skald::gpu
