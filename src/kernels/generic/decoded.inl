// Matmul over any format that has a decoder, for those without kernels of their own. Rows are decoded into the cache, turned
// into panels of floats and multiplied there, in order of the columns.
// Bound: the decoder, which is scalar, for few tokens; the peak of fused multiply-adds for many.
#pragma once

#include "kernels/generic/packed.inl"
#include "kernels/generic/panels.inl"

inline constexpr int64_t kDecodedColumns = 256;  // of a piece: a multiple of every format's block

// Columns [c, c + n) of the rows [row, row + kPanel) as floats (n, kPanel); rows beyond the last repeat it.
template <class V>
[[gnu::noinline]] void decode_columns(const MatmulArgs& a, const Format& f, int64_t row, int64_t c, int64_t n, float* out) {
  alignas(64) float rows[V::kWidth][kDecodedColumns];
  for (int64_t first = 0; first < kPanel; first += V::kWidth) {
    for (int64_t r = 0; r < V::kWidth; ++r) {
      const int64_t at = row + first + r < a.n ? row + first + r : a.n - 1;
      f.decode(static_cast<const char*>(a.w) + at * a.w_stride + c / f.block * f.block_bytes, rows[r], n);
    }
    for (int64_t j = 0; j < n; j += V::kWidth) {
      typename V::F m[V::kWidth];
#pragma GCC unroll 16
      for (int r = 0; r < V::kWidth; ++r) m[r] = V::load(rows[r] + j);  // garbage from n on
      V::transpose(m);
      for (int64_t i = 0; i < V::kWidth && j + i < n; ++i) V::store(out + (j + i) * kPanel + first, m[i]);
    }
  }
}

// Rows [row, row + kPanel) by all tokens, into a.y (m, kPanel).
template <class V>
[[gnu::always_inline]] inline void decoded_rows_by_tokens(const MatmulArgs& a, const Format& f, int64_t row) {
  alignas(64) float columns[kDecodedColumns * kPanel];
  for (int64_t c = 0; c < a.k; c += kDecodedColumns) {
    const int64_t n = a.k - c < kDecodedColumns ? a.k - c : kDecodedColumns;
    decode_columns<V>(a, f, row, c, n, columns);
    panel_gemm<V>({.a = static_cast<const float*>(a.x) + c,
                   .a_stride = a.x_stride / static_cast<int64_t>(sizeof(float)),
                   .b = columns,
                   .c = a.y,
                   .c_stride = a.y_stride,
                   .m = a.m,
                   .k = n,
                   .panels = 1,
                   .add = c > 0});
  }
}

template <class V>
void matmul_decoded(const MatmulArgs& a, const Format& f) noexcept {
  by_row_tiles<kPanel>(
      a, [&](const MatmulArgs& part, int64_t row)
             __attribute__((always_inline)) { decoded_rows_by_tokens<V>(part, f, row); });
}
