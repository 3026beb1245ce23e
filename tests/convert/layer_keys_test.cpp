#include "convert/layer_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald::layer_keys_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<bool> windows(json config, int64_t period = 4) {
  config["num_hidden_layers"] = 4;
  return window_layers(HfConfig(config), period);
}

TEST(LayerKeys, WindowsByKindsLettersOrAPeriod) {
  EXPECT_THAT(windows({}), ElementsAre(true, true, true, false));
  EXPECT_THAT(windows({{"sliding_window_pattern", 2}}), ElementsAre(true, false, true, false));
  EXPECT_THAT(windows({{"sliding_window_pattern", "GL"}}), ElementsAre(false, true, false, false))
      << "the last layer sees all keys, whatever its letter";
  EXPECT_THAT(windows({{"sliding_window_pattern", 2},
                       {"layer_types", {"full_attention", "sliding_attention", "full_attention", "sliding_attention"}}}),
              ElementsAre(false, true, false, true));
}

TEST(LayerKeys, KindsThatAreWrongAreRefusedByName) {
  EXPECT_THAT(test::error_of([] {
                windows({{"layer_types", {"full_attention"}}});
              }).what(),
              HasSubstr("layer_types: 4 layers"));
  const Error unknown = test::error_of([] {
    windows({{"layer_types", {"full_attention", "full_attention", "full_attention", "odd_attention"}}});
  });
  EXPECT_EQ(unknown.code(), Errc::kUnsupported);
  EXPECT_THAT(unknown.what(), HasSubstr("odd_attention"));
  EXPECT_THAT(test::error_of([] { windows({{"sliding_window_pattern", "LXG"}}); }).what(), HasSubstr("\"LXG\""));
}

TEST(LayerKeys, NoLayerHasAWindowThatIsSwitchedOff) {
  for (const json& off : {json{{"sliding_window", 64}, {"use_sliding_window", false}}, json{{"sliding_window", nullptr}}}) {
    Meta meta;
    Hyperparameters out(meta, "x");
    window_keys(HfConfig(off), out, {true, false});
    EXPECT_EQ(meta.i64("x.attention.sliding_window"), 0);
    EXPECT_THAT(meta.flags("x.attention.sliding_window_pattern"), ElementsAre(false, false));
  }
}

TEST(LayerKeys, DenseLayersStandInFront) {
  const auto dense = [](json config) {
    config["num_hidden_layers"] = 3;
    return dense_layers(HfConfig(config), 1);
  };
  EXPECT_EQ(dense({}), 1);
  EXPECT_EQ(dense({{"first_k_dense_replace", 2}}), 2);
  EXPECT_EQ(dense({{"first_k_dense_replace", 2}, {"mlp_layer_types", {"dense", "sparse", "sparse"}}}), 1);
  EXPECT_EQ(test::error_of([&] { dense({{"mlp_layer_types", {"sparse", "dense", "sparse"}}}); }).code(), Errc::kUnsupported);
}

}  // namespace
}  // namespace skald::layer_keys_test
