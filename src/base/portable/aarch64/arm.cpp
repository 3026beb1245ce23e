// What every processor has.
#include "base/processor_system.h"

namespace skald {

CpuFeatures arm_features() { return {}; }
std::string arm_name() { return ""; }

}  // namespace skald
