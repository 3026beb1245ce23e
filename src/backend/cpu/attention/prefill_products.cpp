#include "backend/cpu/attention/prefill_products.h"

#include <algorithm>

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/unpack_keys.h"

namespace skald {

namespace {

PanelGemmArgs of_floats(const float* a, int64_t a_stride, const float* b) {
  PanelGemmArgs product{};
  product.a = a;
  product.a_stride = a_stride;
  product.b = b;
  return product;
}

template <class Block>
PanelGemmCodesArgs<Block> of_codes(const std::byte* a, const Block* b) {
  PanelGemmCodesArgs<Block> product{};
  product.a = a;
  product.b = b;
  return product;
}

// Rows of a page from key `begin` on, where the first one begins; that one stands in for those before it.
void point_from(const std::byte* first, int64_t stride, int64_t begin, int64_t end, RowPointers& rows) {
  std::fill_n(rows, begin, first);
  point_at(first, stride, end - begin, first, rows + begin);
}

}  // namespace

void PageProducts::unpack(const PageKeys& keys) const {
  const auto [head, page, begin, end, by_codes, next] = keys;
  RowPointers rows;
  UnpackArgs args{.rows = rows,
                  .keys = kv_.k_page(head, page),
                  .k_stride = kv_.k_stride,
                  .n = end,
                  .d = job_.key_columns(kv_),
                  .panels = s_.keys};
  if (by_codes) {
    unpack_keys(job_.kernels, kv_, head, page, job_.key_columns(kv_), s_.keys);
  } else if (kv_.k_codes != KeyCodes::kNone) {
    point_from(kv_.open_row(head, page + begin), kv_.open.stride, begin, end, rows);
    job_.kernels.unpack_key_rows[kv_.k_format](args);
  } else if (kv_.k_order == KeyOrder::kDims) {
    job_.kernels.unpack_key_dims[kv_.k_format](args);
  } else {
    point_from(kv_.k_row(head, page + begin), kv_.k_stride, begin, end, rows);
    job_.kernels.unpack_key_rows[kv_.k_format](args);
  }
  point_from(kv_.v_row(head, page + begin), kv_.v_stride, begin, end, rows);
  job_.kernels.unpack_values[kv_.v_format](
      {.rows = rows, .keys = nullptr, .k_stride = 0, .n = end, .d = job_.value_columns(kv_), .panels = s_.values});
}

template <class Product>
void PageProducts::multiply_keys(void (*gemm)(const Product&) noexcept, Product product, int64_t n) const {
  product.c = s_.scores;
  product.c_stride = kPageKeys;
  product.m = n;
  product.k = job_.key_columns(kv_);
  product.panels = kPageKeys / kPanel;
  product.add = false;
  gemm(product);
}

template <class Product>
void PageProducts::multiply_values(void (*gemm)(const Product&) noexcept, Product product, int64_t n, float* out) const {
  product.c = out;
  product.c_stride = s_.part.stride;
  product.m = n;
  product.k = kPageKeys;
  product.panels = job_.out_stride() / kPanel;
  product.add = true;
  gemm(product);
}

void FloatProducts::scores(const PageKeys&, const QueryBlock& q, int64_t first, int64_t n) const {
  multiply_keys(job_.kernels.panel_gemm, of_floats(q.floats + first * job_.q_stride(), job_.q_stride(), s_.keys), n);
}

void FloatProducts::add_values(const PageKeys&, int64_t n, float* out) const {
  multiply_values(job_.kernels.panel_gemm, of_floats(s_.scores, kPageKeys, s_.values), n, out);
}

void DirectProducts::scores(const PageKeys& keys, const QueryBlock& q, int64_t first, int64_t n) const {
  const auto [head, page, begin, end, by_codes, next] = keys;
  score_page(job_, kv_, head, page + begin, page + end, {q.floats + first * job_.q_stride(), nullptr, n},
             values_page(kv_, head, page + begin, page + end), s_.scores, kPageKeys);
}

void DirectProducts::add_values(const PageKeys& keys, int64_t n, float* out) const {
  const auto [head, page, begin, end, by_codes, next] = keys;
  add_page_values(job_, kv_, head, page + begin, page + end, n, s_.scores, kPageKeys, keys_page(job_, kv_, head, next), out);
}

bool Q16Products::serve(const KernelTable& kernels, const KvView& kv) {
  return serve(kernels) && !kv.decode && kv.k_format != format_f32.id && kv.v_format != format_f32.id;
}

void Q16Products::take_queries(const QueryBlock& q, int64_t n) const {
  const int64_t columns = job_.key_columns(kv_);
  for (int64_t i = 0; i < n; ++i)
    job_.kernels.quantize_q16(q.floats + i * job_.q_stride(), q.codes + i * act_q16_bytes(columns), columns);
}

void Q16Products::take_page(const PageKeys& keys) const {
  unpack(keys);
  job_.kernels.quantize_keys({.panels = s_.keys,
                              .n_panels = kPageKeys / kPanel,
                              .rows = job_.key_columns(kv_),
                              .blocks = s_.key_blocks,
                              .row_unit = nullptr});
  job_.kernels.quantize_values({.panels = s_.values,
                                .n_panels = job_.out_stride() / kPanel,
                                .rows = kPageKeys,
                                .blocks = s_.value_blocks,
                                .row_unit = s_.value_units});
}

void Q16Products::scores(const PageKeys&, const QueryBlock& q, int64_t first, int64_t n) const {
  const std::byte* queries = q.codes + first * act_q16_bytes(job_.key_columns(kv_));
  multiply_keys(job_.kernels.panel_gemm_q16, of_codes(queries, s_.key_blocks), n);
}

void Q16Products::add_values(const PageKeys&, int64_t n, float* out) const {
  job_.kernels.quantize_weights({.weights = s_.scores, .row_unit = s_.value_units, .codes = s_.weight_codes, .n = n});
  multiply_values(job_.kernels.panel_gemm_q16, of_codes(s_.weight_codes, s_.value_blocks), n, out);
}

bool TileProducts::serve(const KernelTable& kernels, const KvView& kv) {
  return serve(kernels) && !kv.decode && kv.k_format != format_f32.id && kv.v_format != format_f32.id;
}

void TileProducts::take_queries(const QueryBlock& q, int64_t n) const {
  job_.kernels.split_rows({.x = q.floats, .x_stride = job_.q_stride(), .rows = q.codes, .n = n, .k = job_.key_columns(kv_)});
}

void TileProducts::take_page(const PageKeys& keys) const {
  unpack(keys);
  job_.kernels.split_panels(
      {.panels = s_.keys, .n_panels = kPageKeys / kPanel, .rows = job_.key_columns(kv_), .blocks = s_.key_tiles});
  job_.kernels.split_panels(
      {.panels = s_.values, .n_panels = job_.out_stride() / kPanel, .rows = kPageKeys, .blocks = s_.value_tiles});
}

void TileProducts::scores(const PageKeys&, const QueryBlock& q, int64_t first, int64_t n) const {
  const std::byte* queries = q.codes + first * bf16x2_bytes(job_.key_columns(kv_));
  multiply_keys(job_.kernels.panel_gemm_bf16x2, of_codes(queries, s_.key_tiles), n);
}

void TileProducts::add_values(const PageKeys&, int64_t n, float* out) const {
  job_.kernels.split_rows({.x = s_.scores, .x_stride = kPageKeys, .rows = s_.weight_codes, .n = n, .k = kPageKeys});
  multiply_values(job_.kernels.panel_gemm_bf16x2, of_codes(s_.weight_codes, s_.value_tiles), n, out);
}

}  // namespace skald
