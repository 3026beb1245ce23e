// Llama, Mistral, Mixtral, and models that transformers builds like them.
#include <algorithm>
#include <optional>

#include "convert/expert_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kLlamaClasses[] = {"LlamaForCausalLM", "LLaMAForCausalLM", "LlamaModel", "MistralForCausalLM",
                                              "MixtralForCausalLM"};

// Llama's own class does not look at the key.
bool may_have_window(const HfConfig& c) {
  const std::vector<std::string> classes = c.strings("architectures");
  const auto is_llama = [](const std::string& name) { return name.starts_with("Ll") || name.starts_with("LL"); };
  return std::ranges::none_of(classes, is_llama);
}

bool is_mixtral(const HfConfig& c) {
  const std::vector<std::string> classes = c.strings("architectures");
  return std::ranges::find(classes, "MixtralForCausalLM") != classes.end();
}

bool has_base(const HfConfig& c) {
  const std::optional<HfConfig> rope = c.object({"rope_scaling", "rope_parameters"});
  return c.has("rope_theta") || (rope && rope->has("rope_theta"));
}

void describe_llama(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  if (is_mixtral(c) && !has_base(c)) out.number("rope.freq_base", 1e6f);  // as transformers
  if (may_have_window(c)) window_key(c, out);
  if (c.i64({"num_local_experts", "num_experts"}, 0)) expert_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_llama;
const HfFamily hf_family_llama{.classes = kLlamaClasses,
                               .arch = "llama",
                               .describe = describe_llama,
                               .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn, kMixtral, kExperts}};

}  // namespace skald
