#include "convert/mamba_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald::mamba_keys_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Mamba2Sizes sizes(json config, bool expanded = true) {
  config["hidden_size"] = 32;
  Meta meta;
  Hyperparameters out(meta, "x");
  return mamba2_keys(HfConfig(config), out, expanded);
}

TEST(MambaKeys, HeadsAreAnEqualShareWhereNothingSaysTheirSize) {
  EXPECT_EQ(sizes({{"mamba_n_heads", 4}, {"mamba_expand", 2}, {"mamba_d_head", "auto"}}).d_head, 16);
  EXPECT_EQ(sizes({{"mamba_n_heads", 4}, {"mamba_d_ssm", 48}}).d_head, 12);
  EXPECT_EQ(sizes({{"mamba_num_heads", 4}, {"mamba_head_dim", 80}}, /*expanded=*/false).d_inner(), 320);
}

TEST(MambaKeys, WhatContradictsItselfIsAnError) {
  EXPECT_THAT(test::error_of([] {
                sizes({{"mamba_n_heads", 4}, {"mamba_expand", 2}, {"mamba_d_head", 8}});
              }).what(),
              HasSubstr("64 values of Mamba do not divide over 4 heads of 8"));
  EXPECT_EQ(test::error_of([] { sizes({{"mamba_n_heads", 0}}); }).code(), Errc::kBadFile);
}

TEST(MambaKeys, LimitsOfTimeStepsAreRefused) {
  for (const json& high : {json("Infinity"), json{{"__float__", "Infinity"}}})
    sizes({{"mamba_n_heads", 4}, {"time_step_limit", {0.0, high}}});
  const Error e = test::error_of([] { sizes({{"mamba_n_heads", 4}, {"time_step_limit", {0.001, 0.1}}}); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("time_step_limit"));
}

}  // namespace
}  // namespace skald::mamba_keys_test
