// Gemma 3n, the language model.
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "convert/gemma_parts.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kGemma3nClasses[] = {"Gemma3nForCausalLM", "Gemma3nForConditionalGeneration"};

constexpr TensorRule kGemma3nTensors[] = {
    {"altup_proj.weight", "model.altup_projections.@.weight"},
    {"altup_unembd_proj.weight", "model.altup_unembed_projections.@.weight"},
    {"blk.#.altup_correct_scale.weight", "model.layers.#.altup.correct_output_scale"},
    {"blk.#.altup_correct_coef", "model.layers.#.altup.correction_coefs"},
    {"blk.#.altup_router", "model.layers.#.altup.modality_router"},
    {"blk.#.altup_predict_coef", "model.layers.#.altup.prediction_coefs"},
    {"blk.#.altup_router_norm", "model.layers.#.altup.router_norm"},
    {"blk.#.laurel_l", "model.layers.#.laurel.linear_left"},
    {"blk.#.laurel_r", "model.layers.#.laurel.linear_right"},
    {"blk.#.laurel_post_norm", "model.layers.#.laurel.post_laurel_norm"},
};

double below(double deviations) { return 0.5 * std::erfc(-deviations / std::numbers::sqrt2); }

// How many standard deviations above the mean so large a share of normal numbers lies below; by bisection.
float deviations(float share) {
  if (share <= 0) return -std::numeric_limits<float>::infinity();
  if (share >= 1) fail(Errc::kBadFile, "config.json: activation_sparsity_pattern: {} of the activations", share);
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (below(middle) < share ? low : high) = middle;
  }
  return static_cast<float>(low);
}

std::vector<float> sparsity(const HfConfig& c) {
  const auto n = static_cast<size_t>(c.n_layers());
  const ConfigKeys kPattern{"activation_sparsity_pattern"};
  std::vector<float> out(n);
  if (c.is_list(kPattern))
    out = c.floats(kPattern, out);
  else
    out.assign(n, c.f32(kPattern, 0));
  for (float& x : out) x = deviations(x);
  return out;
}

void describe_gemma3n(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "altup_correct_scale", true, true);
  require_flag(c, "attention_bias", false, false);
  small_gemma_keys(c, out);
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  out.size("altup.active_idx", c.i64("altup_active_idx", 0));
  out.size("altup.num_inputs", c.i64("altup_num_inputs", 4));
  out.numbers("activation_sparsity_scale", sparsity(c));
}

}  // namespace

extern const HfFamily hf_family_gemma3n;
const HfFamily hf_family_gemma3n{
    .classes = kGemma3nClasses,
    .arch = "gemma3n",
    .describe = describe_gemma3n,
    .tensors = {kOuter, kLayerEmbeddings, kPostNorms, kAttention, kHeadNorms, kGatedFfn, kGemma3nTensors},
    .defaults = R"({"tie_word_embeddings": true, "rms_norm_eps": 1e-6, "head_dim": 256})",
    .activations = kGeluTanh};

}  // namespace skald
