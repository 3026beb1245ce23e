// The host as a device for kernels: the order of launches, blocks and threads, and the races that it finds.
#include "kernels/gpu/host/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"
#include "tests/support/joining_thread.h"
#include "tests/support/random.h"

namespace skald::simt::machine_test {
namespace {

using host::Machine, host::MachineOptions, host::Order;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kMostThreads = 1024;

// --- Launches ---

struct NoteArgs {
  int* notes;
  int* n;
  int note;
};

SIMT_KERNEL void take_note(NoteArgs a) {
  if (thread() == 0) a.notes[atomic_add(a.n, 1)] = a.note;
}

TEST(SimtMachine, RunsLaunchesInOrderWhenItIsAskedTo) {
  constexpr int kLaunches = 20;
  std::vector<int> notes(2 * kLaunches), want(kLaunches);
  std::iota(want.begin(), want.end(), 0);
  int n = 0;
  Machine machine({.threads = Order::kRandom, .blocks_backward = true});
  for (int i = 0; i < kLaunches; ++i) launch<take_note>(machine.stream(), {{}, kWarp}, NoteArgs{notes.data(), &n, i});
  EXPECT_EQ(n, 0);
  machine.run();
  EXPECT_EQ(n, kLaunches);
  machine.run();
  EXPECT_EQ(n, kLaunches) << "launches run once";
  notes.resize(kLaunches);
  EXPECT_EQ(notes, want);
}

TEST(SimtMachine, ForgetsLaunchesThatDidNotRun) {
  int note = 0, n = 0;
  Machine machine;
  launch<take_note>(machine.stream(), {{}, kWarp}, NoteArgs{&note, &n, 1});
  machine.forget();
  launch<take_note>(machine.stream(), {{}, kWarp}, NoteArgs{&note, &n, 2});
  machine.run();
  EXPECT_EQ(n, 1);
  EXPECT_EQ(note, 2);
}

// --- Orders ---

struct TicketArgs {
  int *threads, *blocks;  // whose turn it was, in order
  int *n_threads, *n_blocks;
};

SIMT_KERNEL void take_tickets(TicketArgs a) {
  if (block_x() == 0) a.threads[atomic_add(a.n_threads, 1)] = thread();
  if (thread() == 0) a.blocks[atomic_add(a.n_blocks, 1)] = block_x();
}

struct Turns {
  std::vector<int> threads = std::vector<int>(64), blocks = std::vector<int>(10);
};

Turns turns(const MachineOptions& options) {
  Turns out;
  int n_threads = 0, n_blocks = 0;
  Machine machine(options);
  launch<take_tickets>(machine.stream(), {{10}, 64},
                       TicketArgs{out.threads.data(), out.blocks.data(), &n_threads, &n_blocks});
  machine.run();
  return out;
}

TEST(SimtMachine, RunsThreadsAndBlocksInTheOrderThatIsAskedFor) {
  std::vector<int> threads(64), blocks(10);
  std::iota(threads.begin(), threads.end(), 0);
  std::iota(blocks.begin(), blocks.end(), 0);
  EXPECT_EQ(turns({.threads = Order::kForward}).threads, threads);
  EXPECT_EQ(turns({.blocks_backward = false}).blocks, blocks);
  std::ranges::reverse(threads);
  std::ranges::reverse(blocks);
  EXPECT_EQ(turns({.threads = Order::kBackward}).threads, threads);
  EXPECT_EQ(turns({.blocks_backward = true}).blocks, blocks);
}

TEST(SimtMachine, SeedsDecideRandomOrders) {
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<int> threads = turns({.threads = Order::kRandom, .seed = seed}).threads;
    EXPECT_EQ(turns({.threads = Order::kRandom, .seed = seed}).threads, threads) << seed;
    orders.insert(threads);
    std::ranges::sort(threads);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(threads[static_cast<size_t>(i)], i) << seed;
  }
  EXPECT_EQ(orders.size(), 8);
}

struct RowArgs {
  const float* in;  // (blocks, threads)
  float* out;       // (blocks, threads)
};
struct RowShared {
  float x[kMostThreads], sums[kMostThreads / kWarp];
};

// Each number, less a share of those around it, over the sum of the row.
SIMT_KERNEL void sharpen_rows(RowArgs a) {
  auto& s = shared<RowShared>();
  const int t = thread(), n = threads(), at = block_x() * n + t;
  wait_for_previous();
  s.x[t] = a.in[at];
  sync_block();
  const float around = s.x[(t + n - 1) % n] + s.x[(t + 1) % n];
  sync_block();
  s.x[t] -= around * 0.25f;
  sync_warp();
  const float sum = warp_sum(s.x[t ^ 1]);  // another lane's number: the same sums, whose last step adds both of a pair
  if (lane() == 0) s.sums[warp()] = sum;
  sync_block();
  float all = 0;
  for (int w = 0; w < n / kWarp; ++w) all += s.sums[w];
  a.out[at] = s.x[t] / all;
}

std::vector<float> sharpened(const std::vector<float>& x, size_t n) {
  std::vector<float> out(x.size());
  for (size_t first = 0; first < x.size(); first += n) {
    float all = 0;
    for (size_t t = 0; t < n; ++t)
      out[first + t] = x[first + t] - (x[first + (t + n - 1) % n] + x[first + (t + 1) % n]) * 0.25f;
    for (size_t w = first; w < first + n; w += kWarp) {
      std::vector<float> half(out.begin() + static_cast<std::ptrdiff_t>(w),
                              out.begin() + static_cast<std::ptrdiff_t>(w) + kWarp);
      for (size_t step = 16; step; step /= 2)
        for (size_t i = 0; i < step; ++i) half[i] += half[i + step];
      all += half[0];
    }
    for (size_t t = 0; t < n; ++t) out[first + t] /= all;
  }
  return out;
}

TEST(SimtMachine, ACorrectKernelGivesTheSameBitsInAllOrders) {
  constexpr int kBlocks = 5, kThreads = 128;
  std::vector<float> x = test::normal(kBlocks * kThreads, 1);
  for (float& v : x) v += 3;  // sums stay away from zero
  const std::vector<float> want = sharpened(x, kThreads);
  for (const MachineOptions& options : test::all_orders()) {
    std::vector<float> got(x.size(), kNan);
    Machine machine(options);
    launch<sharpen_rows>(machine.stream(), {{kBlocks}, kThreads, sizeof(RowShared)}, RowArgs{x.data(), got.data()});
    machine.run();
    EXPECT_TRUE(test::same_bits(got, want)) << test::order_name(options);
  }
}

// A planted race: no barrier before the number of the thread before this one is read. It hides where threads run forward.
SIMT_KERNEL void read_without_barrier(RowArgs a) {
  auto& s = shared<RowShared>();
  const int t = thread(), at = block_x() * threads() + t;
  s.x[t] = a.in[at];
  a.out[at] = t ? s.x[t - 1] : 0;
}

// Another: what the next thread wrote over is read.
SIMT_KERNEL void write_without_barrier(RowArgs a) {
  auto& s = shared<RowShared>();
  const int t = thread(), at = block_x() * threads() + t;
  s.x[t] = a.in[at];
  sync_block();
  const float before = t ? s.x[t - 1] : 0;
  s.x[t] = 0;
  a.out[at] = before;
}

template <auto kKernel>
bool is_right(const MachineOptions& options) {
  constexpr size_t kThreads = 64;
  std::vector<float> x(2 * kThreads), got(x.size()), want;
  std::iota(x.begin(), x.end(), 1.0f);
  for (size_t i = 0; i < x.size(); ++i) want.push_back(i % kThreads ? x[i - 1] : 0);
  Machine machine(options);
  launch<kKernel>(machine.stream(), {{2}, kThreads, sizeof(RowShared)}, RowArgs{x.data(), got.data()});
  machine.run();
  return got == want;
}

TEST(SimtMachine, OrdersFindARaceOfThreads) {
  if (test::kFindsRaces) GTEST_SKIP() << "the thread sanitizer reports the race";
  EXPECT_TRUE(is_right<read_without_barrier>({.threads = Order::kForward}));
  EXPECT_FALSE(is_right<read_without_barrier>({.threads = Order::kBackward}));
  EXPECT_FALSE(is_right<write_without_barrier>({.threads = Order::kForward}));
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_FALSE(is_right<read_without_barrier>({.threads = Order::kRandom, .seed = seed})) << seed;
    EXPECT_FALSE(is_right<write_without_barrier>({.threads = Order::kRandom, .seed = seed})) << seed;
  }
}

// Block b reads what block b - 1 wrote: right where blocks run forward.
SIMT_KERNEL void read_the_block_before(RowArgs a) {
  const int b = block_x();
  if (thread() == 0) a.out[b] = b ? a.out[b - 1] + a.in[b] : a.in[b];
}

TEST(SimtMachine, BlocksBackwardFindARaceOfBlocks) {
  if (test::kFindsRaces) GTEST_SKIP() << "the thread sanitizer reports the race";
  const std::vector<float> x = {1, 2, 3, 4};
  for (const bool backward : {false, true}) {
    std::vector<float> got(x.size());
    Machine machine({.blocks_backward = backward});
    launch<read_the_block_before>(machine.stream(), {{4}, kWarp}, RowArgs{x.data(), got.data()});
    machine.run();
    EXPECT_EQ(got, backward ? x : (std::vector<float>{1, 3, 6, 10}));
  }
}

// --- Blocks of many sizes ---

struct Pass {
  int threads;
  bool early;
};
constexpr Pass kPasses[] = {{1024, false}, {32, true},  {512, false}, {1024, true}, {64, true},
                            {256, false},  {32, false}, {1024, true}, {128, true}};

TEST(SimtMachine, BlocksOfAllSizesRunOneAfterAnother) {
  constexpr int kNumbers = 2048;
  std::vector<float> x = test::normal(kNumbers, 2, 0.5f);
  for (float& v : x) v += 3;
  for (const MachineOptions& options : test::kOneOfEachOrder) {
    std::vector<std::vector<float>> got(std::size(kPasses) + 1, std::vector<float>(x.size(), kNan));
    got[0] = x;
    Machine machine(options);
    for (size_t i = 0; i < std::size(kPasses); ++i) {
      const auto [threads, early] = kPasses[i];
      const Grid grid{static_cast<unsigned>(kNumbers / threads)};
      // Shared memory grows and shrinks from launch to launch.
      const auto bytes = static_cast<int64_t>(sizeof(RowShared)) + 8 * threads;
      launch<sharpen_rows>(machine.stream(), {grid, threads, bytes, early}, RowArgs{got[i].data(), got[i + 1].data()});
      if (i == 4) machine.run();
    }
    machine.run();
    for (size_t i = 0; i < std::size(kPasses); ++i)
      ASSERT_TRUE(test::same_bits(got[i + 1], sharpened(got[i], static_cast<size_t>(kPasses[i].threads))))
          << test::order_name(options) << ", pass " << i;
  }
}

TEST(SimtMachine, A1024ThreadBlockSumsAllOfItsThreads) {
  std::vector<float> x = test::normal(kMostThreads, 4);
  for (float& v : x) v += 3;
  for (const MachineOptions& options : test::kOneOfEachOrder) {
    std::vector<float> got(x.size(), kNan);
    Machine machine(options);
    launch<sharpen_rows>(machine.stream(), {{}, kMostThreads, sizeof(RowShared)}, RowArgs{x.data(), got.data()});
    machine.run();
    ASSERT_TRUE(test::same_bits(got, sharpened(x, kMostThreads))) << test::order_name(options);
  }
}

// --- Threads of the system ---

// The numbers of a row, one place on.
SIMT_KERNEL void rotate(RowArgs a) {
  auto& s = shared<RowShared>();
  s.x[thread()] = a.in[thread()];
  sync_block();
  a.out[thread()] = s.x[(thread() + 1) % threads()];
}

void expect_rotated(Machine& machine) {
  std::vector<float> x(64), got(64);
  std::iota(x.begin(), x.end(), 1.0f);
  launch<rotate>(machine.stream(), {{}, 64, sizeof(RowShared)}, RowArgs{x.data(), got.data()});
  machine.run();
  std::rotate(x.begin(), x.begin() + 1, x.end());
  EXPECT_EQ(got, x);
}

TEST(SimtMachine, MachinesRunAtOnceInThreadsOfTheirOwn) {
  const auto work = [] {
    Machine machine;
    for (int again = 0; again < 20; ++again) expect_rotated(machine);
  };
  const test::JoiningThread first(work), second(work), third(work);
}

TEST(SimtMachine, GoesOnInAnotherThread) {
  Machine machine;
  expect_rotated(machine);
  std::thread([&] { expect_rotated(machine); }).join();
  expect_rotated(machine);
}

SIMT_KERNEL void add_one(RowArgs a) {
  wait_for_previous();
  a.out[thread()] = a.in[thread()] + 1;
}
SIMT_KERNEL void add_one_too_early(RowArgs a) {
  const float x = a.in[thread()];
  wait_for_previous();
  a.out[thread()] = x + 1;
}

TEST(SimtMachine, EarlyStartsFindAReadBeforeTheWaitInAChainOfSingleBlocks) {
  if (test::kFindsRaces) GTEST_SKIP() << "the thread sanitizer reports the race";
  std::vector<std::vector<float>> rows(4, std::vector<float>(kWarp));
  Machine machine;
  const Shape shape{{}, kWarp, 0, true};
  launch<add_one>(machine.stream(), shape, RowArgs{rows[0].data(), rows[1].data()});
  launch<add_one>(machine.stream(), shape, RowArgs{rows[1].data(), rows[2].data()});
  launch<add_one_too_early>(machine.stream(), shape, RowArgs{rows[2].data(), rows[3].data()});
  machine.run();
  EXPECT_EQ(rows[2], std::vector<float>(kWarp, 2));
  EXPECT_EQ(rows[3], std::vector<float>(kWarp, 1)) << "read before it was written";
}

}  // namespace
}  // namespace skald::simt::machine_test
