// What the kernels that measure a device read and multiply, all of it.
#include "kernels/gpu/limits.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>

#include "kernels/gpu/kernel_table.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::gpu::limits_test {
namespace {

TEST(GpuLimits, EveryByteIsReadOnce) {
  for (const int64_t pieces : {0, 1, 255, 1024, 5000}) {
    alignas(16) static std::array<uint32_t, 20000> data;
    const std::vector<uint32_t> words = test::random_words(static_cast<size_t>(4 * pieces), 1);
    std::ranges::copy(words, data.begin());
    std::vector<uint32_t> out(size_t{2} * kLimitThreads, 1);
    simt::host::Machine machine;
    machine.add_weights({reinterpret_cast<const std::byte*>(data.data()), words.size() * 4});
    const ReadBytesArgs args{reinterpret_cast<const std::byte*>(data.data()), pieces, out.data()};
    gpu_kernels<simt::HostTarget>().read_bytes(machine.stream(), args, 2);
    machine.run();
    const auto fold = [](const std::vector<uint32_t>& v) {
      return std::accumulate(v.begin(), v.end(), 0U, std::bit_xor<>());
    };
    EXPECT_EQ(fold(out), fold(words)) << pieces;
  }
}

TEST(GpuLimits, EveryStepMultiplies) {
  const GpuKernels kernels = gpu_kernels<simt::HostTarget>();
  std::vector<float> out(kLimitThreads);
  simt::host::Machine machine;
  kernels.multiply_halves(machine.stream(), {3, 0x3c003c00, out.data()}, 1);
  machine.run();
  EXPECT_EQ(out, std::vector<float>(kLimitThreads, 3 * 4 * 16 * kLimitProducts));
  kernels.multiply_codes(machine.stream(), {3, 0x01010101, out.data()}, 1);
  machine.run();
  EXPECT_EQ(out, std::vector<float>(kLimitThreads, 3 * 4 * 32 * kLimitProducts));
}

}  // namespace
}  // namespace skald::gpu::limits_test
