// Tiers and formats as test parameters: how they are printed and named.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "kernels/api/tier.h"
#include "tensor/format.h"

namespace skald {

// Found by GoogleTest through their arguments' namespace.
inline void PrintTo(const Tier* tier, std::ostream* out) { *out << tier->name; }  // NOLINT(readability-identifier-naming)
inline void PrintTo(const Format* format, std::ostream* out) {
  *out << format->name;
}  // NOLINT(readability-identifier-naming)

namespace test {

inline std::string tier_name(const testing::TestParamInfo<const Tier*>& info) { return info.param->name; }

}  // namespace test
}  // namespace skald
