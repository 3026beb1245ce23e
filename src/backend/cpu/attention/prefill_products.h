// The matrix products of a block's attention with a page: by floats, by integers of 16 bits, or by tiles of bfloat16; or
// with the page as it lies, as a single row meets it.
#pragma once

#include "backend/cpu/attention/prefill.h"

namespace skald {

/// The keys of a page that rows of the block see: slots from `page` + `begin` on, before `page` + `end`.
struct PageKeys {
  int64_t head, page, begin, end;
  bool by_codes;      // the rows come after the page, whose keys are codes for them
  int64_t next_page;  // that is read afterwards; or this one
};

/// How many queries a block has at most, and a tile of it: a page is unpacked once for a block, scores of a tile stay in L1.
/// Blocks have multiples of the rows that products take together.
struct BlockShape {
  int64_t queries, tile, rows;
};

/// The operands of all kinds, and their shapes.
class PageProducts {
 public:
  PageProducts(const AttentionJob& job, const KvView& kv, PrefillScratch& s) : job_(job), kv_(kv), s_(s) {}

 protected:
  /// The keys become panels in s.keys, their values in s.values. Keys before `begin` may lie outside of the held pages: the
  /// first one stands in for them.
  void unpack(const PageKeys& keys) const;
  /// s.scores (n, kPageKeys) of the n queries and the keys in `product`.
  template <class Product>
  void multiply_keys(void (*gemm)(const Product&) noexcept, Product product, int64_t n) const;
  /// out (n, part.stride) += the n rows of weights by the values in `product`.
  template <class Product>
  void multiply_values(void (*gemm)(const Product&) noexcept, Product product, int64_t n, float* out) const;

  const AttentionJob& job_;
  const KvView& kv_;
  PrefillScratch& s_;
};

class FloatProducts : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr bool kOfCodes = false;
  static constexpr BlockShape kShape = {.queries = 504, .tile = 84, .rows = 42};  // 14 or 6 rows at a time

  /// Queries [0, n) as the products want them; likewise the page.
  void take_queries(const QueryBlock&, int64_t) const {}
  void take_page(const PageKeys& keys) const { unpack(keys); }

  /// s.scores (n, kPageKeys) of queries [first, first + n).
  void scores(const PageKeys& keys, const QueryBlock& q, int64_t first, int64_t n) const;
  /// out (n, part.stride) += s.scores by the values.
  void add_values(const PageKeys& keys, int64_t n, float* out) const;
};

/// Of so few queries that unpacking a page would take longer than they do. Their bits are those of FloatProducts.
class DirectProducts : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr bool kOfCodes = false;
  static constexpr BlockShape kShape = {.queries = 48, .tile = 48, .rows = 1};

  // As those of FloatProducts.
  void take_queries(const QueryBlock&, int64_t) const {}
  void take_page(const PageKeys&) const {}
  void scores(const PageKeys& keys, const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(const PageKeys& keys, int64_t n, float* out) const;
};

/// Of prompts only, with queries, keys, weights and values coded first: where the CPU multiplies pairs of 16 bits, twice as
/// many per instruction as floats. The unit of queries, keys, weights and values keeps 13 bits below the largest of 32
/// (values: of a row): about as many as f16. Not for caches of f32, which ask for more.
class Q16Products : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr bool kOfCodes = true;
  static constexpr BlockShape kShape = FloatProducts::kShape;

  static bool serve(const KernelTable& kernels) { return kernels.prefill_act == ActFormat::kQ16; }
  static bool serve(const KernelTable& kernels, const KvView& kv);

  // As those of FloatProducts.
  void take_queries(const QueryBlock& q, int64_t n) const;
  void take_page(const PageKeys& keys) const;
  void scores(const PageKeys& keys, const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(const PageKeys& keys, int64_t n, float* out) const;
};

/// Likewise where the CPU multiplies tiles of bfloat16: all are sums of two such, 16 bits of each value. Not for caches of
/// f32, which ask for more.
class TileProducts : PageProducts {
 public:
  using PageProducts::PageProducts;
  static constexpr bool kOfCodes = true;
  static constexpr BlockShape kShape = {.queries = 512, .tile = 64, .rows = 32};

  static bool serve(const KernelTable& kernels) { return kernels.prefill_act == ActFormat::kBf16; }
  static bool serve(const KernelTable& kernels, const KvView& kv);

  // As those of FloatProducts.
  void take_queries(const QueryBlock& q, int64_t n) const;
  void take_page(const PageKeys& keys) const;
  void scores(const PageKeys& keys, const QueryBlock& q, int64_t first, int64_t n) const;
  void add_values(const PageKeys& keys, int64_t n, float* out) const;
};

}  // namespace skald
