// 64-bit Arm: what the system says of it, FPCR.
#include "base/processor.h"
#include "base/processor_system.h"

namespace skald {

CpuFeatures detect_cpu_features() { return arm_features(); }

std::string detect_cpu_name() { return arm_name(); }

void pause_spinning() { asm volatile("isb"); }  // waits for some cycles; YIELD takes one

const uint64_t kFlushDenormals = uint64_t{1} << 24;  // FPCR.FZ: of operands and results
uint64_t float_control() {
  uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_float_control(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }

}  // namespace skald
