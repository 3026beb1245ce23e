// Embeddings: rows of a table, decoded. Bound: the rows' bytes.
#include "kernels/gpu/formats.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

// A block per row.
template <class Format>
SIMT_KERNEL void embed(EmbedArgs a) {
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const std::byte* from = a.table.data + a.ids[row] * a.table.row_bytes;
  float* to = a.out.data + row * a.out.step;
  for (int64_t i = simt::thread(); i < a.table.columns; i += kThreads) to[i] = Format::at(from, i);
}

template <class Format>
void launch_embed(simt::Stream stream, const EmbedArgs& a, int64_t rows) {
  launch_early<embed<Format>>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_embed<simt::Target>(GpuKernels& kernels) {
  for_each_format([&]<class Format>() { kernels.embed[Format::kId] = launch_embed<Format>; });
}

}  // namespace skald::gpu
