// The words of threads, warps and blocks on the host, each against a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/random.h"

namespace skald::simt::words_test {
namespace {

using host::Machine, host::Order;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

// --- Places ---

using Place = std::array<int, 8>;  // thread, lane, warp, threads; the block's x, y, z, and the blocks along x

struct PlacesArgs {
  Place* out;  // (as many as there are threads), in the order of the tickets
  int* ticket;
};

SIMT_KERNEL void say_places(PlacesArgs a) {
  a.out[atomic_add(a.ticket, 1)] = {thread(), lane(), warp(), threads(), block_x(), block_y(), block_z(), blocks_x()};
}

TEST(SimtWords, SayWhereAThreadIs) {
  constexpr int kThreads = 96, kX = 3, kY = 2, kZ = 4;
  std::vector<Place> got(size_t{kX} * kY * kZ * kThreads), want;
  int ticket = 0;
  test::run_kernel<say_places>({{kX, kY, kZ}, kThreads}, PlacesArgs{got.data(), &ticket});
  for (int t = 0; t < kThreads; ++t)
    for (int x = 0; x < kX; ++x)
      for (int y = 0; y < kY; ++y)
        for (int z = 0; z < kZ; ++z) want.push_back({t, t % 32, t / 32, kThreads, x, y, z, kX});
  std::ranges::sort(got);
  std::ranges::sort(want);
  EXPECT_EQ(got, want);
  EXPECT_EQ(ticket, std::ssize(got));
}

// --- Collectives of a warp ---

template <class T>
struct ShuffleArgs {
  const T* in;              // (threads)
  T *from, *masked, *next;  // (32, threads) each: of lane i, of lane l ^ i, of lane l + i
};

template <class T>
SIMT_KERNEL void shuffle_all_ways(ShuffleArgs<T> a) {
  const T mine = a.in[thread()];
  for (int i = 0; i < kWarp; ++i) {
    const int at = i * threads() + thread();
    a.from[at] = shuffle(mine, i);
    a.masked[at] = shuffle_xor(mine, i);
    a.next[at] = shuffle(mine, lane() + i);
  }
}

template <class T>
class SimtShuffle : public testing::Test {};
using Shuffled = testing::Types<int, uint32_t, float, int64_t, uint64_t, double>;
TYPED_TEST_SUITE(SimtShuffle, Shuffled, );

TYPED_TEST(SimtShuffle, GivesTheValueOfAnotherLaneOfTheWarp) {
  constexpr int kThreads = 64;
  std::vector<TypeParam> in(kThreads), from(in.size() * kWarp), masked(from.size()), next(from.size());
  const std::vector<uint32_t> words = test::random_words(in.size(), 1);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<TypeParam>(words[i] >> 2);
    if constexpr (sizeof(TypeParam) == 8) in[i] *= 0x12345678;  // so that both halves matter
  }
  test::run_kernel<shuffle_all_ways<TypeParam>>({{}, kThreads},
                                                ShuffleArgs<TypeParam>{in.data(), from.data(), masked.data(), next.data()});
  for (size_t i = 0; i < kWarp; ++i)
    for (size_t t = 0; t < kThreads; ++t) {
      const size_t at = i * kThreads + t, warp = t / 32 * 32, lane = t % 32;
      ASSERT_EQ(from[at], in[warp + i]) << i << ", " << t;
      ASSERT_EQ(masked[at], in[warp + (lane ^ i)]) << i << ", " << t;
      ASSERT_EQ(next[at], in[warp + (lane + i) % 32]) << i << ", " << t;
    }
}

struct VotesArgs {
  const uint32_t* ballots;  // (n, warps)
  uint32_t* out;            // (n, threads)
  int n;
};

SIMT_KERNEL void vote_all(VotesArgs a) {
  const int warps = threads() / kWarp;
  for (int i = 0; i < a.n; ++i) a.out[i * threads() + thread()] = votes((a.ballots[i * warps + warp()] >> lane() & 1) != 0);
}

TEST(SimtWords, VotesAreABitOfEachLane) {
  std::vector<uint32_t> ballots = test::random_words(40, 2);
  const uint32_t edges[] = {0, ~0U, 1, 1U << 31};
  std::ranges::copy(edges, ballots.begin());
  std::vector<uint32_t> got(ballots.size() * kWarp);
  test::run_kernel<vote_all>({{}, 64}, VotesArgs{ballots.data(), got.data(), 20});
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], ballots[i / kWarp]) << i;
}

struct ReduceArgs {
  const float* in;   // (threads)
  float *sum, *max;  // (threads)
};

SIMT_KERNEL void reduce_warps(ReduceArgs a) {
  a.sum[thread()] = warp_sum(a.in[thread()]);
  a.max[thread()] = warp_max(a.in[thread()]);
}

TEST(SimtWords, SumsOfAWarpHaveOneOrder) {
  constexpr int kThreads = 96;
  const std::vector<float> x = test::normal(kThreads, 3);
  std::vector<float> sum(x.size()), max(x.size());
  test::run_kernel<reduce_warps>({{}, kThreads}, ReduceArgs{x.data(), sum.data(), max.data()});
  for (size_t first = 0; first < kThreads; first += kWarp) {
    const std::span<const float> of(x.data() + first, kWarp);
    // Halves are added to halves: that all lanes have one result is a part of the contract.
    std::vector<float> half(of.begin(), of.end());
    for (size_t n = 16; n; n /= 2)
      for (size_t i = 0; i < n; ++i) half[i] += half[i + n];
    const std::vector<float> want_sum(kWarp, half[0]), want_max(kWarp, std::ranges::max(of)), ones(kWarp, 1.0f);
    EXPECT_TRUE(test::same_bits({sum.data() + first, kWarp}, want_sum));
    EXPECT_TRUE(test::same_bits({max.data() + first, kWarp}, want_max));
    const test::Dot exact(of, ones);
    EXPECT_TRUE(test::close_to({half.data(), 1}, std::array{static_cast<float>(exact.sum)}, exact.limit(6)));
  }
}

TEST(SimtWords, TheLargestOfAWarpIsANumberWhereThereIsOne) {
  std::vector<float> x(3 * kWarp, kNan), sum(x.size()), max(x.size());
  x[13] = -5;
  std::fill_n(x.begin() + kWarp, kWarp, -kInf);
  test::run_kernel<reduce_warps>({{}, 3 * kWarp}, ReduceArgs{x.data(), sum.data(), max.data()});
  for (size_t i = 0; i < kWarp; ++i) {
    EXPECT_EQ(max[i], -5);
    EXPECT_EQ(max[kWarp + i], -kInf);
    EXPECT_TRUE(std::isnan(max[2 * kWarp + i]));
    EXPECT_TRUE(std::isnan(sum[i]));
  }
}

struct SyncWarpArgs {
  const int* in;
  int* out;
};
struct PerThread {
  int x[64];
};

SIMT_KERNEL void turn_warps_around(SyncWarpArgs a) {
  auto& s = shared<PerThread>();
  s.x[thread()] = a.in[thread()];
  sync_warp();
  a.out[thread()] = s.x[thread() ^ 31];
}

TEST(SimtWords, AWarpSeesWhatItsLanesWroteBeforeABarrier) {
  std::vector<int> in(64), got(64);
  std::iota(in.begin(), in.end(), 100);
  for (const Order order : {Order::kForward, Order::kBackward, Order::kRandom}) {
    std::ranges::fill(got, 0);
    test::run_kernel<turn_warps_around>({{}, 64, sizeof(PerThread)}, SyncWarpArgs{in.data(), got.data()},
                                        {.threads = order});
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], in[i ^ 31]) << i;
  }
}

// --- Atomics and the last block ---

struct AtomicArgs {
  float* sum;
  int *count, *before;  // before: (blocks, threads)
  int step;
};

SIMT_KERNEL void add_atomically(AtomicArgs a) {
  atomic_add(a.sum, static_cast<float>(block_x() + thread()) / 4);
  a.before[block_x() * threads() + thread()] = atomic_add(a.count, a.step);
}

TEST(SimtWords, AtomicsLoseNothing) {
  constexpr int kBlocks = 5, kThreads = 64;
  for (const int step : {1, -3}) {
    float sum = 0.5f, want_sum = sum;  // exact in every order
    int count = 7;
    std::vector<int> before(kBlocks * kThreads), want;
    test::run_kernel<add_atomically>({{kBlocks}, kThreads}, AtomicArgs{&sum, &count, before.data(), step});
    for (int b = 0; b < kBlocks; ++b)
      for (int t = 0; t < kThreads; ++t) {
        want_sum += static_cast<float>(b + t) / 4;
        want.push_back(7 + step * (b * kThreads + t));
      }
    std::ranges::sort(before);
    std::ranges::sort(want);
    EXPECT_EQ(sum, want_sum);
    EXPECT_EQ(before, want);
    EXPECT_EQ(count, 7 + step * kBlocks * kThreads);
  }
}

struct PartsArgs {
  const float* in;  // (rows, blocks, threads)
  float* parts;     // (rows, blocks, warps)
  float* sums;      // (rows)
  int* counters;    // (rows)
  int* lasts;       // (rows): threads that were of a last block
};

SIMT_KERNEL void sum_parts(PartsArgs a) {
  const int warps = threads() / kWarp, block = block_y() * blocks_x() + block_x();
  const float sum = warp_sum(a.in[block * threads() + thread()]);
  if (lane() == 0) a.parts[block * warps + warp()] = sum;
  if (!last_block(a.counters + block_y(), blocks_x())) return;
  atomic_add(a.lasts + block_y(), 1);
  if (thread() != 1) return;  // one that wrote no part of its own
  const float* parts = a.parts + block_y() * blocks_x() * warps;
  float all = 0;
  for (int i = 0; i < blocks_x() * warps; ++i) all += parts[i];
  a.sums[block_y()] = all;
}

TEST(SimtWords, TheLastBlockOfARowSeesThePartsOfAll) {
  constexpr int kBlocks = 7, kRows = 3, kThreads = 2 * kWarp;
  std::vector<float> x(size_t{kRows} * kBlocks * kThreads), parts(x.size() / kWarp);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97);  // sums are exact
  for (const bool backward : {false, true}) {
    std::vector<int> counters(kRows), lasts(kRows);
    Machine machine({.blocks_backward = backward});
    for (int again = 1; again <= 3; ++again) {
      std::vector<float> sums(kRows, kNan);
      std::ranges::fill(parts, kNan);
      launch<sum_parts>(machine.stream(), {{kBlocks, kRows}, kThreads},
                        PartsArgs{x.data(), parts.data(), sums.data(), counters.data(), lasts.data()});
      machine.run();
      for (size_t row = 0; row < kRows; ++row) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * kBlocks * kThreads);
        EXPECT_EQ(sums[row], std::accumulate(first, first + kBlocks * kThreads, 0.0f));
        EXPECT_EQ(counters[row], 0);
        EXPECT_EQ(lasts[row], kThreads * again);
      }
    }
  }
}

// --- Shared memory ---

struct SharedWords {
  float floats[70];
  double doubles[33];
  uint16_t halves[40];
};
struct SharedArgs {
  int* numbers;    // (blocks): how many there are in memory that was not written
  int* kept;       // (blocks): how many of those that were written are there after a barrier
  int* unaligned;  // (1)
};

SIMT_KERNEL void look_at_shared(SharedArgs a) {
  auto& s = shared<SharedWords>();
  int found = 0, kept = 0;
  for (const float x : s.floats) found += x == x;
  for (const double x : s.doubles) found += x == x;
  for (const uint16_t x : s.halves) found += !std::isnan(to_float(F16{x})) + !std::isnan(to_float(Bf16{x}));
  if (found) atomic_add(a.numbers + block_x(), found);
  if (reinterpret_cast<uintptr_t>(&s) % 128) atomic_add(a.unaligned, 1);
  sync_block();
  s.floats[thread()] = static_cast<float>(thread());
  sync_block();
  for (int t = 0; t < threads(); ++t) kept += shared<SharedWords>().floats[t] == static_cast<float>(t);
  if (thread() == 0) a.kept[block_x()] = kept;
}

TEST(SimtWords, SharedMemoryHasNoNumbersBeforeABlockWritesThem) {
  constexpr int kBlocks = 5, kThreads = 64;
  std::vector<int> numbers(kBlocks), kept(kBlocks);
  int unaligned = 0;
  test::run_kernel<look_at_shared>({{kBlocks}, kThreads, sizeof(SharedWords)},
                                   SharedArgs{numbers.data(), kept.data(), &unaligned});
  EXPECT_EQ(numbers, std::vector<int>(kBlocks, 0));
  EXPECT_EQ(kept, std::vector<int>(kBlocks, kThreads));
  EXPECT_EQ(unaligned, 0);
}

}  // namespace
}  // namespace skald::simt::words_test
