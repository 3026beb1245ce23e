#include "sampling/passes.h"

#include <algorithm>
#include <cmath>

#include "sampling/lanes.h"

// Each pass is compiled for several CPUs, and the one at hand chosen when the program starts, which GCC's thread sanitizer
// does not survive. No additions change places and none are fused with products, so that all give the same.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define SKALD_FOR_CPUS [[gnu::target_clones("default", "avx2", "avx512f")]]
#else
#define SKALD_FOR_CPUS
#endif

namespace skald {
namespace {

constexpr size_t kBlock = 512;

// Where `keep`, x and w stay; w may be null.
[[gnu::always_inline]] inline void keep_lanes(float* x, float* w, LaneInts keep, LaneInts& there, LaneSums& total) {
  const Lanes v = load_lanes(x);
  keep &= v > kGone;
  there -= keep;
  store_lanes(x, keep ? v : all_lanes(kGone));
  if (!w) return;
  const Lanes weights = keep ? load_lanes(w) : Lanes{};
  store_lanes(w, weights);
  total += add_halves(weights);
}

[[gnu::always_inline]] inline Lanes distance_of(Lanes v, float from) {
  const Lanes d = v - from;
  return d < 0 ? -d : d;
}

[[gnu::always_inline]] inline LaneInts bucket_of(Lanes v, const Buckets& b) {
  const auto last = static_cast<float>(b.last);
  const Lanes at = distance_of(v, b.from) * b.per_unit;
  return __builtin_convertvector(at < last ? at : all_lanes(last), LaneInts);
}

// Bit i is lane i's.
[[gnu::always_inline]] inline uint32_t bits_of(LaneInts lanes) {
  lanes &= LaneInts{1, 2, 4, 8, 16, 32, 64, 128};
  uint64_t pairs[4];
  std::memcpy(pairs, &lanes, sizeof lanes);
  const uint64_t all = pairs[0] | pairs[1] | pairs[2] | pairs[3];
  return static_cast<uint32_t>(all | all >> 32);
}

}  // namespace

SKALD_FOR_CPUS Overview look_over(const float* x, size_t n) {
  Lanes best = all_lanes(kGone), least = all_lanes(-kGone);
  LaneInts there = {}, bad = {};
  float tail[kLanes];
  for (size_t i = 0; i < n; i += kLanes) {
    const float* from = x + i;
    if (i + kLanes > n) {
      for (size_t j = 0; j < kLanes; ++j) tail[j] = i + j < n ? x[i + j] : kGone;
      from = tail;
    }
    const Lanes v = load_lanes(from);
    const LaneInts live = v > kGone;
    best = v > best ? v : best;
    least = (live & (v < least)) ? v : least;
    there -= live;
    bad |= ~(v < -kGone);
  }
  Overview out{.best = best[0], .least = least[0]};
  for (size_t i = 0; i < kLanes; ++i) {
    out.best = std::max(out.best, best[i]);
    out.least = std::min(out.least, least[i]);
    out.fine = out.fine && !bad[i];
  }
  out.count = sum_of(there);
  return out;
}

SKALD_FOR_CPUS double weigh(const float* x, size_t n, float best, float scale, float* w) {
  LaneSums sum = {};
  for (size_t i = 0; i < n; i += kLanes) {
    const Lanes e = exp_lanes((load_lanes(x + i) - best) * scale);
    store_lanes(w + i, e);
    sum += add_halves(e);
  }
  return sum_of(sum);
}

SKALD_FOR_CPUS void multiply(float* w, size_t n, float factor) {
  for (size_t i = 0; i < n; i += kLanes) store_lanes(w + i, load_lanes(w + i) * factor);
}

SKALD_FOR_CPUS Kept keep_at_least(float* x, float* w, size_t n, float least) {
  LaneInts there = {};
  LaneSums total = {};
  for (size_t i = 0; i < n; i += kLanes) keep_lanes(x + i, w ? w + i : nullptr, load_lanes(x + i) >= least, there, total);
  return {sum_of(there), sum_of(total)};
}

SKALD_FOR_CPUS Kept keep_nearer(float* x, float* w, size_t n, float from, float distance) {
  LaneInts there = {};
  LaneSums total = {};
  for (size_t i = 0; i < n; i += kLanes)
    keep_lanes(x + i, w ? w + i : nullptr, distance_of(load_lanes(x + i), from) < distance, there, total);
  return {sum_of(there), sum_of(total)};
}

SKALD_FOR_CPUS Kept keep_farther(float* x, float* w, size_t n, float from, float distance) {
  LaneInts there = {};
  LaneSums total = {};
  for (size_t i = 0; i < n; i += kLanes)
    keep_lanes(x + i, w ? w + i : nullptr, distance_of(load_lanes(x + i), from) > distance, there, total);
  return {sum_of(there), sum_of(total)};
}

SKALD_FOR_CPUS void add_to_buckets(const float* x, const float* w, size_t n, const Buckets& buckets, double* sums) {
  int32_t bucket[kBlock];
  float mass[kBlock];
  for (size_t block = 0; block < n; block += kBlock) {
    const size_t size = std::min(kBlock, n - block);
    for (size_t i = 0; i < size; i += kLanes) {
      const Lanes v = load_lanes(x + block + i);
      const LaneInts b = bucket_of(v, buckets) * static_cast<int32_t>(Buckets::kWays);
      std::memcpy(bucket + i, &b, sizeof b);
      if (!w) store_lanes(mass + i, v > kGone ? all_lanes(1) : Lanes{});
    }
    const float* from = w ? w + block : mass;
    for (size_t i = 0; i < size; i += Buckets::kWays)
      for (size_t way = 0; way < Buckets::kWays; ++way)
        sums[static_cast<size_t>(bucket[i + way]) + way] += static_cast<double>(from[i + way]);
  }
}

SKALD_FOR_CPUS size_t find_bucket(const float* x, size_t n, const Buckets& buckets, int bucket, int32_t* places) {
  size_t found = 0;
  for (size_t i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i);
    for (uint32_t bits = bits_of((bucket_of(v, buckets) == bucket) & (v > kGone)); bits; bits &= bits - 1)
      places[found++] = static_cast<int32_t>(i) + __builtin_ctz(bits);
  }
  return found;
}

SKALD_FOR_CPUS size_t count_at_least(const float* x, size_t n, float least) {
  LaneInts there = {};
  for (size_t i = 0; i < n; i += kLanes) there -= (load_lanes(x + i) >= least) & (load_lanes(x + i) > kGone);
  return sum_of(there);
}

SKALD_FOR_CPUS double sum_products(const float* x, const float* w, size_t n, float best) {
  LaneSums sum = {};
  for (size_t i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i);
    sum += add_halves(v > kGone ? (v - best) * load_lanes(w + i) : Lanes{});
  }
  return sum_of(sum);
}

SKALD_FOR_CPUS Moments moments_of(const float* x, size_t n, float best) {
  LaneSums sum = {}, squares = {};
  for (size_t i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i);
    const Lanes below = v > kGone ? v - best : Lanes{};
    HalfLanes halves[2];
    std::memcpy(halves, &below, sizeof below);
    for (const HalfLanes& half : halves) {
      const LaneSums d = __builtin_convertvector(half, LaneSums);
      sum += d;
      squares += d * d;
    }
  }
  return {sum_of(sum), sum_of(squares)};
}

SKALD_FOR_CPUS size_t find_mass(const float* w, size_t n, double target) {
  double before = 0;
  size_t last = 0;
  for (size_t block = 0; block < n; block += kBlock) {
    const size_t end = std::min(block + kBlock, n);
    LaneSums sums = {};
    for (size_t i = block; i < end; i += kLanes) sums += add_halves(load_lanes(w + i));
    const double sum = sum_of(sums);
    if (sum <= 0) continue;
    double at = before;
    for (size_t i = block; before + sum > target && i < end; ++i) {
      at += static_cast<double>(w[i]);
      if (w[i] > 0) last = i;
      if (at > target) return i;
    }
    before += sum;
    if (before <= target)  // the last weight so far
      for (last = end - 1; !(w[last] > 0);) --last;
  }
  return last;
}

SKALD_FOR_CPUS float favour(float* x, const float* w, size_t n, float per_weight, float goal) {
  Lanes best = all_lanes(kGone);
  for (size_t i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i);
    Lanes d = load_lanes(w + i) * per_weight - goal;
    d = (d < 0 ? -d : d) * (1 / 0.3f);
    const Lanes value = v > kGone ? 5.0f - 10.0f * d * d / (1.0f + d) : all_lanes(kGone);
    best = value > best ? value : best;
    store_lanes(x + i, value);
  }
  float out = best[0];
  for (size_t i = 0; i < kLanes; ++i) out = std::max(out, best[i]);
  return out;
}

SKALD_FOR_CPUS size_t compact(float* x, float* w, int32_t* ids, size_t n, bool numbered) {
  size_t to = 0;
  for (size_t i = 0; i < n; i += kLanes)
    for (uint32_t bits = bits_of(load_lanes(x + i) > kGone); bits; bits &= bits - 1, ++to) {
      const size_t at = i + static_cast<size_t>(__builtin_ctz(bits));
      x[to] = x[at];
      ids[to] = numbered ? static_cast<int32_t>(at) : ids[at];
      if (w) w[to] = w[at];
    }
  return to;
}

}  // namespace skald
