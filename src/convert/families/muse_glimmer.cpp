// Muse Glimmer, the language model.
#include <fmt/format.h>

#include "base/error.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMuseGlimmerClasses[] = {"MuseGlimmerForConditionalGeneration"};

constexpr TensorRule kMuseGlimmerTensors[] = {
    {"output_norm", "model.norm"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm", plus_one},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm", plus_one},
    {"blk.#.ffn_norm", "model.layers.#.pre_feedforward_layernorm", plus_one},
    {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm", plus_one},
    {"blk.#.attn_gate", "model.layers.#.self_attn.gate_proj"},
};

// Layers without a window have no RoPE; the base of each is 0 there.
void require_bases(const HfConfig& c, const std::vector<bool>& windows) {
  if (!c.has("layer_rope_theta")) return;
  const std::vector<float> bases = c.floats("layer_rope_theta");
  const float base = c.object("rope_parameters").value_or(c).f32("rope_theta", 0);
  bool fits = bases.size() == windows.size();
  for (size_t i = 0; fits && i < bases.size(); ++i) fits = bases[i] == (windows[i] ? base : 0);
  if (!fits)
    fail(Errc::kUnsupported,
         "config.json: layer_rope_theta: want that of rope_parameters in layers with a window, 0 in others");
}

void describe_muse_glimmer(const HfConfig& c, Hyperparameters& out) {
  const std::vector<bool> windows = window_layers(c, 4);
  require_bases(c, windows);
  require_number(c, "post_norm_eps", 1e-8f);  // which readers take
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  window_keys(c, out, windows);
  if (c.has("final_logit_softcapping")) out.number("final_logit_softcapping", c.f32("final_logit_softcapping"));
  out.number("logit_scale", c.f32("output_multiplier", 1));
  // The norms of query and key heads have no weights; queries are scaled after theirs.
  const auto d = static_cast<size_t>(c.d_head());
  for (int64_t i = 0; i < c.n_layers(); ++i) {
    out.tensor(fmt::format("blk.{}.attn_q_norm.weight", i), std::vector<float>(d, c.f32("qk_scale_factor", 1)));
    out.tensor(fmt::format("blk.{}.attn_k_norm.weight", i), std::vector<float>(d, 1.0f));
  }
}

}  // namespace

extern const HfFamily hf_family_muse_glimmer;
const HfFamily hf_family_muse_glimmer{.classes = kMuseGlimmerClasses,
                                      .arch = "muse-glimmer",
                                      .describe = describe_muse_glimmer,
                                      .tensors = {kMuseGlimmerTensors, kOuter, kInterleavedAttention, kGatedFfn}};

}  // namespace skald
