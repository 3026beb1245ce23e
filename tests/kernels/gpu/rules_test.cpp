// The rules of kernels: a kernel that breaks one ends the program, with a report that says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"

namespace skald::simt::rules_test {
namespace {

using host::Machine, host::MachineOptions, host::Order;
using testing::AllOf, testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKnowsMemory = true;
#else
constexpr bool kKnowsMemory = false;
#endif

struct Memory {
  const void* at = nullptr;
};

/// One launch on a machine of its own.
template <auto kKernel>
void run(const Shape& shape, const Memory& memory = {}, const MachineOptions& options = {}) {
  Machine machine(options);
  launch<kKernel>(machine.stream(), shape, memory);
  machine.run();
}

SIMT_KERNEL void do_nothing(Memory /*memory*/) {}

TEST(SimtRulesDeathTest, BlocksAreOfWholeWarps) {
  for (const int threads : {-32, 0, 1, 33, 1000})
    EXPECT_DEATH(run<do_nothing>({{}, threads}), "whole warps, and at most 1024 threads") << threads;
}

TEST(SimtRulesDeathTest, BlocksHave1024ThreadsAtMost) {
  EXPECT_DEATH(run<do_nothing>({{}, 1056}), "whole warps, and at most 1024 threads");
}

TEST(SimtRulesDeathTest, WordsBelongInKernels) {
  EXPECT_DEATH(thread(), "a word of kernels is used outside of a kernel");
  EXPECT_DEATH(sync_block(), "a word of kernels is used outside of a kernel");
  const auto after_a_run = [] {
    run<do_nothing>({{}, kWarp});
    sync_warp();
  };
  EXPECT_DEATH(after_a_run(), "a word of kernels is used outside of a kernel");
}

// --- Memory ---

SIMT_KERNEL void stream_a_word(Memory memory) { load_stream4(memory.at); }
SIMT_KERNEL void stream_two_words(Memory memory) { load_stream8(memory.at); }
SIMT_KERNEL void stream_four_words(Memory memory) { load_stream(memory.at); }
// Only one thread, so that the report says which.
SIMT_KERNEL void stream_in_one_thread(Memory memory) {
  if (block_x() == 2 && block_y() == 1 && thread() == 37) load_stream(memory.at);
}

constexpr const char* kNotWeights = "load_stream of memory that is not weights";

TEST(SimtRulesDeathTest, LoadStreamIsForWeightsAlone) {
  alignas(16) const std::array<std::byte, 16> other = {};
  EXPECT_DEATH(run<stream_a_word>({{}, kWarp}, {other.data()}), kNotWeights);
  EXPECT_DEATH(run<stream_two_words>({{}, kWarp}, {other.data()}), kNotWeights);
  EXPECT_DEATH(run<stream_four_words>({{}, kWarp}, {other.data()}), kNotWeights);
  EXPECT_DEATH(run<stream_in_one_thread>({{4, 2}, 64}, {other.data()}),
               "block \\(2, 1, 0\\), thread 37: load_stream of memory that is not weights");
}

TEST(SimtRulesDeathTest, WeightsAreThoseThatWereAddedAndNotRemoved) {
  alignas(16) const std::array<std::byte, 64> memory = {};
  const auto weights = std::span(memory).subspan(16, 24);
  Machine machine;
  const auto load = [&](Machine& on, size_t at) {
    launch<stream_four_words>(on.stream(), {{}, kWarp}, Memory{memory.data() + at});
    on.run();
  };
  machine.add_weights(weights);
  machine.add_weights(std::span(memory).subspan(48, 16));
  load(machine, 16);
  load(machine, 48);
  EXPECT_DEATH(load(machine, 0), kNotWeights);
  EXPECT_DEATH(load(machine, 32), kNotWeights) << "the last 8 bytes are none";
  machine.remove_weights(weights.data());
  load(machine, 48);
  EXPECT_DEATH(load(machine, 16), kNotWeights);
  machine.add_weights(weights);
  machine.remove_weights(memory.data() + 48);
  load(machine, 16);
  EXPECT_DEATH(load(machine, 48), kNotWeights);
  Machine other;
  EXPECT_DEATH(load(other, 16), kNotWeights) << "weights of another machine";
}

struct SharedRows {
  Words4 rows[kWarp + 1];
};

SIMT_KERNEL void load_16_bytes(Memory memory) { load16(memory.at); }
SIMT_KERNEL void load_8_bytes(Memory memory) { load8(memory.at); }
SIMT_KERNEL void load_16_bytes_once(Memory memory) { load_once16(memory.at); }
SIMT_KERNEL void load_8_bytes_once(Memory memory) { load_once8(memory.at); }
SIMT_KERNEL void copy_from(Memory memory) { copy_async16(shared<SharedRows>().rows, memory.at); }
SIMT_KERNEL void copy_to_the_middle(Memory memory) { copy_async16(&shared<SharedRows>().rows[0].w[2], memory.at); }
SIMT_KERNEL void load_rows(Memory /*memory*/) {
  uint32_t r[4];
  load_matrix4(r, &shared<SharedRows>().rows[lane()].w[1]);
}
SIMT_KERNEL void load_rows_transposed(Memory /*memory*/) {
  uint32_t r[4];
  load_matrix4_t(r, &shared<SharedRows>().rows[lane()].w[1]);
}

TEST(SimtRulesDeathTest, AddressesAreAligned) {
  alignas(16) const std::array<std::byte, 64> memory = {};
  const Shape shape{{}, kWarp, sizeof(SharedRows)};
  const Memory by_4{memory.data() + 4}, by_8{memory.data() + 8}, by_16{memory.data() + 16};
  const char* const report = "thread 0: an address is not aligned";
  EXPECT_DEATH(run<load_16_bytes>(shape, by_8), report);
  EXPECT_DEATH(run<load_16_bytes_once>(shape, by_8), report);
  EXPECT_DEATH(run<stream_four_words>(shape, by_8), report);
  EXPECT_DEATH(run<load_8_bytes>(shape, by_4), report);
  EXPECT_DEATH(run<load_8_bytes_once>(shape, by_4), report);
  EXPECT_DEATH(run<stream_two_words>(shape, by_4), report);
  EXPECT_DEATH(run<stream_a_word>(shape, {memory.data() + 2}), report);
  EXPECT_DEATH(run<copy_from>(shape, by_8), report);
  EXPECT_DEATH(run<copy_to_the_middle>(shape, by_16), report);
  EXPECT_DEATH(run<load_rows>(shape), report);
  EXPECT_DEATH(run<load_rows_transposed>(shape), report);
  run<load_8_bytes>(shape, by_8);
  run<load_16_bytes>(shape, by_16);
}

SIMT_KERNEL void use_shared(Memory /*memory*/) { shared<SharedRows>().rows[kWarp].w[3] = 1; }

TEST(SimtRulesDeathTest, SharedMemoryIsAsMuchAsTheLaunchAskedFor) {
  constexpr int64_t kBytes = sizeof(SharedRows);
  run<use_shared>({{}, kWarp, kBytes});
  EXPECT_DEATH(run<use_shared>({{}, kWarp, kBytes - 1}), "more shared memory is used than the launch asked for");
  EXPECT_DEATH(run<use_shared>({{}, kWarp}), "more shared memory is used than the launch asked for");
}

SIMT_KERNEL void write_past_the_end(Memory memory) {
  std::byte* bytes = &shared<std::byte>();
  const auto at = *static_cast<const size_t*>(memory.at);
  if (thread() == 5) bytes[at] = std::byte{1};
}

TEST(SimtRulesDeathTest, TheAddressSanitizerKnowsTheEndOfSharedMemory) {
  if (!kKnowsMemory) GTEST_SKIP() << "without the address sanitizer";
  for (const size_t bytes : {1, 60, 128, 1000}) {
    const size_t last = bytes - 1;
    const Shape shape{{}, kWarp, static_cast<int64_t>(bytes)};
    run<write_past_the_end>(shape, {&last});
    EXPECT_DEATH(run<write_past_the_end>(shape, {&bytes}), "AddressSanitizer: .*write_past_the_end") << bytes;
  }
}

TEST(SimtRulesDeathTest, SharedMemoryIsNoMoreThanDevicesHave) {
  run<do_nothing>({{}, kWarp, kMaxSharedBytes});
  EXPECT_DEATH(run<do_nothing>({{}, kWarp, kMaxSharedBytes + 1}), "more shared memory than devices have");
}

SIMT_KERNEL void leave_a_copy(Memory memory) {
  Words4* rows = shared<SharedRows>().rows;
  copy_async16(rows, memory.at);
  copy_commit();
  copy_async16(rows + 1, memory.at);
  copy_commit();
  copy_wait<1>();
}
SIMT_KERNEL void forget_to_commit(Memory memory) {
  copy_async16(shared<SharedRows>().rows + thread(), memory.at);
  copy_wait<0>();
}

TEST(SimtRulesDeathTest, CopiesAreDoneBeforeAThreadReturns) {
  alignas(16) const std::array<std::byte, 16> memory = {};
  const Shape shape{{}, kWarp, sizeof(SharedRows)};
  const char* const report = "a thread returns before its asynchronous copies are done";
  EXPECT_DEATH(run<leave_a_copy>(shape, {memory.data()}), report);
  EXPECT_DEATH(run<forget_to_commit>(shape, {memory.data()}), report);
}

// --- Collectives and barriers ---

// Odd lanes vote where even ones shuffle.
SIMT_KERNEL void part_at_collectives(Memory /*memory*/) {
  if (thread() % 2)
    votes(true);
  else
    shuffle(1, 0);
}
SIMT_KERNEL void vote_in_a_branch(Memory /*memory*/) {
  if (lane() < 20) votes(true);
}
SIMT_KERNEL void multiply_in_a_branch(Memory /*memory*/) {
  float c[4] = {};
  if (lane() < 20) mma_f16(c, {0, 0, 0, 0}, {0, 0});
}

TEST(SimtRulesDeathTest, AllLanesOfAWarpMeetAtACollective) {
  EXPECT_DEATH(run<part_at_collectives>({{}, kWarp}),
               AllOf(HasSubstr("lane 1 is at votes, others of its warp are at shuffle"),
                     HasSubstr("thread 1: lanes of a warp are at different collectives")));
  EXPECT_DEATH(run<part_at_collectives>({{}, kWarp}, {}, {.threads = Order::kBackward}),
               AllOf(HasSubstr("lane 30 is at shuffle, others of its warp are at votes"),
                     HasSubstr("thread 30: lanes of a warp are at different collectives")));
  for (const Order order : {Order::kForward, Order::kBackward, Order::kRandom}) {
    EXPECT_DEATH(run<vote_in_a_branch>({{3}, 64}, {}, {.threads = order}),
                 AllOf(HasSubstr("block (0, 0, 0): threads wait for each other"), HasSubstr("threads 0 to 19: votes\n"),
                       HasSubstr("threads 20 to 31: have returned\n")));
    EXPECT_DEATH(run<multiply_in_a_branch>({{}, kWarp}, {}, {.threads = order}),
                 AllOf(HasSubstr("threads 0 to 19: mma_f16\n"), HasSubstr("threads 20 to 31: have returned\n")));
  }
}

// Half of each warp waits for the block, the other for its warp.
SIMT_KERNEL void part_at_barriers(Memory /*memory*/) {
  if (lane() < 16)
    sync_block();
  else
    sync_warp();
}
SIMT_KERNEL void sync_in_a_branch(Memory /*memory*/) {
  if (warp() == 0) sync_block();
}

TEST(SimtRulesDeathTest, AllThreadsMeetAtABarrier) {
  for (const Order order : {Order::kForward, Order::kBackward, Order::kRandom})
    EXPECT_DEATH(run<part_at_barriers>({{}, 64}, {}, {.threads = order}),
                 AllOf(HasSubstr("threads wait for each other"), HasSubstr("threads 0 to 15: sync_block\n"),
                       HasSubstr("threads 16 to 31: sync_warp\n"), HasSubstr("threads 32 to 47: sync_block\n"),
                       HasSubstr("threads 48 to 63: sync_warp\n")));
  EXPECT_DEATH(run<sync_in_a_branch>({{}, 64}), "thread 32: a thread returns while others wait for it at sync_block");
  EXPECT_DEATH(run<sync_in_a_branch>({{}, 64}, {}, {.threads = Order::kBackward}),
               "thread 31: sync_block after some threads have returned");
}

SIMT_KERNEL void return_before_a_barrier(Memory /*memory*/) {
  if (thread() >= 40) return;
  sync_block();
}
SIMT_KERNEL void return_before_the_last_block(Memory memory) {
  if (thread() >= 40) return;
  last_block(static_cast<int*>(const_cast<void*>(memory.at)), 1);
}

TEST(SimtRulesDeathTest, NobodyReturnsBeforeABarrier) {
  const int counter = 0;
  const char* const report = "thread 40: a thread returns while others wait for it at sync_block";
  EXPECT_DEATH(run<return_before_a_barrier>({{}, 64}), report);
  EXPECT_DEATH(run<return_before_the_last_block>({{}, 64}, {&counter}), report);
  EXPECT_DEATH(run<return_before_a_barrier>({{}, 64}, {}, {.threads = Order::kBackward}),
               "thread 39: sync_block after some threads have returned");
}

// A block that began early is stuck on both sides of its wait.
SIMT_KERNEL void wait_in_a_branch(Memory /*memory*/) {
  if (warp() == 0) wait_for_previous();
  if (lane() < 16) sync_block();
  sync_warp();
}

TEST(SimtRulesDeathTest, ABlockThatBeganEarlyKeepsTheRules) {
  const auto run_early = [](const MachineOptions& options) {
    Machine machine(options);
    launch<do_nothing>(machine.stream(), {{}, kWarp}, Memory{});
    launch<wait_in_a_branch>(machine.stream(), {{}, 64, 0, true}, Memory{});
    machine.run();
  };
  for (const bool starts : {true, false})
    EXPECT_DEATH(run_early({.early_starts = starts}),
                 AllOf(HasSubstr("threads 0 to 15: sync_block\n"), HasSubstr("threads 16 to 31: sync_warp\n")));
}

}  // namespace
}  // namespace skald::simt::rules_test
