// Types of keys that lose a model what it knows are told of after a page of keys.
#include "stepping/coarse_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "tests/models/edited_golden.h"
#include "tests/support/close_to.h"

namespace skald::coarse_keys_test {
namespace {

using testing::HasSubstr;

constexpr const char* kWarning = "q4_0 keys lose much of what this model knows";
constexpr int64_t kPrompt = CoarseKeys::kKeys;

// The component that turns least with the position gets a bias in all heads.
std::shared_ptr<const LoadedModel> biased(float bias) {
  test::EditedGolden model("qwen2");
  const int64_t heads = model.get("attention.head_count_kv", 1),
                d = model.get("embedding_length", 0) / model.get("attention.head_count", 1);
  for (auto& [name, tensor] : model.tensors) {
    if (!name.ends_with("attn_k.bias")) continue;
    for (int64_t head = 0; head < heads; ++head)
      std::memcpy(tensor.data.data() + (head * d + d / 2 - 1) * int64_t{sizeof bias}, &bias, sizeof bias);
  }
  return model.load();
}

class Keys {
 public:
  Keys(std::shared_ptr<const LoadedModel> model, const char* type)
      : model_(std::move(model)),
        runner_(model_->step_model(), backend_, {.n_ctx = 128, .type_k = type}, {.n_ubatch = kPrompt}) {}

  /// The logits of another text of n tokens, at most `rows` a step; empty for other than its end.
  std::vector<float> read(int64_t n, int64_t rows) {
    KvSequence kv = runner_.new_sequence();
    std::vector<float> out;
    while (kv.length() < n) {
      std::vector<TokenId> ids;
      for (int64_t at = kv.length(); at < std::min(n, kv.length() + rows); ++at)
        ids.push_back(static_cast<TokenId>(at * 7 % runner_.n_vocab()));
      const StepItem item{&kv, ids, 1};
      const Logits logits = runner_.run({&item, 1});
      out.assign(logits.row(0).begin(), logits.row(0).end());
    }
    return out;
  }
  std::string told(int64_t n, int64_t rows) {
    testing::internal::CaptureStderr();
    read(n, rows);
    const std::string all = testing::internal::GetCapturedStderr();
    return all.substr(std::min(all.find("warning"), all.size()));  // without the time
  }

 private:
  std::shared_ptr<const LoadedModel> model_;
  CpuBackend backend_{1, {}};
  Runner runner_;
};

TEST(CoarseKeys, AreToldOfOnceAfterAPage) {
  Keys keys(biased(1000), "q4_0");
  EXPECT_EQ(keys.told(kPrompt - 1, kPrompt), "");
  const std::string told = keys.told(kPrompt, kPrompt);
  EXPECT_THAT(told, HasSubstr(kWarning));
  EXPECT_THAT(told, HasSubstr("-ctk kc4 (or -ct small)"));
  EXPECT_EQ(keys.told(kPrompt, kPrompt), "");
}

TEST(CoarseKeys, AreToldOfAlikeForAnyStep) {
  const auto model = biased(1000);
  const std::string want = Keys(model, "q4_0").told(kPrompt, kPrompt);
  EXPECT_THAT(want, HasSubstr(kWarning));
  for (const int64_t rows : {1, 7, 50}) EXPECT_EQ(Keys(model, "q4_0").told(kPrompt, rows), want) << rows;
}

TEST(CoarseKeys, ChangeNoBitsWhereTheyAreMeasured) {
  Keys keys(biased(1000), "q4_0");
  const std::vector<float> measured = keys.read(kPrompt, kPrompt), after = keys.read(kPrompt, kPrompt);
  EXPECT_TRUE(test::same_bits(measured, after));
}

TEST(CoarseKeys, AreNotToldOfWhereTheyServe) {
  EXPECT_EQ(Keys(biased(0), "q4_0").told(kPrompt, kPrompt), "") << "keys without large parts";
  for (const char* type : {"q8_0", "kc4", "kc8", "f16"})
    EXPECT_EQ(Keys(biased(30), type).told(kPrompt, kPrompt), "") << type;
}

TEST(CoarseKeys, OfEightBitsAreToldOfWhereABiasIsHuge) {
  EXPECT_THAT(Keys(biased(100000), "q8_0").told(kPrompt, kPrompt), HasSubstr("-ctk kc8 keeps it"));
}

}  // namespace
}  // namespace skald::coarse_keys_test
