#include "stepping/gpu_layers.h"

#include <gtest/gtest.h>

#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

constexpr int64_t kWork = int64_t{512} << 20;

EngineOptions with_context(int64_t n_ctx) {
  EngineOptions o;
  o.cache.n_ctx = n_ctx;
  o.schedule.n_parallel = 1;
  return o;
}

class LayersThatFit : public testing::Test {
 protected:
  int64_t layers(int64_t memory, int64_t n_ctx = 64) const { return layers_that_fit(*model_, with_context(n_ctx), memory); }
  // The least memory for this number of layers.
  int64_t least(int64_t wanted, int64_t n_ctx = 64) const {
    int64_t low = 0, high = int64_t{1} << 40;
    while (high - low > 1) (layers((low + high) / 2, n_ctx) >= wanted ? high : low) = (low + high) / 2;
    return high;
  }
  std::shared_ptr<const LoadedModel> model_ = test::load({.n_layers = 4});
};

TEST_F(LayersThatFit, AreAllAndTheOutputInAllOfTheMemory) {
  EXPECT_EQ(layers(int64_t{1} << 40), 5);
  EXPECT_EQ(layers(0), 0);
  EXPECT_EQ(layers(kWork), 0);
}

TEST_F(LayersThatFit, TakeTheOutputFirst) {
  const int64_t output = 101 * 96 * 4, norm = 96 * 4;  // f32
  EXPECT_GE(least(1), kWork + output);
  EXPECT_LE(least(1), kWork + output + norm);
}

TEST_F(LayersThatFit, CountTheirKeysAndValues) {
  const int64_t numbers = 2 * (32 + 64);  // of a layer, for each token; f16
  const auto of_layer = [&](int64_t n_ctx) { return least(3, n_ctx) - least(2, n_ctx); };
  EXPECT_NEAR(static_cast<double>(of_layer(1024) - of_layer(512)), static_cast<double>(512 * numbers * 2), 20000);
}

TEST_F(LayersThatFit, StandInPlaceOfAutoForADevice) {
  EngineOptions o = with_context(64);
  o.device.device = "simt";
  o.device.gpu_layers = "auto";
  EXPECT_EQ(with_gpu_layers(*model_, o).device.gpu_layers, "5");
  o.device.gpu_layers = "2";
  EXPECT_EQ(with_gpu_layers(*model_, o).device.gpu_layers, "2");
}

}  // namespace
}  // namespace skald
