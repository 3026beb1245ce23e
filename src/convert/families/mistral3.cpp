// Ministral 3, Devstral 2, Mistral Small 3: Llama whose queries may grow with their position.
#include <algorithm>
#include <cmath>
#include <optional>

#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMistral3Classes[] = {"Ministral3ForCausalLM", "Mistral3ForConditionalGeneration"};

constexpr std::string_view kKinds[] = {"mistral", "ministral3"};

// Queries grow beyond the original context; whole heads are scaled instead of the dimensions that YaRN rotates.
void ministral_keys(const HfConfig& c, Hyperparameters& out) {
  const std::optional<HfConfig> rope = c.object({"rope_scaling", "rope_parameters"});
  if (!rope) return;
  if (rope->has("llama_4_scaling_beta")) {
    out.number("attention.temperature_scale", rope->f32("llama_4_scaling_beta"));
    out.size("attention.temperature_length", rope->i64("original_max_position_embeddings"));
  }
  if (rope->str({"rope_type", "type"}, "default") != "yarn") return;
  const float some = rope->f32("mscale", 0), all = rope->f32("mscale_all_dim", 0);
  if (some == 0 || all == 0) return;
  out.number("rope.scaling.yarn_log_multiplier", all);
  // Readers multiply by the factor of a mscale of 1.
  const float log_factor = 0.1f * std::log(std::max(rope->f32("factor"), 1.0f));
  if (some != 1) out.number("rope.scaling.attn_factor", (1 + some * log_factor) / (1 + log_factor));
}

void describe_mistral3(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "model_type", kKinds);
  const bool scaled = c.str("model_type", "") == "ministral3";
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head(), {.yarn_magnitude = !scaled});
  window_key(c, out);
  if (scaled) ministral_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_mistral3;
const HfFamily hf_family_mistral3{.classes = kMistral3Classes,
                                  .arch = "mistral3",
                                  .describe = describe_mistral3,
                                  .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn}};

}  // namespace skald
