// Guesses by a layer that predicts further tokens.
#include <gtest/gtest.h>

#include "tests/engine/drafts/kinds/same_text.h"
#include "tests/models/ahead_golden.h"
#include "tests/support/errors.h"

namespace skald::mtp_test {
namespace {

EngineOptions usual(int64_t n_ctx = 512) {
  return {.device = {.n_threads = 2}, .cache = {.n_ctx = n_ctx}, .schedule = {.n_parallel = 3}};
}

DraftOptions mtp(int64_t most = 5, float p_min = 0, int64_t least = 0) {
  return {.kind = "mtp", .most = most, .least = least, .p_min = p_min};
}

Model right_model(const char* name, int64_t attention = -1, int64_t ffn = -1) {
  return Model::load(test::AheadGolden(name, attention, ffn).make_right().write());
}

/// A family, and a layer of its golden model that has attention and, where it is in another one, a feed-forward.
struct Family {
  const char* golden;
  int64_t attention = -1, ffn = -1;
};

class LayersOfFamilies : public testing::TestWithParam<Family> {};

TEST_P(LayersOfFamilies, ThatAreRightAreFollowedAndOthersChangeNoText) {
  const auto& [name, attention, ffn] = GetParam();
  const DraftUse of_right = test::expect_same_texts(right_model(name, attention, ffn), usual(), mtp());
  EXPECT_GT(of_right.guessed, 100);
  EXPECT_GE(of_right.right, of_right.guessed * 8 / 10);
  const DraftUse of_other =
      test::expect_same_texts(Model::load(test::AheadGolden(name, attention, ffn).write()), usual(), mtp());
  EXPECT_GT(of_other.guessed, 20);
}

INSTANTIATE_TEST_SUITE_P(All, LayersOfFamilies,
                         testing::Values(Family{"qwen35"}, Family{"qwen35moe"}, Family{"qwen3next"}, Family{"glm4moe"},
                                         Family{"deepseek3"}, Family{"deepseek32", 0}, Family{"glmdsa", 0},
                                         Family{"exaonemoe"}, Family{"exaone4"}, Family{"ernie45moe"}, Family{"minimaxm2"},
                                         Family{"nemotron_h", 3, 4}, Family{"nemotron_h_moe", 3, 4}),
                         [](const auto& p) { return std::string(p.param.golden); });

TEST(LayerDrafts, OfAFileAsItIsChangeNoText) {
  const DraftUse t = test::expect_same_texts(Model::load(test::golden_file("qwen35_mtp")), usual(), mtp());
  EXPECT_GT(t.guessed, 100);
}

TEST(LayerDrafts, ReadLongPromptsInSteps) {
  EngineOptions o = usual();
  o.schedule.n_batch = o.schedule.n_ubatch = 64;
  const DraftUse t = test::expect_same_texts(right_model("glm4moe"), o, mtp());
  EXPECT_GE(t.right, t.guessed * 8 / 10);
}

TEST(LayerDrafts, GoOnWhereTheContextShifts) {
  EngineOptions o = usual(96);
  o.schedule.context_shift = true;
  const DraftUse t = test::expect_same_texts(right_model("glm4moe"), o, mtp(), 30);
  EXPECT_GT(t.right, 100);
}

TEST(LayerDrafts, BeginLaterBehindPrefixesThatOthersRead) {
  EngineOptions o = usual();
  o.cache.share_prefixes = true;
  const DraftUse t = test::expect_same_texts(right_model("glm4moe"), o, mtp());
  EXPECT_GE(t.right, t.guessed * 8 / 10);
}

TEST(LayerDrafts, FollowEachOfSeveralTexts) {
  const Model model = right_model("qwen35");
  Request request = test::request_of(test::ids_of(60, 13), 30, {.temperature = 0.9f, .top_k = 20, .seed = 5});
  request.n = 3;
  EngineOptions o = usual();
  const Result want = Engine(model, o).generate(request);
  o.draft = mtp();
  const Result got = Engine(model, o).generate(request);
  EXPECT_EQ(got.tokens, want.tokens);
  ASSERT_EQ(got.others.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(got.others[i].tokens, want.others[i].tokens) << i;
  EXPECT_GE(got.timing.drafts.right, got.timing.drafts.guessed * 8 / 10);
  EXPECT_GT(got.timing.drafts.right, 40);
}

TEST(LayerDrafts, EndWhereTheLayerIsUnsureAndAreLeftOutWhereTheyAreFew) {
  const Model model = Model::load(test::golden_file("qwen35_mtp"));
  const auto drafted = [&](float p_min, int64_t least) {
    return test::expect_same_texts(model, usual(), mtp(5, p_min, least)).guessed;
  };
  const int64_t all = drafted(0, 0), sure = drafted(0.1f, 0), many = drafted(0, 3);
  EXPECT_LT(sure, all);
  EXPECT_LT(many, all);
}

TEST(LayerDrafts, AreMadeOnAnotherDevice) {
  EngineOptions o = usual(256);
  o.device.device = "simt";
  const DraftUse t = test::expect_same_texts(right_model("glm4moe"), o, mtp(), 20);
  EXPECT_GE(t.right, t.guessed * 8 / 10);
}

TEST(LayerDrafts, OfAModelOnSeveralDevicesAreRefused) {
  EngineOptions o = usual();
  o.device.device = "simt";
  o.device.gpu_layers = "2";
  o.draft = mtp();
  const std::string why = test::error_of([&] { Engine(Model::load(test::golden_file("qwen35_mtp")), o); }).what();
  EXPECT_NE(why.find("draft.kind: mtp does not go with a model on several devices"), std::string::npos) << why;
}

TEST(LayerDrafts, OfAModelWithoutSuchALayerAreRefused) {
  EngineOptions o = usual();
  o.draft = mtp();
  for (const char* name : {"llama_gqa", "qwen35"}) {
    const std::string why = test::error_of([&] { Engine(Model::load(test::golden_file(name)), o); }).what();
    EXPECT_NE(why.find("mtp"), std::string::npos) << why;
    EXPECT_NE(why.find("nextn_predict_layers"), std::string::npos) << why;
  }
}

TEST(LayerDrafts, OfAFamilyWhoseLayersAreNotKnownAreRefused) {
  EngineOptions o = usual();
  o.draft = mtp();
  const std::string why = test::error_of([&] { Engine(Model::load(test::AheadGolden("llama_gqa").write()), o); }).what();
  EXPECT_NE(why.find("architecture llama"), std::string::npos) << why;
}

TEST(LayerDrafts, WithoutATensorOfTheLayerAreRefusedByItsName) {
  test::AheadGolden g("glm4moe");
  const std::string name = fmt::format("blk.{}.nextn.eh_proj.weight", g.get("block_count", 0) - 1);
  g.tensors.erase(name);
  const Model model = Model::load(g.write());
  EngineOptions o = usual();
  Engine(model, o);
  o.draft = mtp();
  const std::string why = test::error_of([&] { Engine(model, o); }).what();
  EXPECT_NE(why.find(name), std::string::npos) << why;
}

}  // namespace
}  // namespace skald::mtp_test
