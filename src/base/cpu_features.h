// What the processor has, as far as the operating system lets this process use it.
#pragma once

#include <cstdint>
#include <string>

namespace skald {

struct CpuFeatures {
  // x86-64
  bool avx2 = false, fma = false, f16c = false;
  bool avx512 = false;  // F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;  // at the rate of other products: on Intel's processors it takes four times as long
  bool avx_vnni = false;
  bool amd = false;
  bool amx = false;  // tiles of bytes and of bfloat16, which the system lets this process use
  // 64-bit Arm
  bool dot_products = false;  // of bytes: SDOT
  bool matrix_int8 = false;   // SMMLA and USDOT
  bool bf16 = false;          // BFDOT and BFMMLA
  int sve_bytes = 0;          // of an SVE vector; 0: none
};

/// Detected once per call; cheap. Asks the system for the use of tiles where there are any.
CpuFeatures cpu_features();

/// Returns the processor's brand string, or "unknown".
std::string cpu_name();

/// Processors that this process may run on (affinity mask and cgroup quota), at least 1.
int usable_cpus();

}  // namespace skald
