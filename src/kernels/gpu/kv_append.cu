// Stores a step's keys and values at their positions. Bound: their bytes.
// SASS of kv_append: ST.E.128.
#include "kernels/gpu/kv_append.h"

#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

struct Shared {
  float row[kMaxAppendedColumns];  // of a head
};

// x (heads, d) to the rows that `place(head)` gives.
template <class Place>
SIMT_DEV void store_heads(const float* x, int64_t heads, int64_t d, uint32_t format, bool rotated, Shared& s, Place place) {
  if (!has_blocks(format)) {
    for (int64_t i = simt::thread(); i < heads * d; i += kThreads) store_cached(place(i / d), i % d, x[i]);
    return;
  }
  const int64_t columns = cached_columns(format, d);
  for (int64_t head = 0; head < heads; ++head) {
    load_row(x + head * d, d, 1, columns, rotated, s.row);
    store_blocks(s.row, columns, place(head));
  }
}

// A block per row.
SIMT_KERNEL void kv_append(KvAppendArgs a) {
  Shared& s = simt::shared<Shared>();
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const SequenceKv& kv = a.step.kv[a.step.sequences[row]];
  const int64_t slot = a.step.positions[row] - kv.shift;
  store_heads(a.k.data + row * a.k.step, a.heads, a.d_k, kv.k_format, kv.k_rotated, s,
              [&](int64_t head) { return key_of(kv, head, slot); });
  if (!a.v.data) return;
  store_heads(a.v.data + row * a.v.step, a.heads, a.d_v, kv.v_format, kv.v_rotated, s,
              [&](int64_t head) { return value_of(kv, head, slot); });
}

void launch_kv_append(simt::Stream stream, const KvAppendArgs& a, int64_t rows) {
  launch_early<kv_append>(stream, {{static_cast<unsigned>(rows)}, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_kv_append<simt::Target>(GpuKernels& kernels) {
  kernels.kv_append = launch_kv_append;
}

}  // namespace skald::gpu
