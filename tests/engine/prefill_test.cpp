// Prompts that one engine reads for others: it ends when the store has their pages, and names them.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "kv/disk/page_store.h"
#include "skald/engine.h"
#include "skald/error.h"
#include "skald/model.h"
#include "tests/engine/requests.h"
#include "tests/kv/disk/fake_store.h"

namespace skald::prefill_test {
namespace {

using namespace std::chrono_literals;

class Prefill : public testing::Test {
 protected:
  ~Prefill() override { script_.release(); }
  EngineOptions options() {
    EngineOptions o{.cache = {.n_ctx = 256}};
    o.cache.share_prefixes = true;
    o.prefix_store = std::make_shared<PrefixStore>(std::make_unique<PageStore>(
        std::make_unique<test::FakeStore>(script_), StoreLimits{.patience = 200ms, .pause = 100ms, .closing = 50ms}));
    return o;
  }
  static Request request(int64_t n, TokenId first = 5) {
    Request r;
    for (int64_t i = 0; i < n; ++i) r.prompt.push_back(first + static_cast<TokenId>(i % 100));
    r.max_tokens = 4;
    r.sampling.temperature = 0;
    r.reuse_generated = false;
    return r;
  }
  static Request prefill(int64_t n, TokenId first = 5) {
    Request r = request(n, first);
    r.prefill = true;
    return r;
  }
  static std::string error_of(Engine& engine, Request request) {
    try {
      engine.generate(std::move(request));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  test::StoreScript script_;
  const Model model_ = Model::embedded();
};

TEST_F(Prefill, NamesTheFullPagesThatAnotherEngineTakes) {
  Engine reads(model_, options()), writes(model_, options());
  const Result read = reads.generate(prefill(200));
  EXPECT_EQ(read.stored.tokens, 192);
  EXPECT_EQ(read.stored.name.size(), 64);
  EXPECT_EQ(read.timing.n_prompt, 193) << "the rest is not computed";
  Request rest = request(200);
  rest.prefilled.name = read.stored.name;
  EXPECT_EQ(writes.generate(rest).timing.n_cached, 192);
}

TEST_F(Prefill, OfAShortPromptNamesNothing) {
  Engine reads(model_, options());
  const Result read = reads.generate(prefill(64));
  EXPECT_EQ(read.finish, FinishReason::kLength);
  EXPECT_EQ(read.stored.name, "");
  EXPECT_EQ(read.stored.tokens, 0);
}

TEST_F(Prefill, ThatIsKnownComputesATokenAgain) {
  Engine reads(model_, options());
  const Result first = reads.generate(prefill(200)), again = reads.generate(prefill(200));
  EXPECT_EQ(again.stored.name, first.stored.name);
  EXPECT_EQ(again.timing.n_cached, 192);
}

TEST_F(Prefill, IsFoundThoughItWasAbsentAMomentAgo) {
  Engine reads(model_, options()), writes(model_, options());
  EXPECT_EQ(writes.generate(request(200)).timing.n_cached, 0);
  EngineOptions fresh = options();
  Engine asks(model_, fresh);
  Request other = request(200);
  other.scope = "other";  // its pages are not there
  EXPECT_EQ(asks.generate(other).timing.n_cached, 0);
  Request first = prefill(200);
  first.scope = "other";
  other.prefilled = reads.generate(first).stored;
  other.cache_prompt = true;
  Engine later(model_, fresh);  // the store that has just found nothing
  EXPECT_EQ(later.generate(other).timing.n_cached, 192);
}

TEST_F(Prefill, NameOfAnotherPromptOrClientIsRefused) {
  Engine reads(model_, options()), writes(model_, options());
  const std::string name = reads.generate(prefill(200)).stored.name;
  Request other = request(200, 7);
  other.prefilled.name = name;
  EXPECT_EQ(error_of(writes, other), "prefilled: the pages of this name are of another prompt, model, options or client");
  Request stranger = request(200);
  stranger.scope = "stranger";
  stranger.prefilled.name = name;
  EXPECT_NE(error_of(writes, stranger), "");
  stranger.prefilled.name = "../../etc/passwd";
  EXPECT_NE(error_of(writes, stranger), "");
}

TEST_F(Prefill, WhosePagesAreGoneIsComputed) {
  std::string name;
  {
    Engine reads(model_, options());
    name = reads.generate(prefill(200)).stored.name;
  }
  script_.clear();
  Engine writes(model_, options()), alone(model_);
  Request rest = request(200);
  rest.prefilled.name = name;
  const Result got = writes.generate(rest);
  EXPECT_EQ(got.tokens, alone.generate(request(200)).tokens);
  EXPECT_EQ(got.timing.n_cached, 0);
  EXPECT_EQ(writes.status().prefilled, 1);
  EXPECT_EQ(writes.status().prefilled_missed, 1);
}

TEST_F(Prefill, EndsWithoutANameWhereTheStoreIsDead) {
  Engine reads(model_, options());
  script_.die();
  const Result read = reads.generate(prefill(200));
  EXPECT_EQ(read.finish, FinishReason::kLength);
  EXPECT_EQ(read.stored.name, "");
}

TEST_F(Prefill, EndsWithoutANameWhereTheStoreIsSilent) {
  Engine reads(model_, options());
  script_.hang();
  EXPECT_EQ(reads.generate(prefill(200)).stored.name, "");
  script_.release();
}

TEST_F(Prefill, IsCancelledWhileItWaitsForTheStore) {
  Engine reads(model_, options());
  Submission waits = reads.submit(prefill(200));
  script_.hang();
  while (!script_.hangs_now() && reads.status().running + reads.status().waiting > 0) std::this_thread::sleep_for(1ms);
  reads.pause(waits.id);
  reads.resume(waits.id);
  reads.cancel(waits.id);
  const Result got = test::wait_for(waits.result);
  EXPECT_TRUE(got.finish == FinishReason::kCancelled || got.finish == FinishReason::kLength);
  script_.release();
  EXPECT_EQ(reads.generate(request(100)).tokens.size(), 4);
}

TEST_F(Prefill, NeedsAStoreAndAPromptThatIsShared) {
  Engine without(model_);
  EXPECT_EQ(error_of(without, prefill(200)), "prefill: the engine has no prefix_store, or shares no prefixes");
  Request named = request(200);
  named.prefilled.name = "x";
  EXPECT_EQ(error_of(without, named), "prefilled: the engine has no prefix_store, or shares no prefixes");
  Engine reads(model_, options());
  Request kept = prefill(200);
  kept.cache_prompt = false;
  EXPECT_EQ(error_of(reads, kept), "prefill does not go with cache_prompt = false");
}

}  // namespace
}  // namespace skald::prefill_test
