// The matrix products of prefill's attention with a page: by floats, or by integers of 16 bits.
#pragma once

#include "backend/cpu/attention/prefill.h"

namespace skald {

/// What both kinds multiply.
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

  static bool serve(const KernelTable& kernels) { return kernels.prefill_act == ActFormat::kQ16; }
  static bool serve(const KernelTable& kernels, const KvView& kv);

  // As those of FloatProducts.
  void take_queries(const QueryBlock& q, int64_t n) const;
  void take_page() const;
  void scores(const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(int64_t n, float* out) const;
};

}  // namespace skald
