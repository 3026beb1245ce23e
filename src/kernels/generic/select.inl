// Selection of the k largest: see SelectTopArgs. A sample of 256 gives a floor that hardly ever exceeds the k-th largest
// value. One pass keeps the places of values at or above it, and a bisection on the kept ones' bits finds the threshold. It
// is the sampling of Floyd and Rivest's SELECT (CACM 1975) in vectors. Should the floor be too high, everything is kept.
// Bound: instructions of the pass over all values, some ten per vector.
#pragma once

#include "kernels/generic/elementwise.inl"

inline constexpr int32_t kLowestKey = -0x7fffffff;  // of V::sort_keys
inline constexpr int32_t kNoKey = INT32_MIN;        // fills up vectors: below every key
inline constexpr int kSamples = 256;

// Where the samples lie, in units of n / 2^32: one at a random place in each of 256 strata of equal size. (At a fixed
// stride they would all be alike on periodic values.)
struct SamplePlaces {
  uint32_t of[kSamples] = {};
  constexpr SamplePlaces() {
    uint32_t random = 1;
    for (uint32_t stratum = 0; stratum < kSamples; ++stratum) {
      random = random * 747796405u + 2891336453u;
      of[stratum] = stratum << 24 | random >> 8;
    }
  }
};
constexpr SamplePlaces kSamplePlaces;

struct KeyRange {
  int32_t least, most;
};

template <class V>
[[gnu::always_inline]] inline KeyRange range_of(const int32_t* keys, int64_t n) {
  const bool whole = n >= V::kWidth;
  typename V::I least = V::load_i(keys + (whole ? n - V::kWidth : 0)), most = least;
  for (int64_t i = 0; i + V::kWidth <= n; i += V::kWidth) {
    least = V::min_i(least, V::load_i(keys + i));
    most = V::max_i(most, V::load_i(keys + i));
  }
  alignas(64) int32_t low[V::kWidth], high[V::kWidth];
  V::store_i(low, least);
  V::store_i(high, most);
  KeyRange range{low[0], high[0]};
  for (int64_t i = 1; i < (whole ? V::kWidth : n); ++i) {
    range.least = low[i] < range.least ? low[i] : range.least;
    range.most = high[i] > range.most ? high[i] : range.most;
  }
  return range;
}

// The keys at or above the bound; the last vector is filled up with kNoKey.
template <class V>
[[gnu::always_inline]] inline int64_t count_from(const int32_t* keys, int64_t n, int32_t bound) {
  const typename V::I below = V::set1_i(bound - 1);
  int64_t count = 0;
  for (int64_t i = 0; i < n; i += V::kWidth) count += __builtin_popcount(V::greater(V::load_i(keys + i), below));
  return count;
}

struct Cut {
  int32_t threshold;
  int64_t ties;  // how many of the keys equal to the threshold belong to the k largest
};

// The k-th largest of n keys, 1 <= k <= n; with slack, a key bound that has k to k + slack keys at or above it.
template <class V>
[[gnu::always_inline]] inline Cut find_cut(const int32_t* keys, int64_t n, int64_t k, int64_t slack) {
  const KeyRange range = range_of<V>(keys, n);
  int64_t low = range.least, high = int64_t{range.most} + 1;
  int64_t from_low = n, from_high = 0;  // keys at or above: from_high < k <= from_low
  while (from_low > k + slack && high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    const int64_t count = count_from<V>(keys, n, static_cast<int32_t>(middle));
    const bool enough = count >= k;
    low = enough ? middle : low;
    from_low = enough ? count : from_low;
    high = enough ? high : middle;
    from_high = enough ? from_high : count;
  }
  return {static_cast<int32_t>(low), from_low > k ? k - from_high : k};
}

// A key that, most likely, at least k of the values reach, and not many more. It is the sample's key of the rank that k
// would have there, 3.5 standard deviations further down.
template <class V>
[[gnu::always_inline]] inline int32_t sampled_floor(const float* x, int64_t n, int64_t k) {
  const float share = static_cast<float>(k) / static_cast<float>(n);
  const float margin = 3.5f * __builtin_sqrtf(kSamples * share * (1 - share)) + 2;
  const auto rank = static_cast<int64_t>(kSamples * share + margin);
  if (rank >= kSamples) return kLowestKey;
  alignas(64) float sample[kSamples];
  alignas(64) int32_t keys[kSamples];
  for (int i = 0; i < kSamples; ++i) sample[i] = x[kSamplePlaces.of[i] * static_cast<uint64_t>(n) >> 32];
  for (int i = 0; i < kSamples; i += V::kWidth) V::store_i(keys + i, V::sort_keys(V::load(sample + i)));
  return find_cut<V>(keys, kSamples, rank, static_cast<int64_t>(margin) / 4).threshold;
}

// The value that has this key.
[[gnu::always_inline]] inline float value_of(int32_t key) {
  return __builtin_bit_cast(float, key < 0 ? INT32_MIN | -key : key);
}

// The places of values at or above the floor; returns how many. Up to a vector after them is written too.
template <class V>
[[gnu::always_inline]] inline int64_t places_from(const float* x, int64_t n, float floor, int32_t* places) {
  const typename V::F least = V::set1(floor);
  const typename V::I step = V::set1_i(V::kWidth);
  alignas(64) int32_t lanes[V::kWidth];
  for (int i = 0; i < V::kWidth; ++i) lanes[i] = i;
  typename V::I place = V::load_i(lanes);
  int64_t kept = 0, i = 0;
  const auto keep = [&](uint32_t set) __attribute__((always_inline)) {
    V::compress(places + kept, place, set);
    kept += __builtin_popcount(set);
    place = V::add_i(place, step);
  };
  for (; i + V::kWidth <= n; i += V::kWidth) keep(V::reaches(V::load(x + i), least));
  if (i < n) keep(V::reaches(load_part<V>(x + i, n - i), least) & ((1u << (n - i)) - 1));
  return kept;
}

// Keys of the values at these places; the last vector is filled up with kNoKey.
template <class V>
[[gnu::always_inline]] inline void write_keys(const float* x, const int32_t* places, int64_t n, int32_t* keys) {
  for (int64_t i = 0; i < n; ++i) keys[i] = __builtin_bit_cast(int32_t, x[places[i]]);
  for (int64_t i = 0; i < n; i += V::kWidth)
    V::store_i(keys + i, V::sort_keys(V::load(reinterpret_cast<const float*>(keys + i))));
  V::store_i(keys + n, V::set1_i(kNoKey));
}

// The lowest lanes of a set, at most n of them.
[[gnu::always_inline]] inline uint32_t first_lanes(uint32_t set, int64_t n) {
  if (n == 0) return 0;
  while (__builtin_popcount(set) > n) set ^= 1u << (31 - __builtin_clz(set));
  return set;
}

// The places of the k keys above the cut, in order. Vectors are written as long as they fit, then to a buffer.
template <class V>
[[gnu::always_inline]] inline void write_places(const int32_t* keys, const int32_t* places, Cut cut, int32_t* out,
                                                int64_t k) {
  const typename V::I below = V::set1_i(cut.threshold - 1), at = V::set1_i(cut.threshold);
  int64_t i = 0;
  const auto write = [&](int32_t * to) __attribute__((always_inline)) {
    const typename V::I key = V::load_i(keys + i);
    uint32_t set = V::greater(key, below);
    if (const uint32_t equal = set ^ V::greater(key, at)) {
      const uint32_t taken = first_lanes(equal, cut.ties);
      cut.ties -= __builtin_popcount(taken);
      set ^= equal ^ taken;
    }
    V::compress(to, V::load_i(places + i), set);
    i += V::kWidth;
    return __builtin_popcount(set);
  };
  int64_t written = 0, buffered = 0;
  while (written + V::kWidth <= k) written += write(out + written);
  alignas(64) int32_t buffer[2 * V::kWidth];
  while (written + buffered < k) buffered += write(buffer + buffered);
  std::memcpy(out + written, buffer, static_cast<size_t>(buffered) * sizeof(int32_t));
}

// Below this many values the sample costs more than it saves.
inline constexpr int64_t kSampledFrom = 512;

template <class V>
void select_top(const SelectTopArgs& a) noexcept {
  static_assert(V::kWidth <= kSelectSlack);
  if (a.k == 0) return;
  int32_t* keys = a.scratch;
  int32_t* places = keys + a.n + kSelectSlack;
  const int32_t floor = a.n < kSampledFrom ? kLowestKey : sampled_floor<V>(a.x, a.n, a.k);
  int64_t kept = floor == kLowestKey ? 0 : places_from<V>(a.x, a.n, value_of(floor), places);
  if (kept < a.k) {
    kept = a.n;
    for (int64_t i = 0; i < kept; ++i) places[i] = static_cast<int32_t>(i);
  }
  write_keys<V>(a.x, places, kept, keys);
  write_places<V>(keys, places, find_cut<V>(keys, kept, a.k, 0), a.indices, a.k);
}
