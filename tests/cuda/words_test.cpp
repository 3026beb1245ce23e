// The kernels that try each word on a card (bench/gpu): they depend on no order of threads, and each gives something.
#include "bench/gpu/try_word.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/simt/simt_device.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::gpu {
namespace {

std::vector<uint32_t> outputs(const Word& word, const simt::host::MachineOptions& options) {
  SimtDevice device(options);
  return try_word(device, word);
}

TEST(Words, GiveTheSameInEveryOrder) {
  for (const Word& word : words<simt::HostTarget>()) {
    const std::vector<uint32_t> want = outputs(word, {});
    EXPECT_TRUE(std::ranges::any_of(want, [](uint32_t w) { return w != 0; })) << word.name;
    for (const simt::host::MachineOptions& options : test::kOneOfEachOrder)
      EXPECT_EQ(outputs(word, options), want) << word.name << ", " << test::order_name(options);
  }
}

}  // namespace
}  // namespace skald::gpu
