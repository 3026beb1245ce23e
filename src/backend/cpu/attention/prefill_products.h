// The matrix products of prefill's attention with a page: by floats, by integers of 16 bits, or by tiles of bfloat16.
#pragma once

#include "backend/cpu/attention/prefill.h"

namespace skald {

/// How many queries a block has at most, and a tile of it: a page is unpacked once for a block, scores of a tile stay in L1;
/// blocks have multiples of the rows that products take together.
struct BlockShape {
  int64_t queries, tile, rows;
};

/// What all kinds multiply.
class PageProducts {
 public:
  PageProducts(const AttentionJob& job, const KvView& kv, PrefillScratch& s) : job_(job), kv_(kv), s_(s) {}

 protected:
  const AttentionJob& job_;
  const KvView& kv_;
  PrefillScratch& s_;
};

class FloatProducts : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr BlockShape kShape = {.queries = 504, .tile = 84, .rows = 42};  // 14 or 6 rows at a time

  /// Queries [0, n) as the products want them; likewise the page that lies in s.keys and s.values.
  void take_queries(const QueryBlock&, int64_t) const {}
  void take_page() const {}

  /// s.scores (n, kPageKeys) of queries [first, first + n).
  void scores(const QueryBlock& q, int64_t first, int64_t n) const;
  /// out (n, part.stride) += s.scores by the values.
  void add_values(int64_t n, float* out) const;
};

/// Where the CPU multiplies pairs of 16 bits: twice as many per instruction. What queries, keys, weights and values are
/// multiples of keeps 13 bits below the largest of 32 (values: of a row). For quantised keys only: those of floats meet each
/// query with the same bits in prefill as in decode, however the prompt is cut, and keep doing so.
class Q16Products : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr BlockShape kShape = FloatProducts::kShape;

  static bool serve(const KernelTable& kernels) { return kernels.prefill_act == ActFormat::kQ16; }
  static bool serve(const KernelTable& kernels, const KvView& kv);

  // As those of FloatProducts.
  void take_queries(const QueryBlock& q, int64_t n) const;
  void take_page() const;
  void scores(const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(int64_t n, float* out) const;
};

/// Where the CPU multiplies tiles of bfloat16: all are sums of two such, 16 bits of each value. For quantised keys only, as
/// Q16Products: keys of f16 are exact so, but not the order of sums, and a bit that is lost turns codes of activations
/// later.
class TileProducts : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr BlockShape kShape = {.queries = 512, .tile = 64, .rows = 32};

  static bool serve(const KernelTable& kernels) { return kernels.prefill_act == ActFormat::kBf16; }
  static bool serve(const KernelTable& kernels, const KvView& kv);

  // As those of FloatProducts.
  void take_queries(const QueryBlock& q, int64_t n) const;
  void take_page() const;
  void scores(const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(int64_t n, float* out) const;
};

}  // namespace skald
