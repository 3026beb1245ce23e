// Products with f16 weights in several cuts.
#include "kernels/gpu/half_products.inl"

#include "bench/gpu/sweep/variants.h"

namespace skald::gpu {

template <class... Tunings>
static std::vector<ProductVariant> variants_of() {
  return {{fragments_of_f16::kId, cut_of_product<Tunings>(), launch_few<fragments_of_f16, 1, Tunings>}...};
}

template <>
std::vector<ProductVariant> half_variants<simt::Target>() {
  return variants_of<Usual, ProductTuning<1, 1, 1, 1>, ProductTuning<1, 1, 8, 1>, ProductTuning<1, 2, 2, 1>,
                     ProductTuning<1, 4, 1, 1>, ProductTuning<1, 8, 1, 1>, ProductTuning<2, 1, 4, 1>,
                     ProductTuning<2, 2, 2, 1>, ProductTuning<2, 4, 1, 1>, ProductTuning<1, 1, 4, 2>,
                     ProductTuning<1, 2, 2, 2>, ProductTuning<1, 4, 1, 2>, ProductTuning<2, 2, 1, 2>,
                     ProductTuning<1, 1, 4, 3>, ProductTuning<1, 2, 1, 4>>();
}

}  // namespace skald::gpu
