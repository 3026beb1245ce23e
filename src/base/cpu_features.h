// CPU features by CPUID, including whether the operating system saves the wide registers.
#pragma once

#include <string>

namespace skald {

struct CpuFeatures {
  bool avx2 = false, fma = false, f16c = false;
  bool avx512 = false;  // F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx_vnni = false;
};

/// Detected once per call; cheap.
CpuFeatures cpu_features();

/// The processor's brand string, or "unknown".
std::string cpu_name();

/// Processors that this process may run on (affinity mask and cgroup quota), at least 1.
int usable_cpus();

}  // namespace skald
