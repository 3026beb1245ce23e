// Matmul over panels of small integers (quant/panels.h) and int8 activations (act_q8.h), on tiers whose V multiplies bytes.
// A block's products are summed exactly, then blocks in order.
// Bound: for few tokens the read bandwidth of the weights (each line is asked for 4 KB ahead, or by the CPU). For many it is
// the ports that share dot products and scales: of 11 instructions per block, 16 rows and a token, 8 are dot products.
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
  int64_t codes, scales, starts, halves, totals, negatives;  // bytes into a row

  [[gnu::always_inline]] QuantBlock(const QuantRows<NT>& x, int64_t b)
      : row(x.row),
        codes(hidden(b * kActQ8Block)),
        scales(hidden(ActQ8Row(x.k).scales + 4 * b)),
        starts(hidden(ActQ8Row(x.k).starts + 4 * b)),
        halves(hidden(ActQ8Row(x.k).halves + 8 * b)),
        totals(hidden(ActQ8Row(x.k).totals + 4 * b)),
        negatives(hidden(ActQ8Row(x.k).negatives + 4 * b)) {}
  template <class T>
  [[gnu::always_inline]] T at(int t, int64_t offset) const {
    T x;
    std::memcpy(&x, row[t] + offset, sizeof x);
    return x;
  }
  [[gnu::always_inline]] int32_t four(int t, int step) const { return at<int32_t>(t, codes + 4 * step); }
  [[gnu::always_inline]] float scale(int t) const { return at<float>(t, scales); }
  // The start of an accumulator of unsigned weights, of one of kParts parts.
  template <int kParts>
  [[gnu::always_inline]] int32_t start(int t, int part) const {
    return kParts == 1 ? at<int32_t>(t, starts) : at<int32_t>(t, halves + 4 * part);
  }
  [[gnu::always_inline]] int32_t negative(int t) const { return at<int32_t>(t, negatives); }
  // The sum of a part's activations.
  template <int kParts>
  [[gnu::always_inline]] float total(int t, int part) const {
    if constexpr (kParts == 1) return at<float>(t, totals);
    return scale(t) * static_cast<float>(start<kParts>(t, part)) * (-1.0f / 128);
  }
};

// A block of a panel's group, as the kernel multiplies it.
template <class V, class B>
struct PanelBlock {
  using Dot = typename V::template Dot<B::kOffset, B::kMaxCode>;
  const typename B::Group& group;
  int i;

  // Weights of a step, in vector v.
  [[gnu::always_inline]] typename V::W codes(int step, int v) const {
    return panel_step<V, B>(group, i, step, v * V::kWidth);
  }
  // The start of a token's sum over a part.
  template <int NT>
  [[gnu::always_inline]] typename Dot::Sum start(const QuantBlock<NT>& x, int t, int part, int /*v*/) const {
    return Dot::start(x.template start<B::Group::kParts>(t, part));
  }
  [[gnu::always_inline]] typename V::F scale(int part, int v) const {
    return panel_scale<V, B>(group, i, part, v * V::kWidth);
  }
  // The addend of all weights of a part.
  [[gnu::always_inline]] typename V::F min(int part, int v) const { return panel_min<V>(group, i, part, v * V::kWidth); }
  // Activations in the form that they are multiplied in.
  [[gnu::always_inline]] static typename V::W activations(typename V::W four) { return four; }
};

// fn(s, activations) for kCount steps from kFirst on, whose activations(t) are a token's, as products with w take them.
template <class V, int kFirst, int kCount, int NT, class Weights, class Fn>
[[gnu::always_inline]] inline void for_activations(const QuantBlock<NT>& x, const Weights& w, Fn fn) {
  if constexpr (LaneDots<V>) {
#pragma GCC unroll 2
    for (int s = kFirst; s < kFirst + kCount; s += 4) {
      typename V::Fours fours[NT];
#pragma GCC unroll 8
      for (int t = 0; t < NT; ++t) fours[t] = V::load_fours(x.row[t] + x.codes + 4 * s);
      const auto step = [&]<int I>() __attribute__((always_inline)) {
        fn(
            s + I, [&](int t)
                       __attribute__((always_inline)) { return V::lane(fours[t], std::integral_constant<int, I>()); });
      };
      step.template operator()<0>();
      step.template operator()<1>();
      step.template operator()<2>();
      step.template operator()<3>();
    }
  } else {
#pragma GCC unroll 8
    for (int s = kFirst; s < kFirst + kCount; ++s)
      fn(
          s, [&](int t) __attribute__((always_inline)) { return w.activations(V::set1_w(x.four(t, s))); });
  }
}

// sums[t][v] += a part's products with w, a PanelBlock or UnpackedBlock.
template <class V, class Kind, int kPart, int NT, int NV, class Weights>
[[gnu::always_inline]] inline void add_part(const QuantBlock<NT>& x, const Weights& w, typename V::F (&sums)[NT][NV]) {
  using Dot = typename V::template Dot<Kind::kOffset, Kind::kMaxCode>;
  constexpr int kPartSteps = kSteps / Kind::kParts;
  typename Dot::Sum dots[NT][NV];
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) dots[t][v] = w.start(x, t, kPart, v);
  for_activations<V, kPart * kPartSteps, kPartSteps>(
      x, w, [&](int s, auto activations) __attribute__((always_inline)) {
        decltype(w.codes(s, 0)) codes[NV];
#pragma GCC unroll 8
        for (int v = 0; v < NV; ++v) codes[v] = w.codes(s, v);
#pragma GCC unroll 8
        for (int t = 0; t < NT; ++t) {
          const auto four = activations(t);
#pragma GCC unroll 8
          for (int v = 0; v < NV; ++v) {
            dots[t][v] = Dot::dot(dots[t][v], codes[v], four);
            V::pin(dots[t][v]);
          }
        }
        V::step_done();
      });
  typename V::F scales[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) scales[v] = w.scale(kPart, v);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F scale = V::set1(x.scale(t));
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v)
      sums[t][v] =
          V::fma(Dot::finish(dots[t][v], x.template start<Kind::kParts>(t, kPart)), V::mul(scales[v], scale), sums[t][v]);
  }
}

// sums[t][v] += the addend of a part's weights times the part's activations.
template <class V, class Kind, int kPart, int NT, int NV, class Weights>
[[gnu::always_inline]] inline void add_mins(const QuantBlock<NT>& x, const Weights& w, typename V::F (&sums)[NT][NV]) {
  typename V::F added[NV];
#pragma GCC unroll 2
  for (int v = 0; v < NV; ++v) added[v] = w.min(kPart, v);
#pragma GCC unroll 8
  for (int t = 0; t < NT; ++t) {
    const typename V::F total = V::set1(x.template total<Kind::kParts>(t, kPart));
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sums[t][v] = V::fma(added[v], total, sums[t][v]);
  }
}

// All of a block.
template <class V, class Kind, int NT, int NV, class Weights>
[[gnu::always_inline]] inline void add_block(const QuantBlock<NT>& x, const Weights& w, typename V::F (&sums)[NT][NV]) {
  add_part<V, Kind, 0>(x, w, sums);
  if constexpr (Kind::kParts == 2) add_part<V, Kind, 1>(x, w, sums);
  if constexpr (Kind::kMins) add_mins<V, Kind, 0>(x, w, sums);
  if constexpr (Kind::kMins && Kind::kParts == 2) add_mins<V, Kind, 1>(x, w, sums);
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
  constexpr bool kForPanels = V::kStreams == 1 ? V::kAsksForPanels : NP < V::kStreams && B::kMaxCode > 127;
  constexpr bool kPlain = B::kMaxCode > 127 && !requires(Group g) { g.codes; };  // a load is all that a line takes
  const int64_t asked = NT == 1 && kPlain ? a.ahead : V::kAskBytes;
  const AskedAhead<NP> asks(a, panel, asked, kBlockBytes);
  for (int64_t b = 0; b < blocks; b += Group::kBlocks) {
#pragma GCC unroll 2
    for (int i = 0; i < Group::kBlocks; ++i) {
      if (Group::kColumns > B::kSize && b + i >= blocks) break;  // else groups are whole
#pragma GCC unroll 4
      for (int p = 0; p < NP; ++p) {
        const Group* group = groups[p];
        if (asked > 0) {
          if constexpr (kForPanels) ahead.template prefetch<kBlockBytes>((b + i) * kBlockBytes);
          prefetch_lines<V, kBlockBytes>(group, asks.at(b) + i * kBlockBytes);
        }
        add_block<V, KindOf<B>>(QuantBlock<NT>(x, b + i), PanelBlock<V, B>{*group, i}, sums[p]);
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

// A block of NP panels side by side, of which vector v is the panel v / kVectors' vector v % kVectors. For a single token:
// the work on its activations serves all of them.
template <class V, class B, int NP>
struct PanelsBlock {
  using Dot = typename V::template Dot<B::kOffset, B::kMaxCode>;
  static constexpr int kVectors = kPanelRows / V::kWidth;
  const typename B::Group* const (&groups)[NP];
  int i;

  [[gnu::always_inline]] PanelBlock<V, B> panel(int v) const { return {*groups[v / kVectors], i}; }
  [[gnu::always_inline]] typename V::W codes(int step, int v) const { return panel(v).codes(step, v % kVectors); }
  [[gnu::always_inline]] typename Dot::Sum start(const QuantBlock<1>& x, int t, int part, int v) const {
    if constexpr (ByMagnitudes<V, KindOf<B>>) return V::set1_w(x.negative(t));
    return panel(v).start(x, t, part, v);
  }
  [[gnu::always_inline]] typename V::F scale(int part, int v) const { return panel(v).scale(part, v % kVectors); }
  [[gnu::always_inline]] static auto activations(typename V::W four) {
    if constexpr (ByMagnitudes<V, KindOf<B>>)
      return Dot::flip(four);
    else
      return four;
  }
};

// One token by NP panels.
template <class V, class B, int NP>
[[gnu::noinline]] void int8_panels_by_one(const PackedMatmulArgs& a, int64_t panel) {
  using Group = typename B::Group;
  constexpr int NV = kPanelRows / V::kWidth;
  const Group* groups[NP];
  const QuantRows<1> x(a, 0);
  typename V::F sums[1][NP * NV];
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) groups[p] = reinterpret_cast<const Group*>(a.panels + (panel + p) * a.panel_stride);
#pragma GCC unroll 8
  for (int v = 0; v < NP * NV; ++v) sums[0][v] = V::zero();
  const int64_t blocks = a.k / kActQ8Block;
  constexpr size_t kBlockBytes = sizeof(Group) / Group::kBlocks;
  const AskedAhead<NP> asks(a, panel, a.ahead, kBlockBytes);
  for (int64_t b = 0; b < blocks; b += Group::kBlocks) {
#pragma GCC unroll 2
    for (int i = 0; i < Group::kBlocks; ++i) {
      if (b + i >= blocks) break;
      if (a.ahead > 0)
#pragma GCC unroll 4
        for (int p = 0; p < NP; ++p) prefetch_lines<V, kBlockBytes>(groups[p], asks.at(b) + i * kBlockBytes);
      add_block<V, KindOf<B>>(QuantBlock<1>(x, b + i), PanelsBlock<V, B, NP>{groups, i}, sums);
    }
#pragma GCC unroll 4
    for (int p = 0; p < NP; ++p) ++groups[p];
  }
#pragma GCC unroll 4
  for (int p = 0; p < NP; ++p) {
    const int64_t row = (panel + p) * kPanelRows;
    typename V::F of_panel[1][NV];
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) of_panel[0][v] = sums[0][p * NV + v];
    store_sums<V>(of_panel, a.y + row, a.y_stride, a.n - row);
  }
}

// Four panels at a time: for bytes always, for others where the CPU fetches that many streams by itself.
template <class V, class B>
void one_token_int8(const PackedMatmulArgs& a) {
  const int64_t panels = (a.n + kPanelRows - 1) / kPanelRows;
  int64_t p = 0;
  for (; p + 4 <= panels; p += 4) int8_panels_by_one<V, B, 4>(a, p);
  for (; p < panels; ++p) int8_panels_by_one<V, B, 1>(a, p);
}

// Tokens of the next pass out of `left`: any number up to kPassTokens. For formats that live in panels only it is a power of
// two, to keep their many kernels few.
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

// Tiers without an instruction for dot products of bytes, and formats that also live outside of panels.
template <class V, class B>
inline constexpr bool kSideBySide = ByMagnitudes<V, PanelKind<128, 255, 1, false>> && !requires(typename B::Group g) {
  g.codes;
};

template <class V, class B>
void few_tokens_int8(const PackedMatmulArgs& a) {
  if constexpr (kSideBySide<V, B>)
    if (a.m == 1 && (ByMagnitudes<V, KindOf<B>> || a.ahead == 0)) return one_token_int8<V, B>(a);
  by_streams<V>(
      a, [&]<int NP>(int64_t panel) __attribute__((always_inline)) { int8_panels_by_few<V, B, NP>(a, panel); });
}

// Weights of kRows rows, unpacked: codes[block][vector][step][row][4], scales[block][part][row], mins[block][part][row].
// Codes are unsigned or, less the kind's offset, signed.
template <class V, class Kind, int kVectors, bool kSigned>
struct WeightBlocks {
  static constexpr int kRows = kVectors * V::kWidth;
  static constexpr int64_t kDepth = 16;
  alignas(64) uint8_t codes[kDepth][kVectors][kSteps][V::kWidth][4];
  alignas(64) float scales[kDepth][Kind::kParts][kRows];
  alignas(64) float mins[Kind::kMins ? kDepth : 1][Kind::kParts][kRows];

  // Blocks [first, first + n) of rows [row, row + kRows); rows beyond the last panel repeat those of the last.
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
struct UnpackedWeights;

// A block of them, as PanelBlock.
template <class V, class Kind>
struct UnpackedBlock {
  using Dot = typename V::template Dot<Kind::kOffset, Kind::kMaxCode>;
  const UnpackedWeights<V, Kind>& w;
  int64_t b;

  [[gnu::always_inline]] auto codes(int step, int v) const {
    if constexpr (ByMagnitudes<V, Kind>)
      return typename Dot::Weights{V::load_w(w.magnitudes[b][v][step]), V::load_w(w.codes[b][v][step])};
    else if constexpr (BySignedBytes<V, Kind>)
      return Dot::keep_signs(V::load_w(w.codes[b][v][step]));
    else
      return V::load_w(w.codes[b][v][step]);
  }
  template <int NT>
  [[gnu::always_inline]] typename Dot::Sum start(const QuantBlock<NT>& x, int t, int part, int v) const {
    if constexpr (ByMagnitudes<V, Kind>) return V::load_w(w.starts[b][v]);
    return Dot::start(x.template start<Kind::kParts>(t, part));
  }
  [[gnu::always_inline]] typename V::F scale(int part, int v) const { return V::load(w.scales[b][part] + v * V::kWidth); }
  [[gnu::always_inline]] typename V::F min(int part, int v) const { return V::load(w.mins[b][part] + v * V::kWidth); }
  [[gnu::always_inline]] static typename V::W activations(typename V::W four) { return four; }
};

// Their codes are signs where magnitudes stand beside them; starts[block][vector][row] is the start of sums over a block.
template <class V, class Kind>
struct UnpackedWeights : WeightBlocks<V, Kind, 2, ByMagnitudes<V, Kind> || BySignedBytes<V, Kind>> {
  using Dot = typename V::template Dot<Kind::kOffset, Kind::kMaxCode>;
  static constexpr int kVectors = 2;
  using Blocks = WeightBlocks<V, Kind, kVectors, ByMagnitudes<V, Kind> || BySignedBytes<V, Kind>>;
  using Blocks::codes, Blocks::scales, Blocks::mins;
  static constexpr int64_t kMagnitudes = ByMagnitudes<V, Kind> ? Blocks::kDepth : 1;
  alignas(64) uint8_t magnitudes[kMagnitudes][kVectors][kSteps][V::kWidth][4];
  alignas(64) int32_t starts[kMagnitudes][kVectors][V::kWidth];

  template <class B>
  void load(const PackedMatmulArgs& a, int64_t row, int64_t first, int64_t n) {
    Blocks::template load<B>(a, row, first, n);
    if constexpr (ByMagnitudes<V, Kind>)
      for (int64_t b = 0; b < n; ++b)
        for (int v = 0; v < kVectors; ++v) split(b, v);
  }

  void split(int64_t b, int v) {
    typename Dot::Sum start = Dot::start(0);
#pragma GCC unroll 8
    for (int s = 0; s < kSteps; ++s) {
      const auto w = Dot::split(V::load_w(codes[b][v][s]));
      V::store_w(magnitudes[b][v][s], w.magnitudes);
      V::store_w(codes[b][v][s], w.signs);
      start = Dot::add_lack(start, w);
    }
    V::store_w(starts[b][v], start);
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
            add_block<V, Kind>(QuantBlock<NT>(x, first + b), UnpackedBlock<V, Kind>{*this, b}, sums);
        });
  }
};

template <class V, class B>
void packed_matmul_int8(const PackedMatmulArgs& a) noexcept {
  a.m <= kFewTokens ? few_tokens_int8<V, B>(a) : by_unpacked_tiles<UnpackedWeights<V, KindOf<B>>, B>(a, a.k / kActQ8Block);
}
