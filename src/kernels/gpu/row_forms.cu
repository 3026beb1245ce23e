// Rows in the forms that products with fragments want, where no kernel before made them. Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/row_forms.inl"

namespace skald::gpu {
namespace {

constexpr int kWarps = 8;

// A warp for each block of 32 columns.
SIMT_KERNEL void row_forms(RowFormsArgs a) {
  const int64_t row = simt::block_y(), part = simt::block_z(), block = int64_t{simt::block_x()} * kWarps + simt::warp();
  if (!begin_row(a.rows, row) || block >= form_blocks(a.out, a.columns)) return;
  const int64_t column = block * simt::kWarp + simt::lane();
  const float x = column < a.columns ? a.x.data[row * a.x.step + part * a.columns + column] : 0.0f;
  put_forms(a.out, row * a.parts + part, block, x);
}

void launch_row_forms(simt::Stream stream, const RowFormsArgs& a, int64_t rows) {
  const int64_t columns = a.out.coded.codes ? a.out.units * kUnitColumns : a.columns;
  const simt::Grid grid{blocks_for(columns, kWarps * simt::kWarp), static_cast<unsigned>(rows),
                        static_cast<unsigned>(a.parts)};
  launch_early<row_forms>(stream, {grid, kWarps * simt::kWarp}, a);
}

}  // namespace

template <>
void fill_row_forms<simt::Target>(GpuKernels& kernels) {
  kernels.row_forms = launch_row_forms;
}

}  // namespace skald::gpu
