// Random caches: the right length, finite numbers of the right spread in every layer, what sparse decoding keeps beside
// them, and an error when there is no room.
#include "tools/bench/random_kv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "skald/model.h"
#include "stepping/compute.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

/// All keys and values of a head in the page that holds `slot`, in any order.
std::vector<float> page_of(const KvSpec& spec, const AttentionState& layer, const KvView& view, int64_t head, int64_t slot) {
  const int64_t n_k = kPageKeys * layer.d_k, n_v = kPageKeys * layer.d_v;
  std::vector<float> out(static_cast<size_t>(n_k + n_v));
  spec.k_format->decode(view.k_page(head, slot), out.data(), n_k);
  spec.v_format->decode(view.v_row(head, slot), out.data() + n_k, n_v);
  return out;
}

class RandomKvTest : public testing::Test {
 protected:
  Model model_ = Model::embedded();
  Compute compute_{*model_.loaded(),
                   {.device = {.n_threads = 1},
                    .cache = {.n_ctx = 200, .type_k = "f32", .type_v = "f16"},
                    .schedule = {.n_parallel = 1}}};
  Runner& runner_ = compute_.runner();
  KvSequence sequence_ = runner_.new_sequence();
  RandomKv random_{compute_};
};

TEST_F(RandomKvTest, FillsEveryKeyAndValue) {
  random_.extend(sequence_, 3 * kPageKeys);
  EXPECT_EQ(sequence_.length(), 3 * kPageKeys);
  EXPECT_EQ(runner_.kv().pool(0).taken(), 3);
  const KvSpec& spec = runner_.kv().spec();
  ASSERT_GT(spec.slots.size(), 1u);
  std::set<float> first_of_layer;
  for (size_t l = 0; l < spec.slots.size(); ++l) {
    const KvView view = sequence_.view(static_cast<int64_t>(l));
    double squares = 0;
    int64_t n = 0;
    for (int64_t head = 0; head < spec.attention(static_cast<int64_t>(l)).n_kv_heads; ++head)
      for (int64_t slot = 0; slot < 3 * kPageKeys; slot += kPageKeys) {
        const std::vector<float> numbers = page_of(spec, spec.attention(static_cast<int64_t>(l)), view, head, slot);
        if (head == 0 && slot == 0) first_of_layer.insert(numbers[0]);
        for (const float x : numbers) {
          ASSERT_LE(std::abs(x), 4.0f) << "layer " << l << ", head " << head << ", slot " << slot;
          squares += static_cast<double>(x) * static_cast<double>(x);
          ++n;
        }
      }
    EXPECT_NEAR(squares / static_cast<double>(n), 1.0, 0.06) << "a variance of 1";
  }
  EXPECT_EQ(first_of_layer.size(), spec.slots.size()) << "layers differ";
}

TEST_F(RandomKvTest, CanBeContinued) {
  random_.extend(sequence_, 40);
  random_.extend(sequence_, 100);
  const std::vector<TokenId> tokens = {300};
  const StepItem item{&sequence_, tokens, 1};
  const Logits logits = runner_.run({&item, 1});
  for (int64_t i = 0; i < logits.cols(); ++i) ASSERT_TRUE(std::isfinite(logits.row(0)[i]));
  EXPECT_EQ(sequence_.length(), 101);
}

// The index chooses the keys that the rows themselves choose, hence it holds the same numbers.
TEST_F(RandomKvTest, FillsTheIndexOfSparseDecoding) {
  const auto logits = [&](const char* index) {
    EngineOptions options{.device = {.n_threads = 1}, .cache = {.n_ctx = 1400}};
    options.cache.sparq = {.k1 = 8, .k2 = 100, .mean = false, .index = index};
    Compute compute(*model_.loaded(), options);
    KvSequence sequence = compute.runner().new_sequence();
    RandomKv(compute).extend(sequence, 1300);
    const std::vector<TokenId> tokens = {300};
    const StepItem item{&sequence, tokens, 1, true};
    const Logits out = compute.runner().run({&item, 1});
    return std::vector<float>(out.row(0).begin(), out.row(0).end());
  };
  const std::vector<float> by_rows = logits("none"), by_index = logits("f16");
  double difference = 0, size = 0;
  for (size_t i = 0; i < by_rows.size(); ++i) {
    difference += std::pow(static_cast<double>(by_index[i] - by_rows[i]), 2);
    size += std::pow(static_cast<double>(by_rows[i]), 2);
  }
  EXPECT_LT(difference, 1e-6 * size);
}

TEST_F(RandomKvTest, OfNothingTakesNoPages) {
  random_.extend(sequence_, 0);
  EXPECT_EQ(sequence_.length(), 0);
  EXPECT_EQ(runner_.kv().pool(0).taken(), 0);
}

TEST_F(RandomKvTest, SaysHowManyTokensDoNotFit) {
  const Error e = test::error_of([&] { random_.extend(sequence_, 6 * kPageKeys + 1); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_THAT(e.what(), testing::HasSubstr("385"));
  EXPECT_EQ(sequence_.length(), 0);
  EXPECT_EQ(runner_.kv().pool(0).taken(), 0);
}

}  // namespace
}  // namespace skald
