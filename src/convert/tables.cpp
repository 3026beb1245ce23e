#include "convert/tables.h"

#include <cmath>

#include "base/error.h"
#include "models/parts/hparams.h"

namespace skald {
namespace {

LazyTensor half(const StoredView& in, int64_t which) {
  const int axis = in.rank() - 2;
  const StoredView halves = in.split(axis, {2, 0});
  return LazyTensor::of(halves.at(axis, which));
}

int64_t n_heads(const MetaView& m) { return m.in_range("attention.head_count", 1, 65536); }
int64_t n_kv_heads(const MetaView& m) { return m.in_range("attention.head_count_kv", 1, 65536); }

}  // namespace

// Layers may have other numbers of heads, but not heads of another size.
LazyTensor interleave(const StoredView& in, const MetaView& m) {
  constexpr std::string_view kSize = "attention.key_length";
  const int64_t d = m.has(kSize) ? m.in_range(kSize, 2, 65536) : m.i64("embedding_length") / n_heads(m);
  return {in.shape(), {in.split(0, {0, 2, d / 2}).swap(1, 2)}};
}

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
  out.function = [](float x) { return x + 1; };
  return out;
}

LazyTensor first_half(const StoredView& in, const MetaView&) { return half(in, 0); }
LazyTensor second_half(const StoredView& in, const MetaView&) { return half(in, 1); }

LazyTensor filters(const StoredView& in, const MetaView&) { return LazyTensor::of(in.rank() == 3 ? in.at(1, 0) : in); }

LazyTensor rates(const StoredView& in, const MetaView&) {
  LazyTensor out = LazyTensor::of(in).seen_as(Shape{in.elements()});
  out.function = [](float x) { return -std::exp(x); };
  return out;
}

LazyTensor rate_column(const StoredView& in, const MetaView& m) { return rates(in, m).seen_as(Shape{in.elements(), 1}); }
LazyTensor as_column(const StoredView& in, const MetaView&) { return LazyTensor::of(in).seen_as(Shape{in.elements(), 1}); }

LazyTensor by_groups(const StoredView& in, const MetaView& m) {
  const int64_t groups = m.in_range("ssm.group_count", 1, 65536);
  if (in.elements() % groups) fail(Errc::kBadFile, "{} norm weights do not divide over {} groups", in.elements(), groups);
  return LazyTensor::of(in).seen_as(Shape{groups, in.elements() / groups});
}

LazyTensor as_vector(const StoredView& in, const MetaView&) { return LazyTensor::of(in).seen_as(Shape{in.elements()}); }

}  // namespace skald
