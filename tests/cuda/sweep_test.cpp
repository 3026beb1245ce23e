// The cuts that are measured on a card (bench/gpu/sweep): each gives what the usual one does.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/simt/simt_device.h"
#include "bench/gpu/sweep/trials.h"
#include "tests/support/close_to.h"

namespace skald::gpu {
namespace {

constexpr int64_t kPoolBytes = int64_t{1} << 20;

void expect_usual_bits(const std::vector<ProductVariant>& variants) {
  SimtDevice device;
  const Pool pool(device, kPoolBytes);
  std::vector<float> want;
  uint32_t format = ~0U;
  for (const ProductVariant& variant : variants) {
    const ProductTrial trial(device, pool, variant.format, 16 * 5 - 3, 32 * 21);
    trial.launch(variant, 0);
    const std::vector<float> got = trial.result();
    if (variant.format != format) {
      want = got;
      format = variant.format;
      EXPECT_TRUE(std::ranges::all_of(want, [](float x) { return std::isfinite(x) && x != 0; })) << format;
    }
    EXPECT_EQ(got, want) << format << ", panels " << variant.cut.panels << ", steps " << variant.cut.steps << ", unroll "
                         << variant.cut.unroll << ", blocks " << variant.cut.blocks;
  }
}

TEST(Sweep, HasHalvesOfTheSameBits) { expect_usual_bits(half_variants<simt::HostTarget>()); }

TEST(Sweep, HasCodesOfTheSameBits) { expect_usual_bits(code_variants<simt::HostTarget>()); }

TEST(Sweep, HasPartsWithTheSameSums) {
  SimtDevice device;
  const Pool pool(device, kPoolBytes);
  const PartsTrial trial(device, pool, {.kv_heads = 2, .group = 3, .keys = 700});
  std::vector<float> want;
  for (const PartsVariant& variant : parts_variants<simt::HostTarget>()) {
    trial.launch(variant, 0);
    const std::vector<float> got = trial.result();
    if (want.empty()) want = got;
    EXPECT_TRUE(test::close_to(got, want, 1e-3f)) << "pages " << variant.cut.pages << ", " << variant.cut.most_blocks;
  }
}

// Turns read other memory, as far as the pool has it.
TEST(Sweep, ReadsOtherMemoryInEachTurn) {
  SimtDevice device;
  const Pool pool(device, kPoolBytes);
  EXPECT_NE(pool.at(0, 1000), pool.at(1, 1000));
  EXPECT_EQ(pool.at(0, kPoolBytes), pool.at(1, kPoolBytes));
  const ProductVariant usual = half_variants<simt::HostTarget>().front();
  const ProductTrial trial(device, pool, usual.format, 20, 64);
  trial.launch(usual, 0);
  const std::vector<float> first = trial.result();
  trial.launch(usual, 1);
  EXPECT_NE(trial.result(), first);
}

}  // namespace
}  // namespace skald::gpu
