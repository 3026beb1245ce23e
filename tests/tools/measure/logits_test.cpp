// Logits of every position are the same bit for bit however a prompt is cut into steps, and close to that when decoded. Of
// keys and values of 32 bits they are so bit for bit.
#include "tools/measure/logits.h"

#include <gtest/gtest.h>

#include "skald/model.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"

namespace skald::logits_test {
namespace {

class Logits : public testing::TestWithParam<const char*> {
 protected:
  std::vector<float> compute(int64_t decode_from, int64_t ubatch, int threads = 2) const {
    const EngineOptions options{.device = {.n_threads = threads},
                                .cache = {.type_k = GetParam(), .type_v = GetParam()},
                                .schedule = {.n_ubatch = ubatch}};
    return compute_logits(*model_.loaded(), options, tokens_, decode_from);
  }

  Model model_ = Model::embedded();
  std::vector<TokenId> tokens_ = model_.tokenize(
      "Once upon a time, when the days were long, there was a small girl named Olive. She spent the long days watching the "
      "clouds "
      "and the quiet evenings looking at the moon. One day, when her big brother was asleep, she heard something in the "
      "garden "
      "behind the old house, and went to look for it with her red umbrella.");
};

TEST_P(Logits, AgreeBetweenPrefillDecodeAndAnyMix) {
  ASSERT_GT(tokens_.size(), 64u) << "more than a page of keys";
  const std::vector<float> prefill = compute(-1, 512);
  ASSERT_EQ(prefill.size(), tokens_.size() * static_cast<size_t>(model_.n_vocab()));
  EXPECT_TRUE(test::same_bits(compute(-1, 7), prefill)) << "small steps";
  EXPECT_TRUE(test::same_bits(compute(-1, 1), prefill)) << "a prompt of one token after the other";
  EXPECT_TRUE(test::same_bits(compute(100000, 512, 3), prefill)) << "three threads";
  // Prompts may be multiplied by 16 bits of each f16 or bf16, and codes of activations differ where a bit does.
  const double limit = std::string_view(GetParam()) == "f32" ? 0 : 0.5;
  EXPECT_TRUE(test::close_to(compute(0, 512), prefill, limit)) << "one at a time";
  EXPECT_TRUE(test::close_to(compute(30, 512), prefill, limit)) << "prefill, then decode";
  EXPECT_TRUE(test::close_to(compute(50, 16, 1), prefill, limit)) << "one thread";
}

INSTANTIATE_TEST_SUITE_P(KvTypes, Logits, testing::Values("f16", "f32", "bf16"), [](const auto& i) { return i.param; });

TEST(ComputeLogits, OfNothingIsNothing) {
  EXPECT_TRUE(compute_logits(*Model::embedded().loaded(), {.device = {.n_threads = 1}}, {}, -1).empty());
}

TEST(ComputeLogits, RefusesIdsOutsideTheVocabularyAndUnknownKvTypes) {
  const Model model = Model::embedded();
  const std::vector<TokenId> tokens = {1, static_cast<TokenId>(model.n_vocab())};
  const Error id = test::error_of([&] { compute_logits(*model.loaded(), {.device = {.n_threads = 1}}, tokens, -1); });
  EXPECT_EQ(id.code(), Errc::kBadInput);
  EXPECT_NE(std::string(id.what()).find(std::to_string(model.n_vocab())), std::string::npos);
  const Error type = test::error_of([&] {
    compute_logits(*model.loaded(), {.device = {.n_threads = 1}, .cache = {.type_k = "q4_k"}}, std::span(tokens).first(1),
                   -1);
  });
  EXPECT_EQ(type.code(), Errc::kBadInput);
  EXPECT_NE(std::string(type.what()).find("q4_k"), std::string::npos);
}

}  // namespace
}  // namespace skald::logits_test
