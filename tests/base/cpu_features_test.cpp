// What holds of any processor and system.
#include "base/cpu_features.h"

#include <gtest/gtest.h>

#include <thread>

namespace skald {
namespace {

TEST(CpuFeatures, LaterInstructionsImplyEarlierOnes) {
  const CpuFeatures f = cpu_features();
  EXPECT_TRUE(f.dot_products || !f.matrix_int8);
  EXPECT_EQ(f.sve_bytes % 16, 0);
}

TEST(CpuFeatures, WideRegistersImplyNarrowOnes) {
  const CpuFeatures f = cpu_features();
  EXPECT_TRUE(f.avx2 || !f.avx512);
  EXPECT_TRUE(f.avx512 || !(f.avx512_vnni || f.avx512_bf16));
}

TEST(CpuName, IsNeverEmpty) { EXPECT_FALSE(cpu_name().empty()); }

TEST(UsableCpus, AreNoMoreThanThereAre) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace skald
