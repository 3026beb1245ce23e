// A request gives the same tokens alone and beside any others, whatever the threads, the step size and who joins or leaves.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/requests.h"

namespace skald {
namespace {

using test::story;
using test::story_model;

using Tokens = std::vector<TokenId>;

// Prompts of 2 to about 90 tokens, and a sampler of each kind; each leaves at another time.
std::vector<Request> five_requests() {
  const char* long_prompt =
      "One windy day, a big brown bear gave the two of them a small brown seed. There was only one thing that they could do "
      "with "
      "it. They put it into the ground near the river, and every morning they brought it water. A week later it was as tall "
      "as a "
      "mouse. Two weeks later it was as tall as the bear, and the bear was very happy.";
  std::vector<Request> requests = {story("Once upon a time", 60), story("The", 25), story(long_prompt, 48),
                                   story("\"Where is my red kite?\" asked Tom.", 33),
                                   story("A long time ago, near the old mill, there lived a shy hedgehog", 50)};
  requests[1].sampling = {.temperature = 0.8f, .seed = 11};
  requests[2].sampling = {.temperature = 1.3f, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 12};
  requests[3].sampling = {.temperature = 0, .repeat_penalty = 1.3f, .frequency_penalty = 0.1f};
  requests[4].sampling = {.temperature = 1, .top_k = 5, .repeat_penalty = 1.1f, .repeat_last_n = -1, .seed = 13};
  return requests;
}

std::vector<Tokens> alone(const EngineOptions& options) {
  Engine engine(story_model(), options);
  std::vector<Tokens> out;
  for (Request& r : five_requests()) out.push_back(engine.generate(std::move(r)).tokens);
  return out;
}

// Request i + 1 joins when request i has had seven tokens, so that prompts are computed amid the decoding of others.
std::vector<Tokens> joining_one_after_the_other(const EngineOptions& options) {
  std::vector<Request> requests = five_requests();
  std::vector<std::promise<std::future<Result>>> joined(requests.size());
  Engine engine(story_model(), options);  // its thread runs the callbacks below: it must be gone before they are
  const std::function<void(size_t)> join = [&](size_t i) {
    requests[i].on_event = [&, i, n = 0](const Event&) mutable {
      if (++n == 7 && i + 1 < requests.size()) join(i + 1);
    };
    joined[i].set_value(engine.submit(requests[i]).result);
  };
  join(0);
  std::vector<Tokens> out;
  for (auto& promise : joined) {
    std::future<Result> result = promise.get_future().get();
    out.push_back(test::wait_for(result).tokens);
  }
  return out;
}

std::vector<Tokens> all_at_once(const EngineOptions& options) {
  Engine engine(story_model(), options);
  std::vector<std::future<Result>> futures;
  for (Request& r : five_requests()) futures.push_back(engine.submit(std::move(r)).result);
  std::vector<Tokens> out;
  for (std::future<Result>& f : futures) out.push_back(test::wait_for(f).tokens);
  return out;
}

class Batching : public testing::TestWithParam<const char*> {
 protected:
  // One thread and steps of the usual size, for the KV types of the parameter.
  EngineOptions options(int n_threads, int n_ubatch, int n_parallel = 5) const {
    return {.device = {.n_threads = n_threads},
            .cache = {.n_ctx = 256, .type_k = GetParam(), .type_v = GetParam()},
            .schedule = {.n_parallel = n_parallel, .n_ubatch = n_ubatch}};
  }
};

TEST_P(Batching, GivesTheTokensThatEachRequestGetsAlone) {
  const std::vector<Tokens> want = alone(options(1, 512));
  for (const auto& [threads, ubatch] : {std::pair{1, 512}, {1, 7}, {3, 512}, {2, 7}}) {
    EXPECT_EQ(joining_one_after_the_other(options(threads, ubatch)), want) << threads << " threads, steps of " << ubatch;
    EXPECT_EQ(all_at_once(options(threads, ubatch)), want) << threads << " threads, steps of " << ubatch;
  }
}

TEST_P(Batching, IsNotNeededForTheSameTokensWithOtherThreadsAndStepSizes) {
  const std::vector<Tokens> want = alone(options(1, 512));
  for (const auto& [threads, ubatch] : {std::pair{2, 512}, {3, 7}, {1, 1}})
    EXPECT_EQ(alone(options(threads, ubatch)), want) << threads << " threads, steps of " << ubatch;
}

TEST_P(Batching, GivesTheSameTokensWhenRequestsMustQueue) {
  EXPECT_EQ(all_at_once(options(2, 64, /*n_parallel=*/2)), alone(options(1, 512)));
}

INSTANTIATE_TEST_SUITE_P(KvTypes, Batching, testing::Values("f16", "f32"), [](const auto& i) { return i.param; });

TEST(Queue, FinishesMoreRequestsThanRunAtOnceInTheirOrder) {
  Engine engine(story_model(), {.device = {.n_threads = 2}, .schedule = {.n_parallel = 2}});
  std::vector<int> finished;  // on the engine's thread alone until all futures are there
  std::vector<std::future<Result>> futures;
  for (int i = 0; i < 12; ++i) {
    Request r = story("Once upon a time", 4);
    r.on_event = [&finished, i](const Event& e) {
      if (e.finish != FinishReason::kNone) finished.push_back(i);
    };
    futures.push_back(engine.submit(std::move(r)).result);
  }
  const Tokens want = test::wait_for(futures[0]).tokens;
  EXPECT_EQ(want.size(), 4u);
  for (size_t i = 1; i < futures.size(); ++i) EXPECT_EQ(test::wait_for(futures[i]).tokens, want);
  EXPECT_TRUE(std::ranges::is_sorted(finished));
  EXPECT_EQ(finished.size(), 12u);
}

TEST(Seeds, EqualOnesGiveEqualTextAndTheResultNamesARandomOne) {
  Engine engine(story_model(), {.device = {.n_threads = 2}, .schedule = {.n_parallel = 3}});
  Request r = story("Once upon a time", 40);
  r.sampling = {.temperature = 1.2f, .seed = 5};
  const Result a = engine.generate(r), b = engine.generate(r);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.seed, 5u);
  r.sampling.seed = 6;
  EXPECT_NE(engine.generate(r).tokens, a.tokens);
  r.sampling.seed = SamplingParams::kRandomSeed;
  const Result random = engine.generate(r);
  r.sampling.seed = random.seed;
  EXPECT_EQ(engine.generate(r).tokens, random.tokens);
}

}  // namespace
}  // namespace skald
