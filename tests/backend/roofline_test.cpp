// The roofline: figures that hang together and with the processor's features; nothing about absolute speed.
#include "backend/cpu/roofline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/roofline_loops.h"
#include "base/cpu_features.h"
#include "base/thread_pool.h"

namespace skald {
namespace {

int supported(const auto& loops) {
  return static_cast<int>(std::ranges::count_if(loops, [](const auto& loop) { return loop.supported(cpu_features()); }));
}

TEST(Roofline, IsPlausibleAndFollowsTheProcessorsFeatures) {
  ThreadPool pool(2);
  const Roofline r = measure_roofline(pool, 0.4, 64 << 20);
  const CpuFeatures f = cpu_features();
  EXPECT_GT(r.read_gb_per_s, 0.1);
  EXPECT_LT(r.read_gb_per_s, 2000);
  // At most two 512-bit multiply-adds per cycle and thread at 7 GHz.
  constexpr double kMostF32 = 2 * 2 * 16 * 2 * 7.0;
  EXPECT_GT(r.f32_gflop_per_s, 0.1);
  EXPECT_LT(r.f32_gflop_per_s, kMostF32);
  EXPECT_LT(r.bf16_gflop_per_s, (f.amx ? 16 : 2) * kMostF32);
  EXPECT_LT(r.int16_gop_per_s, 2 * kMostF32);
  EXPECT_LT(r.int8_gop_per_s, 4 * kMostF32);
  EXPECT_EQ(r.bf16_gflop_per_s > 0, f.avx512_bf16 || f.amx || f.bf16);
  EXPECT_EQ(r.int16_gop_per_s > 0, f.avx512_vnni || f.avx_vnni);
  EXPECT_EQ(r.int8_gop_per_s > 0, supported(int8_loops()) > 0);
  if (f.avx512_vnni || f.avx_vnni || f.dot_products) {
    EXPECT_GE(r.int8_gop_per_s, r.f32_gflop_per_s);
  }
}

TEST(RooflineLoops, EveryMachineCanCountAndRead) {
  EXPECT_GE(supported(f32_loops()), 1);
  EXPECT_GE(supported(read_loops()), 1);
}

}  // namespace
}  // namespace skald
