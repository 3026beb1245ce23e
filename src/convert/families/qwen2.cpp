// Qwen2 and Qwen2.5.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen2Classes[] = {"Qwen2ForCausalLM", "Qwen2Model"};

void describe_qwen2(const HfConfig& c, Hyperparameters& out) {
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_qwen2;
const HfFamily hf_family_qwen2{.classes = kQwen2Classes,
                               .arch = "qwen2",
                               .describe = describe_qwen2,
                               .tensors = {kOuter, kPreNorms, kAttention, kGatedFfn}};

}  // namespace skald
