#include "convert/tables.h"

#include "models/parts/hparams.h"

namespace skald {
namespace {

LazyTensor interleave(const StoredView& in, int64_t heads) { return {in.shape(), {in.split(0, {heads, 2, 0}).swap(1, 2)}}; }

LazyTensor half(const StoredView& in, int64_t which) {
  const int axis = in.rank() - 2;
  const StoredView halves = in.split(axis, {2, 0});
  return LazyTensor::of(halves.at(axis, which));
}

int64_t n_heads(const MetaView& m) { return m.in_range("attention.head_count", 1, 65536); }
int64_t n_kv_heads(const MetaView& m) { return m.in_range("attention.head_count_kv", 1, 65536); }

}  // namespace

LazyTensor interleave_q(const StoredView& in, const MetaView& m) { return interleave(in, n_heads(m)); }
LazyTensor interleave_k(const StoredView& in, const MetaView& m) { return interleave(in, n_kv_heads(m)); }

LazyTensor regroup_qkv(const StoredView& in, const MetaView& m) {
  const int64_t groups = n_kv_heads(m), queries = n_heads(m) / groups;
  if (groups == 1) return LazyTensor::of(in);
  const StoredView heads = in.split(0, {groups, queries + 2, 0});  // (groups, queries + 2, d_head[, d_model])
  LazyTensor out{in.shape(), {heads.take(1, 0, queries), heads.take(1, queries, 1), heads.take(1, queries + 1, 1)}};
  return out;
}

LazyTensor transpose(const StoredView& in, const MetaView&) {
  return LazyTensor::of(in.rank() < 2 ? in : in.swap(in.rank() - 2, in.rank() - 1));
}

LazyTensor plus_one(const StoredView& in, const MetaView&) {
  LazyTensor out = LazyTensor::of(in);
  out.added = 1;
  return out;
}

LazyTensor first_half(const StoredView& in, const MetaView&) { return half(in, 0); }
LazyTensor second_half(const StoredView& in, const MetaView&) { return half(in, 1); }

LazyTensor as_vector(const StoredView& in, const MetaView&) { return LazyTensor::of(in).seen_as(Shape{in.elements()}); }

}  // namespace skald
