// CPUID for the instruction sets, the affinity mask and the cgroup quota for the number of processors, sysfs for the cache.
#include "base/cpu_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/cpu_affinity.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace skald {
namespace {

#if defined(__x86_64__)

struct Cpuid {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  Cpuid(unsigned leaf, unsigned subleaf) { __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx); }
};

constexpr bool bit(unsigned word, int position) { return (word >> position & 1) != 0; }

// Which register state the operating system saves (XCR0); only valid with OSXSAVE.
uint64_t saved_state() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

bool is_intel() { return Cpuid(0, 0).ebx == 0x756e6547; }  // "Genu", of GenuineIntel
bool is_amd() { return Cpuid(0, 0).ebx == 0x68747541; }    // "Auth", of AuthenticAMD

// Tiles are granted to processes that ask: all threads, those that exist too.
bool tiles_granted(uint64_t state) {
  constexpr uint64_t kTileState = 0x60000;
  constexpr int kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
  return (state & kTileState) == kTileState && syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

CpuFeatures detect() {
  constexpr uint64_t kYmmState = 0x06, kZmmState = 0xe6;  // SSE and AVX; these and opmask, upper halves, zmm16-31
  CpuFeatures f;
  f.amd = is_amd();
  const Cpuid one(1, 0);
  if (!bit(one.ecx, 27)) return f;  // OSXSAVE
  const uint64_t state = saved_state();
  if ((state & kYmmState) != kYmmState) return f;
  const Cpuid seven(7, 0);
  const Cpuid seven_one(7, seven.eax >= 1 ? 1 : 0);
  f.avx2 = bit(one.ecx, 28) && bit(seven.ebx, 5);
  f.fma = bit(one.ecx, 12);
  f.f16c = bit(one.ecx, 29);
  f.avx_vnni = seven.eax >= 1 && bit(seven_one.eax, 4);
  if ((state & kZmmState) != kZmmState) return f;
  f.avx512 = bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 30) && bit(seven.ebx, 31);  // F DQ BW VL
  f.avx512_vnni = f.avx512 && bit(seven.ecx, 11);
  f.avx512_bf16 = f.avx512 && seven.eax >= 1 && bit(seven_one.eax, 5) && !is_intel();
  f.amx = f.avx512 && bit(seven.edx, 22) && bit(seven.edx, 23) && bit(seven.edx, 24) && bit(seven.edx, 25) &&
          tiles_granted(state);
  return f;
}

std::string brand() {
  if (Cpuid(0x80000000, 0).eax < 0x80000004) return "";
  std::string name;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Cpuid part(leaf, 0);
    for (const unsigned word : {part.eax, part.ebx, part.ecx, part.edx})
      name.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return name.substr(0, name.find('\0'));
}

#else

CpuFeatures detect() { return {}; }
std::string brand() { return ""; }

#endif

// The first line of a file, or "".
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Whole processors' worth of a quota, rounded up: half a processor still runs one thread. Infinite when there is no quota.
double quota_cpus(const std::string& quota, const std::string& period) {
  std::istringstream q(quota), p(period);
  double time = 0, per = 0;
  if (!(q >> time) || !(p >> per) || time <= 0 || per <= 0) return INFINITY;  // "max", "-1", or no such file
  return std::ceil(time / per);
}

// The tightest quota on the way from this process's control group to the root (all ancestors bind).
double cgroup_cpus() {
  double least = INFINITY;
  std::ifstream file("/proc/self/cgroup");  // lines "0::/path" (v2) or "3:cpu,cpuacct:/path" (v1)
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = controllers == ",,";
    if (!v2 && controllers.find(",cpu,") == std::string::npos) continue;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      if (v2) {
        std::istringstream max(first_line("/sys/fs/cgroup" + path + "/cpu.max"));  // "<quota or max> <period>"
        std::string quota, period;
        max >> quota >> period;
        least = std::min(least, quota_cpus(quota, period));
      } else {
        const std::string base = "/sys/fs/cgroup/cpu" + path + "/cpu.cfs_";
        least = std::min(least, quota_cpus(first_line(base + "quota_us"), first_line(base + "period_us")));
      }
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

// Hypervisors trap the instruction: asking takes as long as a small step.
CpuFeatures cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

std::string cpu_name() {
  const std::string name = brand();
  const size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown";
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

int usable_cpus() {
  auto cpus = static_cast<int>(thread_affinity().size());
  if (cpus <= 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, static_cast<int>(std::min(static_cast<double>(cpus), cgroup_cpus())));
}

// The kernel's figures: sysconf() multiplies the caches of a whole socket, which no core can use. In order of levels; 0
// after the last one.
static int64_t cache_property(int index, const char* property) {
  std::istringstream text(first_line(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/{}", index, property)));
  int64_t value = 0;  // of "32768K"
  return text >> value ? value : 0;
}

int64_t second_level_cache_bytes() {
  for (int index = 0; cache_property(index, "size"); ++index)
    if (cache_property(index, "level") == 2) return cache_property(index, "size") * 1024;
  return 0;
}

int64_t last_level_cache_bytes() {
  int64_t last = 0;
  for (int index = 0; const int64_t kib = cache_property(index, "size"); ++index) last = kib;
  return last * 1024;
}

}  // namespace skald
