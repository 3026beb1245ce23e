// Every golden model on several ranks: the bits of one process where no sum is cut, and close to them otherwise.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/ranks/follower.h"
#include "backend/ranks/leader.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/thread_group.h"

namespace skald {
namespace {

using test::Golden;

class RanksGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  /// Of a prompt in steps of 7 tokens, then of tokens one by one.
  std::vector<float> logits_on(Backend& backend) const {
    Runner runner(model_->step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    return test::logits_of(runner, golden_.prompt_ids, 7, std::ssize(golden_.prompt_ids) / 2,
                           model_->prefix_length(golden_.prompt_ids));
  }

  std::vector<float> logits_on(int ranks, bool exact) const {
    std::vector<float> out;
    test::on_ranks(ranks, [&](Group& group) {
      auto own = std::make_unique<CpuBackend>(1, "");
      if (group.rank() > 0) {
        const StepModel steps = model_->step_model();
        return follow(group, *own, {steps.graph, steps.weights}, exact);
      }
      {
        RankLeader leader(std::move(own), std::shared_ptr<Group>(&group, [](Group*) {}), exact);
        out = logits_on(leader);
      }
      stop_followers(group);
    });
    return out;
  }

  Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
};

TEST_P(RanksGoldenTest, WithoutCutSumsHasTheBitsOfOneProcess) {
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  for (const int ranks : {2, 3, 4}) EXPECT_EQ(logits_on(ranks, /*exact=*/true), want) << ranks << " ranks";
}

// Sums in another order; where activations are integers, these may round to others.
TEST_P(RanksGoldenTest, IsCloseToOneProcess) {
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  const double limit =
      (golden_.storage == "F32" || golden_.storage == "BF16" ? 2e-2 : 0.2) * std::max(1.0, golden_.logit_std);
  for (const int ranks : {2, 3}) EXPECT_TRUE(test::close_to(logits_on(ranks, false), want, limit)) << ranks << " ranks";
}

INSTANTIATE_TEST_SUITE_P(Models, RanksGoldenTest,
                         testing::ValuesIn(test::golden_names([](const Golden& g) { return !g.greedy_ids.empty(); })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
