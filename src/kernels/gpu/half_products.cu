// Products with weights of 16-bit floats, in fragments, by the tensor cores: f16 and bf16. Activations are split into two
// halves of 16 bits, x = high + low, which take two columns of a product: the precision of floats for nothing at few rows.
// Bound: the bytes of the weights, up to some 16 rows; then the tensor cores.
// SASS of few, many: HMMA.16816.F32, LDG.E.NA.LTC128B.128.CONSTANT.
#include "kernels/gpu/half_products.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

template <class Format>
void launch_product(simt::Stream stream, const ProductArgs& a, int64_t rows) {
  const int64_t most = rows_of_block(a, rows);
  if (most <= 4) return launch_few<Format, 1, Usual>(stream, a, rows);
  if (most <= 8) return launch_few<Format, 2, Usual>(stream, a, rows);
  if (most <= 16) return launch_few<Format, 4, Usual>(stream, a, rows);
  launch_tiling<many<Format>, ManyShared, kSegments, kManyRows>(stream, a, rows);
}

}  // namespace

template <>
void fill_half_products<simt::Target>(GpuKernels& kernels) {
  for_each_format_in_halfs([&]<class Format>() { kernels.product[Format::kId] = launch_product<Format>; });
}

}  // namespace skald::gpu
