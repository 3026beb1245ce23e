// What the system says of the processor, or must grant: src/base/<system>/<processor>/.
#pragma once

#include <string>

#include "base/cpu_features.h"

namespace skald {

/// x86-64: asks for the use of AMX's tiles. Returns whether all threads may use them.
bool ask_for_tiles();

/// 64-bit Arm: only the system can read the registers that tell these.
CpuFeatures arm_features();
std::string arm_name();  // "" where it does not say

}  // namespace skald
