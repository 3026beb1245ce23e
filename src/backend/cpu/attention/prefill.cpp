#include "backend/cpu/attention/prefill.h"

#include <algorithm>

#include "backend/cpu/attention/decode.h"
#include "backend/cpu/attention/prefill_products.h"
#include "backend/cpu/attention/queries.h"

namespace skald {
namespace {

/// The keys [from, to) of slots, met by these queries.
struct Span {
  int64_t from, to;
  QueryBlock q;
  int64_t distance;  // position of the block's first row less that of slot 0, for ALiBi
};

template <class Products>
class BlockRun {
 public:
  BlockRun(const AttentionJob& job, const KvView& kv, const BlockRows& rows, PrefillScratch& s)
      : job_(job), kv_(kv), rows_(rows), first_slot_(job.position(rows.first) - kv.shift), s_(s), products_(job, kv, s) {}

  // The block's queries.
  void load() const {
    load(job_.q, s_.q);
    if (kv_.kept) load(job_.q_kept.data ? job_.q_kept : job_.q, s_.q_kept);
  }

  // s.part becomes the sums of a part of the keys, as count_parts counts them.
  void attend_part(int64_t part) const {
    s_.part.clear(rows_.n * job_.group());
    const SlotRange slots = part_of(job_, kv_, rows_.first, rows_.n, part);
    const int64_t position = job_.position(rows_.first);
    const auto seen = [&](int64_t r) { return visible(job_, kv_, rows_.first + r); };
    if (part > 0) return attend({slots.begin, slots.end, s_.q, position - kv_.shift}, seen);
    attend({slots.begin, slots.end, s_.q_kept, position - kv_.dropped}, [&](int64_t r) {
      return SlotRange{0, std::min(kv_.kept, seen(r).end)};
    });
  }

 private:
  void load(const HeadsView& from, const QueryBlock& q) const {
    float* at = q.floats;
    for (int64_t r = 0; r < rows_.n; ++r, at += job_.group() * job_.q_stride()) {
      load_queries(job_, kv_, from, rows_.first + r, rows_.head, at);
      round_queries(job_, kv_, at, s_.codes);
    }
    products_.take_queries(q, rows_.n * job_.group());
  }

  // `limits(r)`: the slots that row r of the block sees.
  template <class Limits>
  void attend(const Span& span, const Limits& limits) const {
    for (int64_t slot = span.from; slot < span.to;) {
      const int64_t page = slot - slot % kPageKeys, end = std::min(span.to, page + kPageKeys);
      attend_page(span, page, end < span.to ? end : page, [&](int64_t r) {
        const SlotRange seen = limits(r);
        return SlotRange{std::max(seen.begin, slot) - page, std::min(seen.end, end) - page};
      });
      slot = end;
    }
  }

  // `in_page(r)`: the keys of the page that row r sees, empty where begin >= end.
  template <class InPage>
  void attend_page(const Span& span, int64_t page, int64_t next, const InPage& in_page) const {
    int64_t first = 0, last = rows_.n;
    while (first < last && in_page(first).begin >= in_page(first).end) ++first;
    while (first < last && in_page(last - 1).begin >= in_page(last - 1).end) --last;
    // With codes, rows after the page meet its codes.
    const int64_t coded = std::min(std::max(first, first_after(page)), last);
    attend_rows(span, {rows_.head, page, 0, 0, /*by_codes=*/false, next}, first, coded, in_page);
    attend_rows(span, {rows_.head, page, 0, 0, /*by_codes=*/true, next}, coded, last, in_page);
  }

  // The first of the block's rows whose own page comes after this one; all where keys have no codes.
  int64_t first_after(int64_t page) const {
    if (kv_.k_codes == KeyCodes::kNone) return rows_.n;
    return std::clamp<int64_t>(page + kPageKeys - first_slot_, 0, rows_.n);
  }

  // Rows [first, last) of the block, all of which see keys of the page.
  template <class InPage>
  void attend_rows(const Span& span, PageKeys keys, int64_t first, int64_t last, const InPage& in_page) const {
    if (first == last) return;
    keys.begin = in_page(first).begin;
    keys.end = in_page(last - 1).end;
    products_.take_page(keys);
    const int64_t tile = std::max<int64_t>(1, Products::kShape.tile / job_.group());
    for (; first < last; first += tile) attend_tile(span, keys, first, std::min(tile, last - first), in_page);
  }

  // Rows [first, first + n) of the block on these keys.
  template <class InPage>
  void attend_tile(const Span& span, const PageKeys& keys, int64_t first, int64_t n, const InPage& in_page) const {
    const int64_t group = job_.group(), q0 = first * group, queries = n * group;
    products_.scores(keys, span.q, q0, queries);
    for (int64_t r = 0; r < n;) {
      const SlotRange seen = in_page(first + r);
      int64_t same = 1;
      while (r + same < n && in_page(first + r + same) == seen) ++same;
      weigh(span, keys.page, first + r, same, seen, s_.scores + r * group * kPageKeys);
      r += same;
    }
    products_.add_values(keys, queries, s_.part.out + q0 * s_.part.stride);
  }

  // Rows [row, row + n) of the block, which see the same keys of the page.
  void weigh(const Span& span, int64_t page, int64_t row, int64_t n, SlotRange seen, float* scores) const {
    const int64_t group = job_.group(), queries = n * group, keys = seen.end - seen.begin;
    if (keys > 0) {
      for (int64_t r = 0; r < n; ++r)
        adjust_group(job_, rows_.head, keys, page + seen.begin - (span.distance + row + r),
                     scores + r * group * kPageKeys + seen.begin, kPageKeys);
      s_.part.weigh(job_.kernels, row * group, queries, keys, scores + seen.begin, kPageKeys, job_.value_columns(kv_));
    }
    for (int64_t q = 0; q < queries; ++q, scores += kPageKeys) {
      std::fill(scores, scores + std::min(seen.begin, kPageKeys), 0.0f);
      std::fill(scores + std::clamp<int64_t>(seen.end, 0, kPageKeys), scores + kPageKeys, 0.0f);
    }
  }

  const AttentionJob& job_;
  const KvView& kv_;
  BlockRows rows_;
  int64_t first_slot_;
  PrefillScratch& s_;
  Products products_;
};

template <class Products>
void attend(const BlockRun<Products>& run, const AttentionJob& job, const KvView& kv, const BlockRows& rows,
            PrefillScratch& s) {
  const int64_t queries = rows.n * job.group(), parts = count_parts(job, kv, rows.first, rows.n);
  const int64_t first = kv.kept ? 0 : 1;
  for (int64_t part = first; part < parts; ++part) {
    run.attend_part(part);
    if (part > first)
      s.total.merge(job.kernels, s.part, queries);
    else
      std::swap(s.part, s.total);
  }
  finish_block(job, kv, rows, s.total);
}

}  // namespace

// f<Products>() of the kind that serves the cache, for many queries.
template <class Fn>
static auto with_products(const AttentionJob& job, const KvView& kv, Fn f) {
  return TileProducts::serve(job.kernels, kv)  ? f.template operator()<TileProducts>()
         : Q16Products::serve(job.kernels, kv) ? f.template operator()<Q16Products>()
                                               : f.template operator()<FloatProducts>();
}

bool block_is_exact(const AttentionJob& job, const KvView& kv) {
  const bool in_order = kv.k_order == KeyOrder::kDims || (kv.in_order && job.kernels.row_scores_in_order[kv.k_format]);
  return in_order && kv.k_codes == KeyCodes::kNone && !has_blocks(job.kernels, kv.v_format) &&
         with_products(job, kv, []<class Products>() { return !Products::kOfCodes; });
}

// Each pass over keys in rows turns them into columns again.
static constexpr int64_t kFewOverRows = 16;

bool meets_pages_directly(const AttentionJob& job, const KvView& kv, int64_t rows) {
  const int64_t most = kv.k_order == KeyOrder::kDims ? DirectProducts::kShape.queries : kFewOverRows;
  return rows * job.group() <= most && block_is_exact(job, kv);
}

// f(BlockRun) of a block whose queries are there.
template <class Fn>
static void with_run(const AttentionJob& job, const KvView& kv, const BlockRows& rows, PrefillScratch& s, Fn f) {
  const auto run = [&]<class Products>() {
    const BlockRun<Products> block(job, kv, rows, s);
    block.load();
    f(block);
  };
  meets_pages_directly(job, kv, rows.n) ? run.template operator()<DirectProducts>() : with_products(job, kv, run);
}

static int64_t max_block_rows(const AttentionJob& job, int64_t queries) {
  return std::max<int64_t>(1, queries / job.group());
}

int64_t block_rows(const AttentionJob& job, const KvView& kv, int64_t n) {
  const BlockShape shape = with_products(job, kv, []<class Products>() { return Products::kShape; });
  const int64_t most = max_block_rows(job, shape.queries), even = ceil_div(n, ceil_div(n, most));
  return std::min(most, round_up(even, shape.rows));
}

PrefillScratch::PrefillScratch(const AttentionJob& job, Scratch& scratch) {
  constexpr BlockShape kFloats = FloatProducts::kShape, kTiles = TileProducts::kShape;
  const int64_t queries = max_block_rows(job, std::max(kFloats.queries, kTiles.queries)) * job.group();
  const int64_t tile = std::max({kFloats.tile, kTiles.tile, job.group()});
  const bool q16 = Q16Products::serve(job.kernels), tiles = TileProducts::serve(job.kernels);
  const auto code_bytes = [&](int64_t k) { return q16 ? act_q16_bytes(k) : bf16x2_bytes(k); };
  for (QueryBlock* block : {&q, &q_kept})
    *block = {scratch.take(queries * job.q_stride()),
              q16 || tiles ? scratch.take<std::byte>(queries * code_bytes(job.q_stride())) : nullptr};
  scores = scratch.take(tile * kPageKeys);
  keys = scratch.take(kPageKeys * job.q_stride());
  values = scratch.take(kPageKeys * job.out_stride());
  if (q16) {
    key_blocks = scratch.take<PanelQ16>(kPageKeys / kPanel * act_q16_blocks(job.q_stride()));
    value_blocks = scratch.take<PanelQ16>(job.out_stride() / kPanel * act_q16_blocks(kPageKeys));
    value_units = scratch.take(kPageKeys);
  }
  if (tiles) {
    key_tiles = scratch.take<PanelBf16x2>(kPageKeys / kPanel * ceil_div(job.q_stride(), kBf16x2Rows));
    value_tiles = scratch.take<PanelBf16x2>(job.out_stride() / kPanel * ceil_div(kPageKeys, kBf16x2Rows));
  }
  if (q16 || tiles) weight_codes = scratch.take<std::byte>(tile * code_bytes(kPageKeys));
  codes = scratch.take<std::byte>(query_codes_bytes(job));
  const int64_t floats = SoftmaxState::floats(queries, job.out_stride());
  part = SoftmaxState::at(scratch.take(floats), queries, job.out_stride());
  total = SoftmaxState::at(scratch.take(floats), queries, job.out_stride());
}

void attend_block(const AttentionJob& job, const KvView& kv, const BlockRows& rows, PrefillScratch& s) {
  with_run(job, kv, rows, s, [&](const auto& run) { attend(run, job, kv, rows, s); });
}

void attend_block_part(const AttentionJob& job, const KvView& kv, const BlockRows& rows, int64_t part, PrefillScratch& s) {
  with_run(job, kv, rows, s, [&](const auto& run) { run.attend_part(part); });
}

void finish_block(const AttentionJob& job, const KvView& kv, const BlockRows& rows, const SoftmaxState& state) {
  for (int64_t r = 0; r < rows.n; ++r) finish_group(job, kv, rows.first + r, rows.head, state, r * job.group());
}

}  // namespace skald
