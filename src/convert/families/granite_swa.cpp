// Granite with windows, dense or with experts.
#include <algorithm>

#include "base/error.h"
#include "convert/expert_keys.h"
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGraniteSwaClasses[] = {"GraniteSWAForCausalLM", "GraniteMoeSWAForCausalLM"};

constexpr TensorRule kGraniteSwaTensors[] = {
    {"blk.#.attn_sinks.weight", "model.layers.#.self_attn.sinks"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.block_sparse_moe.experts.gate_up_proj", first_half},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.block_sparse_moe.experts.gate_up_proj", second_half},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.block_sparse_moe.experts.down_proj"},
};

// The first of each four layers sees all keys, where layers say nothing of themselves.
std::vector<bool> windows(const HfConfig& c) {
  if (c.has("layer_types")) return window_layers(c, 4);
  std::vector<bool> out;
  for (int64_t i = 0; i < c.n_layers(); ++i) out.push_back(i % 4 != 0);
  return out;
}

// The base of each layer, 0 where there is no RoPE; or a flag for each, 0 likewise.
void rope_layers(const HfConfig& c, Hyperparameters& out) {
  const ConfigKeys kLayers{"layer_rope_theta", "no_rope_layers"};
  if (!c.has(kLayers)) return;
  const bool bases = c.has("layer_rope_theta");
  const float base = c.object("rope_parameters").value_or(c).f32("rope_theta", 10000);
  std::vector<bool> rotated;
  for (const float x : c.floats(kLayers)) {
    if (bases && x != 0 && x != base)
      fail(Errc::kUnsupported, "config.json: layer_rope_theta: want that of rope_parameters, {}, or 0, file has {}", base,
           x);
    rotated.push_back(x != 0);
  }
  if (std::ssize(rotated) != c.n_layers())
    fail(Errc::kBadFile, "config.json: layer_rope_theta: {} layers, file has {}", c.n_layers(), rotated.size());
  if (std::ranges::find(rotated, false) != rotated.end()) out.flags("attention.rope_pattern", rotated);
}

void describe_granite_swa(const HfConfig& c, Hyperparameters& out) {
  granite_keys(c, out);
  window_keys(c, out, windows(c));
  rope_layers(c, out);
  if (c.i64("num_local_experts", 0) == 0) return;
  expert_keys(c, out);
  if (const int64_t d = c.i64("shared_intermediate_size", 0)) out.size("expert_shared_feed_forward_length", d);
}

}  // namespace

extern const HfFamily hf_family_granite_swa;
const HfFamily hf_family_granite_swa{
    .classes = kGraniteSwaClasses,
    .arch = "granite_swa",
    .describe = describe_granite_swa,
    .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn, kGraniteExperts, kGraniteSwaTensors},
    .defaults = R"({"sliding_window": 128, "tie_word_embeddings": true})"};

}  // namespace skald
