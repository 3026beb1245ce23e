// Products with weights that are integers with scales, in fragments, by the tensor cores. Activations are codes of 8 bits
// with a scale per 32, as the CPU's (act_q8.h), so that a product of the columns of a scale is an exact integer. Bound: the
// bytes of the weights, up to some 24 rows; then the tensor cores.
// SASS of few, many: IMMA.168, LDG.E.NA.
#include "kernels/gpu/code_products.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

template <class Format>
void launch_product(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const int64_t most = rows_of_block(a, rows);
  if (most <= 8) return launch_few<Format, 1, Usual<Format, 1>>(stream, a, rows);
  if (most <= 16) return launch_few<Format, 2, Usual<Format, 2>>(stream, a, rows);
  launch_tiling<many<Format>, ManyShared, kSegments, kManyRows>(stream, a, rows);
}

}  // namespace

template <>
void fill_code_products<simt::Target>(GpuKernels& kernels) {
  for_each_format_in_codes([&]<class Format>() { kernels.product[Format::kId] = launch_product<Format>; });
}

}  // namespace skald::gpu
