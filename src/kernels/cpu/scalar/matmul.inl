// Reference matmul: sums in double, over decoded values or over exact integer block sums.

template <class B>
double dot_floats(const B* w, const void* x, int64_t k) {
  double sum = 0;
  for (int64_t c = 0; c < k; ++c)
    sum += static_cast<double>(value_of(w[c])) * static_cast<double>(static_cast<const float*>(x)[c]);
  return sum;
}

template <class B>
double dot_codes(const B* w, const void* x, int64_t k) {
  const auto* q = static_cast<const int8_t*>(x);
  const auto* scales = reinterpret_cast<const float*>(q + k);
  double sum = 0;
  for (int64_t b = 0; b < k / kActQ8Block; ++b) {
    int32_t codes = 0;
    for (int i = 0; i < kActQ8Block; ++i) codes += code_of(w[b], i) * q[b * kActQ8Block + i];
    sum += static_cast<double>(half_to_float(w[b].d)) * static_cast<double>(scales[b]) * codes;
  }
  return sum;
}

template <class B>
void matmul(const MatmulArgs& a) noexcept {
  for (int64_t r = 0; r < a.n; ++r) {
    const B* w = reinterpret_cast<const B*>(static_cast<const char*>(a.w) + r * a.w_stride);
    for (int64_t t = 0; t < a.m; ++t) {
      const void* x = static_cast<const char*>(a.x) + t * a.x_stride;
      if constexpr (B::kSize == 1)
        a.y[t * a.y_stride + r] = static_cast<float>(dot_floats(w, x, a.k));
      else
        a.y[t * a.y_stride + r] = static_cast<float>(dot_codes(w, x, a.k));
    }
  }
}

void matmul_decoded(const MatmulArgs& a, const Format& f) noexcept {
  constexpr int64_t kPiece = 256;  // a multiple of every format's block
  float w[kPiece];
  for (int64_t r = 0; r < a.n; ++r)
    for (int64_t t = 0; t < a.m; ++t) {
      const auto* x = reinterpret_cast<const float*>(static_cast<const char*>(a.x) + t * a.x_stride);
      double sum = 0;
      for (int64_t c = 0; c < a.k; c += kPiece) {
        const int64_t n = a.k - c < kPiece ? a.k - c : kPiece;
        f.decode(static_cast<const char*>(a.w) + r * a.w_stride + c / f.block * f.block_bytes, w, n);
        for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(x[c + i]);
      }
      a.y[t * a.y_stride + r] = static_cast<float>(sum);
    }
}

// Of a panel's row with a row of activations.
template <class B>
double dot_column_floats(const typename B::Group* g, const PackedMatmulArgs& a, int64_t t, int64_t r) {
  double sum = 0;
  for (int64_t c = 0; c < a.k; ++c) {
    const std::byte* chunk = a.x_chunk ? a.x + c / kChunkColumns * a.x_chunk : a.x;
    const auto* x = reinterpret_cast<const float*>(chunk + t * a.x_stride) + (a.x_chunk ? c % kChunkColumns : c);
    sum += static_cast<double>(column_of(g, c, r)) * static_cast<double>(*x);
  }
  return sum;
}

template <class B>
double dot_column_codes(const typename B::Group* groups, const PackedMatmulArgs& a, int64_t t, int64_t r) {
  using Group = typename B::Group;
  constexpr int kPart = static_cast<int>(kActQ8Block) / Group::kParts;
  const auto* q = reinterpret_cast<const int8_t*>(a.x + t * a.x_stride);
  const auto* scales = reinterpret_cast<const float*>(q + a.k);
  double sum = 0;
  for (int64_t b = 0; b < a.k / kActQ8Block; ++b) {
    const Group& g = groups[b / Group::kBlocks];
    const int i = static_cast<int>(b % Group::kBlocks);
    double block = 0;
    for (int part = 0; part < Group::kParts; ++part) {
      int32_t codes = 0, all = 0;
      for (int c = part * kPart; c < (part + 1) * kPart; ++c) {
        codes += code_of_column<B>(g, i, c, r) * q[b * kActQ8Block + c];
        all += q[b * kActQ8Block + c];
      }
      block += panel_scale<B>(g, i, part, r) * codes + panel_min(g, i, part, r) * all;
    }
    sum += static_cast<double>(scales[b]) * block;
  }
  return sum;
}

template <class B>
void packed_matmul(const PackedMatmulArgs& a) noexcept {
  for (int64_t row = 0; row < a.n; ++row) {
    const auto* g = reinterpret_cast<const typename B::Group*>(a.panels + row / kPanelRows * a.panel_stride);
    for (int64_t t = 0; t < a.m; ++t) {
      if constexpr (B::kSize == 1)
        a.y[t * a.y_stride + row] = static_cast<float>(dot_column_floats<B>(g, a, t, row % kPanelRows));
      else
        a.y[t * a.y_stride + row] = static_cast<float>(dot_column_codes<B>(g, a, t, row % kPanelRows));
    }
  }
}
