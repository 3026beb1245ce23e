// The profile of the embedded model: every operation is there, as often as it is called.
#include "tools/measure/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "skald/model.h"
#include "tests/models/golden.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(RunProfile, CountsTheOperationsOfBothPhases) {
  const Model model = Model::embedded();
  const int64_t n_layers = model.loaded()->meta().i64("llama.block_count");
  const ProfileResult r = run_profile(*model.loaded(), {.device = {.n_threads = 2}, .schedule = {.n_ubatch = 8}}, 16, 4);
  EXPECT_EQ(r.backend.threads, 2);
  EXPECT_FALSE(r.backend.isa.empty());
  for (const auto& [profile, steps] : {std::pair{&r.prefill, 2}, {&r.decode, 4}}) {
    ASSERT_TRUE(profile->rows.contains("attention"));
    EXPECT_GT(profile->rows.at("linear q8_0").waited, 0) << "one of two threads is always the last";
    EXPECT_EQ(profile->rows.at("attention").calls, n_layers * steps);
    EXPECT_EQ(profile->rows.at("linear q8_0").calls, (3 * n_layers + 1) * steps);
    EXPECT_EQ(profile->rows.at("glu_linear q8_0").calls, n_layers * steps);
    EXPECT_EQ(profile->rows.at("rms_norm").calls, (2 * n_layers + 1) * steps);
    for (const auto& [name, row] : profile->rows) {
      EXPECT_GT(row.calls, 0) << name;
      EXPECT_GE(row.seconds, 0) << name;
      EXPECT_GE(row.waited, 0) << name;
      EXPECT_LE(row.waited, row.thread_seconds) << name;
      EXPECT_DOUBLE_EQ(row.thread_seconds, 2 * row.seconds) << name;
      EXPECT_GT(row.bytes, 0) << name;
    }
  }
}

TEST(RunProfile, OnOneThreadWaitsForNoOther) {
  const ProfileResult r = run_profile(*Model::embedded().loaded(), {.device = {.n_threads = 1}}, 16, 2);
  EXPECT_EQ(r.prefill.total().waited, 0);
  EXPECT_EQ(r.decode.total().waited, 0);
}

TEST(RunProfile, HasThreadsOfPromptsAndThoseOfDecoding) {
  const ProfileResult r =
      run_profile(*Model::embedded().loaded(), {.device = {.n_threads = 1, .n_threads_batch = 3}}, 16, 2);
  EXPECT_DOUBLE_EQ(r.prefill.total().thread_seconds, 3 * r.prefill.total().seconds);
  EXPECT_DOUBLE_EQ(r.decode.total().thread_seconds, r.decode.total().seconds);
}

TEST(RunProfile, OfNoDecodingLeavesThatPhaseEmpty) {
  const ProfileResult r = run_profile(*Model::embedded().loaded(), {.device = {.n_threads = 1}}, 4, 0);
  EXPECT_FALSE(r.prefill.rows.empty());
  EXPECT_TRUE(r.decode.rows.empty());
}

TEST(ProfileMarkdown, ListsTheSlowestFirstAndTheTotalLast) {
  Profile profile;
  profile.rows["fast"] = {.calls = 2, .seconds = 0.001, .thread_seconds = 0.002, .bytes = 1e6, .flops = 2e6};
  profile.rows["slow"] = {
      .calls = 4, .seconds = 0.003, .thread_seconds = 0.006, .waited = 0.0015, .bytes = 3e6, .flops = 9e6};
  EXPECT_EQ(profile_markdown(profile),
            "| operation | calls |    ms |  share | waiting | GB/s | GFLOP/s |\n"
            "| --------- | ----: | ----: | -----: | ------: | ---: | ------: |\n"
            "| slow      |     4 | 3.000 |  75.0% |   25.0% | 1.00 |    3.00 |\n"
            "| fast      |     2 | 1.000 |  25.0% |    0.0% | 1.00 |    2.00 |\n"
            "| total     |     6 | 4.000 | 100.0% |   18.8% | 1.00 |    2.75 |\n");
}

TEST(RunProfile, SaysWhichExpertsWereReadAndHowTokensSpread) {
  const auto model = test::Golden::load_gguf(test::data_dir() / "golden/qwen3moe/model.gguf");
  const ProfileResult r = run_profile(*model, {.device = {.n_threads = 1}}, 16, 5);
  for (const auto& [profile, tokens, steps] : {std::tuple{&r.prefill, 16, 1}, {&r.decode, 5, 5}}) {
    ASSERT_EQ(profile->experts.size(), 2u);
    for (const ExpertLoad& layer : profile->experts) {
      const bool last = &layer == &profile->experts.back();  // of a step's last token alone: only its logits are wanted
      EXPECT_EQ(layer.tokens.size(), 8u);
      EXPECT_EQ(std::accumulate(layer.tokens.begin(), layer.tokens.end(), int64_t{0}), (last ? steps : tokens) * 3);
      EXPECT_EQ(layer.steps, steps);
    }
  }
  for (const ExpertLoad& layer : r.decode.experts) EXPECT_EQ(layer.read, 5 * 3) << "of a token, its experts only";
  // x, ids, what comes out, and two matrices of each chosen expert: 64 columns of bf16 by 32.
  EXPECT_DOUBLE_EQ(r.decode.rows.at("expert_glu_linear bf16").bytes,
                   2 * 5 * (64 * 4 + 3 * 4 + 3 * 32 * 4 + 3 * 2 * 64 * 32 * 2));
}

TEST(ExpertsMarkdown, HasARowForEachLayerAndForAll) {
  Profile profile;
  EXPECT_EQ(experts_markdown(profile), "");
  profile.experts = {{.name = "blk.0.experts", .tokens = {4, 0, 2}, .steps = 2, .read = 3},
                     {.name = "blk.1.experts", .tokens = {1, 2, 3}, .steps = 2, .read = 4}};
  EXPECT_EQ(experts_markdown(profile),
            "| layer | experts | read per step | least tokens | mean | most | busiest |\n"
            "| ----- | ------: | ------------: | -----------: | ---: | ---: | ------- |\n"
            "| blk.0 |       3 |           1.5 |            0 |  2.0 |    4 | blk.0 0 |\n"
            "| blk.1 |       3 |           2.0 |            1 |  2.0 |    3 | blk.1 2 |\n"
            "| all   |       6 |           1.8 |            0 |  2.0 |    4 | blk.0 0 |\n");
}

TEST(ProfileJson, HasBothPhasesWithTheirExperts) {
  ProfileResult r{.model = "m", .type = "q8_0", .backend = {}, .prefill = {}, .decode = {}};
  r.prefill.rows["linear"] = {.calls = 2, .seconds = 0.5, .thread_seconds = 1, .waited = 0.25, .bytes = 8, .flops = 16};
  r.decode.experts = {{.name = "blk.0.experts", .tokens = {4, 0}, .steps = 2, .read = 3}};
  const auto json = nlohmann::json::parse(profile_json(r));
  EXPECT_EQ(json["model"], "m");
  EXPECT_EQ(json["prefill"]["operations"][0],
            nlohmann::json::parse(R"({"operation": "linear", "calls": 2, "seconds": 0.5, "waiting_share": 0.25,
                                      "bytes": 8.0, "flops": 16.0})"));
  EXPECT_EQ(json["decode"]["experts"][0],
            nlohmann::json::parse(R"({"layer": "blk.0", "steps": 2, "experts_per_step": 1.5, "tokens": [4, 0]})"));
  EXPECT_EQ(profile_csv(r),
            "phase,operation,calls,seconds,waiting_share,bytes,flops\nprefill,linear,2,0.500000,0.2500,8,16\n");
}

TEST(ProfileMarkdown, OfNothingDividesByNothing) {
  EXPECT_THAT(profile_markdown({}), HasSubstr("| total     |     0 | 0.000 |  0.0% |    0.0% | 0.00 |    0.00 |"));
}

}  // namespace
}  // namespace skald
