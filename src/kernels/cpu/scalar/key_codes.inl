// Reference of keys as codes by component and page.
#pragma once

#include "kernels/cpu/scalar/rows.inl"
#include "kernels/generic/key_codes_range.inl"

struct ScalarHalves {
  static uint16_t to_half(float x) { return skald::to_half(x); }
  static float from_half(uint16_t half) { return half_to_float(half); }
};

inline int code_at(const BlockCodeByte* codes, int64_t i) { return codes[i].x; }
inline int code_at(const BlockCodeNibbles* codes, int64_t i) {
  const int pair = codes[i / 32].q[i % 16];
  return i % 32 < 16 ? pair & 15 : pair >> 4;
}
template <class B>
int code_at(const std::byte* codes, int64_t i) {
  return code_at(reinterpret_cast<const B*>(codes), i);
}

// Component c of key i: its code less the lowest, and the numbers.
template <class B>
struct CodedKeys {
  const std::byte* page;
  CodedPage shape;

  CodedKeys(const std::byte* at, int64_t d, KeyOrder order = KeyOrder::kRows) : page(at), shape{codes_of<B>(), d, order} {}
  double number(int64_t c) const {
    return static_cast<double>(half_to_float(reinterpret_cast<const uint16_t*>(page + shape.numbers())[c]));
  }
  double scale(int64_t c) const { return number(c); }
  double least(int64_t c) const { return number(shape.columns() + c); }
  double value(int64_t i, int64_t c) const {
    const bool rows = shape.order == KeyOrder::kRows;
    const int code = code_at<B>(page + (rows ? i : c) * shape.stride(), rows ? c : i);
    return least(c) + (code - B::kLowest) * scale(c);
  }
};

template <class B>
void store_codes(const StoreCodesArgs& a) noexcept {
  const CodedPage shape{codes_of<B>(), a.d, a.order};
  auto* scales = reinterpret_cast<uint16_t*>(a.page + shape.numbers());
  const auto key = [&](int64_t i, int64_t c) {
    return c < a.d ? half_to_float(reinterpret_cast<const uint16_t*>(a.keys + i * a.k_stride)[c]) : 0.0f;
  };
  for (int64_t first = 0; first < shape.columns(); first += 32) {
    CodeSquare codes;
    for (int64_t j = 0; j < 32; ++j) {
      const int64_t c = first + j;
      float least = key(0, c), most = least, largest = 0;
      for (int64_t i = 0; i < kPageKeys; ++i) {
        least = key(i, c) < least ? key(i, c) : least;
        most = key(i, c) > most ? key(i, c) : most;
        largest = larger_magnitude(largest, key(i, c));
      }
      const CodeRange range = code_range<ScalarHalves>(least, most, largest, B::kSteps);
      scales[c] = range.scale;
      scales[shape.columns() + c] = range.least;
      for (int64_t i = 0; i < kPageKeys; ++i)
        codes[i][j] = to_code(nearbyintf((key(i, c) - range.first) * range.inverse + static_cast<float>(B::kLowest)));
    }
    store_codes<B>(codes, shape, first, a.page);
  }
}

template <class B>
void fold_queries(const FoldQueriesArgs& a) noexcept {
  const CodedKeys<B> keys(a.page, a.d);
  for (int64_t g = 0; g < a.group; ++g) {
    double bias = 0;
    for (int64_t c = 0; c < keys.shape.columns(); ++c) {
      const double q = static_cast<double>(a.q[g * a.q_stride + c]);
      a.folded[g * a.q_stride + c] = static_cast<float>(q * keys.scale(c));
      bias += q * (keys.least(c) - B::kLowest * keys.scale(c));
    }
    a.bias[g] = static_cast<float>(bias);
  }
}

template <class B>
void code_scores(const RowScoresArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g) {
    const auto* q = reinterpret_cast<const float*>(static_cast<const char*>(a.q) + g * a.q_stride);
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.d; ++c) sum += static_cast<double>(q[c]) * code_at<B>(a.rows[i], c);
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
  }
}

template <class B>
void code_dim_scores(const DimScoresArgs& a) noexcept {
  for (int64_t g = 0; g < a.group; ++g)
    for (int64_t i = 0; i < a.n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < a.d; ++c)
        sum += static_cast<double>(a.q[g * a.q_stride + c]) * code_at<B>(a.keys + c * a.k_stride, i);
      a.scores[g * a.scores_stride + i] = static_cast<float>(sum);
    }
}

template <class B>
void unpack_codes(const UnpackCodesArgs& a) noexcept {
  const CodedKeys<B> keys(a.page, a.d, a.order);
  for (int64_t i = 0; i < kPageKeys; ++i)
    for (int64_t j = 0; j < a.d; ++j)
      a.panels[(i / kPanel * a.d + j) * kPanel + i % kPanel] = static_cast<float>(keys.value(i, j));
}

template <class B>
void paint_codes(KernelTable& t) {
  constexpr auto at = static_cast<size_t>(codes_of<B>());
  t.store_codes[at] = store_codes<B>;
  t.fold_queries[at] = fold_queries<B>;
  t.code_scores[at] = code_scores<B>;
  t.code_dim_scores[at] = code_dim_scores<B>;
  t.unpack_codes[at] = unpack_codes<B>;
}
