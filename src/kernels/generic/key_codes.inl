// Keys as codes by component and page: see kernels/api/key_codes.h. A page is coded and folded once for 64 keys. Bound of
// scores: read bandwidth of the codes; half of the instructions turn them into floats.
#pragma once

#include "kernels/generic/key_codes_range.inl"
#include "kernels/generic/scores.inl"

inline constexpr int64_t kCodeColumns = 32;  // of a pass

template <class V>
struct HalfNumbers {
  static uint16_t to_half(float x) { return V::to_half(x); }
  static float from_half(uint16_t half) { return V::first(V::set_half(half)); }
};

// Components [c, c + kCodeColumns) of a page's keys.
template <class V>
struct CodeColumns {
  static constexpr int kVectors = static_cast<int>(kCodeColumns) / V::kWidth;
  const StoreCodesArgs& a;
  int64_t c;

  // The v-th vector of key i; zeros from component d on.
  [[gnu::always_inline]] typename V::F key(int64_t i, int v) const {
    const int64_t at = c + v * V::kWidth, left = a.d - at;
    const std::byte* row = a.keys + i * a.k_stride;
    if (left >= V::kWidth) return load_columns<V, BlockF16>(row, at);
    return left > 0 ? load_last_columns<V, BlockF16>(row, at, left) : V::zero();
  }

  // Writes the numbers; first, inverse (kCodeColumns): as codes need them.
  [[gnu::always_inline]] void find_ranges(int steps, uint16_t* scales, uint16_t* leasts, float* first,
                                          float* inverse) const {
    alignas(64) float most[kCodeColumns], least[kCodeColumns], largest[kCodeColumns];
    for (int v = 0; v < kVectors; ++v) {
      typename V::F top = key(0, v), bottom = V::sub(V::zero(), top), size = V::zero();
      for (int64_t i = 0; i < kPageKeys; ++i) {
        const typename V::F x = key(i, v);
        top = V::max(top, x);
        bottom = V::max(bottom, V::sub(V::zero(), x));
        size = V::max_magnitude(size, x);
      }
      V::store(most + v * V::kWidth, top);
      V::store(least + v * V::kWidth, V::sub(V::zero(), bottom));
      V::store(largest + v * V::kWidth, size);
    }
    for (int64_t i = 0; i < kCodeColumns; ++i) {
      const CodeRange range = code_range<HalfNumbers<V>>(least[i], most[i], largest[i], steps);
      scales[c + i] = range.scale;
      leasts[c + i] = range.least;
      first[i] = range.first;
      inverse[i] = range.inverse;
    }
  }
};

template <class V, class B>
void store_codes(const StoreCodesArgs& a) noexcept {
  const CodedPage shape{codes_of<B>(), a.d, a.order};
  auto* scales = reinterpret_cast<uint16_t*>(a.page + shape.numbers());
  const typename V::F lowest = V::set1(static_cast<float>(B::kLowest));
  for (int64_t c = 0; c < shape.columns(); c += kCodeColumns) {
    alignas(64) float first[kCodeColumns], inverse[kCodeColumns];
    const CodeColumns<V> columns{a, c};
    columns.find_ranges(B::kSteps, scales, scales + shape.columns(), first, inverse);
    alignas(64) CodeSquare codes;
    for (int64_t i = 0; i < kPageKeys; ++i)
      for (int v = 0; v < columns.kVectors; ++v) {
        const typename V::F steps =
            V::mul(V::sub(columns.key(i, v), V::load(first + v * V::kWidth)), V::load(inverse + v * V::kWidth));
        V::store_i8(codes[i] + v * V::kWidth, V::add(steps, lowest));
      }
    store_codes<B>(codes, shape, c, a.page);
  }
}

// G heads from g0 on. The number that a component has at the code 0 is the same for all of them.
template <class V, class B, int G>
[[gnu::always_inline]] inline void fold_heads(const FoldQueriesArgs& a, int64_t g0) {
  const CodedPage shape{codes_of<B>(), a.d};
  const auto* scales = reinterpret_cast<const uint16_t*>(a.page + shape.numbers());
  const typename V::F to_zero = V::set1(static_cast<float>(-B::kLowest));
  typename V::F bias[G];
  for (int g = 0; g < G; ++g) bias[g] = V::zero();
  for (int64_t c = 0; c < shape.columns(); c += V::kWidth) {
    const typename V::F scale = V::load_f16(scales + c);
    const typename V::F middle = V::fma(to_zero, scale, V::load_f16(scales + shape.columns() + c));
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      const int64_t at = (g0 + g) * a.q_stride + c;
      const typename V::F q = V::load(a.q + at);
      bias[g] = V::fma(q, middle, bias[g]);
      V::store(a.folded + at, V::mul(q, scale));
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) a.bias[g0 + g] = V::sum(bias[g]);
}

template <class V, class B>
void fold_queries(const FoldQueriesArgs& a) noexcept {
  int64_t g = 0;
  for (; g + 4 <= a.group; g += 4) fold_heads<V, B, 4>(a, g);
  for (; g < a.group; ++g) fold_heads<V, B, 1>(a, g);
}

template <class V, class B>
void unpack_codes(const UnpackCodesArgs& a) noexcept {
  const CodedPage shape{codes_of<B>(), a.d, a.order};
  const auto* scales = reinterpret_cast<const uint16_t*>(a.page + shape.numbers());
  const auto* leasts = scales + shape.columns();
  // Component j of the keys from i on.
  const auto store = [&](int64_t i, int64_t j, typename V::F codes) __attribute__((always_inline)) {
    const typename V::F steps = V::sub(codes, V::set1(static_cast<float>(B::kLowest)));
    V::store(a.panels + (i / kPanel * a.d + j) * kPanel + i % kPanel,
             V::fma(steps, V::set_half(scales[j]), V::set_half(leasts[j])));
  };
  const auto tile = [&](int64_t i, int64_t j) __attribute__((always_inline)) {
    typename V::F m[V::kWidth];
#pragma GCC unroll 16
    for (int k = 0; k < V::kWidth; ++k) m[k] = load_columns<V, B>(a.page + (i + k) * shape.stride(), j);
    V::transpose(m);
    for (int k = 0; k < V::kWidth && j + k < a.d; ++k) store(i, j + k, m[k]);
  };
  if (a.order == KeyOrder::kDims) {
    for (int64_t j = 0; j < a.d; ++j)
      for (int64_t i = 0; i < kPageKeys; i += V::kWidth) store(i, j, load_columns<V, B>(a.page + j * shape.stride(), i));
    return;
  }
  for (int64_t i = 0; i < kPageKeys; i += V::kWidth)
    for (int64_t j = 0; j < a.d; j += V::kWidth) tile(i, j);
}

template <class V, class B>
void paint_codes(KernelTable& t) {
  constexpr auto at = static_cast<size_t>(codes_of<B>());
  t.store_codes[at] = store_codes<V, B>;
  t.fold_queries[at] = fold_queries<V, B>;
  t.code_scores[at] = row_scores<V, B>;
  t.code_dim_scores[at] = dim_scores<V, B>;
  t.unpack_codes[at] = unpack_codes<V, B>;
}

template <FloatLanes V>
void paint_key_codes(KernelTable& t) {
  paint_codes<V, BlockCodeByte>(t);
  paint_codes<V, BlockCodeNibbles>(t);
}
