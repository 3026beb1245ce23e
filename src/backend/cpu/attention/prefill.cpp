#include "backend/cpu/attention/prefill.h"

#include "backend/cpu/attention/decode.h"
#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/prefill_products.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/split.h"
#include "backend/cpu/attention/unpack_keys.h"

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
  BlockRun(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows, int64_t kv_head, PrefillScratch& s)
      : job_(job),
        kv_(kv),
        first_slot_(job.position(row) - kv.shift),
        rows_(rows),
        head_(kv_head),
        s_(s),
        products_(job, kv, s) {}

  // The block's queries, from `row` of the call on.
  void load(const HeadsView& from, int64_t row, const QueryBlock& q) const {
    float* at = q.floats;
    for (int64_t r = 0; r < rows_; ++r, at += job_.group() * job_.q_stride()) {
      load_queries(job_, kv_, from, row + r, head_, at);
      round_queries(job_, kv_, at, s_.codes);
    }
    products_.take_queries(q, rows_ * job_.group());
  }

  // `limits(r)`: the slots that row r of the block sees.
  template <class Limits>
  void attend(const Span& span, const Limits& limits) const {
    for (int64_t slot = span.from; slot < span.to;) {
      const int64_t page = slot - slot % kPageKeys, end = std::min(span.to, page + kPageKeys);
      attend_page(span, page, [&](int64_t r) {
        const SlotRange seen = limits(r);
        return SlotRange{std::max(seen.begin, slot) - page, std::min(seen.end, end) - page};
      });
      slot = end;
    }
  }

 private:
  // `in_page(r)`: the keys of the page that row r sees, empty where begin >= end.
  template <class InPage>
  void attend_page(const Span& span, int64_t page, const InPage& in_page) const {
    int64_t first = 0, last = rows_;
    while (first < last && in_page(first).begin >= in_page(first).end) ++first;
    while (first < last && in_page(last - 1).begin >= in_page(last - 1).end) --last;
    // With codes, rows after the page meet its codes.
    const int64_t coded = std::min(std::max(first, first_after(page)), last);
    attend_rows(span, page, first, coded, /*by_codes=*/false, in_page);
    attend_rows(span, page, coded, last, /*by_codes=*/true, in_page);
  }

  // The first of the block's rows whose own page comes after this one; rows_ where keys have no codes.
  int64_t first_after(int64_t page) const {
    if (kv_.k_codes == KeyCodes::kNone) return rows_;
    return std::clamp<int64_t>(page + kPageKeys - first_slot_, 0, rows_);
  }

  // Rows [first, last) of the block, all of which see keys of the page.
  template <class InPage>
  void attend_rows(const Span& span, int64_t page, int64_t first, int64_t last, bool by_codes, const InPage& in_page) const {
    if (first == last) return;
    unpack(page, in_page(first).begin, in_page(last - 1).end, by_codes);
    products_.take_page();
    const int64_t tile = std::max<int64_t>(1, Products::kShape.tile / job_.group());
    for (; first < last; first += tile) attend_tile(span, page, first, std::min(tile, last - first), in_page);
  }

  // Rows [first, first + n) of the block on the page that was unpacked.
  template <class InPage>
  void attend_tile(const Span& span, int64_t page, int64_t first, int64_t n, const InPage& in_page) const {
    const int64_t group = job_.group(), q0 = first * group, queries = n * group;
    products_.scores(span.q, q0, queries);
    for (int64_t r = 0; r < n;) {
      const SlotRange seen = in_page(first + r);
      int64_t same = 1;
      while (r + same < n && in_page(first + r + same) == seen) ++same;
      weigh(span, page, first + r, same, seen, s_.scores + r * group * kPageKeys);
      r += same;
    }
    products_.add_values(queries, s_.part.out + q0 * s_.part.stride);
  }

  // Keys before `begin` are seen by no row and may lie outside of the held pages: the first one stands in for them.
  void unpack(int64_t page, int64_t begin, int64_t n, bool by_codes) const {
    RowPointers rows;
    const std::byte* first_key = kv_.k_page(head_, page);
    UnpackArgs keys{
        .rows = rows, .keys = first_key, .k_stride = kv_.k_stride, .n = n, .d = job_.key_columns(kv_), .panels = s_.keys};
    if (by_codes) {
      unpack_keys(job_.kernels, kv_, head_, page, job_.key_columns(kv_), s_.keys);
    } else if (kv_.k_codes != KeyCodes::kNone) {
      point_from(kv_.open_row(head_, page + begin), kv_.open.stride, begin, n, rows);
      job_.kernels.unpack_key_rows[kv_.k_format](keys);
    } else if (kv_.k_order == KeyOrder::kDims) {
      job_.kernels.unpack_key_dims[kv_.k_format](keys);
    } else {
      point_from(kv_.k_row(head_, page + begin), kv_.k_stride, begin, n, rows);
      job_.kernels.unpack_key_rows[kv_.k_format](keys);
    }
    point_from(kv_.v_row(head_, page + begin), kv_.v_stride, begin, n, rows);
    job_.kernels.unpack_values[kv_.v_format](
        {.rows = rows, .keys = nullptr, .k_stride = 0, .n = n, .d = job_.value_columns(kv_), .panels = s_.values});
  }

  static void point_from(const std::byte* first, int64_t stride, int64_t begin, int64_t n, RowPointers& rows) {
    std::fill_n(rows, begin, first);
    point_at(first, stride, n - begin, first, rows + begin);
  }

  // Rows [row, row + n) of the block, which see the same keys of the page.
  void weigh(const Span& span, int64_t page, int64_t row, int64_t n, SlotRange seen, float* scores) const {
    const int64_t group = job_.group(), queries = n * group, keys = seen.end - seen.begin;
    if (keys > 0) {
      for (int64_t r = 0; r < n; ++r)
        adjust_group(job_, head_, keys, page + seen.begin - (span.distance + row + r),
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
  int64_t first_slot_, rows_, head_;
  PrefillScratch& s_;
  Products products_;
};

template <class Products>
void attend(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows, int64_t kv_head, PrefillScratch& s) {
  const int64_t queries = rows * job.group(), position = job.position(row);
  const BlockRun<Products> run(job, kv, row, rows, kv_head, s);
  const auto seen = [&](int64_t r) { return visible(job, kv, row + r); };
  run.load(job.q, row, s.q);
  bool any = false;
  const auto part = [&](const Span& span, const auto& limits) {
    s.part.clear(queries);
    run.attend(span, limits);
    if (any)
      s.total.merge(job.kernels, s.part, queries);
    else
      std::swap(s.part, s.total);
    any = true;
  };
  const int64_t end = seen(rows - 1).end;
  if (kv.kept) {
    run.load(job.q_kept.data ? job.q_kept : job.q, row, s.q_kept);
    part({0, std::min(kv.kept, end), s.q_kept, position - kv.dropped}, [&](int64_t r) {
      return SlotRange{0, std::min(kv.kept, seen(r).end)};
    });
  }
  for (int64_t from = seen(0).begin; from < end;) {
    const int64_t to = std::min(end, Parts(job.a.n_kv_heads).end(from + kv.shift) - kv.shift);
    part({from, to, s.q, position - kv.shift}, seen);
    from = to;
  }
  for (int64_t r = 0; r < rows; ++r) finish_group(job, kv, row + r, kv_head, s.total, r * job.group());
}

}  // namespace

// f<Products>() of the kind that serves the cache.
template <class Fn>
static auto with_products(const AttentionJob& job, const KvView& kv, Fn f) {
  return TileProducts::serve(job.kernels, kv)  ? f.template operator()<TileProducts>()
         : Q16Products::serve(job.kernels, kv) ? f.template operator()<Q16Products>()
                                               : f.template operator()<FloatProducts>();
}

bool block_is_exact(const AttentionJob& job, const KvView& kv) {
  return kv.k_order == KeyOrder::kDims && kv.k_codes == KeyCodes::kNone && !has_blocks(job.kernels, kv.v_format) &&
         with_products(job, kv, []<class Products>() { return !Products::kOfCodes; });
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

void attend_block(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows, int64_t kv_head, PrefillScratch& s) {
  with_products(job, kv, [&]<class Products>() { attend<Products>(job, kv, row, rows, kv_head, s); });
}

}  // namespace skald
