// OLMo 3: OLMo 2 with windows.
#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kOlmo3Classes[] = {"Olmo3ForCausalLM"};

void describe_olmo3(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, 4));
}

}  // namespace

extern const HfFamily hf_family_olmo3;
const HfFamily hf_family_olmo3{.classes = kOlmo3Classes,
                               .arch = "olmo2",
                               .describe = describe_olmo3,
                               .tensors = {kOuter, kAttention, kHeadNorms, kPostNorms, kGatedFfn},
                               .defaults = R"({"rms_norm_eps": 1e-5, "rope_theta": 5e5, "sliding_window": 4096})"};

}  // namespace skald
