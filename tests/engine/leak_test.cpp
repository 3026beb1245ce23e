// Jobs on a model with a cache that is too small for all of them.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "base/rng.h"
#include "engine/loop.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

using test::Golden;

Request random_request(const std::vector<TokenId>& ids, Rng& rng) {
  Request r;
  const auto n = static_cast<std::ptrdiff_t>(1 + rng.next() % 90);
  const auto at = static_cast<std::ptrdiff_t>(rng.next() % (ids.size() - 90));
  r.prompt.assign(ids.begin() + at, ids.begin() + at + n);
  r.max_tokens = static_cast<int>(1 + rng.next() % 40);
  r.n = static_cast<int>(1 + rng.next() % 2);
  r.ignore_eos = true;
  r.sampling.seed = rng.next() | 1;
  return r;
}

class Jobs : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(Jobs, LeaveAllPagesFreeAndSayWhatTheySayAlone) {
  const auto [name, sparse] = GetParam();
  const Golden golden(test::data_dir() / "golden" / name);
  const auto model = golden.load();
  CpuBackend backend(2, "");
  SparqParams sparq;
  if (sparse) sparq.k1 = sparq.k2 = 8;
  CacheOptions cache{.n_ctx = 256, .total_keys = 320, .sparq = sparq};
  const ScheduleOptions schedule{.n_parallel = 6};
  Runner crowded(model->step_model(), backend, cache, schedule);
  cache.total_keys = 0;
  Runner alone(model->step_model(), backend, cache, schedule);
  const LoopOptions o{.limits = {.n_ctx = 256}, .n_parallel = 6, .rows = 128};
  EngineLoop loop(crowded, o);
  const KvRoom full = crowded.room();
  Rng rng(1);
  std::vector<Request> requests;
  std::vector<std::future<Result>> results;
  int64_t paused = 0;
  const RequestId jobs = test::kSanitized ? 50 : 500;
  for (RequestId id = 1; id <= jobs; ++id) {
    requests.push_back(random_request(golden.long_ids, rng));
    std::promise<Result> promise;
    results.push_back(promise.get_future());
    loop.submit(id, requests.back(), std::move(promise));
    for (uint64_t steps = rng.next() % 5; steps > 0; --steps) loop.step();
    if (rng.next() % 12 == 0) loop.cancel(1 + static_cast<RequestId>(rng.next() % static_cast<uint64_t>(id)));
    paused = std::max(paused, loop.paused());
  }
  while (!loop.idle()) {
    loop.step();
    paused = std::max(paused, loop.paused());
  }
  EXPECT_GT(paused, 0);
  EXPECT_EQ(crowded.room().counts, full.counts);
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result got = results[i].get();
    EXPECT_EQ(got.error, "");
    if (i % 10 != 0 || got.finish == FinishReason::kCancelled) continue;
    EngineLoop single(alone, o);
    std::promise<Result> promise;
    std::future<Result> want = promise.get_future();
    single.submit(1, requests[i], std::move(promise));
    while (!single.idle()) single.step();
    EXPECT_EQ(got.tokens, want.get().tokens) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Jobs, testing::Values(std::pair{"llama_gqa", false}, std::pair{"gemma3", false}, std::pair{"llama_gqa", true}),
    [](const auto& info) { return std::string(info.param.first) + (info.param.second ? "_sparq" : ""); });

}  // namespace
}  // namespace skald
