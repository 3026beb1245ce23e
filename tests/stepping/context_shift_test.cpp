// Generating past the context: after a shift, what is left counts as if it had been the whole text; memory stays the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/engine.h"
#include "stepping/compute.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::SmallModel;
using Tokens = std::vector<TokenId>;

// In a model of one layer a key depends on its token and its position alone. So after a shift the logits are those of a
// new sequence of the tokens that are left.
class ShiftedRunner {
 public:
  explicit ShiftedRunner(CacheOptions cache, std::string device = "cpu")
      : compute_(*model_, {.device = {.device = std::move(device), .n_threads = 2},
                           .cache = with_context(std::move(cache)),
                           .schedule = {.n_parallel = 3}}),
        sequence_(compute_.runner().new_sequence()) {}

  Tokens tokens(int64_t n) { return test::some_tokens(n, ++seed_, model_->n_vocab()); }
  void append(const Tokens& tokens) {
    step(sequence_, tokens);
    held_.insert(held_.end(), tokens.begin(), tokens.end());
  }
  void drop(int64_t keep, int64_t n) {
    sequence_.drop(keep, n);
    held_.erase(held_.begin() + keep, held_.begin() + keep + n);
  }
  /// Logits of one more token here, and of the same text as a new sequence.
  void expect_as_new(double limit) {
    append(tokens(1));
    const std::vector<float> got = logits_;
    KvSequence fresh = compute_.runner().new_sequence();
    step(fresh, held_);
    EXPECT_TRUE(test::close_to(got, logits_, limit))
        << sequence_.length() << " tokens, " << sequence_.dropped() << " dropped";
    for (const float x : got) EXPECT_TRUE(std::isfinite(x));
  }
  /// As if many tokens had come and gone.
  void go_far(int64_t keep, int64_t position) {
    while (sequence_.length() < position) {
      ASSERT_TRUE(sequence_.reserve(sequence_.length() + 60));
      sequence_.set_length(sequence_.length() + 60);
      sequence_.drop(keep, 60);
    }
    held_.resize(static_cast<size_t>(keep));
    if (sequence_.held() > keep) sequence_.drop(keep, sequence_.held() - keep);
  }
  int64_t held() const { return sequence_.held(); }
  KvSequence& sequence() { return sequence_; }
  int64_t cache_bytes() { return compute_.runner().kv().bytes(); }

  static constexpr int64_t kContext = 200;

 private:
  static CacheOptions with_context(CacheOptions cache) {
    cache.n_ctx = kContext;
    return cache;
  }
  void step(KvSequence& sequence, const Tokens& tokens) {
    const StepItem item{&sequence, tokens, 1};
    const Logits out = compute_.runner().run({&item, 1});
    logits_.assign(out.all().begin(), out.all().end());
  }

  std::shared_ptr<const LoadedModel> model_ = test::load(SmallModel{.n_layers = 1});
  Compute compute_;
  KvSequence sequence_;
  Tokens held_;
  std::vector<float> logits_;
  uint64_t seed_ = 0;
};

struct Storage {
  CacheOptions cache;
  double limit;  // keys that were rounded before they moved are not quite keys that are rounded after it
};

const std::vector<Storage>& storages() {
  static const std::vector<Storage> all = {
      {{.type_k = "f32", .type_v = "f32", .layout = "dims"}, 2e-5},
      {{.type_k = "f32", .type_v = "f32", .layout = "rows"}, 2e-5},
      {{.type_k = "f16", .type_v = "f16", .layout = "dims"}, 3e-3},
      {{.type_k = "f16", .type_v = "f16", .layout = "rows"}, 3e-3},
      {{.type_k = "bf16", .type_v = "bf16", .layout = "dims"}, 3e-2},
      {{.type_k = "bf16", .type_v = "bf16", .layout = "rows"}, 3e-2},
      {{.type_k = "q8_0", .type_v = "q8_0"}, 0.1},
      {{.type_k = "q8_0", .type_v = "f16", .rotate = false}, 0.1},
      {{.type_k = "q4_0", .type_v = "q4_0"}, 0.8},
      {{.type_k = "kc8", .type_v = "f16"}, 0.1},
      {{.type_k = "kc4", .type_v = "q8_0"}, 0.8},
      {{.type_k = "q4_0", .type_v = "f16", .rotate = false}, 0.8},
  };
  return all;
}

TEST(ContextShift, LeavesWhatANewSequenceOfTheSameTokensWouldBe) {
  for (const Storage& s : storages())
    for (const int64_t keep : {0, 1, 4, 100}) {
      SCOPED_TRACE(s.cache.type_k + " " + s.cache.layout + ", keep " + std::to_string(keep));
      ShiftedRunner r(s.cache);
      r.append(r.tokens(150));
      r.expect_as_new(s.limit);
      for (int round = 0; round < 5; ++round) {
        r.drop(keep, (r.held() - keep) / 2);
        r.expect_as_new(s.limit);
        r.append(r.tokens(3));  // a few rows, a block of them, and one
        r.append(r.tokens(ShiftedRunner::kContext - 1 - r.held()));
        r.expect_as_new(s.limit);
      }
    }
}

TEST(ContextShift, LeavesThatOnADeviceToo) {
  for (const Storage& s : storages())
    for (const int64_t keep : {0, 70}) {
      if (s.cache.type_k.starts_with("kc")) continue;  // codes have no kernels there
      SCOPED_TRACE(s.cache.type_k + " " + s.cache.layout + ", keep " + std::to_string(keep));
      ShiftedRunner r(s.cache, "simt");
      r.append(r.tokens(150));
      for (int round = 0; round < 2; ++round) {
        r.drop(keep, (r.held() - keep) / 2);
        r.expect_as_new(s.limit);
        r.append(r.tokens(ShiftedRunner::kContext - 1 - r.held()));
        r.expect_as_new(s.limit);
      }
    }
}

TEST(ContextShift, IsAsGoodAtAnyDistance) {
  for (const int64_t position : {10'000, 1'000'000, 20'000'000}) {
    ShiftedRunner r({.type_k = "f32", .type_v = "f32"});
    r.append(r.tokens(70));
    r.go_far(10, position / 2);
    const int64_t bytes = r.cache_bytes();
    r.go_far(10, position);
    EXPECT_EQ(r.cache_bytes(), bytes);
    r.append(r.tokens(80));
    r.expect_as_new(2e-4);  // cosines and sines as floats
  }
}

TEST(ContextShift, OfOneSequenceDoesNotTouchItsNeighbours) {
  const auto model = test::load({});
  Compute compute(*model, {.device = {.n_threads = 2}, .cache = {.n_ctx = 100}, .schedule = {.n_parallel = 2}});
  const Tokens a = test::some_tokens(90, 1, 101), b = test::some_tokens(50, 2, 101), one = {7};
  const auto decode = [&](bool with_shifted) {
    KvSequence shifted = compute.runner().new_sequence(), plain = compute.runner().new_sequence();
    std::vector<StepItem> items = {{&plain, b, 1}};
    compute.runner().run(items);
    items = {{&plain, one, 1}};
    if (with_shifted) {
      const StepItem prompt{&shifted, a, 0};
      compute.runner().run({&prompt, 1});
      shifted.drop(4, 43);
      items = {{&shifted, one, 0}, {&plain, one, 1}};
    }
    const Logits out = compute.runner().run(items);
    return std::vector<float>(out.row(0).begin(), out.row(0).end());
  };
  const std::vector<float> alone = decode(false);
  EXPECT_TRUE(test::same_bits(decode(true), alone));
}

Request endless(int64_t n_prompt, int max_tokens, int keep = 0) {
  return {.prompt = test::some_tokens(n_prompt, 3, 101),
          .max_tokens = max_tokens,
          .keep = keep,
          .ignore_eos = true,
          .sampling = {.temperature = 0},
          .on_event = {}};
}

TEST(ContextShift, GoesOnForManyContextsInTheSameMemory) {
  const Model model(test::load({}));
  for (const int keep : {0, 4, -1}) {
    Engine engine(
        model, {.device = {.n_threads = 2}, .cache = {.n_ctx = 96}, .schedule = {.n_parallel = 2, .context_shift = true}});
    engine.generate(endless(1, 1));
    const int64_t page = engine.kv_bytes();
    const Result r = engine.generate(endless(20, 8 * 96, keep));
    EXPECT_EQ(r.finish, FinishReason::kLength);
    EXPECT_EQ(r.tokens.size(), 8u * 96);
    EXPECT_LE(engine.kv_bytes(), (2 + 2) * page) << "two pages full, and one that is not at each end";
  }
}

TEST(ContextShift, GivesTheSameTokensInABatchAndWithOtherThreads) {
  const Model model(test::load({}));
  const EngineOptions options{
      .device = {.n_threads = 1}, .cache = {.n_ctx = 80}, .schedule = {.n_parallel = 3, .context_shift = true}};
  Engine one(model, options);
  const Tokens want = one.generate(endless(30, 200, 4)).tokens, want_all = one.generate(endless(41, 150, -1)).tokens;
  EngineOptions other = options;
  other.device.n_threads = 3;
  Engine engine(model, other);
  Submission a = engine.submit(endless(30, 200, 4)), b = engine.submit(endless(41, 150, -1));
  EXPECT_EQ(a.result.get().tokens, want);
  EXPECT_EQ(b.result.get().tokens, want_all);
}

TEST(ContextShift, IsOffUnlessAskedFor) {
  const Model model(test::load({}));
  Engine engine(model, {.device = {.n_threads = 1}, .cache = {.n_ctx = 64}});
  EXPECT_EQ(engine.generate(endless(10, -1)).tokens.size(), 54u);
}

TEST(ContextShift, KeepsNoMoreThanLeavesSomethingToForget) {
  const Model model(test::load({}));
  Engine engine(model, {.device = {.n_threads = 1}, .cache = {.n_ctx = 32}, .schedule = {.context_shift = true}});
  EXPECT_EQ(engine.generate(endless(30, 100, -1)).tokens.size(), 100u);
  EXPECT_EQ(engine.generate(endless(32, 100, 30)).tokens.size(), 100u);
  EXPECT_EQ(engine.generate(endless(5, 100, 1000)).tokens.size(), 100u) << "no more than the prompt";
  const Error e = test::error_of([&] { engine.submit(endless(32, 100, -1)); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(), "keep: 32 tokens of the prompt leave nothing to shift in a context of 32");
  EXPECT_EQ(test::error_of([&] { engine.submit(endless(5, 1, -2)); }).code(), Errc::kBadInput);
}

// A model like Mistral 7B v0.1: every layer has a window.
TEST(SlidingWindow, TakesTheSameMemoryForAnyLength) {
  const Model model(test::load({.window = 30}));
  Engine engine(model,
                {.device = {.n_threads = 1}, .cache = {.n_ctx = 100'000}, .schedule = {.n_parallel = 1, .n_ubatch = 50}});
  engine.generate(endless(300, 200));
  const int64_t bytes = engine.kv_bytes();
  EXPECT_EQ(engine.generate(endless(300, 4000)).tokens.size(), 4000u);
  engine.generate(endless(5000, 1));
  EXPECT_EQ(engine.kv_bytes(), bytes);
}

TEST(SlidingWindow, WithSinksThatReachToItSeesEverything) {
  const Model with(test::load({.window = 8})), without(test::load({}));
  Engine sinks(with, {.device = {.n_threads = 2}, .cache = {.n_ctx = 100, .swa_sinks = 50}}),
      window(with, {.device = {.n_threads = 2}, .cache = {.n_ctx = 100}}),
      whole(without, {.device = {.n_threads = 2}, .cache = {.n_ctx = 100}});
  const Request request = endless(20, 35);
  EXPECT_EQ(sinks.generate(request).tokens, whole.generate(request).tokens);
  EXPECT_NE(window.generate(request).tokens, whole.generate(request).tokens);
}

TEST(SlidingWindow, WithSinksGoesOnPastTheContext) {
  const Model model(test::load({.window = 20}));
  Engine engine(model,
                {.device = {.n_threads = 1}, .cache = {.n_ctx = 64, .swa_sinks = 4}, .schedule = {.context_shift = true}});
  engine.generate(endless(30, 200));
  const int64_t bytes = engine.kv_bytes();
  EXPECT_EQ(engine.generate(endless(30, 1000)).tokens.size(), 1000u);
  EXPECT_EQ(engine.kv_bytes(), bytes);
}

TEST(SlidingWindow, RefusesMoreSinksThanHalfTheContext) {
  const Model model(test::load({.window = 20}));
  for (const int sinks : {-1, 33}) {
    const Error e = test::error_of([&] { Engine(model, {.cache = {.n_ctx = 64, .swa_sinks = sinks}}); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), testing::HasSubstr("cache.swa_sinks"));
  }
}

}  // namespace
}  // namespace skald
