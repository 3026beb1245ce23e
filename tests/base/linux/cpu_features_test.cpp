// CpuFeatures against the flags in /proc/cpuinfo, and the affinity mask.
#include "base/cpu_features.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace skald {
namespace {

// The value of a field of the first processor in /proc/cpuinfo ("" when absent).
std::string cpuinfo(const std::string& field) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(field + "\t", 0) == 0 || line.rfind(field + " ", 0) == 0 || line.rfind(field + ":", 0) == 0) {
      const size_t colon = line.find(':');
      return colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    }
  return "";
}

std::string machine() {
  utsname name = {};
  uname(&name);
  return name.machine;
}

// The kernel clears a flag whose register state it does not save, as cpu_features() must.
TEST(CpuFeatures, AgreeWithTheKernel) {
  std::istringstream words(cpuinfo("flags"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  if (flags.empty() || machine() != "x86_64") GTEST_SKIP() << "no flags of this processor in /proc/cpuinfo";
  const auto has = [&](const char* flag) { return flags.count(flag) != 0; };
  const CpuFeatures f = cpu_features();
  EXPECT_EQ(f.amd, cpuinfo("vendor_id") == "AuthenticAMD");
  EXPECT_EQ(f.avx2, has("avx2"));
  EXPECT_EQ(f.fma, has("fma"));
  EXPECT_EQ(f.f16c, has("f16c"));
  EXPECT_EQ(f.avx512, has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl"));
  EXPECT_EQ(f.avx512_vnni, f.avx512 && has("avx512_vnni"));
  // Kernels before 5.7 (bf16) and 5.12 (avx_vnni) do not know these two, hence one direction only.
  EXPECT_TRUE(f.avx512_bf16 || !(f.avx512 && has("avx512_bf16")) || cpuinfo("vendor_id") == "GenuineIntel");
  EXPECT_TRUE(f.avx_vnni || !has("avx_vnni"));
  EXPECT_TRUE(!f.amx || (has("amx_tile") && has("amx_int8") && has("amx_bf16")));
}

// Emulators show the flags of the machine below them.
TEST(CpuFeatures, AgreeWithTheKernelOnArm) {
  std::istringstream words(cpuinfo("Features"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  if (flags.empty()) GTEST_SKIP() << "no features in /proc/cpuinfo";
  const CpuFeatures f = cpu_features();
  EXPECT_EQ(f.dot_products, flags.contains("asimddp"));
  EXPECT_EQ(f.matrix_int8, flags.contains("i8mm"));
  EXPECT_EQ(f.bf16, flags.contains("bf16"));
  EXPECT_EQ(f.sve_bytes > 0, flags.contains("sve"));
}

TEST(CpuName, IsTheBrandString) {
  const std::string name = cpu_name();
  EXPECT_FALSE(name.empty());
  EXPECT_NE(name.front(), ' ');
  EXPECT_NE(name.back(), ' ');
  const std::string kernel = cpuinfo("model name");
  if (name == "unknown" || kernel.empty() || machine() != "x86_64")
    GTEST_SKIP() << "the kernel or the processor gives no name";
  EXPECT_EQ(name, kernel.substr(0, kernel.find_last_not_of(' ') + 1));
}

TEST(UsableCpus, IsPositiveAndFollowsTheAffinityMask) {
  const int before = usable_cpus();
  EXPECT_GE(before, 1);
  EXPECT_LE(before, static_cast<int>(std::thread::hardware_concurrency()));
  std::thread([] {  // the mask is per thread: this one dies with its own
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(usable_cpus(), 1);
  })
      .join();
}

}  // namespace
}  // namespace skald
