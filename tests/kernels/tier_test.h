// Test suites that run once per tier: `kernels()` is the table capped at the tier; a tier that this CPU lacks is skipped.
#pragma once

#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>

#include "kernels/api/tier.h"
#include "tests/support/tiers.h"

namespace skald::test {

/// The reference that the other tiers are tested against.
inline const KernelTable& scalar_kernels() {
  static const KernelTable table = build_kernel_table("scalar");
  return table;
}

template <class Param>
class TierTestWith : public testing::TestWithParam<Param> {
 protected:
  void SetUp() override {
    if (!tier().supported()) GTEST_SKIP() << "this CPU lacks " << tier().name;
    kernels_ = build_kernel_table(tier().name);
  }
  const Tier& tier() const {
    if constexpr (std::is_same_v<Param, const Tier*>)
      return *this->GetParam();
    else
      return *std::get<0>(this->GetParam());
  }
  const KernelTable& kernels() const { return kernels_; }

 private:
  KernelTable kernels_;
};

using TierTest = TierTestWith<const Tier*>;

}  // namespace skald::test
