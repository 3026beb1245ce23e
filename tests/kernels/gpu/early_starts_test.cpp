// Launches that begin early: one of their blocks runs up to its wait before the launch before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::simt::early_starts_test {
namespace {

using host::Machine, host::MachineOptions;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr int kThreads = 64;

struct EarlyArgs {
  const float* weights;  // (threads)
  const float* in;       // (blocks, threads)
  float* out;            // (blocks, threads)
  int* runs;             // (blocks)
};

struct Row {
  float x[kThreads];
};

// Only weights are asked for before the wait, and the block may have barriers there.
SIMT_KERNEL void multiply_by_weights(EarlyArgs a) {
  auto& s = shared<Row>();
  const int at = block_x() * threads() + thread();
  s.x[thread()] = as_float(load_stream4(a.weights + thread()));
  sync_block();
  const float weight = s.x[threads() - 1 - thread()];
  wait_for_previous();
  a.out[at] = a.in[at] * weight;
  if (thread() == 0) atomic_add(a.runs + block_x(), 1);
}

// A planted bug: the activation is read before the wait.
SIMT_KERNEL void read_too_early(EarlyArgs a) {
  const int at = block_x() * threads() + thread();
  const float x = a.in[at];
  wait_for_previous();
  a.out[at] = x;
  if (thread() == 0) atomic_add(a.runs + block_x(), 1);
}

/// The number of wrong blocks of a launch that reads what the launch before it writes; which of them was wrong.
struct WrongBlocks {
  int n = 0, last = -1;
};

template <auto kKernel>
WrongBlocks wrong_blocks(int blocks, bool launched_early, const MachineOptions& options) {
  const auto n = static_cast<size_t>(blocks) * kThreads;
  std::vector<float> weights(kThreads, 1.0f), x(n), middle(n, kNan), got(n);
  std::iota(x.begin(), x.end(), 1.0f);
  std::vector<int> ignored(static_cast<size_t>(blocks)), runs(ignored.size());
  Machine machine(options);
  machine.add_weights(std::as_bytes(std::span(weights)));
  const auto grid = Grid{static_cast<unsigned>(blocks)};
  launch<multiply_by_weights>(machine.stream(), {grid, kThreads, sizeof(Row)},
                              EarlyArgs{weights.data(), x.data(), middle.data(), ignored.data()});
  launch<kKernel>(machine.stream(), {grid, kThreads, sizeof(Row), launched_early},
                  EarlyArgs{weights.data(), middle.data(), got.data(), runs.data()});
  machine.run();
  EXPECT_EQ(runs, std::vector<int>(runs.size(), 1)) << "each block runs once";
  WrongBlocks out;
  for (int b = 0; b < blocks; ++b) {
    const auto first = got.begin() + b * kThreads;
    if (std::equal(first, first + kThreads, x.begin() + b * kThreads)) continue;
    ++out.n;
    out.last = b;
  }
  return out;
}

TEST(SimtEarlyStarts, LeaveACorrectKernelRight) {
  for (const bool starts : {true, false})
    for (const bool launched_early : {true, false})
      for (const int blocks : {1, 6})
        for (MachineOptions options : test::all_orders()) {
          options.early_starts = starts;
          EXPECT_EQ(wrong_blocks<multiply_by_weights>(blocks, launched_early, options).n, 0) << test::order_name(options);
        }
}

TEST(SimtEarlyStarts, FindAReadBeforeTheWait) {
  if (test::kFindsRaces) GTEST_SKIP() << "the thread sanitizer reports the race";
  std::set<int> wrong;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(wrong_blocks<read_too_early>(1, true, {.seed = seed}).n, 1);
    const WrongBlocks of_six = wrong_blocks<read_too_early>(6, true, {.seed = seed});
    EXPECT_EQ(of_six.n, 1);
    wrong.insert(of_six.last);
    EXPECT_EQ(wrong_blocks<read_too_early>(6, true, {.early_starts = false, .seed = seed}).n, 0);
    EXPECT_EQ(wrong_blocks<read_too_early>(6, false, {.seed = seed}).n, 0) << "the launch does not let it begin early";
  }
  EXPECT_GT(wrong.size(), 3) << "seeds choose the block";
}

struct NoteArgs {
  int* notes;
  int* n;
  int note;
};

SIMT_KERNEL void note_both_sides(NoteArgs a) {
  if (thread() == 0) a.notes[atomic_add(a.n, 1)] = a.note;
  wait_for_previous();
  if (thread() == 0) a.notes[atomic_add(a.n, 1)] = a.note + 1;
}

TEST(SimtEarlyStarts, RunABlockUpToItsWaitBeforeTheLaunchBefore) {
  const auto noted = [](bool starts) {
    std::vector<int> notes(4);
    int n = 0;
    Machine machine({.early_starts = starts});
    for (const int note : {10, 20})
      launch<note_both_sides>(machine.stream(), {{}, kWarp, 0, true}, NoteArgs{notes.data(), &n, note});
    machine.run();
    return notes;
  };
  EXPECT_EQ(noted(true), (std::vector<int>{20, 10, 11, 21}));
  EXPECT_EQ(noted(false), (std::vector<int>{10, 11, 20, 21}));
}

}  // namespace
}  // namespace skald::simt::early_starts_test
