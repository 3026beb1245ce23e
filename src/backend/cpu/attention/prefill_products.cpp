#include "backend/cpu/attention/prefill_products.h"

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

}  // namespace

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

void FloatProducts::scores(const QueryBlock& q, int64_t first, int64_t n) const {
  multiply_keys(job_.kernels.panel_gemm, of_floats(q.floats + first * job_.q_stride(), job_.q_stride(), s_.keys), n);
}

void FloatProducts::add_values(int64_t n, float* out) const {
  multiply_values(job_.kernels.panel_gemm, of_floats(s_.scores, kPageKeys, s_.values), n, out);
}

bool Q16Products::serve(const KernelTable& kernels, const KvView& kv) {
  return serve(kernels) && !kv.decode && kv.k_format != format_f32.id && kv.v_format != format_f32.id;
}

void Q16Products::take_queries(const QueryBlock& q, int64_t n) const {
  const int64_t columns = job_.key_columns(kv_);
  for (int64_t i = 0; i < n; ++i)
    job_.kernels.quantize_q16(q.floats + i * job_.q_stride(), q.codes + i * act_q16_bytes(columns), columns);
}

void Q16Products::take_page() const {
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

void Q16Products::scores(const QueryBlock& q, int64_t first, int64_t n) const {
  const std::byte* queries = q.codes + first * act_q16_bytes(job_.key_columns(kv_));
  multiply_keys(job_.kernels.panel_gemm_q16, of_codes(queries, s_.key_blocks), n);
}

void Q16Products::add_values(int64_t n, float* out) const {
  job_.kernels.quantize_weights({.weights = s_.scores, .row_unit = s_.value_units, .codes = s_.weight_codes, .n = n});
  multiply_values(job_.kernels.panel_gemm_q16, of_codes(s_.weight_codes, s_.value_blocks), n, out);
}

bool TileProducts::serve(const KernelTable& kernels, const KvView& kv) {
  return serve(kernels) && !kv.decode && kv.k_format != format_f32.id && kv.v_format != format_f32.id;
}

void TileProducts::take_queries(const QueryBlock& q, int64_t n) const {
  job_.kernels.split_rows({.x = q.floats, .x_stride = job_.q_stride(), .rows = q.codes, .n = n, .k = job_.key_columns(kv_)});
}

void TileProducts::take_page() const {
  job_.kernels.split_panels(
      {.panels = s_.keys, .n_panels = kPageKeys / kPanel, .rows = job_.key_columns(kv_), .blocks = s_.key_tiles});
  job_.kernels.split_panels(
      {.panels = s_.values, .n_panels = job_.out_stride() / kPanel, .rows = kPageKeys, .blocks = s_.value_tiles});
}

void TileProducts::scores(const QueryBlock& q, int64_t first, int64_t n) const {
  const std::byte* queries = q.codes + first * bf16x2_bytes(job_.key_columns(kv_));
  multiply_keys(job_.kernels.panel_gemm_bf16x2, of_codes(queries, s_.key_tiles), n);
}

void TileProducts::add_values(int64_t n, float* out) const {
  job_.kernels.split_rows({.x = s_.scores, .x_stride = kPageKeys, .rows = s_.weight_codes, .n = n, .k = kPageKeys});
  multiply_values(job_.kernels.panel_gemm_bf16x2, of_codes(s_.weight_codes, s_.value_tiles), n, out);
}

}  // namespace skald
