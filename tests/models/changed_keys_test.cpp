// Any change of a file's keys is followed (the logits change), refused or told: nothing is ignored in silence.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "tests/models/edited_golden.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald::changed_keys_test {
namespace {

using test::EditedGolden;
using test::Golden;

template <class T>
std::vector<T> others(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return {!x};
  else if constexpr (std::is_arithmetic_v<T>)
    return {static_cast<T>(x * 2 + 1), static_cast<T>(x / 2), static_cast<T>(x * 8), static_cast<T>(0)};
  else if constexpr (std::is_same_v<T, std::string>)
    return {x + "_other"};
  else
    return {};
}

// Values of the same kind that say something else; of an array, those with another last element.
std::vector<MetaValue> other_values(const MetaValue& value) {
  std::vector<MetaValue> out;
  const auto change_last = [&](const auto& items) {
    using Items = std::decay_t<decltype(items)>;
    if (items.empty()) return;
    for (typename Items::value_type last : others<typename Items::value_type>(items.back())) {
      Items changed = items;
      changed.back() = last;
      out.emplace_back(MetaArray{changed});
    }
  };
  const auto change = [&](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    if constexpr (std::is_same_v<T, MetaArray>)
      std::visit(change_last, x.items);
    else
      for (const T& y : others<T>(x)) out.emplace_back(y);
  };
  std::visit(change, value);
  return out;
}

// Keys that mean nothing beside the others of these files.
bool is_moot(const std::string& name, std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kMoot[] = {
      {"cohere2moe", "expert_shared_count"},                   // another key says the shared experts' width
      {"ernie45moe", "expert_shared_count"},                   // likewise
      {"exaonemoe", "expert_shared_count"},                    // likewise
      {"hunyuanmoe", "expert_shared_count"},                   // likewise
      {"nemotron_h_latent", "expert_shared_count"},            // likewise
      {"nemotron_h_moe", "expert_shared_count"},               // likewise
      {"granite4", "rope.scaling.finetuned"},                  // how the file was made
      {"granite4", "expert_used_count"},                       // no experts
      {"granite4", "expert_shared_feed_forward_length"},       // likewise
      {"granite4", "ssm.conv_kernel"},                         // no Mamba layers
      {"granite4", "ssm.state_size"},                          // likewise
      {"granite4", "ssm.group_count"},                         // likewise
      {"granite4", "ssm.inner_size"},                          // likewise
      {"granite4", "ssm.time_step_rank"},                      // likewise
      {"granitehybrid", "expert_used_count"},                  // no experts
      {"granitehybrid", "expert_shared_feed_forward_length"},  // likewise
      {"granitehybrid_moe", "feed_forward_length"},            // all layers have experts, whose tensors say their size
      {"granitemoe", "feed_forward_length"},                   // likewise
      {"mamba2", "attention.head_count"},                      // no attention
      {"mamba2", "feed_forward_length"},                       // and nothing but Mamba's blocks
      {"nemotron_h", "rope.dimension_count"},                  // no RoPE
      {"nemotron_h", "rope.scaling.finetuned"},                // likewise
      {"nemotron_h_latent", "rope.dimension_count"},           // likewise
      {"nemotron_h_latent", "rope.scaling.finetuned"},         // likewise
      {"nemotron_h_moe", "rope.dimension_count"},              // likewise
      {"nemotron_h_moe", "rope.scaling.finetuned"},            // likewise
      {"qwen35", "rope.dimension_sections"},                   // of pictures
      {"qwen35_mtp", "rope.dimension_sections"},               // likewise
      {"qwen35moe", "rope.dimension_sections"},                // likewise
      {"qwen35_mtp", "attention.recurrent_layers"},            // the last layer is one that is skipped
      {"gptoss", "feed_forward_length"},                       // all layers have experts, whose size another key says
      {"gptoss_notrunc", "feed_forward_length"},               // likewise
      {"qwen2moe", "feed_forward_length"},                     // likewise
      {"qwen3moe", "feed_forward_length"},                     // likewise
      {"mixtral", "feed_forward_length"},                      // all layers have experts, whose tensors say their size
      {"phi3", "rope.scaling.original_context_length"},        // no scaling
      {"stablelm", "use_parallel_residual"},                   // tensors say it
  };
  return std::ranges::any_of(kMoot, [&](const auto& moot) { return name == moot.first && key == moot.second; });
}

class ChangedKeys : public testing::TestWithParam<std::string> {
 protected:
  struct Outcome {
    std::vector<float> logits;
    int64_t n_ctx_train;
    bool operator==(const Outcome&) const = default;
  };

  static Outcome run(const EditedGolden& edited) {
    const auto model = edited.load();
    CpuBackend backend(2, test::unrounded_tier());
    Runner runner(model->step_model(), backend, {.n_ctx = 256, .type_k = "f32", .type_v = "f32"});
    const std::vector<TokenId>& ids = edited.golden.long_ids;
    return {test::logits_of(runner, ids, 200, static_cast<int64_t>(ids.size()), model->prefix_length(ids)),
            model->n_ctx_train()};
  }

  static bool is_silent(const EditedGolden& edited, const std::string& key, const Outcome& usual) {
    testing::internal::CaptureStderr();
    bool same = false;
    try {
      same = run(edited) == usual;
    } catch (const Error&) {
    }
    return testing::internal::GetCapturedStderr().find(key) == std::string::npos && same;
  }
};

TEST_P(ChangedKeys, AreFollowedRefusedOrTold) {
  EditedGolden edited(GetParam());
  const Outcome usual = run(edited);
  const std::string prefix = edited.golden.arch + ".";
  const Meta meta = edited.meta;
  for (const auto& [key, value] : meta.entries()) {
    if (!key.starts_with(prefix) || is_moot(GetParam(), std::string_view(key).substr(prefix.size()))) continue;
    const auto silent = [&](const MetaValue& other) {
      edited.meta.set(key, other);
      return is_silent(edited, key, usual);
    };
    EXPECT_FALSE(std::ranges::all_of(other_values(value), silent)) << key;
    edited.meta.set(key, value);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ChangedKeys, testing::ValuesIn(test::golden_names([](const Golden&) { return true; })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald::changed_keys_test
