// The profile of the embedded model: every operation is there, as often as it is called.
#include "tools/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/model.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(RunProfile, CountsTheOperationsOfBothPhases) {
  const Model model = Model::embedded();
  const int64_t n_layers = model.loaded()->meta().i64("llama.block_count");
  const ProfileResult r = run_profile(*model.loaded(), {.threads = 2, .ubatch = 8}, 16, 4);
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

TEST(RunProfile, OnOneThreadWaitsForNobody) {
  const ProfileResult r = run_profile(*Model::embedded().loaded(), {.threads = 1}, 16, 2);
  EXPECT_EQ(r.prefill.total().waited, 0);
  EXPECT_EQ(r.decode.total().waited, 0);
}

TEST(RunProfile, HasThreadsOfPromptsAndThoseOfDecoding) {
  const ProfileResult r = run_profile(*Model::embedded().loaded(), {.threads = 1, .threads_batch = 3}, 16, 2);
  EXPECT_DOUBLE_EQ(r.prefill.total().thread_seconds, 3 * r.prefill.total().seconds);
  EXPECT_DOUBLE_EQ(r.decode.total().thread_seconds, r.decode.total().seconds);
}

TEST(RunProfile, OfNoDecodingLeavesThatPhaseEmpty) {
  const ProfileResult r = run_profile(*Model::embedded().loaded(), {.threads = 1}, 4, 0);
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

TEST(ProfileMarkdown, OfNothingDividesByNothing) {
  EXPECT_THAT(profile_markdown({}), HasSubstr("| total     |     0 | 0.000 |  0.0% |    0.0% | 0.00 |    0.00 |"));
}

}  // namespace
}  // namespace skald
