// Prompts whose first tokens see each other in both directions.
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"

namespace skald::prefix_test {
namespace {

using test::Driver;
using test::some;

constexpr int64_t kPrefix = 70;

LoopOptions options() {
  return {.limits = {.n_ctx = 900},
          .n_parallel = 2,
          .rows = 100,
          .checkpoints = {.step = 64},
          .share_prefixes = true,
          .prefix = [](std::span<const TokenId>) { return kPrefix; }};
}

Request asks() { return {.prompt = some(200, 1), .max_tokens = 5, .sampling = {.seed = 7}, .on_event = {}}; }

// Though steps end at places that are kept, and rows of logits come by the page.
TEST(Prefix, IsComputedInOneStep) {
  Request marks = asks(), rows = asks();
  marks.conversation = 1;
  rows.prompt_log_probs = true;
  for (const Request& r : {marks, rows}) {
    Driver d(0, options(), 0, /*state=*/true);
    std::vector<int64_t> steps;
    d.stepper.ran = [&](int64_t n) { steps.push_back(n); };
    EXPECT_EQ(d.generate(r).error, "");
    EXPECT_EQ(steps.front(), kPrefix);
  }
}

TEST(Prefix, IsComputedByEachTurnOfAConversation) {
  Driver d(0, options());
  Request r = asks();
  r.conversation = 1;
  const Result first = d.generate(r), second = d.generate(r);
  EXPECT_EQ(second.timing.n_cached, 0);
  EXPECT_EQ(second.tokens, first.tokens);
}

}  // namespace
}  // namespace skald::prefix_test
