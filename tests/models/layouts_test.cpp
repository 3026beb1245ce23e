// The same model, however its tensors are packed, gives the same logits.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "tests/models/edited_golden.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald::layouts_test {
namespace {

using test::EditedGolden;
using Tensor = EditedGolden::Tensor;

std::vector<float> logits_of(const LoadedModel& model, const test::Golden& golden, bool repack) {
  CpuBackend backend(2, {}, {.repack = repack});
  Runner runner(model.step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
  const int64_t prefix = model.prefix_length(golden.prompt_ids);
  return test::logits_of(runner, golden.prompt_ids, 24, 24, prefix);
}

Tensor stacked(const std::vector<Tensor>& parts, Shape shape) {
  Tensor all{shape, parts.front().type, {}};
  for (const Tensor& t : parts) all.data.insert(all.data.end(), t.data.begin(), t.data.end());
  return all;
}

// Of matrices or vectors: their rows one after the other.
Tensor joined(const std::vector<Tensor>& parts) {
  Shape shape = parts.front().shape;
  shape[0] = 0;
  for (const Tensor& t : parts) shape[0] += t.shape[0];
  return stacked(parts, shape);
}

// Tensors of all layers, by their names after "blk.<i>.".
std::vector<std::string> layers_with(const EditedGolden& e, const std::string& name) {
  std::vector<std::string> layers;
  for (int64_t i = 0; i < e.get("block_count", 0); ++i)
    if (const std::string layer = fmt::format("blk.{}.", i); e.has(layer + name)) layers.push_back(layer);
  return layers;
}

bool fuse_qkv(EditedGolden& e) {
  bool changed = false;
  for (const char* end : {"weight", "bias"})
    for (const std::string& blk : layers_with(e, fmt::format("attn_k.{}", end))) {
      if (!e.has(fmt::format("{}attn_v.{}", blk, end))) continue;  // whose values are made of keys
      std::vector<Tensor> parts;
      for (const char* part : {"attn_q.", "attn_k.", "attn_v."}) parts.push_back(e.take(blk + part + end));
      if (parts[0].type != parts[1].type || parts[1].type != parts[2].type) return false;
      e.tensors[blk + "attn_qkv." + end] = joined(parts);
      changed = true;
    }
  return changed;
}

bool part_qkv(EditedGolden& e) {
  bool changed = false;
  if (e.by_layer("attention.head_count_kv")) return false;
  const int64_t heads = e.get("attention.head_count", 0), kv_heads = e.get("attention.head_count_kv", heads);
  const int64_t d_k = e.get("attention.key_length", e.get("embedding_length", 0) / heads);
  for (const char* end : {"weight", "bias"})
    for (const std::string& blk : layers_with(e, fmt::format("attn_qkv.{}", end))) {
      const Tensor all = e.take(blk + "attn_qkv." + end);
      int64_t first = 0;
      for (const auto& [part, n] : {std::pair{"attn_q.", heads}, {"attn_k.", kv_heads}, {"attn_v.", kv_heads}}) {
        e.tensors[blk + part + end] = all.rows(first, n * d_k);
        first += n * d_k;
      }
      changed = true;
    }
  return changed;
}

// Of a family whose feed-forward has a gate.
bool fuse_gate_up(EditedGolden& e) {
  const std::vector<std::string> layers = layers_with(e, "ffn_gate.weight");
  for (const std::string& blk : layers) {
    const Tensor gate = e.take(blk + "ffn_gate.weight"), up = e.take(blk + "ffn_up.weight");
    if (gate.type != up.type) return false;
    e.tensors[blk + "ffn_up.weight"] = joined({gate, up});
  }
  return !layers.empty();
}

bool part_gate_up(EditedGolden& e) {
  bool changed = false;
  if (e.by_layer("feed_forward_length")) return false;
  const int64_t d_ff = e.get("feed_forward_length", 0);
  for (const std::string& blk : layers_with(e, "ffn_up.weight")) {
    if (e.has(blk + "ffn_gate.weight") || e.tensors.at(blk + "ffn_up.weight").shape[0] != 2 * d_ff) continue;
    const Tensor both = e.take(blk + "ffn_up.weight");
    e.tensors[blk + "ffn_gate.weight"] = both.rows(0, d_ff);
    e.tensors[blk + "ffn_up.weight"] = both.rows(d_ff, d_ff);
    changed = true;
  }
  return changed;
}

// Expert i of a tensor of all.
Tensor expert(const Tensor& all, int64_t i) {
  Tensor one = all.rows(0, 0);
  const auto bytes = static_cast<int64_t>(all.data.size()) / all.shape[0];
  one.data.assign(all.data.begin() + i * bytes, all.data.begin() + (i + 1) * bytes);
  one.shape = all.shape.rank() == 3   ? Shape{all.shape[1], all.shape[2]}
              : all.shape.rank() == 2 ? Shape{all.shape[1]}
                                      : Shape{1};
  return one;
}

bool experts_apart(EditedGolden& e) {
  bool changed = false;
  for (const char* part : {"ffn_gate", "ffn_up", "ffn_down"})
    for (const char* end : {".weight", ".bias", ".scale"})
      for (const std::string& blk : layers_with(e, fmt::format("{}_exps{}", part, end))) {
        const Tensor all = e.take(fmt::format("{}{}_exps{}", blk, part, end));
        for (int64_t i = 0; i < all.shape[0]; ++i) e.tensors[fmt::format("{}{}.{}{}", blk, part, i, end)] = expert(all, i);
        changed = true;
      }
  return changed;
}

bool fuse_experts(EditedGolden& e) {
  bool changed = false;
  for (const char* end : {"weight", "bias"})
    for (const std::string& blk : layers_with(e, fmt::format("ffn_gate_exps.{}", end))) {
      const Tensor gate = e.take(blk + "ffn_gate_exps." + end), up = e.take(blk + "ffn_up_exps." + end);
      std::vector<Tensor> parts;
      for (int64_t i = 0; i < gate.shape[0]; ++i) parts.insert(parts.end(), {expert(gate, i), expert(up, i)});
      Shape shape = gate.shape;
      shape[1] *= 2;
      e.tensors[blk + "ffn_gate_up_exps." + end] = stacked(parts, shape);
      changed = true;
    }
  return changed;
}

bool add_ones(EditedGolden& e) {
  for (auto& [name, t] : e.tensors) {
    if (t.shape.rank() == 1) t.shape = Shape{1, t.shape[0]};
    if (t.shape.rank() == 2) t.shape = Shape{1, t.shape[0], t.shape[1]};
  }
  return true;
}

bool numbers_per_layer(EditedGolden& e) {
  const auto layers = static_cast<size_t>(e.get("block_count", 0));
  for (const char* key : {"attention.head_count", "attention.head_count_kv", "feed_forward_length"})
    if (const int64_t value = e.by_layer(key) ? 0 : e.get(key, 0))
      e.set(key, MetaArray{std::vector<uint32_t>(layers, static_cast<uint32_t>(value))});
  return true;
}

struct Layout {
  const char* name;
  bool (*apply)(EditedGolden& edited);  // whether there was something to change
};
constexpr Layout kLayouts[] = {{"fused_qkv", fuse_qkv},
                               {"parted_qkv", part_qkv},
                               {"fused_gate_up", fuse_gate_up},
                               {"parted_gate_up", part_gate_up},
                               {"experts_apart", experts_apart},
                               {"fused_experts", fuse_experts},
                               {"ones", add_ones},
                               {"numbers_per_layer", numbers_per_layer}};

class Layouts : public testing::TestWithParam<std::string> {};

TEST_P(Layouts, GiveTheSameLogits) {
  const EditedGolden original(GetParam());
  for (const bool repack : {true, false}) {
    const std::vector<float> want = logits_of(*original.load(), original.golden, repack);
    for (const Layout& layout : kLayouts) {
      SCOPED_TRACE(layout.name);
      EditedGolden edited(GetParam());
      if (!layout.apply(edited)) continue;
      EXPECT_EQ(logits_of(*edited.load(), edited.golden, repack), want);
    }
  }
}

// Layers of the others differ from each other, or have more than a query in attn_q.
bool has_equal_layers(const test::Golden& golden) {
  return attention_states(golden.load()->states()).size() == golden.load()->states().size() && golden.arch != "laguna";
}

INSTANTIATE_TEST_SUITE_P(Golden, Layouts, testing::ValuesIn(test::golden_names(has_equal_layers)),
                         [](const auto& info) { return info.param; });

Tensor floats(const std::vector<float>& x) {
  const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
  return {Shape{std::ssize(x)}, format_f32.id, {bytes, bytes + x.size() * sizeof(float)}};
}

void scale_experts(EditedGolden& e) {
  const auto experts = static_cast<size_t>(e.get("expert_count", 0));
  for (const std::string& blk : layers_with(e, "ffn_gate_exps.weight"))
    for (const char* part : {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"}) {
      std::vector<float> scales;
      for (size_t i = 0; i < experts; ++i) scales.push_back(1 + 0.25f * static_cast<float>(i));
      e.tensors[blk + part + ".scale"] = floats(scales);
    }
}

TEST(UnusualLayouts, ScalesOfExpertsGoWithTheirMatrices) {
  const EditedGolden original("mixtral");
  EditedGolden together("mixtral"), apart("mixtral"), fused("mixtral");
  for (EditedGolden* e : {&together, &apart, &fused}) scale_experts(*e);
  const std::vector<float> want = logits_of(*together.load(), together.golden, true);
  EXPECT_NE(want, logits_of(*original.load(), original.golden, true));
  ASSERT_TRUE(experts_apart(apart));
  EXPECT_EQ(logits_of(*apart.load(), apart.golden, true), want);
  ASSERT_TRUE(fuse_experts(fused));
  for (const std::string& blk : layers_with(fused, "ffn_gate_up_exps.weight")) {
    fused.tensors[blk + "ffn_gate_up_exps.scale"] = fused.take(blk + "ffn_gate_exps.scale");
    fused.take(blk + "ffn_up_exps.scale");
  }
  EXPECT_EQ(logits_of(*fused.load(), fused.golden, true), want);
}

TEST(UnusualLayouts, TheExpertsWidthIsThatOfTheirWeights) {
  const EditedGolden original("qwen2moe");
  EditedGolden edited("qwen2moe");
  edited.set("feed_forward_length",
             static_cast<uint32_t>(edited.get("expert_used_count", 0) * edited.get("expert_feed_forward_length", 0)));
  edited.drop("expert_feed_forward_length");
  EXPECT_EQ(logits_of(*edited.load(), edited.golden, true), logits_of(*original.load(), original.golden, true));
}

TEST(UnusualLayouts, NumbersThatDifferFromLayerToLayerAreRefusedByName) {
  EditedGolden edited("llama_mha");
  std::vector<uint32_t> widths(static_cast<size_t>(edited.get("block_count", 0)), 64);
  widths.back() = 96;
  edited.set("feed_forward_length", MetaArray{widths});
  const Error e = test::error_of([&] { edited.load(); });
  EXPECT_NE(std::string(e.what()).find("llama.feed_forward_length"), std::string::npos) << e.what();
}

TEST(UnusualLayouts, AMissingExpertIsNoLayout) {
  EditedGolden edited("mixtral");
  ASSERT_TRUE(experts_apart(edited));
  edited.take("blk.0.ffn_up.1.weight");
  const Error e = test::error_of([&] { edited.load(); });
  EXPECT_NE(std::string(e.what()).find("blk.0.ffn_up_exps.weight"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald::layouts_test
