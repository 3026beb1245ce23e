// Features by their names, of "Determining instruction set characteristics" in Apple's documentation.
#include "base/darwin/sysctl.h"
#include "base/processor_system.h"

namespace skald {

CpuFeatures arm_features() {
  CpuFeatures f;
  f.dot_products = sysctl_number("hw.optional.arm.FEAT_DotProd") != 0;
  f.matrix_int8 = f.dot_products && sysctl_number("hw.optional.arm.FEAT_I8MM") != 0;
  f.bf16 = sysctl_number("hw.optional.arm.FEAT_BF16") != 0;
  return f;
}

std::string arm_name() { return sysctl_text("machdep.cpu.brand_string"); }

}  // namespace skald
