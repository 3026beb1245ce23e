// Gemma 4, the language model.
#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "convert/expert_keys.h"
#include "convert/gemma_parts.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kGemma4Classes[] = {"Gemma4ForCausalLM", "Gemma4ForConditionalGeneration"};

constexpr TensorRule kGemma4Tensors[] = {
    {"blk.#.layer_output_scale.weight", "model.layers.#.layer_scalar"},
    {"blk.#.post_ffw_norm_1", "model.layers.#.post_feedforward_layernorm_1"},
    {"blk.#.post_ffw_norm_2", "model.layers.#.post_feedforward_layernorm_2"},
    {"blk.#.pre_ffw_norm_2", "model.layers.#.pre_feedforward_layernorm_2"},
    {"blk.#.ffn_gate_inp", "model.layers.#.router.proj"},
    {"blk.#.ffn_gate_inp.scale", "model.layers.#.router.scale", nullptr, kWholeName},
    {"blk.#.ffn_down_exps.scale", "model.layers.#.router.per_expert_scale", nullptr, kWholeName},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.experts.gate_up_proj", first_half},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.experts.gate_up_proj", second_half},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.experts.down_proj"},
};

// Heads of layers without a window: keys of their own, or the configuration of such a layer.
int64_t of_full_layers(const HfConfig& c, const char* global, const char* each, int64_t usual) {
  if (c.has(global)) return c.i64(global);
  const std::optional<HfConfig> layers = c.object("per_layer_config");
  const std::vector<bool> windows = window_layers(c, 6);
  for (size_t i = 0; layers && i < windows.size(); ++i) {
    const std::string number = fmt::format("{}", i);
    const std::optional<HfConfig> layer = layers->object({std::string_view(number)});
    if (!layer || !layer->has(each)) continue;
    if (windows[i]) fail(Errc::kUnsupported, "config.json: per_layer_config: {} of a layer with a window", each);
    usual = layer->i64(each);
  }
  return usual;
}

// Pairs of values that do not turn have a divisor that no position reaches.
std::vector<float> turning(int64_t d_head, float share) {
  const auto n = static_cast<size_t>(d_head / 2), turn = static_cast<size_t>(static_cast<float>(d_head) * share / 2);
  if (!(share > 0 && share <= 1)) fail(Errc::kBadFile, "config.json: partial_rotary_factor: {}", share);
  std::vector<float> out(n, 1e30f);
  std::fill_n(out.begin(), turn, 1.0f);
  return out;
}

void full_rope(const HfConfig& c, Hyperparameters& out, int64_t d_head) {
  const std::optional<HfConfig> kinds = c.object("rope_parameters");
  const std::optional<HfConfig> full = kinds ? kinds->object("full_attention") : std::nullopt;
  if (!full) fail(Errc::kNotFound, "config.json: rope_parameters.full_attention is missing");
  const std::string type = full->str("rope_type", "proportional");
  if (type != "proportional" && type != "default")
    fail(Errc::kUnsupported, "config.json: RoPE of type {} is not supported for this architecture, only proportional",
         skald::quoted(type));
  out.number("rope.freq_base", full->f32("rope_theta", 1e6f));
  out.size("rope.dimension_count", d_head);
  static const std::string kDivisors = "rope_freqs.weight";
  if (type == "proportional") out.tensor(kDivisors, turning(d_head, full->f32("partial_rotary_factor", 1)));
}

// Layers that read another one's cache have a feed-forward twice as wide.
void wide_layers(const HfConfig& c, Hyperparameters& out) {
  const int64_t first = c.n_layers() - c.i64("num_kv_shared_layers", 0);
  if (!c.flag("use_double_wide_mlp", false)) return;
  std::vector<int64_t> widths;
  for (int64_t i = 0; i < c.n_layers(); ++i) widths.push_back(i < first ? c.d_ff() : 2 * c.d_ff());
  out.sizes("feed_forward_length", widths);
}

void heads(const HfConfig& c, Hyperparameters& out) {
  const int64_t d_full = of_full_layers(c, "global_head_dim", "head_dim", c.d_head());
  const int64_t n_full = of_full_layers(c, "num_global_key_value_heads", "num_key_value_heads", c.n_kv_heads());
  for (const char* of : {"key", "value"}) {
    out.size(fmt::format("attention.{}_length", of), d_full);
    out.size(fmt::format("attention.{}_length_swa", of), c.d_head());
  }
  out.size("rope.dimension_count_swa", c.d_head());
  full_rope(c, out, d_full);
  if (n_full == c.n_kv_heads()) return;
  std::vector<int64_t> n;
  for (const bool window : window_layers(c, 6)) n.push_back(window ? c.n_kv_heads() : n_full);
  out.sizes("attention.head_count_kv", n);
}

void describe_gemma4(const HfConfig& c, Hyperparameters& out) {
  // Pictures may see later tokens, text may not.
  if (!c.is_string("use_bidirectional_attention")) require_causal(c);
  require_flag(c, "attention_bias", false, false);
  small_gemma_keys(c, out);
  heads(c, out);
  wide_layers(c, out);
  if (c.flag("enable_moe_block", false)) expert_keys(c, out);
}

constexpr std::string_view kGemma4Defaults = R"({"tie_word_embeddings": true, "rms_norm_eps": 1e-6, "head_dim": 256,
    "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6}}})";

}  // namespace

extern const HfFamily hf_family_gemma4;
const HfFamily hf_family_gemma4{
    .classes = kGemma4Classes,
    .arch = "gemma4",
    .describe = describe_gemma4,
    .tensors = {kOuter, kLayerEmbeddings, kPostNorms, kAttention, kHeadNorms, kGatedFfn, kGemma4Tensors},
    .defaults = kGemma4Defaults,
    .activations = kGeluTanh,
    .partial_rope = true,
    .encoder = true};

}  // namespace skald
