// FamilyCase: a golden model's tensors, brought into the form of a Hugging Face checkpoint, convert back.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "convert/conversion.h"
#include "tests/convert/back.h"
#include "tests/convert/hf_folder.h"
#include "tests/support/paths.h"

namespace skald::test {

struct FamilyCase {
  const char* golden;                        // folder of tests/data/golden
  const char* config;                        // config.json
  void (*back)(Back& back);                  // the checkpoint's tensors
  std::vector<std::string> other_keys = {};  // of the golden file, without the architecture, that say the same otherwise
  bool computed = false;                     // all tensors are compared as numbers, within rounding
  bool ahead = false;                        // the checkpoint has the layers that predict further tokens
  friend void PrintTo(const FamilyCase& c, std::ostream* out) { *out << c.golden; }
};

// A number, or the largest of those that layers have.
inline int64_t most(const MetaView& m, const char* key, int64_t fallback) {
  const MetaValue* value = m.find(key);
  if (!value || !std::holds_alternative<MetaArray>(*value)) return m.i64(key, fallback);
  return std::ranges::max(m.meta().ints(m.full(key)));
}

// The sizes that all decoders have, as most configurations spell them.
inline nlohmann::json config_of(const Gguf& golden, const char* more) {
  const Meta& meta = golden.meta();
  const MetaView m(meta, meta.str("general.architecture"));
  const int64_t n_heads = most(m, "attention.head_count", 1);
  nlohmann::json out = {{"hidden_size", m.i64("embedding_length")},
                        {"intermediate_size", most(m, "feed_forward_length", 0)},
                        {"num_hidden_layers", m.i64("block_count") - m.i64("nextn_predict_layers", 0)},
                        {"num_attention_heads", n_heads},
                        {"num_key_value_heads", most(m, "attention.head_count_kv", n_heads)},
                        {"max_position_embeddings", m.i64("context_length")},
                        {"vocab_size", golden.find("token_embd.weight")->shape[0]}};
  if (m.has("rope.freq_base")) out["rope_theta"] = m.f32("rope.freq_base");
  if (m.has("attention.key_length")) out["head_dim"] = m.i64("attention.key_length");
  for (const char* eps : {"layer_norm_rms_epsilon", "layer_norm_epsilon"})
    if (m.has(std::string("attention.") + eps))
      out[eps == std::string("layer_norm_epsilon") ? "layer_norm_eps" : "rms_norm_eps"] =
          m.f32(std::string("attention.") + eps);
  out.merge_patch(nlohmann::json::parse(more));
  return out;
}

inline std::string bytes_of(const Conversion& conversion, const Conversion::Tensor& t) {
  ThreadPool pool(2);
  std::string out;
  conversion.give(t, pool, [&](std::span<const std::byte> piece) {
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return out;
}

// Divisors of frequencies, rates of decays and tensors with a factor are computed; everything else is copied.
inline bool is_computed(const std::string& name, const FamilyCase& c) {
  return c.computed || name.starts_with("rope_") || name.ends_with(".ssm_a");
}

// Dimensions of one element, which some programs write and some do not, count for nothing.
inline std::vector<int64_t> dims_above_one(const Shape& shape) {
  std::vector<int64_t> out;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1) out.push_back(shape[i]);
  return out;
}

inline void expect_equal(const Conversion& conversion, const Conversion::Tensor& got, const GgufTensor& want,
                         const FamilyCase& c) {
  EXPECT_EQ(dims_above_one(got.desc.shape), dims_above_one(want.shape)) << want.name;
  ASSERT_EQ(got.desc.format->name, want.type->name) << want.name;
  const std::string bytes = bytes_of(conversion, got);
  ASSERT_EQ(bytes.size(), want.data.size()) << want.name;
  if (!is_computed(want.name, c)) {
    EXPECT_EQ(std::memcmp(bytes.data(), want.data.data(), bytes.size()), 0) << want.name;
    return;
  }
  const auto* a = reinterpret_cast<const float*>(bytes.data());
  const auto* b = reinterpret_cast<const float*>(want.data.data());
  for (int64_t i = 0; i < want.shape.elements(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-6 * std::abs(b[i])) << want.name << " " << i;
}

// Numbers of layers are the same in other widths too, and where one is written for all.
inline bool same_by_layers(const Meta& got, const Meta& want, const std::string& key) {
  const auto is_array = [&](const Meta& m) { return std::holds_alternative<MetaArray>(*m.find(key)); };
  if (!is_array(want)) return false;
  const MetaArray& array = std::get<MetaArray>(*want.find(key));
  if (!std::holds_alternative<std::vector<int32_t>>(array.items)) return false;
  return is_array(got) ? got.ints(key) == want.ints(key) : got.i64(key) == want.i64(key);
}

inline void expect_keys(const Meta& got, const Meta& want, const FamilyCase& c) {
  const std::string prefix = want.str("general.architecture") + ".";
  EXPECT_EQ(got.str("general.architecture"), want.str("general.architecture"));
  EXPECT_EQ(got.i64("general.file_type"), want.i64("general.file_type"));
  for (const auto& [key, value] : want.entries()) {
    if (!key.starts_with(prefix) || std::ranges::count(c.other_keys, key.substr(prefix.size()))) continue;
    const MetaValue* ours = got.find(key);
    ASSERT_NE(ours, nullptr) << key;
    if (same_by_layers(got, want, key)) continue;
    // Products may be rounded otherwise.
    if (const float* a = std::get_if<float>(ours), *b = std::get_if<float>(&value); a && b)
      EXPECT_FLOAT_EQ(*a, *b) << key;
    else
      EXPECT_EQ(*ours, value) << key;
  }
}

// Gates and ups of experts, which some golden files have in one tensor.
inline constexpr std::string_view kBoth = ".ffn_gate_up_exps.";

inline const GgufTensor* in_one(const Gguf& golden, std::string name) {
  for (const std::string part : {".ffn_gate_exps.", ".ffn_up_exps."})
    if (const size_t at = name.find(part); at != name.npos) return golden.find(name.replace(at, part.size(), kBoth));
  return nullptr;
}

inline void expect_half(const Conversion& conversion, const Conversion::Tensor& got, const GgufTensor& both) {
  const std::string bytes = bytes_of(conversion, got);
  const auto experts = static_cast<size_t>(both.shape[0]);
  const size_t each = both.data.size() / experts, half = each / 2, first = got.name.find("_up_") == got.name.npos ? 0 : half;
  ASSERT_EQ(bytes.size(), experts * half) << got.name;
  for (size_t i = 0; i < experts; ++i)
    EXPECT_EQ(std::memcmp(bytes.data() + i * half, both.data.data() + i * each + first, half), 0) << got.name << " " << i;
}

inline void expect_conversion(const FamilyCase& c) {
  const Gguf golden = Gguf::open((data_dir() / "golden" / c.golden / "model.gguf").string(), FileBytes::How::kMap);
  const HfFolder folder(config_of(golden, c.config));
  SafetensorsBytes checkpoint;
  Back back(golden, checkpoint);
  c.back(back);
  folder.checkpoint(checkpoint);
  const Conversion conversion(folder.open(), {.need_tokenizer = false});
  expect_keys(conversion.meta(), golden.meta(), c);
  const MetaView m(golden.meta(), golden.meta().str("general.architecture"));
  const std::string ahead = fmt::format("blk.{}.", m.i64("block_count") - m.i64("nextn_predict_layers", 0));
  int64_t n = 0;
  for (const GgufTensor& t : golden.tensors())
    if (c.ahead || !t.name.starts_with(ahead)) n += t.name.find(kBoth) == t.name.npos ? 1 : 2;
  EXPECT_EQ(std::ssize(conversion.tensors()), n);
  for (const Conversion::Tensor& t : conversion.tensors()) {
    if (const GgufTensor* both = in_one(golden, t.name)) {
      expect_half(conversion, t, *both);
      continue;
    }
    const GgufTensor* want = golden.find(t.name);
    ASSERT_NE(want, nullptr) << t.name;
    expect_equal(conversion, t, *want, c);
  }
}

/// A tensor of the golden file that stands for one of a layer ahead, its name in the checkpoint and in that layer; without
/// ".weight" and ".bias".
struct StandIn {
  std::string from, in_checkpoint, name;
};

/// The checkpoint with a layer that predicts further tokens, whose matrix of both inputs is `eh_proj` there, becomes a file
/// with one layer more.
inline void expect_layer_ahead(const FamilyCase& c, const std::string& eh_proj, const std::vector<StandIn>& tensors) {
  const Gguf golden = Gguf::open((data_dir() / "golden" / c.golden / "model.gguf").string(), FileBytes::How::kMap);
  const HfFolder folder(config_of(golden, c.config));
  SafetensorsBytes checkpoint;
  Back back(golden, checkpoint);
  c.back(back);
  for (const StandIn& t : tensors) back.add(t.from, t.in_checkpoint);
  const int64_t d = golden.find("token_embd.weight")->shape[1];
  checkpoint.tensor(eh_proj, "F32", {d, 2 * d}, std::vector<float>(static_cast<size_t>(2 * d * d), 0.5F));
  folder.checkpoint(checkpoint);

  const Conversion conversion(folder.open(), {.need_tokenizer = false});
  const MetaView m(conversion.meta(), golden.meta().str("general.architecture"));
  const int64_t n = MetaView(golden.meta(), golden.meta().str("general.architecture")).i64("block_count");
  EXPECT_EQ(m.i64("block_count"), n + 1);
  EXPECT_EQ(m.i64("nextn_predict_layers"), 1);
  std::map<std::string, const GgufTensor*> want = {{fmt::format("blk.{}.nextn.eh_proj.weight", n), nullptr}};
  for (const StandIn& t : tensors)
    for (const char* leaf : {".weight", ".bias"})
      if (const GgufTensor* from = golden.find(t.from + leaf)) want[fmt::format("blk.{}.{}{}", n, t.name, leaf)] = from;
  for (const Conversion::Tensor& t : conversion.tensors()) {
    if (!t.name.starts_with(fmt::format("blk.{}.", n))) continue;
    ASSERT_TRUE(want.contains(t.name)) << t.name;
    if (const GgufTensor* from = want.at(t.name)) expect_equal(conversion, t, *from, c);
    want.erase(t.name);
  }
  EXPECT_TRUE(want.empty()) << want.begin()->first;
  const Conversion without(folder.open(), {.need_tokenizer = false, .layers_ahead = false});
  expect_keys(without.meta(), golden.meta(), c);
}

// Tensors of many families; `queries_and_keys` undoes the changes to these two.
inline void projections(Back& b, const Undo& queries_and_keys = {}) {
  b.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm").add("output", "lm_head");
  b.add("blk.#.attn_norm", "model.layers.#.input_layernorm");
  b.add("blk.#.attn_q", "model.layers.#.self_attn.q_proj", queries_and_keys);
  b.add("blk.#.attn_k", "model.layers.#.self_attn.k_proj", queries_and_keys);
  b.add("blk.#.attn_v", "model.layers.#.self_attn.v_proj").add("blk.#.attn_output", "model.layers.#.self_attn.o_proj");
}

inline void attention(Back& b, const Undo& queries_and_keys = {}) {
  projections(b, queries_and_keys);
  b.add("blk.#.ffn_norm", "model.layers.#.post_attention_layernorm");
}

inline void gated_ffn(Back& b) {
  b.add("blk.#.ffn_gate", "model.layers.#.mlp.gate_proj").add("blk.#.ffn_up", "model.layers.#.mlp.up_proj");
  b.add("blk.#.ffn_down", "model.layers.#.mlp.down_proj");
}

}  // namespace skald::test
