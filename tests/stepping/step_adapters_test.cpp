#include "stepping/step_adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kv/cache.h"
#include "tests/support/loaded_small_model.h"

namespace skald::step_adapters_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SomeAdapter : public DeviceAdapter {
 public:
  int64_t bytes() const override { return 0; }
};

MATCHER_P4(IsRun, first, n, adapter, scale, "") {
  return arg.first == first && arg.n == n && arg.adapter == adapter.get() && arg.scale == scale;
}

class StepAdaptersTest : public testing::Test {
 protected:
  StepItem item(int64_t length, size_t tokens, int64_t outputs, const AdapterMix* mix) {
    sequences_.push_back(std::make_unique<KvSequence>(cache_));
    KvSequence& kv = *sequences_.back();
    if (length) {
      EXPECT_TRUE(kv.reserve(length));
      kv.set_length(length, {});
    }
    return {.kv = &kv, .tokens = std::span(tokens_).first(tokens), .n_outputs = outputs, .adapters = mix};
  }

  std::vector<TokenId> tokens_ = std::vector<TokenId>(16, 1);
  KvCache cache_{make_kv_spec({AttentionState{1, 32, 32}}, {.k_type = "f32", .v_type = "f32", .layout = "rows"}, 64),
                 {.max_keys = 64, .n_sequences = 8}};
  std::vector<std::unique_ptr<KvSequence>> sequences_;
  std::shared_ptr<const DeviceAdapter> a_ = std::make_shared<SomeAdapter>(), b_ = std::make_shared<SomeAdapter>();
  StepAdapters out_;
};

TEST_F(StepAdaptersTest, CountRowsOfTheStep) {
  const AdapterMix mix{{{a_, 0.5f, 0}}};
  const StepItem items[] = {item(0, 3, 1, nullptr), item(4, 5, 2, &mix)};
  fill_adapters(items, {}, out_);
  EXPECT_THAT(out_.tokens, ElementsAre(IsRun(3, 5, a_, 0.5f)));
  EXPECT_THAT(out_.outputs, ElementsAre(IsRun(1, 2, a_, 0.5f)));
}

TEST_F(StepAdaptersTest, JoinNeighboursThatAreAdaptedAlike) {
  const AdapterMix one{{{a_, 1, 0}}}, same{{{a_, 1, 0}}}, two{{{a_, 1, 0}, {b_, 2, 0}}}, other{{{a_, 0.5f, 0}}};
  const StepItem items[] = {item(0, 2, 1, &one), item(0, 1, 1, &same), item(0, 1, 1, &two), item(0, 3, 1, &two),
                            item(0, 1, 1, &other)};
  fill_adapters(items, {}, out_);
  EXPECT_THAT(out_.tokens, ElementsAre(IsRun(0, 3, a_, 1), IsRun(3, 4, a_, 1), IsRun(3, 4, b_, 2), IsRun(7, 1, a_, 0.5f)));
}

TEST_F(StepAdaptersTest, BeginAtTheTokenThatTheirUseSays) {
  const AdapterMix mix{{{a_, 1, 6}}};
  const StepItem before[] = {item(0, 6, 1, &mix)}, across[] = {item(4, 5, 4, &mix)}, after[] = {item(9, 2, 1, &mix)};
  fill_adapters(before, {}, out_);
  EXPECT_THAT(out_.tokens, IsEmpty());
  EXPECT_THAT(out_.outputs, IsEmpty());
  fill_adapters(across, {}, out_);
  EXPECT_THAT(out_.tokens, ElementsAre(IsRun(2, 3, a_, 1)));
  EXPECT_THAT(out_.outputs, ElementsAre(IsRun(1, 3, a_, 1)));
  fill_adapters(after, {}, out_);
  EXPECT_THAT(out_.tokens, ElementsAre(IsRun(0, 2, a_, 1)));
}

TEST_F(StepAdaptersTest, AreTheOthersWhereAnItemHasNone) {
  const AdapterMix none, others{{{b_, 1, 0}}};
  const StepItem items[] = {item(0, 2, 0, nullptr), item(0, 2, 0, &none)};
  fill_adapters(items, others, out_);
  EXPECT_THAT(out_.tokens, ElementsAre(IsRun(0, 2, b_, 1)));
}

}  // namespace
}  // namespace skald::step_adapters_test
