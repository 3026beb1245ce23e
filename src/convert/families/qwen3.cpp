// Qwen3, dense.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen3Classes[] = {"Qwen3ForCausalLM", "Qwen3Model"};

void describe_qwen3(const HfConfig& c, Hyperparameters& out) {
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_qwen3;
const HfFamily hf_family_qwen3{.classes = kQwen3Classes,
                               .arch = "qwen3",
                               .describe = describe_qwen3,
                               .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kGatedFfn}};

}  // namespace skald
