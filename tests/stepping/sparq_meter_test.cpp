// Texts that measure what sparse decoding loses, on copies of their caches.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "stepping/sparq_pilot.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"

namespace skald::sparq_meter_test {
namespace {

using Numbers = std::vector<float>;

constexpr int64_t kPrompt = 1050, kText = 1170;

const SparqParams kLoss{.loss = 0.006, .mean = {}}, kRatio{.ratio = 3, .mean = {}};

class Measured : public testing::Test {
 protected:
  /// A text after its prompt.
  struct Text {
    KvSequence kv;
    SparqPilot pilot;
  };
  Runner runner(const SparqParams& params, int64_t n_ubatch = 512, const char* type_k = "f16") {
    return {model_->step_model(),
            backend_,
            {.n_ctx = 1300, .type_k = type_k, .sparq = params},
            {.n_parallel = 2, .n_ubatch = n_ubatch}};
  }
  std::span<const TokenId> ids(int64_t from, int64_t n) const {
    return std::span(ids_).subspan(static_cast<size_t>(from), static_cast<size_t>(n));
  }
  Text after_prompt(Runner& r, const SparqParams& params) {
    Text text{r.new_sequence(), SparqPilot(params)};
    for (int64_t at = 0, n; at < kPrompt; at += n) {
      n = std::min(kPrompt - at, r.kv().limits().max_rows);
      const StepItem item{&text.kv, ids(at, n), 0};
      r.run({&item, 1});
    }
    return text;
  }
  StepItem item(Text& text, int64_t n) {
    const int64_t at = text.kv.length();
    return {
        .kv = &text.kv, .tokens = ids(at, n), .n_outputs = n, .decode = true, .pilot = &text.pilot, .before = ids(0, at)};
  }
  /// Logits of the text's other tokens, at most `rows` a step and never beyond a page.
  Numbers decode(Runner& r, Text& text, int64_t rows) {
    Numbers all;
    for (int64_t at = text.kv.length(); at < kText; at = text.kv.length()) {
      const StepItem one = item(text, std::min({rows, kText - at, kPageKeys - at % kPageKeys}));
      const Logits out = r.run({&one, 1});
      for (int64_t i = 0; i < out.rows(); ++i) all.insert(all.end(), out.row(i).begin(), out.row(i).end());
    }
    return all;
  }
  Numbers decode(const SparqParams& params, int64_t rows, int64_t n_ubatch = 512, const char* type_k = "f16") {
    Runner r = runner(params, n_ubatch, type_k);
    Text text = after_prompt(r, params);
    return decode(r, text, rows);
  }

  test::SmallModel small_{.n_layers = 2};
  std::shared_ptr<const LoadedModel> model_ = test::load(small_);
  CpuBackend backend_{2, ""};
  std::vector<TokenId> ids_ = test::some_tokens(kText, 1, small_.n_vocab);
};

TEST_F(Measured, HasTheSameBitsForAnyStep) {
  for (const SparqParams& params : {kLoss, kRatio}) {
    const Numbers want = decode(params, 1);
    EXPECT_TRUE(test::same_bits(decode(params, 64), want));
    EXPECT_TRUE(test::same_bits(decode(params, 5, 9), want));
    EXPECT_TRUE(test::same_bits(decode(params, 1, 100), want));
  }
}

TEST_F(Measured, HasTheSameBitsForAnyStepOverKeysInCodes) {
  for (const SparqParams& params : {kLoss, kRatio}) {
    const Numbers want = decode(params, 1, 512, "kc4");
    EXPECT_TRUE(test::same_bits(decode(params, 64, 512, "kc4"), want));
    EXPECT_TRUE(test::same_bits(decode(params, 5, 9, "kc4"), want));
    EXPECT_TRUE(test::same_bits(decode(params, 1, 100, "kc4"), want));
  }
}

// What a text takes over from another one has no keys as they came: its trial begins at a page's border.
TEST_F(Measured, HasTheSameBitsAfterPagesOfAnotherText) {
  Runner r = runner(kLoss, 512, "kc4");
  Text first = after_prompt(r, kLoss), second{r.new_sequence(), SparqPilot(kLoss)};
  const SharedPages pages = first.kv.share(0, kPrompt);
  ASSERT_EQ(second.kv.adopt({&pages, 1}, kPrompt, {}), 1024);
  const StepItem rest{&second.kv, ids(1024, kPrompt - 1024), 0};
  r.run({&rest, 1});
  const Numbers want = decode(r, first, 1);
  const int64_t measured = r.sparq_use().measured;
  EXPECT_TRUE(test::same_bits(decode(r, second, 1), want));
  EXPECT_EQ(measured, kPrompt - 960 + 2) << "the trial, from a page's border on, and two checks";
  EXPECT_EQ(r.sparq_use().measured, 2 * measured);
}

TEST_F(Measured, HasTheSameBitsBesideAnotherText) {
  Runner r = runner(kLoss);
  Text a = after_prompt(r, kLoss), b = after_prompt(r, kLoss);
  Numbers of_a;
  while (a.kv.length() < kText) {
    const StepItem items[] = {item(b, 1), item(a, 1)};
    const Logits out = r.run(items);
    of_a.insert(of_a.end(), out.row(1).begin(), out.row(1).end());
  }
  EXPECT_TRUE(test::same_bits(of_a, decode(kLoss, 1)));
}

TEST_F(Measured, IsSparseAndTellsWhatItLost) {
  Runner r = runner(kLoss);
  Text text = after_prompt(r, kLoss);
  decode(r, text, 1);
  const SparqUse use = r.sparq_use();
  EXPECT_EQ(use.tokens, kText - kPrompt);
  EXPECT_LT(use.share(), 1);
  EXPECT_GT(use.nats_a_token(), 0);
  EXPECT_EQ(use.measured, SparqPilot::kTrialRows + 2) << "the trial, and the checks at 1088 and 1152";
}

TEST_F(Measured, LearnsNoMoreThanTheSharesOfARatio) {
  SparqParams even = kRatio;
  even.even = true;
  EXPECT_FALSE(even.measures());
  Runner r = runner(kRatio);
  Text text = after_prompt(r, kRatio);
  decode(r, text, 1);
  EXPECT_EQ(text.pilot.policy(kText - 1).scale, 1);
  EXPECT_TRUE(text.pilot.policy(kText - 1).shares);
  EXPECT_EQ(r.sparq_use().measured, 0);
  EXPECT_EQ(r.sparq_use().known, 0);
}

TEST_F(Measured, FindsTheLossOfEvenHeads) {
  SparqParams even = kLoss;
  even.even = true;
  Runner r = runner(even);
  Text text = after_prompt(r, even);
  decode(r, text, 1);
  EXPECT_EQ(r.sparq_use().measured, SparqPilot::kTrialRows + 2);
  EXPECT_FALSE(text.pilot.policy(kText - 1).shares);
  EXPECT_NE(text.pilot.policy(kText - 1).scale, 1);
}

TEST_F(Measured, LeavesTheCacheAsItWouldBeWithoutMeasuring) {
  Runner r = runner(kLoss);
  Text text = after_prompt(r, kLoss);
  const KvRoom before = r.room();
  const StepItem one = item(text, 1);
  r.run({&one, 1});
  EXPECT_EQ(text.kv.length(), kPrompt + 1);
  EXPECT_EQ(r.room().counts, before.counts) << "the row's page was there, and copies gave theirs back";
}

TEST_F(Measured, MeasuresNothingBeforeItReadsFewKeys) {
  Runner r = runner(kLoss);
  Text text{r.new_sequence(), SparqPilot(kLoss)};
  const StepItem prompt{&text.kv, ids(0, 40), 0};
  r.run({&prompt, 1});
  const StepItem one = item(text, 1);
  r.run({&one, 1});
  EXPECT_TRUE(text.pilot.wants_trial());
  EXPECT_EQ(r.sparq_use().measured, 0);
}

}  // namespace
}  // namespace skald::sparq_meter_test
