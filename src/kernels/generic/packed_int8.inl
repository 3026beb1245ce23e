// Matmul over panels of small integers (quant/panels.h) and int8 activations (act_q8.h), on tiers whose V multiplies bytes.
// A block's products are summed exactly, then blocks in order.
// Bound: for few tokens the read bandwidth of the weights (each line is asked for 4 KB ahead); for many the ports that share
// dot products and scales: of 11 instructions per block, 16 rows and a token, 8 are dot products.
#pragma once

#include "kernels/generic/packed.inl"
#include "kernels/generic/panel_groups.inl"

inline constexpr int kSteps = kActQ8Block / 4;

// Rows of NT tokens' activations from token t on.
template <int NT>
struct QuantRows {
  const int8_t* row[NT];
  int64_t k;

  [[gnu::always_inline]] QuantRows(const PackedMatmulArgs& a, int64_t t) : k(a.k) {
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i) row[i] = reinterpret_cast<const int8_t*>(a.x) + (t + i) * a.x_stride;
  }
};

// A number whose origin the compiler does not see. Rows and offsets stay apart so: it would keep a pointer for each of their
// sums, more than there are registers.
[[gnu::always_inline]] inline int64_t hidden(int64_t x) {
  asm("" : "+r"(x));
  return x;
}

// One block of their rows.
template <int NT>
struct QuantBlock {
  const int8_t* const (&row)[NT];
  int64_t codes, scales, starts, halves, totals;  // bytes into a row

  [[gnu::always_inline]] QuantBlock(const QuantRows<NT>& x, int64_t b)
      : row(x.row),
        codes(hidden(b * kActQ8Block)),
        scales(hidden(ActQ8Row(x.k).scales + 4 * b)),
        starts(hidden(ActQ8Row(x.k).starts + 4 * b)),
        halves(hidden(ActQ8Row(x.k).halves + 8 * b)),
        totals(hidden(ActQ8Row(x.k).totals + 4 * b)) {}
  template <class T>
  [[gnu::always_inline]] T at(int t, int64_t offset) const {
    T x;
    std::memcpy(&x, row[t] + offset, sizeof x);
    return x;
  }
  [[gnu::always_inline]] int32_t four(int t, int step) const { return at<int32_t>(t, codes + 4 * step); }
  [[gnu::always_inline]] float scale(int t) const { return at<float>(t, scales); }
  // What an accumulator of unsigned weights starts from, of one of kParts parts.
  template <int kParts>
  [[gnu::always_inline]] int32_t start(int t, int part) const {
    return kParts == 1 ? at<int32_t>(t, starts) : at<int32_t>(t, halves + 4 * part);
  }
  // The sum of a part's activations.
  template <int kParts>
  [[gnu::always_inline]] float total(int t, int part) const {
    if constexpr (kParts == 1) return at<float>(t, totals);
    return scale(t) * static_cast<float>(start<kParts>(t, part)) * (-1.0f / 128);
  }
};

// sums[t][v] += a part's products; codes(step, v) gives weights, scales(part, v) their scales.
template <class V, class Kind, int kPart, int NT, int NV, class Codes, class Scales>
[[gnu::always_inline]] inline void add_part(const QuantBlock<NT>& x, Codes codes, Scales scales,
                                            typename V::F (&sums)[NT][NV]) {
  using Dot = typename V::template Dot<Kind::kOffset, Kind::kMaxCode>;
  constexpr int kPartSteps = kSteps / Kind::kParts;
  typename Dot::Sum dots[NT][NV];
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t)
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) dots[t][v] = Dot::start(x.template start<Kind::kParts>(t, kPart));
#pragma GCC unroll 8
  for (int s = kPart * kPartSteps; s < (kPart + 1) * kPartSteps; ++s) {
    decltype(codes(s, 0)) w[NV];
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) w[v] = codes(s, v);
#pragma GCC unroll 8
    for (int t = 0; t < NT; ++t) {
      const typename V::W four = V::set1_w(x.four(t, s));
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) {
        dots[t][v] = Dot::dot(dots[t][v], w[v], four);
        V::settle(dots[t][v]);
      }
    }
    V::step_done();
  }
  typename V::F w_scales[NV];
#pragma GCC unroll 2
  for (int v = 0; v < NV; ++v) w_scales[v] = scales(kPart, v);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F scale = V::set1(x.scale(t));
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v)
      sums[t][v] =
          V::fma(Dot::finish(dots[t][v], x.template start<Kind::kParts>(t, kPart)), V::mul(w_scales[v], scale), sums[t][v]);
  }
}

// sums[t][v] += what is added to a part's weights, mins(part, v), times the part's activations.
template <class V, class Kind, int kPart, int NT, int NV, class Mins>
[[gnu::always_inline]] inline void add_mins(const QuantBlock<NT>& x, Mins mins, typename V::F (&sums)[NT][NV]) {
  typename V::F added[NV];
#pragma GCC unroll 2
  for (int v = 0; v < NV; ++v) added[v] = mins(kPart, v);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F total = V::set1(x.template total<Kind::kParts>(t, kPart));
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[t][v] = V::fma(added[v], total, sums[t][v]);
  }
}

// All of a block.
template <class V, class Kind, int NT, int NV, class Codes, class Scales, class Mins>
[[gnu::always_inline]] inline void add_block(const QuantBlock<NT>& x, Codes codes, Scales scales, Mins mins,
                                             typename V::F (&sums)[NT][NV]) {
  add_part<V, Kind, 0>(x, codes, scales, sums);
  if constexpr (Kind::kParts == 2) add_part<V, Kind, 1>(x, codes, scales, sums);
  if constexpr (Kind::kMins) add_mins<V, Kind, 0>(x, mins, sums);
  if constexpr (Kind::kMins && Kind::kParts == 2) add_mins<V, Kind, 1>(x, mins, sums);
}

// NP panels by NT tokens.
template <class V, class B, int NP, int NT, class Ahead>
[[gnu::noinline]] void int8_panels_by_tokens(const PackedMatmulArgs& a, int64_t panel, int64_t t, const Ahead& ahead) {
  using Group = typename B::Group;
  constexpr int NV = kPanelRows / V::kWidth;
  const Group* groups[NP];
  const QuantRows<NT> x(a, t);
  typename V::F sums[NP][NT][NV];
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    groups[p] = reinterpret_cast<const Group*>(a.panels + (panel + p) * a.panel_stride);
#pragma GCC unroll 8
    for (int i = 0; i < NT; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) sums[p][i][v] = V::zero();
  }
  const int64_t blocks = a.k / kActQ8Block;
  constexpr size_t kBlockBytes = sizeof(Group) / Group::kBlocks;
  for (int64_t b = 0; b < blocks; b += Group::kBlocks) {
#pragma GCC unroll 2
    for (int i = 0; i < Group::kBlocks; ++i) {
      if (Group::kColumns < 256 && b + i >= blocks) break;
#pragma GCC unroll 4
      for (int p = 0; p < NP; ++p) {
        const Group* group = groups[p];
        if constexpr (NP < V::kStreams && B::kMaxCode > 127) ahead.template prefetch<kBlockBytes>((b + i) * kBlockBytes);
#pragma GCC unroll 9
        for (size_t line = 0; line < kBlockBytes; line += 64)
          __builtin_prefetch(reinterpret_cast<const char*>(group) + kPrefetchBytes + i * kBlockBytes + line);
        add_block<V, KindOf<B>>(
            QuantBlock<NT>(x, b + i),
            [&](int s, int v) __attribute__((always_inline)) { return panel_step<V, B>(*group, i, s, v * V::kWidth); },
            [&](int part, int v)
                __attribute__((always_inline)) { return panel_scale<V, B>(*group, i, part, v * V::kWidth); },
            [&](int part, int v) __attribute__((always_inline)) { return panel_min<V>(*group, i, part, v * V::kWidth); },
            sums[p]);
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) ++groups[p];
  }
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    const int64_t row = (panel + p) * kPanelRows;
    store_sums<V>(sums[p], a.y + t * a.y_stride + row, a.y_stride, a.n - row);
  }
}

// Tokens of the next pass out of `left`: any number up to kPassTokens, or for formats that live in panels only, to keep
// their many kernels few, a power of two.
template <class V, class B>
[[gnu::always_inline]] inline int64_t pass_tokens(int64_t left) {
  if (left >= kPassTokens<V>) return kPassTokens<V>;
  if constexpr (!requires(typename B::Group g) { g.codes; }) return left;
  return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

// All tokens by NP panels, which come from memory once, for further passes from the cache.
template <class V, class B, int NP>
[[gnu::always_inline]] inline void int8_panels_by_few(const PackedMatmulArgs& a, int64_t panel) {
  constexpr bool kAnyNumber = !requires(typename B::Group g) { g.codes; };
  for (int64_t t = 0, n; t < a.m; t += n) {
    n = pass_tokens<V, B>(a.m - t);
    with_constant<kPassTokens<V>>(
        n, [&]<int NT>() __attribute__((always_inline)) {
          // The sums of more tokens fill the registers; bytes are asked for well enough by PanelsAhead.
          constexpr int kSide = NT <= (B::kMaxCode > 127 ? 2 : 4) ? NP : 1;
          if constexpr (kAnyNumber || (NT & (NT - 1)) == 0)
            for (int p = 0; p < NP; p += kSide)
              int8_panels_by_tokens<V, B, kSide, NT>(a, panel + p, t, PanelsAhead<NP>(a, panel, p));
        });
  }
}

template <class V, class B>
void few_tokens_int8(const PackedMatmulArgs& a) {
  by_streams<V>(
      a, [&]<int NP>(int64_t panel) __attribute__((always_inline)) { int8_panels_by_few<V, B, NP>(a, panel); });
}

// Dot products that want signed weights beside their magnitudes.
template <class V, class Kind>
concept ByMagnitudes = requires(typename V::template Dot<Kind::kOffset, Kind::kMaxCode>::Weights w) {
  w.magnitudes;
};

// Weights of kRows rows, unpacked: codes[block][vector][step][row][4], scales[block][part][row], mins[block][part][row].
// Codes are unsigned or, less the kind's offset, signed.
template <class V, class Kind, int kVectors, bool kSigned>
struct WeightBlocks {
  static constexpr int kRows = kVectors * V::kWidth;
  static constexpr int64_t kDepth = 16;
  alignas(64) uint8_t codes[kDepth][kVectors][kSteps][V::kWidth][4];
  alignas(64) float scales[kDepth][Kind::kParts][kRows];
  alignas(64) float mins[Kind::kMins ? kDepth : 1][Kind::kParts][kRows];

  // Blocks [first, first + n) of rows [row, row + kRows); rows behind the last panel repeat those of the last.
  template <class B>
  [[gnu::noinline]] void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    using Group = typename B::Group;
    static_assert(kDepth % Group::kBlocks == 0);
    const int64_t last = (a.n - 1) / kPanelRows;
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = row + v * V::kWidth, panel = at / kPanelRows < last ? at / kPanelRows : last;
      const auto* group = reinterpret_cast<const Group*>(a.panels + panel * a.panel_stride) + first / Group::kBlocks;
      const int lane = static_cast<int>(at % kPanelRows);
      for (int64_t b = 0; b < n; ++b) {
        const auto& g = group[b / Group::kBlocks];
        const int i = static_cast<int>(b % Group::kBlocks);
#pragma GCC unroll 8
        for (int s = 0; s < kSteps; ++s) {
          typename V::W w = panel_step<V, B>(g, i, s, lane);
          if constexpr (kSigned) w = V::less(w, Kind::kOffset);
          V::store_w(codes[b][v][s], w);
        }
#pragma GCC unroll 2
        for (int part = 0; part < Kind::kParts; ++part)
          V::store(scales[b][part] + v * V::kWidth, panel_scale<V, B>(g, i, part, lane));
        if constexpr (Kind::kMins)
#pragma GCC unroll 2
          for (int part = 0; part < Kind::kParts; ++part)
            V::store(mins[b][part] + v * V::kWidth, panel_min<V>(g, i, part, lane));
      }
    }
  }
};

template <class V, class Kind>
struct UnpackedWeights : WeightBlocks<V, Kind, 2, ByMagnitudes<V, Kind>> {
  static constexpr int kVectors = 2;
  using Blocks = WeightBlocks<V, Kind, kVectors, ByMagnitudes<V, Kind>>;
  using Blocks::codes, Blocks::scales, Blocks::mins;
  alignas(64) uint8_t magnitudes[ByMagnitudes<V, Kind> ? Blocks::kDepth : 1][kVectors][kSteps][V::kWidth][4];

  template <class B>
  void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    Blocks::template load<B>(a, row, first, n);
    if constexpr (ByMagnitudes<V, Kind>)
      for (int64_t b = 0; b < n; ++b)
        for (int v = 0; v < kVectors; ++v)
#pragma GCC unroll 8
          for (int s = 0; s < kSteps; ++s) V::store_w(magnitudes[b][v][s], V::abs(V::load_w(codes[b][v][s])));
  }

  // Of a step.
  [[gnu::always_inline]] auto weights(int64_t b, int v, int s) const {
    if constexpr (ByMagnitudes<V, Kind>)
      return typename V::template Dot<Kind::kOffset, Kind::kMaxCode>::Weights{V::load_w(magnitudes[b][v][s]),
                                                                              V::load_w(codes[b][v][s])};
    else
      return V::load_w(codes[b][v][s]);
  }

  // n blocks from `first` by all tokens, into a.y (m, kRows).
  void multiply(const PackedMatmulArgs& a, int64_t first, int64_t n) const {
    by_token_tiles<V>(
        a.m, [&]<int NT>(int64_t t) __attribute__((always_inline)) { by_tokens<NT>(a, t, first, n); });
  }

  // The same by NT tokens from t on.
  template <int NT>
  [[gnu::noinline]] void by_tokens(const PackedMatmulArgs& a, int64_t t, int64_t first, int64_t n) const {
    const QuantRows<NT> x(a, t);
    add_to_tile<V, NT, kVectors>(
        a.y + t * a.y_stride, a.y_stride,
        first == 0, [&](typename V::F(&sums)[NT][kVectors]) __attribute__((always_inline)) {
          for (int64_t b = 0; b < n; ++b)
            add_block<V, Kind>(
                QuantBlock<NT>(x, first + b), [&](int s, int v) __attribute__((always_inline)) { return weights(b, v, s); },
                [&](int part, int v) __attribute__((always_inline)) { return V::load(scales[b][part] + v * V::kWidth); },
                [&](int part, int v) __attribute__((always_inline)) { return V::load(mins[b][part] + v * V::kWidth); },
                sums);
        });
  }
};

template <class V, class B>
void packed_matmul_int8(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int8<V, B>(a) : by_unpacked_tiles<UnpackedWeights<V, KindOf<B>>, B>(a, a.k / kActQ8Block);
}
