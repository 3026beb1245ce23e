// Real models: what a request says after a hit has the bits of what it says alone, on a cold engine; also where the warm one
// has its layers in two memories that the host does not see, or is computed by several ranks, and where both run on the host
// as a GPU.
#include <gtest/gtest.h>

#include "kernels/api/kv_page.h"
#include "tests/engine/engine_on.h"
#include "tests/models/golden.h"
#include "tests/support/ranks_backend.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

struct Case {
  const char* name;
  const char* golden;  // empty: the embedded model
  CacheOptions cache;
  bool apart = false;         // the warm engine's layers are on two devices
  DeviceOptions device = {};  // of both engines
  int ranks = 1;              // that compute the warm engine's model, without a cut sum
  int stages = 1;             // of these ranks
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

CacheOptions typed(const char* type) { return {.n_ctx = 256, .type_k = type, .type_v = type}; }

CacheOptions coded(const char* keys) { return {.n_ctx = 256, .type_k = keys}; }

CacheOptions sparse(const char* keys = "f16") {
  CacheOptions cache = coded(keys);
  cache.sparq.k1 = cache.sparq.k2 = 8;
  return cache;
}

const DeviceOptions kSimt{.device = "simt"}, kSimtAndCpu{.device = "simt", .gpu_layers = "2"};

class ColdAndHit : public testing::TestWithParam<Case> {
 protected:
  static std::shared_ptr<const LoadedModel> load(const char* name) {
    return test::Golden(test::data_dir() / "golden" / name).load();
  }
  EngineOptions with_store(const test::TempDir& dir) const {
    EngineOptions o = options(true);
    o.prefix_store = std::make_shared<PrefixStore>(dir.path("pages"), int64_t{1} << 30);
    return o;
  }
  EngineOptions options(bool shares) const {
    EngineOptions o{.device = device(), .cache = GetParam().cache, .schedule = {.n_parallel = 4}};
    o.cache.share_prefixes = shares;
    return o;
  }
  static DeviceOptions device() {
    DeviceOptions o = GetParam().device;
    o.n_threads = 2;
    return o;
  }
  std::unique_ptr<Backend> warm_backend() const {
    const auto of_rank = [] { return make_backend({.n_threads = 1}); };
    if (const int ranks = GetParam().ranks; ranks > 1)
      return std::make_unique<test::RanksBackend>(model_.loaded(), ranks, RankCut{GetParam().stages, true}, of_rank);
    return GetParam().apart ? test::two_memories() : make_backend(device());
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

  std::vector<Request> requests() const {
    return {request(200, 200), request(200, 200), request(130, 130), request(190, 150), request(230, 200),
            request(129, 129), request(65, 64),   request(128, 128), request(192, 100)};
  }
  static void expect_same(const Result& got, const Result& want, size_t i) {
    EXPECT_EQ(got.tokens, want.tokens) << i;
    EXPECT_EQ(got.log_probs, want.log_probs) << i;
  }
  static void expect_promised(const Result& got, const Request& request, size_t i) {
    EXPECT_GE(got.timing.n_cached, (std::ssize(request.prompt) - 1) / kPageKeys * kPageKeys) << i;
  }

  Model model_ = *GetParam().golden ? Model(load(GetParam().golden)) : Model::embedded();
};

TEST_P(ColdAndHit, SayTheSameBitForBit) {
  const std::vector<Request> requests = this->requests();
  Engine cold(model_, options(false));
  test::EngineOn warm(model_, options(true), warm_backend());
  std::vector<Result> want;
  for (const Request& r : requests) want.push_back(cold.generate(r));
  int64_t cached = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result first = warm.generate(requests[i]), again = warm.generate(requests[i]);
    expect_same(first, want[i], i);
    expect_same(again, want[i], i);
    cached += first.timing.n_cached;
    expect_promised(again, requests[i], i);
  }
  EXPECT_GT(cached, 190);
  std::vector<Submission> together;
  for (Request r : requests) {
    r.scope = "together";
    together.push_back(warm.submit(std::move(r)));
  }
  for (size_t i = 0; i < together.size(); ++i) expect_same(test::wait_for(together[i].result), want[i], i);
}

TEST_P(ColdAndHit, SayTheSameFromDisk) {
  const test::TempDir dir;
  const std::vector<Request> requests = this->requests();
  std::vector<Result> want;
  Engine cold(model_, options(false));
  for (const Request& r : requests) want.push_back(cold.generate(r));
  {
    test::EngineOn first(model_, with_store(dir), warm_backend());
    for (size_t i = 0; i < requests.size(); ++i) expect_same(first.generate(requests[i]), want[i], i);
  }
  // Each alone on an engine that knows nothing yet, and all at once on one.
  for (size_t i = 0; i < requests.size(); ++i) {
    test::EngineOn second(model_, with_store(dir), warm_backend());
    const Result got = second.generate(requests[i]);
    expect_same(got, want[i], i);
    expect_promised(got, requests[i], i);
    EXPECT_EQ(second.status().disk_tokens, got.timing.n_cached) << i;
  }
  test::EngineOn third(model_, with_store(dir), warm_backend());
  std::vector<Submission> together;
  for (const Request& r : requests) together.push_back(third.submit(r));
  for (size_t i = 0; i < together.size(); ++i) {
    const Result got = test::wait_for(together[i].result);
    expect_same(got, want[i], i);
    expect_promised(got, requests[i], i);
  }
  Request other = requests[0];
  other.scope = "somebody else";
  EXPECT_EQ(third.generate(other).timing.n_cached, 0);
}

TEST_P(ColdAndHit, SayTheSameFromThePagesOfAPrefill) {
  const test::TempDir dir;
  Engine cold(model_, options(false));
  test::EngineOn reads(model_, with_store(dir), warm_backend()), writes(model_, with_store(dir), warm_backend());
  const std::vector<Request> requests = this->requests();
  for (size_t i = 0; i < requests.size(); ++i) {
    Request prefill = requests[i], rest = requests[i];
    prefill.prefill = true;
    const Result read = reads.generate(prefill);
    EXPECT_EQ(read.finish, FinishReason::kLength) << i;
    EXPECT_TRUE(read.tokens.empty()) << i;
    EXPECT_EQ(read.stored.tokens, (std::ssize(rest.prompt) - 1) / kPageKeys * kPageKeys) << i;
    rest.prefilled = read.stored;
    const Result got = writes.generate(rest);
    expect_same(got, cold.generate(requests[i]), i);
    EXPECT_EQ(got.timing.n_cached, read.stored.tokens) << i;
  }
  EXPECT_EQ(writes.status().prefilled, std::ssize(requests));
  EXPECT_EQ(writes.status().prefilled_missed, 0);
}

TEST_P(ColdAndHit, SayTheSameFromASavedSlot) {
  const test::TempDir dir;
  EngineOptions o = options(true);
  o.schedule.n_parallel = 1;
  o.cache.slot_files = true;
  Request r = request(200, 200);
  r.scope = "me:a";
  Engine cold(model_, options(false));
  test::EngineOn first(model_, o, warm_backend()), second(model_, o, warm_backend());
  const Result want = cold.generate(r);
  expect_same(first.generate(r), want, 0);
  const SlotFile saved = first.save_slot(0, "me:", dir.path("slots"), "a.bin");
  EXPECT_EQ(saved.tokens, 212);
  const SlotFile restored = second.restore_slot(0, "me:", dir.path("slots"), "a.bin");
  EXPECT_EQ(restored.tokens, saved.tokens);
  EXPECT_EQ(restored.bytes, saved.bytes);
  const Result got = second.generate(r);
  expect_same(got, want, 0);
  expect_promised(got, r, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ColdAndHit,
    testing::Values(Case{"f16", "", typed("f16")}, Case{"f32", "", typed("f32")}, Case{"q8_0", "", typed("q8_0")},
                    Case{"kc8", "", coded("kc8")}, Case{"kc4_windows", "gemma3", coded("kc4")}, Case{"sparq", "", sparse()},
                    Case{"sparq_kc4", "", sparse("kc4")}, Case{"windows", "gemma3", typed("f16")},
                    Case{"sparse_windows", "gemma3", sparse()}, Case{"states", "mamba2", typed("f16")},
                    Case{"states_and_keys", "qwen3next", typed("f16")}, Case{"apart", "", typed("f16"), true},
                    Case{"sparq_apart", "", sparse(), true}, Case{"sparse_windows_apart", "gemma3", sparse(), true},
                    Case{"states_and_keys_apart", "qwen3next", typed("f16"), true},
                    Case{"states_and_keys_on_simt", "qwen3next", typed("f16"), false, kSimt},
                    Case{"sparse_windows_on_simt", "mistral", sparse(), false, kSimt},
                    Case{"ranks", "", typed("f16"), false, {}, 2}, Case{"ranks_kc4", "", coded("kc4"), false, {}, 3},
                    Case{"sparse_windows_on_ranks", "gemma3", sparse(), false, {}, 2},
                    Case{"states_and_keys_on_ranks", "qwen3next", typed("f16"), false, {}, 3},
                    Case{"stages", "", typed("f16"), false, {}, 2, 2}, Case{"stages_kc4", "", coded("kc4"), false, {}, 3, 3},
                    Case{"sparse_windows_in_stages", "gemma3", sparse(), false, {}, 4, 2},
                    Case{"states_and_keys_in_stages", "qwen3next", typed("f16"), false, {}, 2, 2},
                    Case{"simt_and_cpu", "llama_mha", typed("f16"), false, kSimtAndCpu},
                    Case{"q8_0_on_simt_and_cpu", "llama_mha", typed("q8_0"), false, kSimtAndCpu},
                    Case{"sparq_on_simt_and_cpu", "llama_mha", sparse(), false, kSimtAndCpu}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace skald
