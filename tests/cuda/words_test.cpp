// The kernels that try each word on a card (bench/gpu): they depend on no order of threads, and each gives something.
#include "bench/gpu/words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/gpu/memory.h"
#include "backend/simt/simt_device.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::gpu {
namespace {

constexpr size_t kThreads = size_t{kWordBlocks} * kWordThreads;

std::vector<uint32_t> outputs(const Word& word, const simt::host::MachineOptions& options) {
  SimtDevice device(options);
  const std::vector<uint32_t> in = test::random_words(kThreads * kWordInputs, 1);
  std::vector<uint32_t> out(kThreads * kWordOutputs);
  const auto bytes = [](const std::vector<uint32_t>& v) { return std::ssize(v) * static_cast<int64_t>(sizeof(uint32_t)); };
  const GpuBuffer given(device, bytes(in), Use::kWeights), got(device, bytes(out), Use::kWork),
      counter(device, sizeof(int), Use::kWork);
  device.write(given.data(), reinterpret_cast<const std::byte*>(in.data()), bytes(in));
  word.launch(device.stream(), {reinterpret_cast<const uint32_t*>(given.data()), reinterpret_cast<uint32_t*>(got.data()),
                                reinterpret_cast<int*>(counter.data())});
  device.read(reinterpret_cast<std::byte*>(out.data()), got.data(), bytes(out));
  return out;
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
