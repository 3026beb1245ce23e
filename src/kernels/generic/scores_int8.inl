// Scores of keys of small integers against integer queries (act_q8.h), eight keys at a time: four dimensions of each key in
// a lane, so that lanes become scores without sums across them. Products are exact within a block; blocks are added in
// order. Bound in decode: read bandwidth of K for one query head; for groups the ports of dot products (for bytes without
// VNNI 20 instructions per key of 128 dimensions and head, 12 of them by two ports).
#pragma once

#include "kernels/generic/packed_int8.inl"
#include "kernels/generic/scores.inl"

inline constexpr int kKeysOfTile = 8;

// Tiers with so many lanes of integers; those with more have scores of their own.
template <class V>
concept ScoresByEight = requires(typename V::W (&w)[kKeysOfTile]) {
  V::transpose_w(w);
};

// What is read next, while a block of a tile is worked on.
template <class V, class B>
struct KeyTilesAhead {
  const RowScoresArgs& a;
  int64_t blocks = a.d / kActQ8Block, share = (kKeysOfTile + blocks - 1) / blocks;
  PageAhead<V> page{a.next, (a.n + kKeysOfTile - 1) / kKeysOfTile* blocks};
  KeysAhead<V, B> keys{a};

  [[gnu::always_inline]] inline void ask(int64_t i, int64_t b) {
    if (asks_for<V>(a.next)) return page.template ask<kKeysOfTile* static_cast<int64_t>(sizeof(B))>();
    for (int64_t k = i + b * share; k < i + (b + 1) * share && k < a.n && k < i + kKeysOfTile; ++k) keys.ask(k);
  }
};

// A block of kKeysOfTile keys.
template <class V, class B>
struct KeyBlock {
  typename V::W codes[kKeysOfTile];  // j: dimensions 4j to 4j + 3 of key i in lane i
  typename V::D scales;

  [[gnu::always_inline]] KeyBlock(const std::byte* const (&rows)[kKeysOfTile], int64_t b) {
    uint16_t halves[kKeysOfTile];
#pragma GCC unroll 8
    for (int i = 0; i < kKeysOfTile; ++i) {
      const B& block = reinterpret_cast<const B*>(rows[i])[b];
      codes[i] = ByMagnitudes<V, B> ? load_codes<V>(block) : load_unsigned_codes<V>(block);
      halves[i] = block.d;
    }
    scales = V::scales(halves);
    V::transpose_w(codes);
  }
};

// sums[g] += scores of such a block and G queries, whose first byte and arrays (act_q8.h) begin at `q`.
template <class V, class B, int G>
[[gnu::always_inline]] inline void add_key_block(const KeyBlock<V, B>& keys, const int8_t* q, int64_t q_stride, int64_t d,
                                                 int64_t b, typename V::D (&sums)[G]) {
  using Dot = typename V::template Dot<B::kOffset, B::kMaxCode>;
  const ActQ8Row at(d);
  int32_t starts[G];
  typename Dot::Sum dots[G];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    starts[g] = reinterpret_cast<const int32_t*>(q + g * q_stride + at.starts)[b];
    dots[g] = Dot::start(starts[g]);
  }
  const auto add = [&](int j, const auto& codes) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      int32_t four;
      std::memcpy(&four, q + g * q_stride + b * kActQ8Block + 4 * j, sizeof four);
      dots[g] = Dot::dot(dots[g], codes, V::set1_w(four));
      V::settle(dots[g]);
    }
    V::step_done();
  };
#pragma GCC unroll 8
  for (int j = 0; j < kKeysOfTile; ++j) {
    if constexpr (ByMagnitudes<V, B>)
      add(j, Dot::keep_signs(keys.codes[j]));
    else
      add(j, keys.codes[j]);
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    const float scale = reinterpret_cast<const float*>(q + g * q_stride + at.scales)[b];
    sums[g] = V::add_scaled(Dot::finish(dots[g], starts[g]), keys.scales, scale, sums[g]);
  }
}

// Scores of the keys [i, i + n), n <= kKeysOfTile, and G heads from g0 on.
template <class V, class B, int G>
[[gnu::always_inline]] inline void score_key_tile(const RowScoresArgs& a, const std::byte* const (&rows)[kKeysOfTile],
                                                  int64_t i, int64_t n, int64_t g0, KeyTilesAhead<V, B>& ahead) {
  const int8_t* q = static_cast<const int8_t*>(a.q) + g0 * a.q_stride;
  typename V::D sums[G];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) sums[g] = V::d_zero();
  for (int64_t b = 0; b < a.d / kActQ8Block; ++b) {
    if (g0 == 0) ahead.ask(i, b);
    add_key_block<V, B, G>(KeyBlock<V, B>(rows, b), q, a.q_stride, a.d, b, sums);
  }
  for (int g = 0; g < G; ++g) {
    float* scores = a.scores + (g0 + g) * a.scores_stride + i;
    alignas(64) float all[kKeysOfTile];
    V::d_store(n == kKeysOfTile ? scores : all, sums[g]);
    if (n < kKeysOfTile) std::memcpy(scores, all, static_cast<size_t>(n) * sizeof(float));
  }
}

template <class V, class B>
void row_scores_int8(const RowScoresArgs& a) noexcept {
  KeyTilesAhead<V, B> ahead{a};
  for (int64_t i = 0; i < a.n; i += kKeysOfTile) {
    const int64_t n = a.n - i < kKeysOfTile ? a.n - i : kKeysOfTile;
    const std::byte* rows[kKeysOfTile];  // the last one is repeated
#pragma GCC unroll 8
    for (int64_t k = 0; k < kKeysOfTile; ++k) rows[k] = a.rows[i + (k < n ? k : n - 1)];
    int64_t g = 0;
    for (; g + 4 <= a.group; g += 4) score_key_tile<V, B, 4>(a, rows, i, n, g, ahead);
    for (; g < a.group; ++g) score_key_tile<V, B, 1>(a, rows, i, n, g, ahead);
  }
}
