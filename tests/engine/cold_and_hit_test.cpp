// Real models: what a request says after a hit has the bits of what it says alone, on a cold engine.
#include <gtest/gtest.h>

#include "tests/engine/requests.h"
#include "tests/models/golden.h"

namespace skald {
namespace {

struct Case {
  const char* name;
  const char* golden;  // empty: the embedded model
  CacheOptions cache;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

CacheOptions typed(const char* type) { return {.n_ctx = 256, .type_k = type, .type_v = type}; }

CacheOptions sparse() {
  CacheOptions cache{.n_ctx = 256};
  cache.sparq.k1 = cache.sparq.k2 = 8;
  return cache;
}

class ColdAndHit : public testing::TestWithParam<Case> {
 protected:
  static std::shared_ptr<const LoadedModel> load(const char* name) {
    return test::Golden(test::data_dir() / "golden" / name).load();
  }
  EngineOptions options(bool shares) const {
    EngineOptions o{.device = {.n_threads = 2}, .cache = GetParam().cache, .schedule = {.n_parallel = 4}};
    o.cache.share_prefixes = shares;
    return o;
  }
  // The first n of a text of the model's tokens, from `from` on its own.
  Request request(int64_t n, int64_t from) const {
    Request r;
    r.max_tokens = 12;
    r.ignore_eos = r.log_prob = true;
    r.reuse_generated = false;
    const int64_t n_vocab = model_.n_vocab();
    for (int64_t i = 0; i < n; ++i)
      r.prompt.push_back(static_cast<TokenId>((7 * i * i + (i >= from ? 5 : 3) * i + 11) % n_vocab));
    r.sampling.temperature = 0;
    return r;
  }

  Model model_ = *GetParam().golden ? Model(load(GetParam().golden)) : Model::embedded();
};

TEST_P(ColdAndHit, SayTheSameBitForBit) {
  const std::vector<Request> requests = {request(200, 200), request(200, 200), request(130, 130),
                                         request(190, 150), request(230, 200), request(129, 129),
                                         request(65, 64),   request(128, 128), request(192, 100)};
  Engine cold(model_, options(false)), warm(model_, options(true));
  std::vector<Result> want;
  for (const Request& r : requests) want.push_back(cold.generate(r));
  const auto expect_same = [&](const Result& got, size_t i) {
    EXPECT_EQ(got.tokens, want[i].tokens) << i;
    EXPECT_EQ(got.log_probs, want[i].log_probs) << i;
  };
  int64_t cached = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result first = warm.generate(requests[i]), again = warm.generate(requests[i]);
    expect_same(first, i);
    expect_same(again, i);
    cached += first.timing.n_cached;
    EXPECT_GE(again.timing.n_cached, (std::ssize(requests[i].prompt) - 1) / 64 * 64) << i;
  }
  EXPECT_GT(cached, 190);
  std::vector<Submission> together;
  for (Request r : requests) {
    r.scope = "together";
    together.push_back(warm.submit(std::move(r)));
  }
  for (size_t i = 0; i < together.size(); ++i) expect_same(test::wait_for(together[i].result), i);
}

INSTANTIATE_TEST_SUITE_P(Models, ColdAndHit,
                         testing::Values(Case{"f16", "", typed("f16")}, Case{"f32", "", typed("f32")},
                                         Case{"q8_0", "", typed("q8_0")}, Case{"sparq", "", sparse()},
                                         Case{"windows", "gemma3", typed("f16")}, Case{"sparse_windows", "gemma3", sparse()},
                                         Case{"states", "mamba2", typed("f16")},
                                         Case{"states_and_keys", "qwen3next", typed("f16")}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace skald
