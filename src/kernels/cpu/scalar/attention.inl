// Reference pieces of attention: the definitions, value by value, with sums in double.
#pragma once

#include "kernels/cpu/scalar/rows.inl"

template <class B>
double cached(const std::byte* row, int64_t c) {
  const B* blocks = reinterpret_cast<const B*>(row);
  if constexpr (B::kSize == 1)
    return static_cast<double>(value_of(blocks[c]));
  else
    return static_cast<double>(half_to_float(blocks[c / B::kSize].d)) * code_of(blocks[c / B::kSize], c % B::kSize);
}

// Value c of query g, of d floats or of d codes and their scales (act_q8.h).
template <class B>
double query(const RowScoresArgs& a, int64_t g, int64_t c) {
  const char* row = static_cast<const char*>(a.q) + g * a.q_stride;
  if constexpr (B::kSize == 1) return static_cast<double>(reinterpret_cast<const float*>(row)[c]);
  const float scale = reinterpret_cast<const float*>(row + a.d)[c / kActQ8Block];
  return static_cast<double>(scale) * reinterpret_cast<const int8_t*>(row)[c];
}

template <class B>
void row_scores(const RowScoresArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.d; ++c) sum += query<B>(a, g, c) * cached<B>(a.rows[i], c);
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

template <class B>
void dim_scores(const DimScoresArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.d; ++c)
        sum += static_cast<double>(a.q[g * a.q_stride + c]) * cached<B>(a.keys + c * a.k_stride, i);
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

template <class B>
void values(const ValuesArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t c = 0; c < a.d; ++c) {
      double sum = static_cast<double>(a.out[g * a.out_stride + c]);
      for (int64_t i = 0; i < a.n; ++i) sum += static_cast<double>(a.p[g * a.p_stride + i]) * cached<B>(a.rows[i], c);
      a.out[g * a.out_stride + c] = static_cast<float>(sum);
    }
}

void adjust_scores(const AdjustScoresArgs& a) noexcept {
  const double cap = static_cast<double>(a.softcap);
  for (int64_t i = 0; i < a.n; ++i) {
    double s = static_cast<double>(a.scores[i]);
    if (cap > 0) s = cap * tanh(s / cap);
    a.scores[i] =
        static_cast<float>(s + static_cast<double>(a.bias) + static_cast<double>(a.slope) * static_cast<double>(i));
  }
}

void softmax(const SoftmaxArgs& a) noexcept {
  for (int64_t r = 0; r < a.rows; ++r) {
    float* scores = a.scores + r * a.scores_stride;
    float* out = a.out + r * a.out_stride;
    float top = a.max[r];
    for (int64_t i = 0; i < a.n; ++i) top = scores[i] > top ? scores[i] : top;
    const double shrink = exp(static_cast<double>(a.max[r]) - static_cast<double>(top));
    double sum = static_cast<double>(a.sum[r]) * shrink;
    for (int64_t c = 0; c < a.d; ++c) out[c] = static_cast<float>(static_cast<double>(out[c]) * shrink);
    for (int64_t i = 0; i < a.n; ++i) {
      scores[i] = static_cast<float>(exp(static_cast<double>(scores[i]) - static_cast<double>(top)));
      sum += static_cast<double>(scores[i]);
    }
    a.sum[r] = static_cast<float>(sum);
    a.max[r] = top;
  }
}

template <class B>
void unpack_key_rows(const UnpackArgs& a) noexcept {
  for (int64_t i = 0; i < kPageKeys; ++i)
    for (int64_t j = 0; j < a.d; ++j)
      a.panels[(i / kPanel * a.d + j) * kPanel + i % kPanel] = i < a.n ? static_cast<float>(cached<B>(a.rows[i], j)) : 0.0f;
}

template <class B>
void unpack_key_dims(const UnpackArgs& a) noexcept {
  for (int64_t i = 0; i < kPageKeys; ++i)
    for (int64_t j = 0; j < a.d; ++j)
      a.panels[(i / kPanel * a.d + j) * kPanel + i % kPanel] = static_cast<float>(cached<B>(a.keys + j * a.k_stride, i));
}

template <class B>
void unpack_values(const UnpackArgs& a) noexcept {
  for (int64_t i = 0; i < kPageKeys; ++i)
    for (int64_t c = 0; c < (a.d + kPanel - 1) / kPanel * kPanel; ++c)
      a.panels[(c / kPanel * kPageKeys + i) * kPanel + c % kPanel] =
          i < a.n && c < a.d ? static_cast<float>(cached<B>(a.rows[i], c)) : 0.0f;
}

void panel_gemm(const PanelGemmArgs& a) noexcept {
  for (int64_t r = 0; r < a.m; ++r)
    for (int64_t c = 0; c < a.panels * kPanel; ++c) {
      float& out = a.c[r * a.c_stride + c];
      double sum = a.add ? static_cast<double>(out) : 0.0;
      for (int64_t k = 0; k < a.k; ++k)
        sum += static_cast<double>(a.a[r * a.a_stride + k]) *
               static_cast<double>(a.b[(c / kPanel * a.k + k) * kPanel + c % kPanel]);
      out = static_cast<float>(sum);
    }
}

// By the definition: entry (i, j) of the matrix is -1 to the number of bits that i and j share.
void hadamard(float* x, int64_t n, int64_t block) noexcept {
  double sums[4096];
  for (int64_t at = 0; at < n; at += block) {
    for (int64_t i = 0; i < block; ++i) {
      sums[i] = 0;
      for (int64_t j = 0; j < block; ++j)
        sums[i] += __builtin_popcountll(static_cast<unsigned long long>(i & j)) % 2 ? -static_cast<double>(x[at + j])
                                                                                    : static_cast<double>(x[at + j]);
    }
    for (int64_t i = 0; i < block; ++i) x[at + i] = static_cast<float>(sums[i] / sqrt(static_cast<double>(block)));
  }
}

template <class B>
void store_dims(const StoreDimsArgs& a) noexcept {
  for (int64_t i = 0; i < a.n; ++i)
    for (int64_t j = 0; j < a.d; ++j) {
      B* out = reinterpret_cast<B*>(a.keys + j * a.k_stride) + i;
      store_value(a.x[i * a.x_stride + j], out);
    }
}
