#include "sampling/passes.h"

#include <algorithm>
#include <cmath>

#include "sampling/lanes.h"

// Each pass is compiled for several CPUs where CMake says so (SKALD_FOR_CPUS, src/CMakeLists.txt), and the one at hand is
// chosen when the program starts. No additions change places and none are fused with products, so that all give the same.

namespace skald {
namespace {

constexpr size_t kPassBlock = 512;
constexpr size_t kShortSum = 16 * kLanes;  // numbers of which lanes add up floats before they go into doubles

[[gnu::always_inline]] inline float best_of(Lanes v) {
  float out = v[0];
  for (size_t i = 1; i < kLanes; ++i) out = std::max(out, v[i]);
  return out;
}

[[gnu::always_inline]] inline Lanes distance_of(Lanes v, float from) {
  const Lanes d = v - from;
  return d < 0 ? -d : d;
}

[[gnu::always_inline]] inline LaneInts bucket_of(Lanes v, const Buckets& b) {
  const auto last = static_cast<float>(b.last);
  const Lanes at = (distance_of(v, b.from) - b.near) * b.per_unit;
  return __builtin_convertvector(at < last ? at : all_lanes(last), LaneInts);
}

// Bit i is lane i's.
[[gnu::always_inline]] inline uint32_t bits_of(LaneInts lanes) {
  using Half = int32_t __attribute__((vector_size(16)));
  lanes &= LaneInts{1, 2, 4, 8, 16, 32, 64, 128};
  Half halves[2];
  std::memcpy(halves, &lanes, sizeof lanes);
  Half all = halves[0] | halves[1];
  all |= __builtin_shufflevector(all, all, 2, 3, 0, 1);
  all |= __builtin_shufflevector(all, all, 1, 0, 3, 2);
  return static_cast<uint32_t>(all[0]);
}

// The lanes of which the bits are set, and how many they are.
struct LaneLists {
  int32_t lanes[256][kLanes] = {};
  uint8_t count[256] = {};
};
constexpr LaneLists kLaneLists = [] {
  LaneLists out;
  for (uint32_t bits = 0; bits < 256; ++bits)
    for (int32_t lane = 0; lane < static_cast<int32_t>(kLanes); ++lane)
      if (bits >> lane & 1) out.lanes[bits][out.count[bits]++] = lane;
  return out;
}();

// Writes the indices, from i on, of the lanes in `set`, and up to kLanes numbers after them; without a jump for each.
[[gnu::always_inline]] inline size_t list_lanes(LaneInts set, size_t i, int32_t* to) {
  const uint32_t bits = bits_of(set);
  LaneInts at;
  std::memcpy(&at, kLaneLists.lanes[bits], sizeof at);
  at += static_cast<int32_t>(i);
  std::memcpy(to, &at, sizeof at);
  return kLaneLists.count[bits];
}

// Where keeps(x), x and w stay; w may be null.
template <bool kWeighed, class Keeps>
[[gnu::always_inline]] inline Kept keep_where(const float* x, float* to, float* w, size_t n, Keeps keeps) {
  LaneInts there = {};
  Lanes best = all_lanes(kGone);
  LaneSums total = {};
  for (size_t block = 0; block < n; block += kShortSum) {
    Lanes sum = {};
    for (size_t i = block; i < std::min(n, block + kShortSum); i += kLanes) {
      const Lanes v = load_lanes(x + i);
      const LaneInts keep = keeps(v) & (v > kGone);
      there -= keep;
      const Lanes kept = keep ? v : all_lanes(kGone);
      best = kept > best ? kept : best;
      store_lanes(to + i, kept);
      if constexpr (kWeighed) {
        const Lanes weights = keep ? load_lanes(w + i) : Lanes{};
        store_lanes(w + i, weights);
        sum += weights;
      }
    }
    if constexpr (kWeighed) total += add_halves(sum);
  }
  return {sum_of(there), sum_of(total), best_of(best)};
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

SKALD_FOR_CPUS Kept keep_at_least(const float* x, float* to, float* w, size_t n, float least) {
  const auto keeps = [&](Lanes v) __attribute__((always_inline)) { return v >= least; };
  return w ? keep_where<true>(x, to, w, n, keeps) : keep_where<false>(x, to, w, n, keeps);
}

SKALD_FOR_CPUS Kept keep_nearer(const float* x, float* to, float* w, size_t n, float from, float distance) {
  const auto keeps = [&](Lanes v) __attribute__((always_inline)) { return distance_of(v, from) < distance; };
  return w ? keep_where<true>(x, to, w, n, keeps) : keep_where<false>(x, to, w, n, keeps);
}

SKALD_FOR_CPUS Kept keep_farther(const float* x, float* to, float* w, size_t n, float from, float distance) {
  const auto keeps = [&](Lanes v) __attribute__((always_inline)) { return distance_of(v, from) > distance; };
  return w ? keep_where<true>(x, to, w, n, keeps) : keep_where<false>(x, to, w, n, keeps);
}

SKALD_FOR_CPUS void add_to_buckets(const float* x, const float* w, size_t n, const Buckets& buckets, double* sums) {
  int32_t bucket[kPassBlock];
  float mass[kPassBlock];
  for (size_t block = 0; block < n; block += kPassBlock) {
    const size_t size = std::min(kPassBlock, n - block);
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

SKALD_FOR_CPUS Listed list_band(const float* x, const float* w, size_t n, const Band& band, int32_t* places) {
  const auto [from, near, far] = band;
  size_t count = 0;
  LaneSums before = {};
  for (size_t block = 0; block < n; block += kShortSum) {
    Lanes sum = {};
    for (size_t i = block; i < std::min(n, block + kShortSum); i += kLanes) {
      const Lanes v = load_lanes(x + i), d = distance_of(v, from);
      const LaneInts live = v > kGone, nearer = live & (d < near);
      const Lanes mass = w ? load_lanes(w + i) : all_lanes(1);
      sum += nearer ? mass : Lanes{};
      count += list_lanes(live & ~nearer & (d <= far), i, places + count);
    }
    before += add_halves(sum);
  }
  return {count, sum_of(before)};
}

SKALD_FOR_CPUS size_t count_at_least(const float* x, size_t n, float least) {
  LaneInts there = {};
  for (size_t i = 0; i < n; i += kLanes) there -= (load_lanes(x + i) >= least) & (load_lanes(x + i) > kGone);
  return sum_of(there);
}

SKALD_FOR_CPUS size_t list_at_least(const float* x, size_t n, float least, std::span<int32_t> places) {
  constexpr size_t kGroup = 8 * kLanes;  // mostly without any
  size_t count = 0;
  for (size_t group = 0; group < n && count + kLanes <= places.size(); group += kGroup) {
    const size_t end = std::min(n, group + kGroup);
    LaneInts any = {};
    for (size_t i = group; i < end; i += kLanes) any |= load_lanes(x + i) >= least;
    if (bits_of(any) == 0) continue;
    for (size_t i = group; i < end && count + kLanes <= places.size(); i += kLanes)
      count += list_lanes(load_lanes(x + i) >= least, i, places.data() + count);
  }
  return std::min(count, places.size() - kLanes);
}

SKALD_FOR_CPUS double sum_products(const float* x, const float* w, size_t n, float best) {
  LaneSums total = {};
  for (size_t block = 0; block < n; block += kShortSum) {
    Lanes sum = {};
    for (size_t i = block; i < std::min(n, block + kShortSum); i += kLanes) {
      const Lanes v = load_lanes(x + i);
      sum += v > kGone ? (v - best) * load_lanes(w + i) : Lanes{};
    }
    total += add_halves(sum);
  }
  return sum_of(total);
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
  for (size_t block = 0; block < n; block += kPassBlock) {
    const size_t end = std::min(block + kPassBlock, n);
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
  return best_of(best);
}

SKALD_FOR_CPUS size_t compact(float* x, float* w, int32_t* ids, size_t n, bool numbered) {
  size_t to = 0;
  int32_t at[kPassBlock + kLanes];
  for (size_t block = 0; block < n; block += kPassBlock) {
    size_t count = 0;
    for (size_t i = block; i < std::min(n, block + kPassBlock); i += kLanes)
      count += list_lanes(load_lanes(x + i) > kGone, i, at + count);
    for (size_t j = 0; j < count; ++j) {
      const auto from = static_cast<size_t>(at[j]);
      x[to + j] = x[from];
      ids[to + j] = numbered ? at[j] : ids[from];
      if (w) w[to + j] = w[from];
    }
    to += count;
  }
  return to;
}

}  // namespace skald
