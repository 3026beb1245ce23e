// Random caches: the right length, finite numbers of the right spread in every layer, and an error when there is no room.
#include "tools/random_kv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/compute.h"
#include "skald/model.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

class RandomKv : public testing::Test {
 protected:
  Model model_ = Model::embedded();
  Compute compute_{*model_.loaded(), {.threads = 1, .kv = {.max_keys = 200, .k_type = "f32", .v_type = "f16"}}};
  Runner& runner_ = compute_.runner();
  KvSequence sequence_ = runner_.new_sequence();
};

TEST_F(RandomKv, FillsEveryKeyAndValueWithNumbersBelowOne) {
  fill_random_kv(runner_, sequence_, 150);
  EXPECT_EQ(sequence_.length(), 150);
  EXPECT_EQ(runner_.pool().taken(), 3);
  const KvSpec& spec = runner_.kv_spec();
  ASSERT_GT(spec.layers.size(), 1u);
  std::set<float> first_of_layer;
  for (size_t l = 0; l < spec.layers.size(); ++l) {
    KvView view = runner_.layer_view(static_cast<int64_t>(l));
    view.pages = sequence_.pages();
    double squares = 0;
    int64_t n = 0;
    for (int64_t head = 0; head < spec.layers[l].n_kv_heads; ++head)
      for (int64_t key = 0; key < 150; ++key) {
        std::vector<float> row(static_cast<size_t>(spec.layers[l].d_k + spec.layers[l].d_v));
        spec.k_format->decode(view.k_row(head, key), row.data(), spec.layers[l].d_k);
        spec.v_format->decode(view.v_row(head, key), row.data() + spec.layers[l].d_k, spec.layers[l].d_v);
        if (head == 0 && key == 0) first_of_layer.insert(row[0]);
        for (const float x : row) {
          ASSERT_LE(std::abs(x), 1.0f) << "layer " << l << ", head " << head << ", key " << key;
          squares += static_cast<double>(x) * static_cast<double>(x);
          ++n;
        }
      }
    EXPECT_NEAR(squares / static_cast<double>(n), 1.0 / 3, 0.02) << "the variance of even numbers in (-1, 1)";
  }
  EXPECT_EQ(first_of_layer.size(), spec.layers.size()) << "layers differ";
}

TEST_F(RandomKv, CanBeContinued) {
  fill_random_kv(runner_, sequence_, 100);
  const std::vector<TokenId> tokens = {300};
  const StepItem item{&sequence_, tokens, 1};
  const TensorView logits = runner_.run({&item, 1});
  for (int64_t i = 0; i < logits.cols(); ++i) ASSERT_TRUE(std::isfinite(logits.row(0)[i]));
  EXPECT_EQ(sequence_.length(), 101);
}

TEST_F(RandomKv, OfNothingTakesNoPages) {
  fill_random_kv(runner_, sequence_, 0);
  EXPECT_EQ(sequence_.length(), 0);
  EXPECT_EQ(runner_.pool().taken(), 0);
}

TEST_F(RandomKv, SaysHowManyTokensDoNotFit) {
  const Error e = test::error_of([&] { fill_random_kv(runner_, sequence_, 257); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_THAT(e.what(), testing::HasSubstr("257"));
  EXPECT_EQ(sequence_.length(), 0);
  EXPECT_EQ(runner_.pool().taken(), 0);
}

}  // namespace
}  // namespace skald
