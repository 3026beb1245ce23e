// x86-64: CPUID, MXCSR.
#include "base/processor.h"

#include <cpuid.h>
#include <xmmintrin.h>

#include "base/processor_system.h"

namespace skald {
namespace {

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

bool tiles_granted(uint64_t state) {
  constexpr uint64_t kTileState = 0x60000;
  return (state & kTileState) == kTileState && ask_for_tiles();
}

}  // namespace

CpuFeatures detect_cpu_features() {
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

std::string detect_cpu_name() {
  if (Cpuid(0x80000000, 0).eax < 0x80000004) return "";
  std::string name;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Cpuid part(leaf, 0);
    for (const unsigned word : {part.eax, part.ebx, part.ecx, part.edx})
      name.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return name.substr(0, name.find('\0'));
}

void pause_spinning() { __builtin_ia32_pause(); }

const uint64_t kFlushDenormals = 0x8040;  // flush-to-zero (bit 15) and denormals-are-zero (bit 6)
uint64_t float_control() { return _mm_getcsr(); }
void set_float_control(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }

}  // namespace skald
