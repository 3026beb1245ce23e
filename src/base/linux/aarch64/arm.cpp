// HWCAP, and the identification register, for which the kernel answers.
#include <asm/hwcap.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "base/processor_system.h"

namespace skald {
namespace {

bool has(unsigned long word, unsigned long bits) { return (word & bits) == bits; }

struct Part {
  unsigned implementer, number;
  std::string_view name;
};

// Of the identification register, by its implementer and part.
constexpr std::array kParts = {
    Part{0x41, 0xd03, "Arm Cortex-A53"},   Part{0x41, 0xd05, "Arm Cortex-A55"},   Part{0x41, 0xd07, "Arm Cortex-A57"},
    Part{0x41, 0xd08, "Arm Cortex-A72"},   Part{0x41, 0xd09, "Arm Cortex-A73"},   Part{0x41, 0xd0a, "Arm Cortex-A75"},
    Part{0x41, 0xd0b, "Arm Cortex-A76"},   Part{0x41, 0xd0c, "Arm Neoverse N1"},  Part{0x41, 0xd0d, "Arm Cortex-A77"},
    Part{0x41, 0xd40, "Arm Neoverse V1"},  Part{0x41, 0xd41, "Arm Cortex-A78"},   Part{0x41, 0xd44, "Arm Cortex-X1"},
    Part{0x41, 0xd47, "Arm Cortex-A710"},  Part{0x41, 0xd48, "Arm Cortex-X2"},    Part{0x41, 0xd49, "Arm Neoverse N2"},
    Part{0x41, 0xd4e, "Arm Cortex-X3"},    Part{0x41, 0xd4f, "Arm Neoverse V2"},  Part{0x46, 0x001, "Fujitsu A64FX"},
    Part{0x61, 0x022, "Apple M1 (small)"}, Part{0x61, 0x023, "Apple M1 (large)"}, Part{0xc0, 0xac3, "Ampere AmpereOne"},
};

}  // namespace

CpuFeatures arm_features() {
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  CpuFeatures f;
  f.dot_products = has(first, HWCAP_ASIMDDP);
  f.matrix_int8 = f.dot_products && has(second, HWCAP2_I8MM);
  f.bf16 = has(second, HWCAP2_BF16);
  if (has(first, HWCAP_SVE)) f.sve_bytes = prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK;
  return f;
}

std::string arm_name() {
  if (!has(getauxval(AT_HWCAP), HWCAP_CPUID)) return "";
  uint64_t id = 0;
  asm("mrs %0, midr_el1" : "=r"(id));  // the kernel answers for the register
  const auto implementer = static_cast<unsigned>(id >> 24 & 0xff), number = static_cast<unsigned>(id >> 4 & 0xfff);
  for (const Part& part : kParts)
    if (part.implementer == implementer && part.number == number) return std::string(part.name);
  return fmt::format("Arm, implementer {:#x}, part {:#x}", implementer, number);
}

}  // namespace skald
