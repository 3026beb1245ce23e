// Asynchronous copies on the host, done at once or as late as they may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/gpu/host/machine.h"
#include "kernels/gpu/simt.h"
#include "tests/kernels/gpu/run_kernel.h"
#include "tests/support/close_to.h"

namespace skald::simt::copies_test {
namespace {

using host::Order;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kSlots = 5, kLooks = 7;

struct CopySlots {
  Words4 slots[kWarp][kSlots];
};
struct CopyArgs {
  const Words4* in;  // (threads, kSlots)
  Words4* out;       // (kLooks, threads, kSlots)
};

SIMT_KERNEL void copy_and_look(CopyArgs a) {
  Words4* slots = shared<CopySlots>().slots[thread()];
  const Words4* in = a.in + thread() * kSlots;
  const auto look = [&](int i) {
    for (int s = 0; s < kSlots; ++s) a.out[(i * threads() + thread()) * kSlots + s] = slots[s];
  };
  copy_async16(slots, in);
  copy_commit();
  copy_async16(slots + 1, in + 1);
  copy_async16(slots + 2, in + 2, false);
  copy_commit();
  copy_commit();  // a group without copies is one, too
  copy_async16(slots + 3, in + 3);
  copy_commit();
  copy_async16(slots + 4, in + 4);
  look(0);
  copy_wait<4>();
  look(1);
  copy_wait<3>();
  look(2);
  copy_wait<2>();
  look(3);
  copy_wait<1>();
  look(4);
  copy_wait<0>();
  look(5);
  copy_commit();
  copy_wait<0>();
  look(6);
}

TEST(SimtWords, CopiesAreThereAfterTheWaitForTheirGroup) {
  const std::vector<uint32_t> words = test::random_words(size_t{4} * kSlots * kWarp, 10);
  std::vector<Words4> in(size_t{kWarp} * kSlots), out(in.size() * kLooks);
  std::memcpy(in.data(), words.data(), words.size() * 4);
  const bool there[kLooks][kSlots] = {
      {}, {}, {true}, {true, true, true}, {true, true, true}, {true, true, true, true}, {true, true, true, true, true}};
  for (const bool late : {true, false}) {
    test::run_kernel<copy_and_look>({{}, kWarp, sizeof(CopySlots)}, CopyArgs{in.data(), out.data()}, {.late_copies = late});
    for (size_t look = 0; look < kLooks; ++look)
      for (size_t i = 0; i < in.size(); ++i) {
        const size_t slot = i % kSlots;
        const bool is_there = !late || there[look][slot];
        for (size_t w = 0; w < 4; ++w) {
          const uint32_t copied = slot == 2 ? 0 : in[i].w[w];
          ASSERT_EQ(out[look * in.size() + i].w[w], is_there ? copied : ~0U) << late << ": " << look << ", " << i;
        }
      }
  }
}

SIMT_KERNEL void copy_by_lane(CopyArgs a) {
  Words4* slots = shared<CopySlots>().slots[thread()];
  const int groups = thread() % (kSlots + 1);
  for (int i = 0; i < groups; ++i) {
    copy_async16(slots + i, a.in + thread() * kSlots + i);
    copy_commit();
  }
  copy_wait<2>();
  for (int i = 0; i < kSlots; ++i) a.out[thread() * kSlots + i] = slots[i];
  copy_wait<0>();
}

TEST(SimtWords, AThreadWaitsForItsOwnGroups) {
  std::vector<Words4> in(size_t{kWarp} * kSlots), out(in.size());
  test::run_kernel<copy_by_lane>({{}, kWarp, sizeof(CopySlots)}, CopyArgs{in.data(), out.data()});
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t groups = i / kSlots % (kSlots + 1);
    ASSERT_EQ(out[i].w[0], i % kSlots + 2 < groups ? 0 : ~0U) << i;
  }
}

struct StageArgs {
  const float* in;  // (tiles, threads, 4)
  float* out;       // (threads)
  int tiles;
};
struct Stages {
  float x[2][64 * 4];
};

// The next tile is on its way while all threads add up this one.
SIMT_KERNEL void add_staged(StageArgs a) {
  auto& s = shared<Stages>();
  const auto ask = [&](int tile) {
    copy_async16(s.x[tile % 2] + thread() * 4, a.in + (tile < a.tiles ? tile * threads() + thread() : 0) * 4,
                 tile < a.tiles);
    copy_commit();
  };
  float sum = 0;
  ask(0);
  for (int tile = 0; tile < a.tiles; ++tile) {
    ask(tile + 1);
    copy_wait<1>();
    sync_block();
    for (int i = 0; i < 4; ++i) sum += s.x[tile % 2][i * threads() + thread()];
    sync_block();
  }
  copy_wait<0>();
  a.out[thread()] = sum;
}

TEST(SimtWords, StagesOfCopiesOverlapWithSums) {
  constexpr size_t kThreads = 64, kTiles = 5;
  std::vector<Words4> memory(kTiles * kThreads);
  std::vector<float> x(memory.size() * 4), got(kThreads), want(kThreads);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101);
  std::memcpy(memory.data(), x.data(), x.size() * sizeof(float));
  for (size_t i = 0; i < x.size(); ++i) want[i % kThreads] += x[i];
  for (const bool late : {true, false})
    for (const Order order : {Order::kForward, Order::kBackward, Order::kRandom}) {
      std::ranges::fill(got, kNan);
      test::run_kernel<add_staged>({{}, kThreads, sizeof(Stages)},
                                   StageArgs{reinterpret_cast<const float*>(memory.data()), got.data(), kTiles},
                                   {.threads = order, .late_copies = late});
      EXPECT_TRUE(test::same_bits(got, want)) << late;
    }
}

}  // namespace
}  // namespace skald::simt::copies_test
