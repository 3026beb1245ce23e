// Stores a step's keys and values at their positions, keys as they are or rotated before. Bound: their bytes.
// SASS of kv_append: ST.E.128.
#include "kernels/gpu/kv_append.h"

#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rope.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

struct Shared {
  float row[kMaxAppendedColumns];  // of a head
};
struct RopeShared {
  float rotated[kMaxAppendedColumns];
  Shared stored;
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

/// Where a row's keys and values go.
struct Slot {
  SIMT_DEV Slot(const StepRows& step, int row) : kv(step.kv[step.sequences[row]]), number(step.positions[row] - kv.shift) {}
  const SequenceKv& kv;
  int64_t number;
};

// x (heads, d) of a row, from a head on.
SIMT_DEV void store_keys(const Slot& slot, const float* x, int64_t first, int64_t heads, int64_t d, Shared& s) {
  store_heads(x, heads, d, slot.kv.k_format, slot.kv.k_rotated, s,
              [&](int64_t head) { return key_of(slot.kv, first + head, slot.number); });
}
SIMT_DEV void store_values(const Slot& slot, const float* x, int64_t first, int64_t heads, int64_t d, Shared& s) {
  store_heads(x, heads, d, slot.kv.v_format, slot.kv.v_rotated, s,
              [&](int64_t head) { return value_of(slot.kv, first + head, slot.number); });
}

// A block per row.
SIMT_KERNEL void kv_append(KvAppendArgs a) {
  Shared& s = simt::shared<Shared>();
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const Slot slot(a.step, row);
  store_keys(slot, a.k.data + row * a.k.step, 0, a.heads, a.d_k, s);
  if (a.v.data) store_values(slot, a.v.data + row * a.v.step, 0, a.heads, a.d_v, s);
}

void launch_kv_append(simt::Stream stream, const KvAppendArgs& a, int64_t rows) {
  launch_early<kv_append>(stream, {{static_cast<unsigned>(rows)}, kThreads, sizeof(Shared)}, a);
}

SIMT_DEV void rotate_head(const RopeArgs& a, int row, const float* x, float* out) {
  const float* table = a.tables[0].data + row * a.tables[0].step;
  for (int64_t i = simt::thread(); i < rope_items(a); i += kThreads) rotate(a, x, table, out, i);
}

// A block per row and head: of queries, then of keys and values.
SIMT_KERNEL void rope_append(RopeAppendArgs args) {
  RopeShared& s = simt::shared<RopeShared>();
  const KvAppendArgs& a = args.append;
  const RopeArgs& q = args.rope;
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  if (const int64_t first = simt::block_y() * q.d_head; simt::block_y() < q.heads)
    return rotate_head(q, row, q.x.data + row * q.x.step + first, q.out.data + row * q.out.step + first);
  const int64_t head = simt::block_y() - q.heads;
  const Slot slot(a.step, row);
  rotate_head(q, row, a.k.data + row * a.k.step + head * a.d_k, s.rotated);
  simt::sync_block();
  store_keys(slot, s.rotated, head, 1, a.d_k, s.stored);
  if (a.v.data) store_values(slot, a.v.data + row * a.v.step + head * a.d_v, head, 1, a.d_v, s.stored);
}

void launch_rope_append(simt::Stream stream, const RopeAppendArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(rows), static_cast<unsigned>(a.rope.heads + a.append.heads)};
  launch_early<rope_append>(stream, {grid, kThreads, sizeof(RopeShared)}, a);
}

}  // namespace

template <>
void fill_kv_append<simt::Target>(GpuKernels& kernels) {
  kernels.kv_append = launch_kv_append;
  kernels.rope_append = launch_rope_append;
}

}  // namespace skald::gpu
