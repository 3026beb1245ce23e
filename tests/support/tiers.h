// Tiers and formats as test parameters: how they are printed and named.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "kernels/api/tier.h"
#include "quant/bf16/block.h"
#include "tensor/format.h"

namespace skald {

// Found by GoogleTest through their arguments' namespace.
inline void PrintTo(const Tier* tier, std::ostream* out) { *out << tier->name; }  // NOLINT(readability-identifier-naming)
inline void PrintTo(const Format* format, std::ostream* out) {
  *out << format->name;
}  // NOLINT(readability-identifier-naming)

namespace test {

inline std::string tier_name(const testing::TestParamInfo<const Tier*>& info) { return info.param->name; }

/// Returns the best tier of this CPU up to which matrices of floats meet activations as they are. It is for tests of files'
/// keys, whose limits know nothing of a tier's arithmetic.
inline std::string_view unrounded_tier() {
  std::string_view best;
  for (const Tier* tier : tiers_up_to()) {
    if (build_kernel_table(tier->name).packed_act[BlockBf16::kId] != ActFormat::kF32) break;
    best = tier->name;
  }
  return best;
}

}  // namespace test
}  // namespace skald
